//! The agent `dropout`: a network of which every draw keeps other units.

mod masks;
mod multimodal;
mod noise;
mod rates;
mod regression;
mod sampling;
mod training;

use jointly_nets::examples::Examples;
use jointly_nets::{FirstBiases, Network, Penalty, Stream, predict, sweeps, widths};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Fraction, Matrix, NonNegative, Positive, Setting, Sweep, Task,
    Widths, settings, sweep,
};

use masks::{Masks, Rates};
pub use multimodal::Multimodal;
pub use regression::Regression;
use sampling::Shared;
use training::{Recipe, train};

settings! {
    struct Settings {
        /// probability that a hidden unit is dropped
        rate: Fraction = "0.1",
        /// drop inputs with the same probability
        input_dropout: bool = "no",
        /// weight of the sum of squares of all parameters: see adaptive
        length_scale: NonNegative = "1",
        /// that weight is length-scale times the input's dimension and the root of the temperature, over the number of
        /// examples; otherwise the square of length-scale times 1 - rate, over twice that number
        adaptive: bool = "yes",
        /// widths of the hidden layers
        hidden: Widths = "100,100",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

impl Settings {
    fn rates(&self) -> Rates {
        Rates { hidden: *self.rate, input: if self.input_dropout { *self.rate } else { 0.0 } }
    }

    /// The factor of the sum of squares in the loss.
    ///
    /// # Formula
    ///
    /// l d sqrt(temperature) / T where adaptive, otherwise l^2 (1 - p) / (2 T), with length scale l, rate p and T
    /// examples; none count as one.
    fn penalty(&self, task: &Task, examples: usize) -> f32 {
        let scale = *self.length_scale;
        let l2 = if self.adaptive { scale } else { scale.powi(2) * (1.0 - *self.rate) / 2.0 };
        Penalty { l2, adaptive: self.adaptive }.factor(task, examples)
    }
}

/// What both sides say of themselves.
fn description() -> Description {
    Description {
        citation: "Gal and Ghahramani, Dropout as a Bayesian approximation: representing model uncertainty in deep \
                   learning, ICML 2016"
            .into(),
        ..Description::new("dropout", env!("CARGO_PKG_VERSION"), "a network of which every draw keeps other units")
    }
}

/// A network trained under dropout, which stays in force: a draw is one set of masks, the same for all inputs.
///
/// After Gal and Ghahramani (2016). Masks are on hidden units alone unless inputs are dropped too.
///
/// The reference implementation draws other masks for every input at test as well, so that its draws are no functions;
/// here a draw has to be one.
#[derive(Debug)]
pub struct Dropout {
    network: Network,
    widths: Vec<usize>,
    rates: Rates,
    /// Where draws have much in common.
    shared: Option<Shared>,
    seed: u64,
}

impl Dropout {
    fn masks(&self, draw: u64) -> Masks {
        Masks::draw(&self.widths, &self.rates, &mut Stream::Parameters.rng(self.seed, draw))
    }

    /// Class probabilities of the network that a draw's masks leave.
    fn plain_probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        predict(&[&self.masks(draw).thin(&self.network, &self.widths, &self.rates)], inputs, out)
    }
}

impl Classifier for Dropout {
    fn describe() -> Description {
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![rate_by_input_dropout(), length_scale_by_adaptive(), sweeps::hidden()],
            ..description()
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
        let widths = widths(task, &settings.hidden);
        let rates = settings.rates();
        let recipe = Recipe {
            rates: rates.clone(),
            steps: *settings.steps,
            learning_rate: *settings.learning_rate,
            penalty: settings.penalty(task, data.labels.len()),
        };
        let batches = Stream::Batches.rng(seed, 0);
        let mut examples = Examples::new(task, data, *settings.batch_size, batches)?.repeating();
        let network = Network::new(&widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
        let network = train(network, &widths, &recipe, &mut examples, seed)?;
        let shares = widths.len() == 4 && rates.input == 0.0;
        let shared = shares.then(|| Shared::new(&network, &widths, &rates));
        Ok(Self { network, widths, rates, shared, seed })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        if self.rates.hidden == 0.0 { 0 } else { draw }
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let (cols, dim) = (inputs.cols(), self.widths[0]);
        if cols != dim {
            return Err(Failure::Internal(format!("inputs have {cols} columns; the task has {dim}")));
        }
        if out.is_empty() {
            return Ok(());
        }
        if let Some(shared) = &self.shared {
            let masks: Vec<Masks> = draws.iter().map(|draw| self.masks(*draw)).collect();
            shared.probs(inputs, &masks, out);
            return Ok(());
        }
        let block = out.len() / draws.len();
        for (draw, out) in draws.iter().zip(out.chunks_exact_mut(block)) {
            self.plain_probs(inputs, *draw, out)?;
        }
        Ok(())
    }
}

fn rate_by_input_dropout() -> Sweep {
    let rates = ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"];
    let variants =
        ["yes", "no"].into_iter().flat_map(|input| rates.map(|p| vec![("rate", p), ("input-dropout", input)]));
    sweep("rate", variants)
}

fn length_scale_by_adaptive() -> Sweep {
    let scales = ["0.01", "0.1", "0.3", "1", "3", "10"];
    let variants = ["yes", "no"].into_iter();
    sweep("length-scale", variants.flat_map(|yes| scales.map(|l| vec![("length-scale", l), ("adaptive", yes)])))
}

jointly_sdk::export!(classifier: Dropout, regressor: Regression);

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    /// Between a probability by the draws' shared sums and one by the thinned network, in single precision both.
    const TOLERANCE: f32 = 1e-5;

    fn setting(name: &str, value: &str) -> Setting {
        Setting { name: name.into(), value: value.into() }
    }

    fn task(dim: usize, classes: usize) -> Task {
        Task { temperature: Some(0.25), ..Task::new(dim, classes) }
    }

    /// Classes are half-planes, or as many bands.
    fn data(examples: usize, dim: usize, classes: usize) -> Dataset {
        let mut rng = Rng::new(3, 0);
        let inputs: Vec<f32> = (0..dim * examples).map(|_| rng.normal()).collect();
        let band = |row: &[f32]| ((row[0] + 1.5).max(0.0) as u32).min(classes as u32 - 1);
        let labels = inputs.chunks(dim).map(band).collect();
        Dataset { inputs: Matrix::new(examples, dim, inputs).unwrap(), labels }
    }

    fn trained(dim: usize, classes: usize, settings: &[(&str, &str)]) -> Dropout {
        let settings: Vec<Setting> = settings.iter().map(|(name, value)| setting(name, value)).collect();
        Dropout::train(&task(dim, classes), &data(60, dim, classes), None, &settings, 7).unwrap()
    }

    fn sample(model: &Dropout, inputs: &Matrix, draws: &[u64]) -> Vec<f32> {
        let classes = model.network.outputs();
        let mut out = vec![f32::NAN; draws.len() * inputs.rows() * classes];
        model.sample_probs(inputs, draws, &mut out).unwrap();
        out
    }

    #[test]
    fn draws_that_share_are_the_thinned_networks() {
        for (dim, classes, hidden, rate) in [
            (2, 2, "100,100", "0.1"),
            (3, 4, "70,50", "0.5"),
            (1, 3, "9,33", "0.7"),
            (2, 2, "65,3", "0.9"),
            (2, 2, "5,7", "0"),
        ] {
            let model = trained(dim, classes, &[("hidden", hidden), ("rate", rate), ("steps", "100")]);
            assert!(model.shared.is_some());
            let mut inputs = data(37, dim, classes).inputs.values().to_vec();
            inputs[0] = 300.0;
            inputs[dim] = -1e-6;
            let inputs = Matrix::new(37, dim, inputs).unwrap();
            let draws = [5, 0, 1_000_000, 3, 5];
            let together = sample(&model, &inputs, &draws);
            for (draw, together) in draws.into_iter().zip(together.chunks(37 * classes)) {
                let mut plain = vec![0.0; together.len()];
                model.plain_probs(&inputs, draw, &mut plain).unwrap();
                for (a, b) in together.iter().zip(&plain) {
                    assert!((a - b).abs() < TOLERANCE, "{hidden} {rate} draw {draw}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn a_row_of_a_draw_has_the_same_bits_in_any_company() {
        for settings in [
            &[("rate", "0.3")][..],
            &[("hidden", "20,20,20")],
            &[("input-dropout", "yes")],
            &[("hidden", "9"), ("rate", "0.5")],
        ] {
            let model = trained(2, 3, &[settings, &[("steps", "20")]].concat());
            let inputs = data(21, 2, 3).inputs;
            let draws = [4, 9, 2, 4];
            let together = sample(&model, &inputs, &draws);
            for (draw, together) in draws.into_iter().zip(together.chunks(21 * 3)) {
                for (i, expected) in together.chunks(3).enumerate() {
                    let alone = Matrix::new(1, 2, inputs.row(i).to_vec()).unwrap();
                    assert_eq!(expected, sample(&model, &alone, &[draw]), "{settings:?}, row {i} of draw {draw}");
                }
            }
            assert_ne!(together[..63], together[63..126]);
        }
    }

    #[test]
    fn what_is_not_finite_is_not_hidden() {
        let model = trained(2, 2, &[("steps", "5")]);
        // The last overflows in some units alone.
        for row in [[f32::NAN, 1.0], [f32::INFINITY, 1.0], [3e38, 3e38]] {
            let inputs = Matrix::new(2, 2, [row, [0.5, 0.5]].concat()).unwrap();
            let probs = sample(&model, &inputs, &[0, 1]);
            assert!(probs[0].is_nan() && probs[4].is_nan() && probs[2].is_finite(), "{row:?}: {probs:?}");
        }
    }

    #[test]
    fn classes_are_learnt_and_training_depends_on_the_seed_alone() {
        let data = data(60, 2, 2);
        let train = |seed| Dropout::train(&task(2, 2), &data, None, &[setting("length-scale", "0.01")], seed).unwrap();
        let (one, same, other) = (train(1), train(1), train(2));
        let probs = sample(&one, &data.inputs, &[3]);
        assert_eq!(probs, sample(&same, &data.inputs, &[3]));
        assert_ne!(probs, sample(&other, &data.inputs, &[3]));
        let hits = probs.chunks(2).zip(&data.labels).filter(|(row, label)| row[**label as usize] > 0.5).count();
        assert!(hits >= 57, "{hits} of 60");
    }

    #[test]
    fn penalty_follows_the_length_scale() {
        let settings = |adaptive: &str| {
            Settings::parse(&[setting("length-scale", "3"), setting("adaptive", adaptive), setting("rate", "0.5")])
                .unwrap()
        };
        assert_eq!(settings("yes").penalty(&task(2, 2), 10), 3.0 * 0.5 * 2.0 / 10.0);
        assert_eq!(settings("no").penalty(&task(2, 2), 10), 9.0 * 0.5 / 20.0);
        assert_eq!(settings("yes").penalty(&task(2, 2), 0), 3.0);
    }

    #[test]
    fn suggested_variants_are_accepted_and_others_refused() {
        for sweep in Dropout::describe().sweeps {
            for variant in sweep.variants {
                assert!(Settings::parse(&variant).is_ok(), "{variant:?}");
            }
        }
        assert!(matches!(Settings::parse(&[setting("rate", "1")]), Err(Failure::InvalidSetting(_))));
        assert!(matches!(Settings::parse(&[setting("depth", "3")]), Err(Failure::InvalidSetting(_))));
    }
}
