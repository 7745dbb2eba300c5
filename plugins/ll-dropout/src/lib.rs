//! The agent `ll-dropout`: a network whose draws apply different dropout masks before the last layer.

use jointly_nets::inputs::{Auto, Fitted, Last, Setup, Sort};
use jointly_nets::{Penalty, Stream, sweeps};
use jointly_sdk::{
    Dataset, Description, Failure, Fraction, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting, Task,
};

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 128) {
        /// probability that an input of the last layer is dropped
        rate: Fraction = "0.5",
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

/// Dropout before the last layer only, which stays active in prediction: a draw is one mask, the same for all rows of
/// all calls.
///
/// The layers before the last are computed once for all draws of a call. The method follows Riquelme, Tucker and
/// Snoek (2018) and Ovadia et al. (Can you trust your model's uncertainty?, NeurIPS 2019).
#[derive(Debug)]
pub struct LastLayerDropout {
    fitted: Fitted,
    last: Last,
    rate: f32,
    seed: u64,
}

impl LastLayerDropout {
    /// Computes the change that a draw's mask makes to the last layer's weights.
    ///
    /// # Formula
    ///
    /// w_kj (m_j / (1 - p) - 1), where m_j is 0 with probability p and otherwise 1; biases do not change.
    fn deviations(&self, draw: u64, out: &mut [f32]) {
        let mut rng = Stream::Parameters.rng(self.seed, draw);
        let width = self.last.width();
        let keeps = 1.0 / (1.0 - self.rate);
        let mut factor = || if rng.uniform() >= self.rate { keeps - 1.0 } else { -1.0 };
        let mut factors: Vec<f32> = (1..width).map(|_| factor()).collect();
        factors.push(0.0);
        for (out, weights) in out.chunks_exact_mut(width).zip(self.last.weights().chunks_exact(width)) {
            for (out, (weight, factor)) in out.iter_mut().zip(weights.iter().zip(&factors)) {
                *out = weight * factor;
            }
        }
    }
}

impl InputClassifier for LastLayerDropout {
    fn describe() -> Description {
        let summary = "a network of which every draw keeps other units of the last hidden layer";
        Description {
            citation:
                "Riquelme, Tucker and Snoek, Deep Bayesian bandits showdown, ICLR 2018; Gal and Ghahramani, Dropout \
                       as a Bayesian approximation: representing model uncertainty in deep learning, ICML 2016"
                    .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("rate", &["0", "0.1", "0.2", "0.3", "0.5", "0.7"]),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
            ],
            ..Description::new("ll-dropout", env!("CARGO_PKG_VERSION"), summary)
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
        let l2 = settings.l2.or(Sort::of(task).choose(1.0, 0.0));
        let penalty = Penalty { l2, adaptive: settings.adaptive.0 };
        let (design, rate) = (settings.design(task, *settings.learning_rate, penalty)?, *settings.rate);
        let setup = Setup::new(&design, task, data, 1, seed)?;
        let mut rates = vec![0.0; setup.plan().dense()];
        let last = rates.len() - 1;
        rates[last] = rate;
        let fitted = setup.fit_dropping(&rates, 0, &mut Progress::new(setup.steps()))?;
        Ok(Self { last: Last::of(&fitted.network), fitted, rate, seed })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let read = self.fitted.read(inputs)?;
        let len = self.last.weights().len();
        let mut deviations = vec![0.0; draws.len() * len];
        for (draw, deviations) in draws.iter().zip(deviations.chunks_exact_mut(len)) {
            self.deviations(*draw, deviations);
        }
        self.last.probs(&read, &deviations, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        if self.rate == 0.0 { 0 } else { draw }
    }
}

jointly_sdk::export!(input_classifier: LastLayerDropout);

#[cfg(test)]
mod tests {
    use jointly_nets::{Rows, predict};
    use jointly_testkit::trials::{sample, trials};

    use super::*;

    jointly_testkit::trials!(
        LastLayerDropout,
        &[("hidden", "20"), ("epochs", "40"), ("batch-size", "16"), ("learning-rate", "3e-3")]
    );

    /// Tolerance between probabilities from the features and from the thinned network, both in single precision.
    const TOLERANCE: f32 = 1e-5;

    fn trained(pairs: &[(&str, &str)]) -> LastLayerDropout {
        let [_, images, ..] = trials();
        let setting = |(name, value): &(&str, &str)| Setting { name: (*name).into(), value: (*value).into() };
        let settings: Vec<Setting> = pairs.iter().map(setting).collect();
        LastLayerDropout::train(&images.task, &images.train, None, &settings, 1).unwrap()
    }

    #[test]
    fn a_draw_is_the_network_without_some_of_the_last_layers_weights() {
        let [_, images, ..] = trials();
        let inputs = &images.test.inputs;
        let lenet = vec![("network", "lenet"), ("filters", "3"), ("rate", "0.7")];
        for pairs in [vec![("rate", "0.4")], lenet, vec![("network", "resnet20"), ("rate", "0.3")]] {
            let agent = trained(&[&pairs[..], &[("epochs", "3"), ("hidden", "40")]].concat());
            let draws: Vec<u64> = (0..30).collect();
            let found = sample(&agent, &images.task, inputs, &draws);
            let mut dropped = 0;
            for (draw, found) in draws.iter().zip(found.chunks(found.len() / draws.len())) {
                let mut deviations = vec![0.0; agent.last.weights().len()];
                agent.deviations(*draw, &mut deviations);
                // A dropped input is dropped for all classes.
                let factors: Vec<f32> = (0..40)
                    .map(|j| if deviations[j] == -agent.last.weights()[j] { 0.0 } else { 1.0 / (1.0 - agent.rate) })
                    .collect();
                dropped += factors.iter().filter(|factor| **factor == 0.0).count();
                let mut network = agent.fitted.network.clone();
                network.scale_inputs(1, &factors);
                let mut expected = vec![0.0; found.len()];
                predict(&[&network], &Rows::of(&agent.fitted.read(inputs).unwrap()), &mut expected).unwrap();
                assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < TOLERANCE));
            }
            // Five standard errors.
            let slack = 5.0 * (1200.0 * agent.rate * (1.0 - agent.rate)).sqrt();
            assert!((dropped as f32 - 1200.0 * agent.rate).abs() < slack, "{dropped}");
        }
    }

    #[test]
    fn where_nothing_is_dropped_all_draws_are_one() {
        let [_, images, ..] = trials();
        let agent = trained(&[("rate", "0"), ("epochs", "2")]);
        let probs = sample(&agent, &images.task, &images.test.inputs, &[0, 8]);
        assert!(probs[..probs.len() / 2] == probs[probs.len() / 2..] && agent.canonical_draw(8) == 0);
        assert_eq!(trained(&[("epochs", "2")]).canonical_draw(8), 8);
    }
}
