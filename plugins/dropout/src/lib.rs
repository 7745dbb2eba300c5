//! The agent `dropout`: a network whose draws apply different dropout masks.

mod masks;
mod noise;
mod numbers;
mod rates;
mod regression;
mod sampling;
mod training;

use jointly_nets::inputs::{Auto, Fitted, Masked, Reader, Setup, Sort};
use jointly_nets::penalty::is_adaptive;
use jointly_nets::{Penalty, sweeps};
use jointly_sdk::{
    Dataset, Description, Failure, Fraction, Given, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting,
    Sweep, Task, sweep,
};

use masks::Rates;
use numbers::Drawn;
pub use regression::Regression;

jointly_nets::input_settings! {
    struct Settings(hidden: "100,100", batch_size: 100 or 64) {
        /// probability that a unit is dropped; auto is 0.1 for plain numbers, 0.2 for other inputs
        rate: Auto<Fraction> = "auto",
        /// drop inputs of the first dense layer with the same probability; behind convolutions they are always
        /// dropped, and pixels never are; auto is no for plain numbers, yes for other inputs
        input_dropout: Auto<bool> = "auto",
        /// weight of the sum of squares of all parameters: see adaptive; auto is 1 for plain numbers, 0 for other
        /// inputs
        length_scale: Auto<NonNegative> = "auto",
        /// that weight is length-scale times the input's dimension and the root of the temperature, over the number of
        /// examples; otherwise the square of length-scale times 1 - rate, over twice that number; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
    }
}

/// The dropout of a task.
struct Dropped {
    rate: f32,
    inputs: bool,
}

impl Settings {
    fn dropped(&self, sort: Sort) -> Dropped {
        let inputs = self.input_dropout.0.unwrap_or(sort.choose(false, true));
        Dropped { rate: self.rate.or(sort.choose(0.1, 0.2)), inputs }
    }

    /// Returns the penalty on the squares of all parameters.
    ///
    /// # Formula
    ///
    /// The factor of the sum of squares in the loss is l d sqrt(temperature) / T if adaptive, otherwise
    /// l^2 (1 - p) / (2 T), with length scale l, rate p and T examples; T is 1 without examples.
    fn penalty(&self, task: &Task) -> Penalty {
        let (sort, adaptive) = (Sort::of(task), is_adaptive(self.adaptive.0, task));
        let scale = self.length_scale.or(sort.choose(1.0, 0.0));
        let l2 = if adaptive { scale } else { scale.powi(2) * (1.0 - self.dropped(sort).rate) / 2.0 };
        Penalty { l2, adaptive: Some(adaptive) }
    }
}

/// Returns the description that classification and regression share.
fn description() -> Description {
    Description {
        citation: "Gal and Ghahramani, Dropout as a Bayesian approximation: representing model uncertainty in deep \
                   learning, ICML 2016"
            .into(),
        ..Description::new("dropout", env!("CARGO_PKG_VERSION"), "a network of which every draw keeps other units")
    }
}

/// A network trained under dropout, which stays active in prediction: a draw is one set of masks, the same for all
/// rows of all calls.
///
/// The method follows Gal and Ghahramani (2016). On plain numbers only hidden units have masks unless inputs are
/// dropped too. The testbed's reference implementation also draws separate masks for every input at test time, so its
/// draws are not functions; here a draw must be one function.
///
/// On other inputs the networks are those of Ovadia et al. (Can you trust your model's uncertainty?, NeurIPS 2019,
/// appendix A.1): dropout before every dense layer, including the first; in a network with convolutions, before each
/// dense layer behind them.
#[derive(Debug)]
pub struct Dropout(Trained);

#[derive(Debug)]
enum Trained {
    Numbers(Box<Reader>, Drawn),
    Inputs(Box<Fitted>, Masked),
}

impl InputClassifier for Dropout {
    fn describe() -> Description {
        Description {
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                rate_by_input_dropout(),
                length_scale_by_adaptive(),
                sweeps::hidden(),
                sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"]),
            ],
            ..description()
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::learn(task, data, settings, seed, None)
    }

    fn parts(_: &Task, _: &[Setting]) -> Result<Option<u32>, Failure> {
        Ok(Some(1))
    }

    fn train_part(Given { task, data, settings, seed, .. }: Given<'_, Inputs>, _: u32) -> Result<Vec<u8>, Failure> {
        Ok(match Self::learn(task, data, settings, seed, None)?.0 {
            Trained::Numbers(_, drawn) => drawn.learned(),
            Trained::Inputs(fitted, _) => fitted.learned(),
        })
    }

    fn join(given: Given<'_, Inputs>, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        let Given { task, data, settings, seed, .. } = given;
        Self::learn(task, data, settings, seed, parts.first().map(Vec::as_slice))
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        match &self.0 {
            Trained::Numbers(reader, drawn) => drawn.probs(&*reader.plain(inputs)?, draws, out),
            Trained::Inputs(fitted, masked) => {
                masked.probs(&*fitted.read(inputs)?, draws, out);
                Ok(())
            }
        }
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        let drops = match &self.0 {
            Trained::Numbers(_, drawn) => drawn.drops(),
            Trained::Inputs(_, masked) => masked.drops(),
        };
        if drops { draw } else { 0 }
    }
}

impl Dropout {
    /// Trains a network, or restores it from what an earlier training has learned.
    fn learn(
        task: &Task,
        data: &Dataset<Inputs>,
        settings: &[Setting],
        seed: u64,
        learned: Option<&[u8]>,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let sort = Sort::of(task);
        let Dropped { rate, inputs } = settings.dropped(sort);
        let design = settings.design(task, *settings.learning_rate, settings.penalty(task))?;
        let design = design.with_uncertain_convolutions("dropout drops units before them")?;
        let setup = Setup::new(&design, task, data, 1, seed)?;
        if let Some((task, data)) = setup.plain() {
            let rates = Rates { hidden: rate, input: if inputs { rate } else { 0.0 } };
            let drawn = match learned {
                None => Drawn::train(&design, rates, task, data, seed)?,
                Some(bytes) => Drawn::restore(&design, rates, task, seed, bytes)?,
            };
            return Ok(Self(Trained::Numbers(Box::new(setup.reader().clone()), drawn)));
        }
        let mut rates = vec![rate; setup.plan().dense()];
        if !inputs && !setup.plan().convolves() {
            rates[0] = 0.0;
        }
        let fitted = match learned {
            None => setup.fit_dropping(&rates, 0, &mut Progress::new(setup.steps()))?,
            Some(bytes) => setup.restore(0, bytes)?,
        };
        let masked = Masked::new(fitted.network.clone(), &rates, seed);
        Ok(Self(Trained::Inputs(Box::new(fitted), masked)))
    }
}

fn rate_by_input_dropout() -> Sweep {
    let rates = ["0", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"];
    let variants =
        ["yes", "no"].into_iter().flat_map(|input| rates.map(|p| vec![("rate", p), ("input-dropout", input)]));
    sweep("rate", variants)
}

fn length_scale_by_adaptive() -> Sweep {
    let scales = ["0.01", "0.1", "0.3", "1", "3", "10"];
    let variants = ["yes", "no"].into_iter();
    sweep("length-scale", variants.flat_map(|yes| scales.map(|l| vec![("length-scale", l), ("adaptive", yes)])))
}

jointly_sdk::export!(input_classifier: Dropout, regressor: Regression);

#[cfg(test)]
mod tests {
    use jointly_sdk::{ImageShape, Tokens};
    use jointly_testkit::trials::{sample, trials};
    use jointly_testkit::{plane, setting, settings};

    use super::*;

    jointly_testkit::trials!(
        Dropout,
        &[("hidden", "50"), ("epochs", "60"), ("batch-size", "16"), ("learning-rate", "3e-3")]
    );

    #[test]
    fn only_what_should_be_is_dropped() {
        let [_, images, ..] = trials();
        let trained = |pairs: &[(&str, &str)]| {
            let settings = settings(&[pairs, &[("epochs", "2")]].concat());
            Dropout::train(&images.task, &images.train, None, &settings, 1).unwrap()
        };
        let varies = |agent: &Dropout| {
            let probs = sample(agent, &images.task, &images.test.inputs, &[0, 8]);
            let (one, other) = probs.split_at(probs.len() / 2);
            assert_eq!(one != other, agent.canonical_draw(8) == 8);
            one != other
        };
        let lenet = ("network", "lenet");
        let (no_inputs, flat) = (("input-dropout", "no"), ("hidden", "none"));
        assert!(varies(&trained(&[])) && varies(&trained(&[no_inputs])) && varies(&trained(&[flat])));
        // Without a hidden layer only inputs can be dropped; behind convolutions their outputs can.
        assert!(!varies(&trained(&[no_inputs, flat])) && !varies(&trained(&[("rate", "0")])));
        assert!(varies(&trained(&[lenet, ("filters", "3"), no_inputs, flat])));
    }

    #[test]
    fn the_penalty_follows_the_length_scale() {
        let factor = |pairs: &[(&str, &str)], sort, examples| {
            let pairs = [pairs, &[("rate", "0.5")]].concat();
            let plane = plane(Some(0.25));
            let task = match sort {
                Sort::Image => Task { image: Some(ImageShape { height: 1, width: 2, channels: 1 }), ..plane },
                Sort::Text => Task { tokens: Tokens::Text { vocabulary: 5, length: 3 }, input_dim: 0, ..plane },
                _ => plane,
            };
            Settings::parse(&settings(&pairs)).unwrap().penalty(&task).factor(&task, examples)
        };
        let three = ("length-scale", "3");
        assert_eq!(factor(&[three, ("adaptive", "yes")], Sort::Numbers, 10), 3.0 * 0.5 * 2.0 / 10.0);
        assert_eq!(factor(&[three, ("adaptive", "no")], Sort::Image, 10), 9.0 * 0.5 / 20.0);
        assert_eq!(factor(&[three], Sort::Numbers, 0), 3.0);
        assert_eq!((factor(&[], Sort::Numbers, 1), factor(&[], Sort::Text, 1)), (1.0, 0.0));
    }

    #[test]
    fn a_rate_of_one_is_refused() {
        assert!(matches!(Settings::parse(&[setting("rate", "1")]), Err(Failure::InvalidSetting(_))));
    }

    #[test]
    fn a_resnet_is_refused_with_the_agents_that_take_it() {
        let [_, images, ..] = trials();
        let resnet = settings(&[("network", "resnet20")]);
        let refused = Dropout::train(&images.task, &images.train, None, &resnet, 1);
        jointly_testkit::assert_invalid(
            refused,
            "resnet20 with mlp, temperature-scaling, ensemble, ll-dropout or ll-svi",
        );
    }
}
