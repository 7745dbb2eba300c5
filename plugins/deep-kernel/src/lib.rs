//! The agent `deep-kernel`: a Gaussian process whose kernel is the last hidden layer of a trained network.

mod posterior;

use jointly_nets::drawn::Drawn;
use jointly_nets::inputs::Auto;
use jointly_nets::last_layer::{Hidden, LastLayer, sample_last_layers};
use jointly_nets::penalty::temperature;
use jointly_nets::{Penalty, Recipe, Stream};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Setting, Task, Widths, settings,
    sweep,
};

use posterior::{Posterior, normalise};

settings! {
    struct Settings {
        /// widths of the hidden layers; the last is the number of features
        hidden: Widths = "50,50",
        /// weight of the sum of squares of all parameters, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// factor of the draws' deviation from the network
        scale: NonNegative = "2",
        /// variance of the noise in the examples' logits, over the temperature
        sigma_factor: Positive = "4",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// A network, and the posterior of a Gaussian process around it.
///
/// # Formula
///
/// Draw m has the logits f(x) + c phi(x)^T L^-T Z_m, where f is the network, phi its last hidden layer scaled to unit
/// norm, Z_m has one standard normal number for each feature and class, and L is defined in `Posterior`, with s2 the
/// sigma factor times the temperature. The factor c is scale s / sqrt(T temperature), where T is 1 without examples
/// and an unknown temperature is 1 (Osband et al. 2022, appendix B.9, where c is s).
#[derive(Debug)]
pub struct DeepKernel {
    network: LastLayer,
    posterior: Posterior,
    /// The factor c.
    factor: f64,
    seed: u64,
    drawn: Drawn,
}

impl DeepKernel {
    /// Computes the network's features, scaled to unit norm, and its logits.
    fn at(&self, inputs: &Matrix) -> Result<Hidden, Failure> {
        let mut hidden = self.network.at(inputs)?;
        normalise(&mut hidden.features, self.network.features());
        Ok(hidden)
    }
}

impl Classifier for DeepKernel {
    fn describe() -> Description {
        let summary = "a network, and a Gaussian process about it whose kernel is the last hidden layer";
        let scales = ["1", "2", "3", "4", "5", "6"];
        let factors = ["0.5", "1", "2", "3", "4"];
        let variant = |scale| factors.map(|factor| vec![("scale", scale), ("sigma-factor", factor)]);
        Description {
            citation: "Osband et al., The Neural Testbed: evaluating joint predictions, NeurIPS 2022, appendix B.9"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweep("scale", scales.into_iter().flat_map(variant))],
            ..Description::new("deep-kernel", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let recipe = Recipe {
            hidden: settings.hidden.to_vec(),
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive.0 },
            ..Recipe::default()
        };
        let network = LastLayer::train(&recipe, task, data, seed)?;
        let mut features = network.at(&data.inputs)?.features;
        normalise(&mut features, network.features());
        let temperature = f64::from(temperature(task));
        let noise_variance = f64::from(*settings.sigma_factor) * temperature;
        if !features.iter().all(|value| value.is_finite()) {
            return Err(Failure::Diverged("the features are not finite".into()));
        }
        let posterior = Posterior::new(&features, network.features(), noise_variance).ok_or_else(|| {
            Failure::Diverged(format!(
                "the features' products and noise of variance {noise_variance:.1e} are not positive definite: raise \
                 sigma-factor"
            ))
        })?;
        let examples = data.labels.len().max(1) as f64;
        let factor = f64::from(*settings.scale) * (noise_variance / (examples * temperature)).sqrt();
        let drawn = Drawn::new(network.features() * network.classes());
        Ok(Self { network, posterior, factor, seed, drawn })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let hidden = self.at(inputs)?;
        let deviations = self.drawn.of(draws, |draw, deviations| {
            self.posterior.draw(&mut Stream::LastLayer.rng(self.seed, draw), self.factor, deviations);
        });
        sample_last_layers(&hidden, (self.network.features(), self.network.classes()), &deviations, out);
        Ok(())
    }
}

jointly_sdk::export!(classifier: DeepKernel);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_draws_are_functions, assert_invalid, half_plane, plane, probs, setting};

    use super::*;

    fn train(examples: usize, settings: &[Setting], seed: u64) -> Result<DeepKernel, Failure> {
        let quick = [settings, &[setting("steps", "20")]].concat();
        DeepKernel::train(&plane(Some(0.1)), &half_plane(examples, 1), None, &quick, seed)
    }

    #[test]
    fn a_draw_is_one_function_in_any_company() {
        for examples in [0, 1, 30] {
            let agent = train(examples, &[], 0).unwrap();
            let inputs = half_plane(70, 1).inputs;
            let draws = [3, 0, 3, 900];
            assert_draws_are_functions(&agent, &inputs, 2, &draws);
            let together = probs(&agent, &inputs, 2, &draws);
            assert_ne!(together[..140], together[140..280]);
            assert_eq!(together, probs(&train(examples, &[], 0).unwrap(), &inputs, 2, &draws));
            assert_ne!(together, probs(&train(examples, &[], 1).unwrap(), &inputs, 2, &draws));
        }
    }

    #[test]
    fn noise_too_small_to_draw_by_is_refused_with_the_remedy() {
        let failure = train(10, &[setting("sigma-factor", "1e-30")], 0).unwrap_err();
        let Failure::Diverged(reason) = failure else { panic!("{failure:?}") };
        assert!(reason.ends_with("raise sigma-factor"), "{reason}");
    }

    #[test]
    fn draws_deviate_from_the_network_by_the_scale() {
        let inputs = half_plane(1, 1).inputs;
        let log_odds = |scale: &str, draw: u64| {
            let probs = probs(&train(10, &[setting("scale", scale)], 0).unwrap(), &inputs, 2, &[draw]);
            (probs[0] / probs[1]).ln()
        };
        let mean = log_odds("0", 5);
        assert_eq!(mean, log_odds("0", 6));
        let (two, four) = (log_odds("2", 5) - mean, log_odds("4", 5) - mean);
        assert!((four - 2.0 * two).abs() < 1e-4 * (1.0 + four.abs()) && two != 0.0, "{two} {four}");
    }

    #[test]
    fn a_factor_of_zero_is_refused() {
        assert_invalid(train(3, &[setting("sigma-factor", "0")], 0), "sigma-factor=0");
    }
}
