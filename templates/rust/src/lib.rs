//! The agent `template-agent`: Bayesian logistic regression, as the modes of posteriors that a bootstrap perturbs.
//!
//! Each of a few members is the mode under its own weights of the examples (the Bayesian bootstrap) and its own draw
//! from the prior, which is what a member believes where there are no data. Draw m of the agent is member m modulo
//! `size`.

use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, Positive, Progress, Rng, Setting, Task, softmax,
};

jointly_sdk::settings! {
    struct Settings {
        /// number of members
        size: Count = "20",
        /// standard deviation of a logit before any data
        prior_scale: Positive = "3",
        /// steps of gradient descent a member
        steps: Count = "100",
    }
}

struct Agent {
    classes: usize,
    /// The coefficients of each member: those of class k begin at k * (features + 1), and the bias is the last.
    members: Vec<Vec<f32>>,
}

impl Agent {
    fn member(&self, draw: u64) -> u64 {
        draw % self.members.len() as u64
    }
}

impl Classifier for Agent {
    fn describe() -> Description {
        Description {
            parameters: Settings::parameters(),
            ..Description::new("template-agent", "0.1.0", "logistic regression under the Bayesian bootstrap")
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let mut progress = Progress::new(*settings.size);
        let member = |m| {
            let member = fit(task, data, &settings, &mut Rng::new(seed, m as u64));
            progress.step();
            member
        };
        let members: Vec<Vec<f32>> = (0..*settings.size).map(member).collect();
        if members.iter().flatten().any(|c| !c.is_finite()) {
            return Err(Failure::Diverged("a coefficient is not finite".into()));
        }
        Ok(Agent { classes: task.num_classes, members })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let coefficients = &self.members[self.member(draw) as usize];
        for (t, probs) in out.chunks_exact_mut(self.classes).enumerate() {
            predict(coefficients, inputs.row(t), probs);
        }
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.member(draw)
    }
}

/// The coefficients of one member.
///
/// They minimise sum_i w_i * -log p(label_i | input_i) + |W - anchor|^2 / (2 * scale^2) by accelerated gradient
/// descent, whose step size and momentum follow from bounds on the curvature: there is nothing to tune.
fn fit(task: &Task, data: &Dataset, settings: &Settings, rng: &mut Rng) -> Vec<f32> {
    let width = task.input_dim + 1;
    // Inputs have about unit variance, so that a logit varies by `prior-scale`.
    let scale = *settings.prior_scale / (width as f32).sqrt();
    let anchor: Vec<f32> = (0..task.num_classes * width).map(|_| scale * rng.normal()).collect();
    let examples: Vec<(f32, &[f32], u32)> =
        data.labels.iter().enumerate().map(|(i, label)| (rng.exponential(), data.inputs.row(i), *label)).collect();

    // The softmax curves by at most 1/2 along any direction of its logits.
    let least = 1.0 / (scale * scale);
    let squares = |input: &[f32]| 1.0 + input.iter().map(|x| x * x).sum::<f32>();
    let greatest = least + examples.iter().map(|(weight, input, _)| weight * squares(input)).sum::<f32>() / 2.0;
    let momentum = (greatest.sqrt() - least.sqrt()) / (greatest.sqrt() + least.sqrt());

    let (mut current, mut ahead) = (anchor.clone(), anchor.clone());
    let mut errors = vec![0.0; task.num_classes];
    for _ in 0..*settings.steps {
        let mut gradient: Vec<f32> = ahead.iter().zip(&anchor).map(|(a, b)| least * (a - b)).collect();
        for (weight, input, label) in &examples {
            predict(&ahead, input, &mut errors);
            errors[*label as usize] -= 1.0;
            for (line, error) in gradient.chunks_exact_mut(width).zip(&errors) {
                let slope = weight * error;
                line.iter_mut().zip(input.iter().chain(&[1.0])).for_each(|(g, x)| *g += slope * x);
            }
        }
        let next: Vec<f32> = ahead.iter().zip(&gradient).map(|(a, g)| a - g / greatest).collect();
        ahead = next.iter().zip(&current).map(|(c, b)| c + momentum * (c - b)).collect();
        current = next;
    }
    current
}

/// Class probabilities at an input.
fn predict(coefficients: &[f32], input: &[f32], probs: &mut [f32]) {
    for (line, logit) in coefficients.chunks_exact(input.len() + 1).zip(&mut *probs) {
        let (slopes, bias) = line.split_at(input.len());
        *logit = bias[0] + slopes.iter().zip(input).map(|(c, x)| c * x).sum::<f32>();
    }
    softmax(probs);
}

jointly_sdk::export!(classifier: Agent);

#[cfg(test)]
mod tests {
    use super::*;

    /// Outside the sandbox the agent is an ordinary type.
    #[test]
    fn members_agree_where_there_are_examples_and_differ_where_there_are_none() {
        let task = Task { input_dim: 1, num_classes: 2, temperature: None, hidden_layers: None };
        let inputs: Vec<f32> = (0..40).map(|i| if i < 20 { 0.9 } else { 1.1 }).collect();
        let labels = (0..40).map(|i| u32::from(i >= 20)).collect();
        let data = Dataset { inputs: Matrix::new(40, 1, inputs).unwrap(), labels };
        let agent = Agent::train(&task, &data, None, &[], 0).unwrap();
        let spread = |x: f32| {
            let (mut least, mut most) = (1.0_f32, 0.0_f32);
            for draw in 0..20 {
                let mut probs = [0.0; 2];
                agent.probs(&Matrix::new(1, 1, vec![x]).unwrap(), draw, &mut probs).unwrap();
                (least, most) = (least.min(probs[1]), most.max(probs[1]));
            }
            most - least
        };
        assert!(spread(-3.0) > 2.0 * spread(1.0), "{} and {}", spread(-3.0), spread(1.0));
    }
}
