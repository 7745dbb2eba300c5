//! The agent `template-agent`: Bayesian logistic regression with an ensemble of modes of bootstrapped posteriors.
//!
//! Each member is the mode of the posterior under its own weights of the examples (the Bayesian bootstrap) and its
//! own draw from the prior, which the member falls back to where there are no data. Draw m of the agent is member m
//! modulo `size`.

use jointly_sdk::{Classifier, Count, Dataset, Description, Failure, Matrix, Positive, Progress, Rng, Setting, Task};

/// The largest distance of a member from its mode at which fitting stops, in standard deviations of the prior.
const TOLERANCE: f64 = 1e-6;
/// A logit this far below the greatest has a probability of 2e-35. It is never exactly zero, which would give a
/// single example with that label an infinite loss.
const MAX_GAP: f64 = 80.0;

jointly_sdk::settings! {
    struct Settings {
        /// number of members
        size: Count = "20",
        /// standard deviation of a logit before any data
        prior_scale: Positive = "3",
        /// most steps to the mode of a member
        steps: Count = "100",
    }
}

struct Agent {
    classes: usize,
    /// The coefficients of each member: those of class k begin at k * (features + 1); the last one is the bias.
    members: Vec<Vec<f64>>,
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
        let members: Vec<Vec<f64>> = (0..*settings.size).map(member).collect();
        if members.iter().flatten().any(|c| !c.is_finite()) {
            return Err(Failure::Diverged("a coefficient is not finite".into()));
        }
        Ok(Agent { classes: task.num_classes, members })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let coefficients = &self.members[self.member(draw) as usize];
        let mut probs = vec![0.0; self.classes];
        for (t, row) in out.chunks_exact_mut(self.classes).enumerate() {
            predict(coefficients, inputs.row(t), &mut probs);
            row.iter_mut().zip(&probs).for_each(|(out, p)| *out = *p as f32);
        }
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.member(draw)
    }
}

/// Finds the coefficients of one member.
///
/// They minimise sum_i w_i * -log p(label_i | input_i) + |W - anchor|^2 / (2 * scale^2) by conjugate gradients. The
/// step length follows from a bound: if a step of 1 changes the difference of two logits of an example by at most
/// `spread`, a step of t changes the curvature along it by a factor of at most e^(spread * t). So a step of
/// log1p(spread * newton) / spread always descends, and close to the mode it is Newton's step. There is nothing to
/// tune.
fn fit(task: &Task, data: &Dataset, settings: &Settings, rng: &mut Rng) -> Vec<f64> {
    let (classes, width) = (task.num_classes, task.input_dim + 1);
    // Inputs have about unit variance, so a logit has a standard deviation of about `prior-scale`.
    let scale = f64::from(*settings.prior_scale) / (width as f64).sqrt();
    let least = 1.0 / scale / scale;
    let anchor: Vec<f64> = (0..classes * width).map(|_| scale * f64::from(rng.normal())).collect();
    let weights: Vec<f64> = data.labels.iter().map(|_| f64::from(rng.exponential())).collect();

    let mut current = anchor.clone();
    let (mut before, mut squares_before) = (vec![0.0; anchor.len()], f64::INFINITY);
    let mut direction = before.clone();
    let (mut probs, mut along) = (vec![0.0; weights.len() * classes], vec![0.0; classes]);
    for _ in 0..*settings.steps {
        let mut gradient: Vec<f64> = current.iter().zip(&anchor).map(|(c, a)| least * (c - a)).collect();
        for (i, (weight, probs)) in weights.iter().zip(probs.chunks_exact_mut(classes)).enumerate() {
            let input = data.inputs.row(i);
            predict(&current, input, probs);
            for (k, (line, p)) in gradient.chunks_exact_mut(width).zip(probs).enumerate() {
                let slope = weight * (*p - if k == data.labels[i] as usize { 1.0 } else { 0.0 });
                line.iter_mut().zip(input.iter().chain(&[1.0])).for_each(|(g, x)| *g += slope * f64::from(*x));
            }
        }
        // The prior alone has a curvature of `least`, which bounds the distance to the mode.
        let squares = dot(&gradient, &gradient);
        if squares.sqrt() * scale <= TOLERANCE {
            break;
        }

        let turn = ((squares - dot(&gradient, &before)) / squares_before).max(0.0);
        direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = turn * *d - g);
        let mut descent = -dot(&direction, &gradient);
        if descent <= 0.0 {
            direction = gradient.iter().map(|g| -g).collect();
            descent = squares;
        }
        (before, squares_before) = (gradient, squares);

        let (mut curvature, mut spread) = (least * dot(&direction, &direction), 0.0_f64);
        for (i, (weight, probs)) in weights.iter().zip(probs.chunks_exact(classes)).enumerate() {
            logits(&direction, data.inputs.row(i), &mut along);
            let mean = dot(probs, &along);
            curvature += weight * probs.iter().zip(&along).map(|(p, u)| p * (u - mean).powi(2)).sum::<f64>();
            let (low, high) = along.iter().fold((f64::MAX, f64::MIN), |(low, high), u| (u.min(low), u.max(high)));
            spread = spread.max(high - low);
        }
        let newton = descent / curvature;
        let length = if spread > 0.0 { (spread * newton).ln_1p() / spread } else { newton };
        current.iter_mut().zip(&direction).for_each(|(c, d)| *c += length * d);
    }
    current
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes the logit of each class at an input.
fn logits(coefficients: &[f64], input: &[f32], out: &mut [f64]) {
    for (line, logit) in coefficients.chunks_exact(input.len() + 1).zip(out) {
        let (slopes, bias) = line.split_at(input.len());
        *logit = bias[0] + slopes.iter().zip(input).map(|(c, x)| c * f64::from(*x)).sum::<f64>();
    }
}

/// Computes the class probabilities at an input.
fn predict(coefficients: &[f64], input: &[f32], probs: &mut [f64]) {
    logits(coefficients, input, probs);
    let top = probs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    probs.iter_mut().for_each(|p| *p = (*p - top).max(-MAX_GAP).exp());
    let total: f64 = probs.iter().sum();
    probs.iter_mut().for_each(|p| *p /= total);
}

jointly_sdk::export!(classifier: Agent);

#[cfg(test)]
mod tests {
    use super::*;

    /// Outside the sandbox the agent is an ordinary type, so tests can call it.
    #[test]
    fn members_agree_where_there_are_examples_and_differ_where_there_are_none() {
        let task = Task::new(1, 2);
        let inputs: Vec<f32> = (0..40).map(|i| if i < 20 { 0.9 } else { 1.1 }).collect();
        // Near 1 both labels are equally frequent, which determines the slope only weakly.
        let labels = (0..40).map(|i| i % 2).collect();
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
