//! The agent `temperature-scaling`: one network whose logits are divided by a temperature fitted on held-out
//! examples.

mod temperature;

use jointly_nets::inputs::{Auto, Fitted, Setup, Sort};
use jointly_nets::{Finite, Penalty, sweeps};
use jointly_sdk::{
    Dataset, Description, Failure, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting, Task, log,
};

use temperature::at_an_end;
pub use temperature::likeliest;

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 32) {
        /// weight of the sum of squares of all parameters, over the number of examples; auto is 1 for plain numbers,
        /// 0 for other inputs
        l2: Auto<NonNegative> = "auto",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
    }
}

/// The network of `mlp` with a fitted temperature: the most probable classes are the same, but their probabilities
/// differ.
///
/// Without validation examples no temperature can be fitted. It is then 1, which is `mlp` itself, and the agent
/// reports this in its log.
///
/// The method follows Guo, Pleiss, Sun and Weinberger (2017).
#[derive(Debug)]
pub struct TemperatureScaling {
    /// The network, whose outputs are already divided by the temperature.
    network: Finite<Fitted>,
    temperature: f64,
}

impl TemperatureScaling {
    /// Returns the temperature by which the network's outputs were divided.
    pub fn temperature(&self) -> f64 {
        self.temperature
    }
}

impl InputClassifier for TemperatureScaling {
    fn describe() -> Description {
        let summary = "one network, whose logits are divided by what makes held-out examples likeliest";
        Description {
            citation: "Guo, Pleiss, Sun and Weinberger, On calibration of modern neural networks, ICML 2017".into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
                sweeps::one("batch-size", &["32", "64", "128", "256"]),
            ],
            ..Description::new("temperature-scaling", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let l2 = settings.l2.or(Sort::of(task).choose(1.0, 0.0));
        let penalty = Penalty { l2, adaptive: settings.adaptive.0 };
        let design = settings.design(task, *settings.learning_rate, penalty)?;
        let setup = Setup::new(&design, task, data, 1, seed)?;
        let mut fitted = setup.fit(0, &mut Progress::new(setup.steps()))?;
        let mut temperature = 1.0;
        match validation.filter(|validation| !validation.labels.is_empty()) {
            Some(validation) => {
                let logits = fitted.logits(&validation.inputs)?;
                temperature = likeliest(&logits, task.num_classes, &validation.labels)?;
                if at_an_end(temperature) {
                    log(&format!(
                        "the temperature {temperature:.4} is at the end of what is tried: the validation examples are all \
                         as predicted, or the outputs say nothing of them"
                    ));
                }
                fitted.network = fitted.network.scaled((1.0 / temperature) as f32);
            }
            None => log("there are no validation examples to fit a temperature on: it is 1"),
        }
        Ok(Self { network: Finite::in_order(vec![fitted]), temperature })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.network.sample_probs(inputs, draws, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.network.canonical_draw(draw)
    }
}

jointly_sdk::export!(input_classifier: TemperatureScaling);

#[cfg(test)]
mod tests {
    use jointly_testkit::trials::{sample, trials};

    use super::*;

    jointly_testkit::trials!(TemperatureScaling, &[("epochs", "40"), ("batch-size", "16"), ("learning-rate", "3e-3")]);

    /// Computes the mean negative log-likelihood of the test examples.
    fn nll(agent: &TemperatureScaling, trial: &jointly_testkit::trials::Trial) -> f64 {
        let probs = sample(agent, &trial.task, &trial.test.inputs, &[0]);
        let rows = probs.chunks(trial.task.num_classes).zip(&trial.test.labels);
        rows.map(|(row, label)| -f64::from(row[*label as usize]).ln()).sum::<f64>() / trial.test.labels.len() as f64
    }

    #[test]
    fn held_out_examples_are_likelier_and_classes_stay() {
        let [numbers, ..] = trials();
        let settings = jointly_testkit::settings(&[
            ("epochs", "200"),
            ("batch-size", "16"),
            ("learning-rate", "1e-2"),
            ("l2", "0"),
        ]);
        let train =
            |validation| TemperatureScaling::train(&numbers.task, &numbers.train, validation, &settings, 1).unwrap();
        let (plain, scaled) = (train(None), train(Some(&numbers.test)));
        assert_eq!(plain.temperature(), 1.0);
        assert!(scaled.temperature() > 1.2, "{}", scaled.temperature());
        assert!(nll(&scaled, &numbers) < nll(&plain, &numbers));
        let classes = |agent: &TemperatureScaling| -> Vec<usize> {
            let probs = sample(agent, &numbers.task, &numbers.test.inputs, &[0]);
            let largest = |row: &[f32]| (0..3).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
            probs.chunks(3).map(largest).collect()
        };
        assert!(classes(&plain) == classes(&scaled));
    }
}
