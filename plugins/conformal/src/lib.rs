//! The agent `conformal`: prediction intervals around a network, as wide as its errors on held-out examples.

use jointly_nets::belief::{check_finite, evaluate, sample_each};
use jointly_nets::fit::affordable;
use jointly_nets::held_out::held_out;
use jointly_nets::points::check_inputs;
use jointly_nets::quantile::check_level;
use jointly_nets::start::glorot;
use jointly_nets::{Activation, Fit, Network, PointLoss, Points, Progress, Stream, sweeps};
use jointly_sdk::{
    Bounds, Count, Description, Failure, Fraction, FunctionSamples, Intervals, Matrix, NonNegative, Positive,
    RegressionTask, Regressor, Setting, Targets, Widths, settings,
};

settings! {
    struct Settings {
        /// fraction of the examples held out to calibrate the intervals, if no validation set is given
        held_out: Fraction = "0.5",
        /// widths of the hidden layers
        hidden: Widths = "40,30,20",
        /// function of a hidden unit: relu or tanh
        activation: Activation = "relu",
        /// passes over the examples
        epochs: Count = "80",
        /// examples in a batch
        batch_size: Count = "32",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// weight of the sum of squares of the network's weights
        l2: NonNegative = "0",
    }
}

/// The standard deviation of the noise if no examples are left to measure it: that of the targets.
const PRIOR_DEVIATION: f64 = 1.0;

/// The lower bound of the measured standard deviation, relative to the targets' of one: a draw's distribution needs
/// positive noise.
const LEAST_DEVIATION: f64 = 1e-3;

/// Split conformal prediction (Papadopoulos et al. 2002; Lei et al. 2018): a network is trained on one part of the
/// examples, and its errors on the other part determine the width of its intervals.
///
/// # Formula
///
/// With n absolute errors on the calibration set, the interval of level a is f -+ the k-th smallest of them, where
/// k = ceil((n + 1) a). It contains a new observation that is exchangeable with the calibration set with a
/// probability of at least a, and of at most a + 1 / (n + 1) if no two errors are equal, whatever the network is. If
/// k > n, only the unbounded interval has that guarantee. There is no interval for the function's value, about which
/// the method says nothing. All draws name the same function, the network; the noise's standard deviation is the root
/// of the mean squared error on the calibration set, and 1e-3 at least. A standard deviation that the task states is
/// ignored: the errors alone determine it.
#[derive(Debug)]
pub struct Conformal {
    network: Network,
    /// Absolute errors on the calibration set, ascending.
    errors: Vec<f64>,
    noise: f32,
}

impl Conformal {
    fn new(network: Network, calibration: &Points) -> Result<Self, Failure> {
        let inputs = Matrix::new(calibration.len(), calibration.dim(), calibration.inputs().to_vec());
        let inputs = inputs.ok_or_else(|| Failure::Internal("rows of another length".into()))?;
        let found = evaluate(&network, &inputs)?;
        let pairs = found.iter().zip(calibration.targets());
        let mut errors: Vec<f64> = pairs.map(|(f, y)| (f64::from(*y) - f64::from(*f)).abs()).collect();
        errors.sort_by(f64::total_cmp);
        let squares: f64 = errors.iter().map(|error| error * error).sum();
        let noise = if errors.is_empty() { PRIOR_DEVIATION } else { (squares / errors.len() as f64).sqrt() };
        check_finite(&[noise as f32])?;
        let noise = noise.max(LEAST_DEVIATION);
        Ok(Self { network, errors, noise: noise as f32 })
    }

    /// Returns half the width of the intervals.
    fn radius(&self, level: f64) -> f64 {
        self.errors.get(rank(self.errors.len(), level) - 1).copied().unwrap_or(f64::INFINITY)
    }
}

/// Returns ceil((n + 1) a), at least 1; a product within rounding error of a whole number counts as that number.
fn rank(errors: usize, level: f64) -> usize {
    // The relative error of a product of two numbers, of which only the level is rounded.
    const ROUNDING: f64 = 2.0 * f64::EPSILON;
    let exact = (errors as f64 + 1.0) * level;
    let nearest = exact.round();
    let rank = if (exact - nearest).abs() <= ROUNDING * exact { nearest } else { exact.ceil() };
    (rank as usize).max(1)
}

impl Regressor for Conformal {
    fn describe() -> Description {
        Description {
            citation: "Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, Distribution-free predictive inference for \
                       regression, JASA 2018"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweeps::one("held-out", &["0.1", "0.25", "0.5"]), sweeps::one("epochs", &["20", "80", "320"])],
            ..Description::new(
                "conformal",
                env!("CARGO_PKG_VERSION"),
                "a network with intervals as wide as its errors on examples held out",
            )
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
        let (train, calibration) = if let Some(given) = given.filter(|given| !given.is_empty()) {
            ((0..points.len() as u32).collect(), given)
        } else {
            let (train, held) = held_out(points.len(), *settings.held_out, &mut Stream::HeldOut.rng(seed, 0));
            (train, points.some(&held))
        };
        let fit = Fit {
            loss: PointLoss::Squared,
            epochs: *settings.epochs,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            annealed: false,
            l2: *settings.l2,
        };
        let network = glorot(&widths, &mut Stream::Start.rng(seed, 0)).with_activation(settings.activation);
        let mut progress = Progress::new(fit.steps(train.len()));
        let network = fit.run(network, &points, &train, &mut Stream::Batches.rng(seed, 0), &mut progress)?;
        Self::new(network, &calibration)
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let means = evaluate(&self.network, inputs)?;
        let noise = vec![self.noise; means.len()];
        sample_each(draws, inputs.rows(), |_| Ok((means.clone(), noise.clone())))
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }

    fn intervals(&self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        let radius = self.radius(check_level(level)?);
        check_inputs(inputs, self.network.inputs())?;
        let means = evaluate(&self.network, inputs)?;
        let prediction = Bounds {
            lower: means.iter().map(|mean| f64::from(*mean) - radius).collect(),
            upper: means.iter().map(|mean| f64::from(*mean) + radius).collect(),
        };
        Ok(Some(Intervals { confidence: None, prediction }))
    }
}

jointly_sdk::export!(regressor: Conformal);

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats_mut;
    use jointly_sdk::Rng;
    use jointly_testkit::{assert_functions_stand_alone, assert_invalid, degenerate_targets, settings};

    use super::*;

    fn task() -> RegressionTask {
        RegressionTask { input_dim: 1, noise_std: None }
    }

    fn sine(rows: usize, seed: u64) -> Targets {
        let mut rng = Rng::new(seed, 0);
        let inputs: Vec<f32> = (0..rows).map(|_| 3.4 * rng.uniform() - 1.7).collect();
        let targets = inputs.iter().map(|x| (2.0 * x).sin() + 0.3 * (rng.exponential() - 1.0)).collect();
        Targets { inputs: Matrix::new(rows, 1, inputs).unwrap(), targets }
    }

    /// Creates a network that predicts `value` everywhere.
    fn constant(value: f32) -> Network {
        let mut network = glorot(&[1, 1], &mut Rng::new(0, 0));
        let half = network.parameters.len() / 2;
        floats_mut(&mut network.parameters[..half]).fill(0.0);
        floats_mut(&mut network.parameters[half..])[0] = value;
        network
    }

    #[test]
    fn intervals_by_hand() {
        // Nine errors of 1 to 9, so that the level 0.8 takes the eighth and 0.9 the ninth.
        let targets: Vec<f32> = (1..=9).map(|k| if k % 2 == 0 { 10.0 + k as f32 } else { 10.0 - k as f32 }).collect();
        let calibration = Targets { inputs: Matrix::new(9, 1, vec![0.0; 9]).unwrap(), targets };
        let agent = Conformal::new(constant(10.0), &Points::new(&task(), &calibration).unwrap()).unwrap();
        let inputs = Matrix::new(1, 1, vec![5.0]).unwrap();
        for (level, radius) in [(1e-9, 1.0), (0.1, 1.0), (0.5, 5.0), (0.51, 6.0), (0.8, 8.0), (0.85, 9.0), (0.9, 9.0)] {
            let intervals = agent.intervals(&inputs, level).unwrap().unwrap();
            assert_eq!(intervals.confidence, None);
            assert_eq!((intervals.prediction.lower[0], intervals.prediction.upper[0]), (10.0 - radius, 10.0 + radius));
        }
        // A network without errors has intervals of zero width, and the smallest noise that is allowed.
        let met = Targets { inputs: Matrix::new(9, 1, vec![0.0; 9]).unwrap(), targets: vec![10.0; 9] };
        let sure = Conformal::new(constant(10.0), &Points::new(&task(), &met).unwrap()).unwrap();
        assert_eq!((sure.radius(0.9), sure.noise), (0.0, LEAST_DEVIATION as f32));
        let endless = agent.intervals(&inputs, 0.91).unwrap().unwrap().prediction;
        assert_eq!((endless.lower[0], endless.upper[0]), (f64::NEG_INFINITY, f64::INFINITY));
        let samples = agent.sample_functions(&inputs, &[3]).unwrap();
        assert_eq!((samples.means[0], samples.noise_stds[0]), (10.0, (285.0f64 / 9.0).sqrt() as f32));
    }

    #[test]
    fn ranks_are_not_raised_by_rounding() {
        // 0.7 * 10 and 0.55 * 20 exceed 7 and 11 in binary floating point.
        for (errors, level, expected) in
            [(9, 0.7, 7), (19, 0.55, 11), (99, 0.29, 29), (9, 0.7 + 1e-9, 8), (0, 0.5, 1), (999_999, 0.9, 900_000)]
        {
            assert_eq!(rank(errors, level), expected, "{errors} at {level}");
        }
    }

    /// Averaged over many data sets, an interval from nine errors has a coverage of exactly k / 10.
    #[test]
    fn coverage_is_what_the_theorem_says() {
        const SETS: u64 = 4000;
        let mut rng = Rng::new(1, 0);
        for level in [0.5, 0.9] {
            let mut covered = 0.0;
            for _ in 0..SETS {
                let calibration = Targets {
                    inputs: Matrix::new(9, 1, vec![0.0; 9]).unwrap(),
                    targets: (0..9).map(|_| rng.normal()).collect(),
                };
                let agent = Conformal::new(constant(0.3), &Points::new(&task(), &calibration).unwrap()).unwrap();
                let radius = agent.radius(level);
                covered += f64::from(u8::from((f64::from(rng.normal()) - f64::from(0.3f32)).abs() <= radius));
            }
            let error = (level * (1.0 - level) / SETS as f64).sqrt();
            assert!((covered / SETS as f64 - level).abs() < 4.0 * error, "{level}: {covered}");
        }
    }

    #[test]
    fn a_sine_is_learnt_and_covered() {
        let agent = Conformal::train(&task(), &sine(1000, 1), None, &[], 3).unwrap();
        assert_eq!(agent.errors.len(), 500);
        let given = Conformal::train(&task(), &sine(1000, 1), Some(&sine(150, 5)), &[], 3).unwrap();
        assert_eq!(given.errors.len(), 150);
        let test = sine(2000, 2);
        for agent in [agent, given] {
            let prediction = agent.intervals(&test.inputs, 0.8).unwrap().unwrap().prediction;
            let pairs = prediction.lower.iter().zip(&prediction.upper).zip(&test.targets);
            let covered = pairs.filter(|((lower, upper), y)| (**lower..=**upper).contains(&f64::from(**y))).count();
            assert!((1480..1720).contains(&covered), "{covered}");
            assert!((0.25..0.4).contains(&agent.noise), "{}", agent.noise);
        }
    }

    #[test]
    fn every_draw_is_the_network_in_any_company() {
        let agent = Conformal::train(&task(), &sine(60, 1), None, &settings(&[("epochs", "2")]), 3).unwrap();
        let inputs = sine(70, 2).inputs;
        let all = agent.sample_functions(&inputs, &[4, 2]).unwrap();
        assert_eq!((all.means[..70].to_vec(), agent.canonical_draw(2)), (all.means[70..].to_vec(), 0));
        assert_functions_stand_alone(&agent, &inputs, &[4, 2]);
    }

    #[test]
    fn degenerate_data_have_defined_answers() {
        for data in degenerate_targets() {
            let agent = Conformal::train(&task(), &data, None, &settings(&[("epochs", "20")]), 5).unwrap();
            let inputs = Matrix::new(2, 1, vec![-1.0, 1.0]).unwrap();
            let samples = agent.sample_functions(&inputs, &[0]).unwrap();
            assert!(samples.means.iter().chain(&samples.noise_stds).all(|value| value.is_finite()));
            let prediction = agent.intervals(&inputs, 0.9).unwrap().unwrap().prediction;
            assert!(prediction.lower.iter().zip(&prediction.upper).all(|(lower, upper)| lower <= upper));
            assert_eq!(prediction.upper[0].is_infinite(), data.targets.len() < 2);
        }
    }

    #[test]
    fn silly_settings_are_refused() {
        for silly in [("hidden", "100000,100000"), ("held-out", "1"), ("epochs", "0")] {
            assert_invalid(Conformal::train(&task(), &sine(5, 1), None, &settings(&[silly]), 5), &format!("{silly:?}"));
        }
    }
}
