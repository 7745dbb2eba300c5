//! The regression side of `dropout`: a draw is one function, and the noise has the same variance everywhere.

use jointly_nets::adam::Adam;
use jointly_nets::belief::{Answer, check_finite, evaluate, sample_each};
use jointly_nets::fit::{Decay, affordable, check_parameters, shuffle};
use jointly_nets::held_out::held_out;
use jointly_nets::points::Batch;
use jointly_nets::simd::Lanes;
use jointly_nets::start::glorot;
use jointly_nets::{Network, PointLoss, Points, Progress, Stream, sweeps};
use jointly_sdk::{
    Count, Description, Failure, Fraction, FunctionSamples, Matrix, NonNegative, Positive, RegressionTask, Regressor,
    Setting, SettingValue, Targets, Widths, settings,
};

use crate::masks::{Masks, Rates};
use crate::noise::{likeliest, likelihood_at};
use crate::rates::RateList;
use crate::training::Thinned;

/// The noise variance in the penalty before any is measured, relative to the targets' variance of one.
const FIRST_VARIANCE: f64 = 0.1;

/// The noise variance if there are no examples to measure it on: that of the targets.
const PRIOR_VARIANCE: f64 = 1.0;

/// The largest number of squared errors kept for measuring, 128 MiB.
const MOST_SQUARES: usize = 1 << 24;

/// The noise variance: measured, or a given number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NoiseVariance(Option<f32>);

impl SettingValue for NoiseVariance {
    fn expected() -> String {
        "measured, or a number above 0".into()
    }

    fn parse_value(text: &str) -> Option<Self> {
        match text.trim() {
            "measured" => Some(Self(None)),
            text => Positive::parse_value(text).map(|value| Self(Some(*value))),
        }
    }
}

settings! {
    struct Settings {
        /// probability that an input or a hidden unit is dropped; of several, the one with the highest likelihood of
        /// held-out examples
        rate: RateList = "0.005,0.01,0.05,0.1",
        /// drop inputs with the same probability
        input_dropout: bool = "yes",
        /// length scale l: the weight of the sum of squares of all weights is l^2 (1 - rate) times the variance of the
        /// noise, over twice the number of examples
        length_scale: NonNegative = "1e-2",
        /// variance of the noise, relative to the targets' variance of 1: measured on held-out examples, or a number
        noise_variance: NoiseVariance = "measured",
        /// fraction of the examples held out, if no validation set is given
        held_out: Fraction = "0.2",
        /// draws with which rates and noise are measured
        passes: Count = "100",
        /// train again on all examples once rate and noise are known
        refit: bool = "yes",
        /// widths of the hidden layers
        hidden: Widths = "50",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// passes over the examples in training
        epochs: Count = "400",
        /// examples in a batch
        batch_size: Count = "32",
    }
}

/// A network trained under dropout, which stays active in prediction: a draw is one set of masks, the same for all
/// inputs.
///
/// The method follows Gal and Ghahramani (2016) in the setting of their experiments: one hidden layer of 50 units,
/// 400 epochs of Adam with a step size of 1e-3 in batches of 32, masks on the inputs too, length scale 0.01. They
/// chose the rate, from 0.005 to 0.1, and the noise's precision by Bayesian optimisation, and in later experiments by
/// a grid search that maximises the likelihood of a fifth of the training examples. Here that fifth determines the
/// rate, and the noise variance is the one with the highest likelihood. They keep the network that was trained
/// without the fifth, as `refit=no` does. Wang, Sun and Grosse (Beyond marginal uncertainty, 2021, table 3) divide
/// the penalty by the variance of the observations; Gal and Ghahramani and this agent multiply by it. They have
/// batches of 100, 10,000 epochs, rates of 0.0025, 0.01 or 0.05 and a variance of 0.005, 0.025 or 0.125.
///
/// # Formula
///
/// Minimises the mean of (y - f)^2 plus l^2 (1 - p) v / (2 N) times the sum of squares of the weights, with separate
/// masks for every row of every step; a draw's noise has the variance v.
#[derive(Debug)]
pub struct Regression {
    thinnable: Thinnable,
    variance: f64,
    seed: u64,
}

/// A trained network and the rates at which its units are dropped.
#[derive(Debug)]
struct Thinnable {
    network: Network,
    widths: Vec<usize>,
    rates: Rates,
}

impl Thinnable {
    /// Returns the network under the masks of this stream and number.
    fn thin(&self, stream: Stream, seed: u64, number: u64) -> Network {
        let masks = Masks::draw(&self.widths, &self.rates, &mut stream.rng(seed, number));
        masks.thin(&self.network, &self.widths, &self.rates)
    }

    fn drops(&self) -> bool {
        self.rates.hidden > 0.0 && (self.rates.input > 0.0 || self.widths.len() > 2)
    }

    /// Returns the noise variance and the examples' mean log-likelihood under it. The variance is `known` if given,
    /// else the one that maximises that likelihood. Uses at most as many examples as `MOST_SQUARES` allows.
    fn measure(
        &self,
        points: &Points,
        known: Option<f64>,
        passes: usize,
        seed: u64,
    ) -> Result<Option<(f64, f64)>, Failure> {
        let room = MOST_SQUARES / passes;
        if room == 0 {
            return Err(Failure::InvalidSetting(format!("passes is {passes}, more than {MOST_SQUARES}")));
        }
        let places: Vec<u32> = (0..points.len().min(room) as u32).collect();
        let points = points.some(&places);
        let inputs = Matrix::new(points.len(), points.dim(), points.inputs().to_vec());
        let inputs = inputs.ok_or_else(|| Failure::Internal("rows of another length".into()))?;
        let passes = if self.drops() { passes } else { 1 };
        let pass = |pass: usize| {
            let found = evaluate(&self.thin(Stream::Passes, seed, pass as u64), &inputs)?;
            let errors = found.iter().zip(points.targets()).map(|(f, y)| f64::from(f - y).powi(2));
            Ok(errors.collect())
        };
        let squares = (0..passes).map(pass).collect::<Result<Vec<Vec<f64>>, Failure>>()?;
        Ok(match known {
            Some(variance) => likelihood_at(&squares, variance).map(|likelihood| (variance, likelihood)),
            None => likeliest(&squares),
        })
    }
}

/// One training of the settings' network.
struct Training<'a> {
    settings: &'a Settings,
    points: &'a Points,
    widths: &'a [usize],
    seed: u64,
    progress: Progress,
}

impl Training<'_> {
    /// Trains on the examples at `places`.
    fn run(&mut self, places: &[u32], rate: f32, variance: f64) -> Result<Thinnable, Failure> {
        let settings = self.settings;
        let rates = Rates { hidden: rate, input: if settings.input_dropout { rate } else { 0.0 } };
        let mut network = glorot(self.widths, &mut Stream::Start.rng(self.seed, 0));
        let rows = (*settings.batch_size).min(places.len());
        let mut batch = Batch::new(self.points.dim(), rows);
        let mut thinned = Thinned::new(self.widths, rates.clone(), rows);
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        let decay = Decay::new(&network);
        let penalty = penalty(settings, rate, variance, places.len());
        let mut adam = Adam::new(network.parameters.len(), *settings.learning_rate);
        let (mut batches, mut masks) = (Stream::Batches.rng(self.seed, 0), Stream::Masks.rng(self.seed, 0));
        let mut order = places.to_vec();
        for epoch in 0..if places.is_empty() { 0 } else { *settings.epochs } {
            shuffle(&mut order, &mut batches);
            let mut total = 0.0;
            for places in order.chunks(*settings.batch_size) {
                batch.gather(self.points, places.iter().copied());
                thinned.drop_few(batch.inputs(), batch.rows(), &mut masks);
                total += thinned.differentiate(&network, &mut gradient, |outputs, stride| {
                    PointLoss::Squared.differentiate(outputs, stride, batch.targets())
                });
                decay.add(&network, penalty, &mut gradient);
                adam.update(&mut network.parameters, &gradient, 0.0);
                self.progress.step();
            }
            if !total.is_finite() {
                return Err(Failure::Diverged(format!("the loss is not finite in epoch {epoch}")));
            }
        }
        check_parameters(&network)?;
        Ok(Thinnable { network, widths: self.widths.to_vec(), rates })
    }
}

/// Returns the factor of the sum of squares.
fn penalty(settings: &Settings, rate: f32, variance: f64, examples: usize) -> f32 {
    settings.length_scale.powi(2) * (1.0 - rate) * variance as f32 / (2.0 * examples.max(1) as f32)
}

impl Regressor for Regression {
    fn describe() -> Description {
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("rate", &["0.0025", "0.005", "0.01", "0.05", "0.1", "0.2"]),
                sweeps::one("epochs", &["40", "400", "4000"]),
            ],
            ..crate::description()
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let points = Points::new(task, data)?;
        let widths = [&[task.input_dim], &settings.hidden[..], &[1]].concat();
        affordable(&widths, 1)?;
        let given = validation.map(|validation| Points::new(task, validation)).transpose()?;
        let given = given.filter(|given| !given.is_empty());
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let known = task.noise_std.map(|noise| f64::from(noise).powi(2));
        let known = known.or(settings.noise_variance.0.map(f64::from));
        let measured = known.is_none() || settings.rate.len() > 1;
        let (train, held) = match given {
            Some(given) => (all.clone(), given),
            None if measured => {
                let (train, held) = held_out(points.len(), *settings.held_out, &mut Stream::HeldOut.rng(seed, 0));
                (train, points.some(&held))
            }
            None => (all.clone(), points.some(&[])),
        };
        let again = settings.refit && train.len() < all.len();
        let steps = |examples: usize| examples.div_ceil(*settings.batch_size).saturating_mul(*settings.epochs);
        let refit = if again { steps(all.len()) } else { 0 };
        let progress = Progress::new(steps(train.len()).saturating_mul(settings.rate.len()).saturating_add(refit));
        let mut training = Training { settings: &settings, points: &points, widths: &widths, seed, progress };

        let mut best: Option<(f64, f64, Thinnable)> = None;
        for rate in settings.rate.iter() {
            let thinnable = training.run(&train, *rate, known.unwrap_or(FIRST_VARIANCE))?;
            let found = thinnable.measure(&held, known, *settings.passes, seed)?;
            let (variance, likelihood) = found.unwrap_or((PRIOR_VARIANCE, f64::NEG_INFINITY));
            if best.as_ref().is_none_or(|(most, ..)| likelihood > *most) {
                best = Some((likelihood, variance, thinnable));
            }
        }
        let (_, variance, mut thinnable) =
            best.ok_or_else(|| Failure::InvalidSetting("no rate to train with".into()))?;
        let variance = known.unwrap_or(variance);
        if again {
            thinnable = training.run(&all, thinnable.rates.hidden, variance)?;
        }
        Ok(Self { thinnable, variance, seed })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let noise = self.variance.sqrt() as f32;
        check_finite(&[noise])?;
        sample_each(draws, inputs.rows(), |draw| -> Result<Answer, Failure> {
            let means = evaluate(&self.thinnable.thin(Stream::Parameters, self.seed, draw), inputs)?;
            Ok((means, vec![noise; inputs.rows()]))
        })
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        if self.thinnable.drops() { draw } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    fn task() -> RegressionTask {
        RegressionTask { input_dim: 2, noise_std: None }
    }

    fn set(pairs: &[(&str, &str)]) -> Vec<Setting> {
        pairs.iter().map(|(name, value)| Setting { name: (*name).into(), value: (*value).into() }).collect()
    }

    /// Creates a sine of the first of two features, with noise of standard deviation 0.3.
    fn sine(rows: usize, seed: u64) -> Targets {
        let mut rng = Rng::new(seed, 0);
        let inputs: Vec<f32> = (0..2 * rows).map(|_| 3.4 * rng.uniform() - 1.7).collect();
        let targets = inputs.chunks(2).map(|row| (2.0 * row[0]).sin() + 0.3 * rng.normal()).collect();
        Targets { inputs: Matrix::new(rows, 2, inputs).unwrap(), targets }
    }

    #[test]
    fn a_sine_and_its_noise_are_learnt() {
        let agent = Regression::train(&task(), &sine(800, 1), None, &[], 3).unwrap();
        assert!((0.05..0.14).contains(&agent.variance), "{}", agent.variance);
        let inputs = Matrix::new(2, 2, vec![-0.8, 0.5, 0.8, -0.5]).unwrap();
        let draws: Vec<u64> = (0..200).collect();
        let samples = agent.sample_functions(&inputs, &draws).unwrap();
        for (t, value) in [(0, (-1.6f32).sin()), (1, 1.6f32.sin())] {
            let mean = samples.means.iter().skip(t).step_by(2).sum::<f32>() / 200.0;
            assert!((mean - value).abs() < 0.2, "{t}: {mean} for {value}");
        }
        assert_eq!(samples.noise_stds, [agent.variance.sqrt() as f32; 400]);
    }

    #[test]
    fn a_given_validation_set_measures_and_what_is_known_is_taken() {
        let quick = [("epochs", "5"), ("rate", "0.05")];
        // The offset of these targets cannot be learnt from the training set.
        let mut far = sine(100, 2);
        far.targets.iter_mut().for_each(|y| *y += 2.5);
        let agent = Regression::train(&task(), &sine(100, 1), Some(&far), &set(&quick), 3).unwrap();
        assert!(agent.variance > 2.0, "{}", agent.variance);
        let given = set(&[quick[0], quick[1], ("noise-variance", "0.25")]);
        assert_eq!(Regression::train(&task(), &sine(100, 1), None, &given, 3).unwrap().variance, 0.25);
        let known = RegressionTask { noise_std: Some(0.5), ..task() };
        assert_eq!(Regression::train(&known, &sine(100, 1), Some(&far), &set(&quick), 3).unwrap().variance, 0.25);
    }

    #[test]
    fn rates_are_compared_under_the_noise_that_is_known() {
        // With a stated noise far below the true one, the spread of the draws has to explain the errors, which
        // favours a higher rate.
        let settings = set(&[("epochs", "60"), ("rate", "0.005,0.3"), ("refit", "no")]);
        for (noise_std, chosen) in [(None, 0.005), (Some(0.05), 0.3)] {
            let told = RegressionTask { noise_std, ..task() };
            let agent = Regression::train(&told, &sine(300, 1), None, &settings, 3).unwrap();
            assert_eq!(agent.thinnable.rates.hidden, chosen, "{noise_std:?}");
        }
    }

    #[test]
    fn a_draw_is_one_function_in_any_company() {
        let quick = [("epochs", "3"), ("rate", "0.3")];
        let agent = Regression::train(&task(), &sine(50, 1), None, &set(&quick), 3).unwrap();
        let inputs = sine(70, 2).inputs;
        let all = agent.sample_functions(&inputs, &[5, 1 << 60]).unwrap();
        assert_ne!(all.means[..70], all.means[70..]);
        let alone = agent.sample_functions(&Matrix::new(1, 2, inputs.row(66).to_vec()).unwrap(), &[1 << 60]).unwrap();
        assert_eq!((alone.means[0], alone.noise_stds[0]), (all.means[136], all.noise_stds[136]));
        assert_eq!(agent.canonical_draw(9), 9);
        let plain = Regression::train(&task(), &sine(50, 1), None, &set(&[quick[0], ("rate", "0")]), 3).unwrap();
        let same = plain.sample_functions(&inputs, &[5, 0]).unwrap();
        assert_eq!((plain.canonical_draw(5), &same.means[..70]), (0, &same.means[70..]));
    }

    #[test]
    fn degenerate_data_have_defined_answers() {
        let nothing = Targets { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), targets: Vec::new() };
        let one = Targets { inputs: Matrix::new(1, 2, vec![0.5; 2]).unwrap(), targets: vec![0.0] };
        let constant = Targets { inputs: Matrix::new(50, 2, vec![0.0; 100]).unwrap(), targets: vec![0.0; 50] };
        for data in [nothing, one, constant] {
            let agent = Regression::train(&task(), &data, None, &set(&[("epochs", "20")]), 5).unwrap();
            let samples = agent.sample_functions(&Matrix::new(1, 2, vec![-1.0, 1.0]).unwrap(), &[0, 1]).unwrap();
            assert!(samples.means.iter().chain(&samples.noise_stds).all(|value| value.is_finite()), "{samples:?}");
            assert_eq!(agent.variance == PRIOR_VARIANCE, data.targets.len() < 2);
        }
    }

    #[test]
    fn the_penalty_is_as_published() {
        let settings = Settings::parse(&[]).unwrap();
        // 1e-4 (1 - 0.05) / (2 N tau) with N = 400 and tau = 5.
        let expected = 1e-4 * 0.95 / (2.0 * 400.0 * 5.0);
        assert!((penalty(&settings, 0.05, 0.2, 400) / expected - 1.0).abs() < 1e-5);
    }

    #[test]
    fn suggested_variants_are_accepted_and_silly_ones_refused() {
        for sweep in Regression::describe().sweeps {
            for variant in sweep.variants {
                assert!(Settings::parse(&variant).is_ok(), "{variant:?}");
            }
        }
        for silly in [("hidden", "100000,100000"), ("rate", "1"), ("noise-variance", "0"), ("passes", "1000000000")] {
            let failure = Regression::train(&task(), &sine(5, 1), None, &set(&[silly]), 5).unwrap_err();
            assert!(matches!(failure, Failure::InvalidSetting(_)), "{silly:?}: {failure}");
        }
    }
}
