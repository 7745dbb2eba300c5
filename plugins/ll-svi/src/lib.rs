//! The agent `ll-svi`: a mean-field Gaussian posterior over the parameters of a network's last layer.

use jointly_nets::inputs::{Belief, Last, Prior, Setup, Uncertain, Variational};
use jointly_nets::{Penalty, sweeps};
use jointly_sdk::{
    Dataset, Description, Failure, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting, Task,
};

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 64) {
        /// prior standard deviation of each parameter of the last layer
        prior_scale: Positive = "0.1",
        /// factor of the divergence from that prior; 1 makes the loss the negative evidence lower bound
        kl_weight: NonNegative = "1",
        /// initial standard deviations
        initial_scale: Positive = "0.05",
        /// step size of Adam for the logarithms of the standard deviations
        scale_rate: Positive = "1e-2",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
    }
}

/// Stochastic variational inference of the last layer only, trained together with the layers before it, which are
/// point estimates.
///
/// A draw is one sample of the last layer's weights; the layers before it are computed once for all draws of a call.
///
/// The method follows Riquelme, Tucker and Snoek (2018) and Ovadia et al. (Can you trust your model's uncertainty?,
/// NeurIPS 2019).
#[derive(Debug)]
pub struct LastLayerSvi {
    belief: Belief,
    last: Last,
}

impl InputClassifier for LastLayerSvi {
    fn describe() -> Description {
        let summary = "a normal belief about each parameter of the last layer, learnt by flipout";
        Description {
            citation:
                "Riquelme, Tucker and Snoek, Deep Bayesian bandits showdown, ICLR 2018; Wen, Vicol, Ba, Tran and \
                       Grosse, Flipout: efficient pseudo-independent weight perturbations on mini-batches, ICLR 2018"
                    .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("prior-scale", &["0.03", "0.1", "0.3", "1"]),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
            ],
            ..Description::new("ll-svi", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let design = settings.design(task, *settings.learning_rate, Penalty::NONE)?;
        let setup = Setup::new(&design, task, data, 1, seed)?;
        let by = Variational {
            prior: Prior::normal(*settings.prior_scale),
            weight: *settings.kl_weight,
            initial_scale: *settings.initial_scale,
            scale_rate: *settings.scale_rate,
        };
        let belief = setup.believe(Uncertain::LastLayer, &by, &mut Progress::new(setup.steps()))?;
        Ok(Self { last: Last::of(&belief.fitted.network), belief })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let read = self.belief.fitted.read(inputs)?;
        let len = self.last.weights().len();
        let mut deviations = vec![0.0; draws.len() * len];
        for (draw, deviations) in draws.iter().zip(deviations.chunks_exact_mut(len)) {
            self.belief.last_deviations(*draw, deviations);
        }
        self.last.probs(&read, &deviations, out)
    }
}

jointly_sdk::export!(input_classifier: LastLayerSvi);

#[cfg(test)]
mod tests {
    use jointly_nets::{Rows, predict};
    use jointly_testkit::trials::{sample, trials};

    use super::*;

    jointly_testkit::trials!(
        LastLayerSvi,
        &[("hidden", "20"), ("epochs", "60"), ("batch-size", "16"), ("learning-rate", "3e-3"), ("kl-weight", "0.1")]
    );

    /// Tolerance between probabilities from the features and from the drawn network, both in single precision.
    const TOLERANCE: f32 = 1e-5;

    #[test]
    fn a_draw_is_the_network_with_another_last_layer() {
        let [_, images, texts, _] = trials();
        let lenet = vec![("network", "lenet"), ("filters", "3,5"), ("hidden", "9"), ("epochs", "3")];
        let flat = vec![("network", "lenet"), ("filters", "3"), ("hidden", "none"), ("epochs", "3")];
        for (trial, pairs) in [(&images, lenet), (&images, flat), (&texts, vec![("epochs", "3")])] {
            let settings: Vec<Setting> =
                pairs.iter().map(|(name, value)| Setting { name: (*name).into(), value: (*value).into() }).collect();
            let agent = LastLayerSvi::train(&trial.task, &trial.train, None, &settings, 1).unwrap();
            let found = sample(&agent, &trial.task, &trial.test.inputs, &[7, 3]);
            let read = agent.belief.fitted.read(&trial.test.inputs).unwrap();
            for (draw, found) in [7, 3].into_iter().zip(found.chunks(found.len() / 2)) {
                let network = agent.belief.network(draw);
                let mut expected = vec![0.0; found.len()];
                predict(&[&network], &Rows::of(&read), &mut expected).unwrap();
                assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < TOLERANCE));
                let mut moved = 0;
                for block in network.blocks() {
                    let numbers = |network: &jointly_nets::Network| -> Vec<f32> {
                        let parameters = jointly_nets::simd::floats(&network.parameters);
                        block.weights().chain(block.biases()).map(|at| parameters[at]).collect()
                    };
                    moved += usize::from(numbers(&network) != numbers(&agent.belief.fitted.network));
                }
                assert_eq!(moved, 1);
            }
        }
    }
}
