//! The agent `laplace`: a trained network with a Laplace approximation to the posterior of its last layer.

mod posterior;

use jointly_nets::drawn::Drawn;
use jointly_nets::inputs::Auto;
use jointly_nets::last_layer::{Hidden, LastLayer, sample_last_layers};
use jointly_nets::{Penalty, Recipe, Stream, sweeps};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Setting, SettingValue, Task,
    Widths, log, settings, sweep,
};

use posterior::{Examples, Fault, MOST_FULL, Posterior, Structure};

/// The precision of a weight's prior.
#[derive(Clone, Copy, Debug)]
enum PriorPrecision {
    /// The precision that the penalty of training implies.
    Penalty,
    /// A given precision, one over the variance.
    Given(Positive),
}

impl SettingValue for PriorPrecision {
    fn expected() -> String {
        format!("penalty or {}", Positive::expected())
    }

    fn parse_value(text: &str) -> Option<Self> {
        if text.trim() == "penalty" {
            return Some(Self::Penalty);
        }
        Positive::parse_value(text).map(Self::Given)
    }
}

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// weight of the sum of squares of all parameters, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// part of the curvature that is kept: full, kronecker or diagonal; full becomes kronecker above 1024 weights
        structure: Structure = "full",
        /// one over the prior variance of a weight of the last layer, or penalty for what training's penalty implies
        prior_precision: PriorPrecision = "penalty",
        /// factor of the draws' deviation from the trained weights
        scale: NonNegative = "1",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// A network, and a Gaussian over the weights and biases of its last layer.
///
/// # Formula
///
/// Draw m has the logits f(x) + c V_m (phi(x), 1), where f is the network, phi its last hidden layer, c the scale and
/// V_m normal with the covariance that `Posterior` defines. Training minimises L(w) / T + lambda |w|^2, where L is
/// the sum of the cross-entropies of T examples. The posterior is therefore proportional to
/// exp(-L(w) - T lambda |w|^2): the likelihood times a normal prior with precision 2 T lambda in every weight. This
/// precision is 2 l2, times d sqrt(temperature) if adaptive (Daxberger et al. 2021; Kristiadi et al. 2020).
#[derive(Debug)]
pub struct Laplace {
    network: LastLayer,
    posterior: Posterior,
    scale: f64,
    seed: u64,
    drawn: Drawn,
}

/// Appends a one to each row of features, for the bias.
fn with_ones(Hidden { features, logits }: Hidden, width: usize) -> Hidden {
    let rows = features.len() / width;
    let mut with_ones = Vec::with_capacity(rows * (width + 1));
    for row in features.chunks_exact(width) {
        with_ones.extend_from_slice(row);
        with_ones.push(1.0);
    }
    Hidden { features: with_ones, logits }
}

impl Laplace {
    /// Returns the number of features, including the one for the bias.
    fn width(&self) -> usize {
        self.network.features() + 1
    }
}

impl Classifier for Laplace {
    fn describe() -> Description {
        let summary = "a trained network with a Laplace approximation to the posterior of its last layer";
        let structures = ["full", "kronecker", "diagonal"];
        let precisions = ["penalty", "0.1", "0.3", "1", "3", "10"];
        Description {
            citation: "Daxberger et al., Laplace redux: effortless Bayesian deep learning, NeurIPS 2021; Kristiadi, \
                       Hein and Hennig, Being Bayesian, even just a bit, fixes overconfidence in ReLU networks, ICML \
                       2020"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweep("structure", structures.map(|structure| vec![("structure", structure)])),
                sweep("prior-precision", precisions.map(|precision| vec![("prior-precision", precision)])),
                sweeps::one("scale", &["0.3", "1", "3"]),
            ],
            ..Description::new("laplace", env!("CARGO_PKG_VERSION"), summary)
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
        let examples = data.labels.len().max(1);
        let prior_precision = match settings.prior_precision {
            PriorPrecision::Given(precision) => f64::from(*precision),
            PriorPrecision::Penalty => 2.0 * examples as f64 * f64::from(recipe.penalty.factor(task, examples)),
        };
        if prior_precision <= 0.0 {
            let reason = "l2=0 leaves the weights without a prior: give prior-precision a number above 0";
            return Err(Failure::InvalidSetting(reason.into()));
        }
        let network = LastLayer::train(&recipe, task, data, seed)?;
        let (width, classes) = (network.features() + 1, network.classes());
        let weights = width * classes;
        let mut structure = settings.structure;
        if structure == Structure::Full && weights > MOST_FULL {
            log(&format!("the last layer has {weights} weights, over {MOST_FULL}: the curvature is kronecker"));
            structure = Structure::Kronecker;
        }
        let Hidden { features, logits } = with_ones(network.at(&data.inputs)?, network.features());
        let at = Examples { features: &features, width, logits: &logits, classes };
        let posterior = Posterior::new(structure, at, prior_precision).map_err(|fault| {
            Failure::Diverged(match fault {
                Fault::NotFinite => "the curvature of the loss is not finite".into(),
                Fault::NotPositiveDefinite => format!(
                    "the curvature of the loss and a prior of precision {prior_precision:.1e} are not positive definite: \
                     raise prior-precision"
                ),
            })
        })?;
        let drawn = Drawn::new(weights);
        Ok(Self { network, posterior, scale: f64::from(*settings.scale), seed, drawn })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let hidden = with_ones(self.network.at(inputs)?, self.network.features());
        let deviations = self.drawn.of(draws, |draw, deviations| {
            let mut rng = Stream::LastLayer.rng(self.seed, draw);
            let mut normals: Vec<f64> = deviations.iter().map(|_| f64::from(rng.normal())).collect();
            self.posterior.correlate(&mut normals);
            deviations.iter_mut().zip(normals).for_each(|(out, value)| *out = (self.scale * value) as f32);
        });
        sample_last_layers(&hidden, (self.width(), self.network.classes()), &deviations, out);
        Ok(())
    }
}

jointly_sdk::export!(classifier: Laplace);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_draws_are_functions, assert_invalid, half_plane, plane, probs, setting};

    use super::*;

    fn train_classes(num_classes: usize, examples: usize, settings: &[Setting], seed: u64) -> Result<Laplace, Failure> {
        let task = Task { num_classes, ..plane(Some(0.25)) };
        let quick = [settings, &[setting("steps", "20")]].concat();
        Laplace::train(&task, &half_plane(examples, 1), None, &quick, seed)
    }

    fn train(examples: usize, settings: &[Setting], seed: u64) -> Result<Laplace, Failure> {
        train_classes(2, examples, settings, seed)
    }

    #[test]
    fn a_draw_is_one_function_in_any_company() {
        for structure in ["full", "kronecker", "diagonal"] {
            let settings = [setting("structure", structure)];
            let agent = train(30, &settings, 0).unwrap();
            let inputs = half_plane(70, 1).inputs;
            let draws = [3, 0, 3, 900];
            assert_draws_are_functions(&agent, &inputs, 2, &draws);
            let together = probs(&agent, &inputs, 2, &draws);
            assert_ne!(together[..140], together[140..280]);
            assert_eq!(together, probs(&train(30, &settings, 0).unwrap(), &inputs, 2, &draws));
            assert_ne!(together, probs(&train(30, &settings, 1).unwrap(), &inputs, 2, &draws));
        }
    }

    #[test]
    fn the_penalty_is_a_prior() {
        // 2 l2 d sqrt(temperature) = 2 for any number of examples.
        for examples in [0, 4] {
            let found = probs(&train(examples, &[], 0).unwrap(), &half_plane(3, 1).inputs, 2, &[0, 1]);
            let given = train(examples, &[setting("prior-precision", "2")], 0).unwrap();
            assert_eq!(found, probs(&given, &half_plane(3, 1).inputs, 2, &[0, 1]), "{examples}");
        }
        assert_invalid(train(5, &[setting("l2", "0")], 0), "l2=0");
    }

    #[test]
    fn a_prior_too_wide_to_draw_by_is_refused_with_the_remedy() {
        let failure = train(30, &[setting("prior-precision", "1e-30")], 0).unwrap_err();
        let Failure::Diverged(reason) = failure else { panic!("{failure:?}") };
        assert!(reason.contains("1.0e-30") && reason.ends_with("raise prior-precision"), "{reason}");
    }

    #[test]
    fn many_weights_fall_back_on_kronecker() {
        let of =
            |classes, structure| train_classes(classes, 4, &[setting("structure", structure)], 0).unwrap().posterior;
        // 51 weights per class.
        assert!(matches!(of(20, "full"), Posterior::Full(_)));
        assert!(matches!(of(21, "full"), Posterior::Kronecker { .. }));
        assert!(matches!(of(21, "diagonal"), Posterior::Diagonal(_)));
    }

    #[test]
    fn an_unknown_structure_is_refused() {
        assert_invalid(train(3, &[setting("structure", "triangular")], 0), "structure=triangular");
    }
}
