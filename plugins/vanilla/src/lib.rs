//! The agent `vanilla`: one network, whose softmax is taken at its word.

use jointly_modal::{Fitted, Setup};
use jointly_nets::sweeps;
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Progress, Setting, Task};

jointly_modal::settings! {
    struct Settings(batch_size: "32", learning_rate: "1e-3") {}
}

/// A network trained by the cross-entropy alone: every draw is the same function.
///
/// The baseline of Hendrycks and Gimpel (2017), with the networks and the training of Ovadia et al. (Can you trust your model's
/// uncertainty?, NeurIPS 2019, appendix A.1): Adam, 20 epochs, rectified units. Their texts pass through an LSTM; here they are
/// the mean of their words' embeddings.
#[derive(Debug)]
pub struct Vanilla(Fitted);

impl InputClassifier for Vanilla {
    fn describe() -> Description {
        Description {
            citation:
                "Hendrycks and Gimpel, A baseline for detecting misclassified and out-of-distribution examples in \
                       neural networks, ICLR 2017"
                    .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
                sweeps::one("batch-size", &["32", "64", "128", "256"]),
            ],
            ..Description::new("vanilla", env!("CARGO_PKG_VERSION"), "one network, whose softmax is taken at its word")
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let design = Settings::parse(settings)?.design();
        let setup = Setup::new(&design, task, data, 1, seed)?;
        setup.fit(&[], 0, &mut Progress::new(setup.steps())).map(Self)
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.probs_of_all(inputs, draws, out)
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(input_classifier: Vanilla);

#[cfg(test)]
mod tests {
    use jointly_modal::trials::{accuracy, sample, trials};

    use super::*;

    jointly_modal::trials!(Vanilla, &[("epochs", "40"), ("batch-size", "16"), ("learning-rate", "3e-3")]);

    #[test]
    fn convolutions_learn_too_and_all_draws_are_one() {
        let [_, images, ..] = trials();
        let settings = [("network", "lenet"), ("filters", "4,8"), ("hidden", "20"), ("learning-rate", "3e-3")];
        let settings = settings.map(|(name, value)| Setting { name: name.into(), value: value.into() });
        let agent = Vanilla::train(&images.task, &images.train, None, &settings, 1).unwrap();
        assert!(accuracy(&agent, &images) > 0.9);
        let probs = sample(&agent, &images.task, &images.test.inputs, &[9, 1 << 50]);
        let (one, other) = probs.split_at(probs.len() / 2);
        assert!(one == other);
        assert_eq!(agent.canonical_draw(9), 0);
    }
}
