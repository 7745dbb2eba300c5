//! The agent `bootstrap`: networks trained on different resamples of the examples.

use jointly_kernels::student::student_t_quantile;
use jointly_nets::belief::{Answer, check_finite, evaluate, sample_finite};
use jointly_nets::choice::Choice;
use jointly_nets::fit::affordable;
use jointly_nets::held_out::held_out;
use jointly_nets::points::check_inputs;
use jointly_nets::quantile::check_level;
use jointly_nets::spread::around;
use jointly_nets::start::glorot;
use jointly_nets::{Activation, Fit, Network, PointLoss, Points, Progress, Spread, Stream, sweeps};
use jointly_sdk::{
    Count, Description, Failure, Fraction, FunctionSamples, Intervals, Matrix, NonNegative, Positive, RegressionTask,
    Regressor, Rng, Setting, Targets, Widths, settings,
};

settings! {
    struct Settings {
        /// number of networks, each trained on a resample
        size: Count = "50",
        /// widths of the hidden layers
        hidden: Widths = "40,30,20",
        /// function of a hidden unit: relu or tanh
        activation: Activation = "relu",
        /// passes over a resample
        epochs: Count = "80",
        /// examples in a batch
        batch_size: Count = "32",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// weight of the sum of squares of a network's weights
        l2: NonNegative = "0",
        /// fraction of the examples held out to measure the noise, if no validation set is given
        held_out: Fraction = "0.13",
    }
}

/// The naive bootstrap of Heskes (1997), in the setup of Sluijterman, Cator and Heskes (How to evaluate uncertainty
/// estimates in machine learning for regression?, section 5.1).
///
/// Networks of 40, 30 and 20 rectified units, 80 epochs, 50 resamples. The paper does not state the step size, batch
/// size, initialisation and penalty; here they are the defaults of Keras: Adam with 1e-3, batches of 32, Glorot's
/// uniform weights with biases of zero, no penalty. The paper measures the noise on 150 examples in addition to 1000;
/// if no validation set is given, the same share is held out.
///
/// Heskes trains a second network to predict the noise's variance at each input; here it is one number, as in the
/// experiments of Sluijterman, Cator and Heskes.
///
/// # Formula
///
/// With f the mean of the M members f_i and v(x) = sum_i (f_i(x) - f(x))^2 / (M - 1), the noise has the same variance
/// everywhere, s^2 = mean over the validation set of max((y - f(x))^2 - v(x), 0), and 1e-6 at least. The confidence
/// interval is f -+ t sqrt(v) and the prediction interval f -+ t sqrt(v + s^2), where t is the quantile of Student's
/// distribution with M degrees of freedom, as in the paper. A draw is a member with noise of variance s^2.
#[derive(Debug)]
pub struct Bootstrap {
    members: Vec<Network>,
    choice: Choice,
    noise_variance: f64,
}

impl Bootstrap {
    fn spread(members: &[Network], inputs: &Matrix) -> Result<Spread, Failure> {
        let mut spread = Spread::new(inputs.rows());
        for member in members {
            spread.add(evaluate(member, inputs)?.into_iter().map(f64::from));
        }
        Ok(spread)
    }

    fn answer(&self, member: usize, inputs: &Matrix) -> Result<Answer, Failure> {
        let means = evaluate(&self.members[member], inputs)?;
        let noise = vec![self.noise_variance.sqrt() as f32; means.len()];
        Ok((means, noise))
    }
}

/// The lower bound of the measured noise variance, relative to the targets' variance of one: a draw's distribution
/// needs positive noise.
const LEAST_VARIANCE: f64 = 1e-6;

/// Estimates the noise's variance on the validation set; returns one, the variance of all targets, if there is none.
fn noise_variance(members: &[Network], points: &Points) -> Result<f64, Failure> {
    if points.is_empty() {
        return Ok(1.0);
    }
    let inputs = Matrix::new(points.len(), points.dim(), points.inputs().to_vec());
    let inputs = inputs.ok_or_else(|| Failure::Internal("rows of another length".into()))?;
    let spread = Bootstrap::spread(members, &inputs)?;
    let pairs = spread.mean().iter().zip(spread.variance()).zip(points.targets());
    let total: f64 = pairs.map(|((mean, variance), y)| ((f64::from(*y) - mean).powi(2) - variance).max(0.0)).sum();
    let variance = total / points.len() as f64;
    check_finite(&[variance as f32])?;
    Ok(variance.max(LEAST_VARIANCE))
}

/// Draws as many places as `places` has, with replacement.
fn resample(places: &[u32], rng: &mut Rng) -> Vec<u32> {
    places.iter().map(|_| places[rng.below(places.len())]).collect()
}

impl Regressor for Bootstrap {
    fn describe() -> Description {
        Description {
            citation: "Heskes, Practical confidence and prediction intervals, NeurIPS 1997".into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweeps::one("size", &["5", "20", "50", "200"]), sweeps::one("epochs", &["20", "80", "320"])],
            ..Description::new("bootstrap", env!("CARGO_PKG_VERSION"), "networks trained on resamples of the examples")
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
        affordable(&widths, *settings.size)?;
        let all = (0..points.len() as u32).collect();
        let given = validation.map(|validation| Points::new(task, validation)).transpose()?;
        let (train, held) = match given.filter(|given| !given.is_empty()) {
            Some(given) => (all, given),
            None if task.noise_std.is_some() => (all, points.some(&[])),
            None => {
                let (train, held) = held_out(points.len(), *settings.held_out, &mut Stream::HeldOut.rng(seed, 0));
                (train, points.some(&held))
            }
        };
        let fit = Fit {
            loss: PointLoss::Squared,
            epochs: *settings.epochs,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            annealed: false,
            l2: *settings.l2,
        };
        let mut progress = Progress::new(fit.steps(train.len()).saturating_mul(*settings.size));
        let member = |index| {
            let network = glorot(&widths, &mut Stream::Start.rng(seed, index)).with_activation(settings.activation);
            let places = resample(&train, &mut Stream::Bootstrap.rng(seed, index));
            fit.run(network, &points, &places, &mut Stream::Batches.rng(seed, index), &mut progress)
        };
        let members = (0..*settings.size as u64).map(member).collect::<Result<Vec<_>, Failure>>()?;
        let noise_variance = match task.noise_std {
            Some(noise) => f64::from(noise).powi(2),
            None => noise_variance(&members, &held)?,
        };
        Ok(Self { choice: Choice::new(seed, members.len()), members, noise_variance })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        sample_finite(&self.choice, draws, inputs.rows(), |member| self.answer(member, inputs))
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.choice.canonical_draw(draw)
    }

    fn intervals(&self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        let t = student_t_quantile(0.5 + 0.5 * check_level(level)?, self.members.len() as f64);
        check_inputs(inputs, self.members[0].inputs())?;
        let spread = Self::spread(&self.members, inputs)?;
        let variance = spread.variance();
        Ok(Some(Intervals {
            confidence: Some(around(spread.mean(), variance.iter().copied(), t)),
            prediction: around(spread.mean(), variance.iter().map(|variance| variance + self.noise_variance), t),
        }))
    }
}

jointly_sdk::export!(regressor: Bootstrap);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_functions_stand_alone, assert_invalid, degenerate_targets, settings};

    use super::*;

    /// Creates the data of the paper's experiment, in units of the targets: y = (2 x - 1)^3 + N(0, 0.2^2).
    fn cubic(rows: usize, seed: u64) -> Targets {
        let mut rng = Rng::new(seed, 0);
        let inputs: Vec<f32> = (0..rows).map(|_| rng.uniform() - 0.5).collect();
        let targets = inputs.iter().map(|x| truth(*x) + 0.2 / SCALE * rng.normal()).collect();
        let inputs = inputs.into_iter().map(|x| x * 12f32.sqrt()).collect();
        Targets { inputs: Matrix::new(rows, 1, inputs).unwrap(), targets }
    }

    /// The standard deviation of the cubic function with its noise.
    const SCALE: f32 = 2.2;

    fn truth(x: f32) -> f32 {
        ((2.0 * x - 1.0).powi(3) + 2.0) / SCALE
    }

    fn task() -> RegressionTask {
        RegressionTask { input_dim: 1, noise_std: None }
    }

    /// Creates a linear network without hidden units: a line.
    fn line(slope: f32, offset: f32) -> Network {
        let mut network = glorot(&[1, 1], &mut Rng::new(0, 0));
        let rows = network.parameters.len() / 2;
        jointly_nets::simd::floats_mut(&mut network.parameters[..rows])[0] = slope;
        jointly_nets::simd::floats_mut(&mut network.parameters[rows..])[0] = offset;
        network
    }

    #[test]
    fn intervals_by_hand() {
        let members = vec![line(1.0, 0.0), line(3.0, 0.0), line(2.0, 3.0)];
        // At x = 1 the members predict 1, 3 and 5: mean 3, variance 4.
        let validation = Points::new(
            &task(),
            &Targets { inputs: Matrix::new(2, 1, vec![1.0; 2]).unwrap(), targets: vec![6.0, 2.0] },
        );
        // If the members' spread explains all errors, the noise has the lower bound as its variance.
        let met = Targets { inputs: Matrix::new(1, 1, vec![1.0]).unwrap(), targets: vec![4.0] };
        let met = Points::new(&task(), &met).unwrap();
        assert_eq!(super::noise_variance(&members, &met).unwrap(), LEAST_VARIANCE);
        // (6 - 3)^2 - 4 = 5 and max((2 - 3)^2 - 4, 0) = 0.
        let noise_variance = noise_variance(&members, &validation.unwrap()).unwrap();
        assert!((noise_variance - 2.5).abs() < 1e-6);
        let agent = Bootstrap { choice: Choice::new(0, 3), members, noise_variance };
        let intervals = agent.intervals(&Matrix::new(1, 1, vec![1.0]).unwrap(), 0.8).unwrap().unwrap();
        // Student's quantile at 0.9 with three degrees is 1.638.
        let t = 1.637_744_353_696_210_3;
        let confidence = intervals.confidence.unwrap();
        for (bounds, variance) in [(confidence, 4.0f64), (intervals.prediction, 6.5)] {
            assert!((bounds.lower[0] - (3.0 - t * variance.sqrt())).abs() < 1e-5, "{bounds:?}");
            assert!((bounds.upper[0] - (3.0 + t * variance.sqrt())).abs() < 1e-5, "{bounds:?}");
        }
        assert!(agent.intervals(&Matrix::new(1, 1, vec![1.0]).unwrap(), 1.0).is_err());
    }

    #[test]
    fn the_papers_experiment_is_covered_and_its_noise_found() {
        let settings = settings(&[("size", "10"), ("epochs", "40")]);
        let agent = Bootstrap::train(&task(), &cubic(1000, 1), Some(&cubic(150, 2)), &settings, 3).unwrap();
        let noise = agent.noise_variance.sqrt() as f32 * SCALE;
        assert!((0.17..0.23).contains(&noise), "{noise}");
        let test = cubic(1000, 4);
        let bounds = agent.intervals(&test.inputs, 0.8).unwrap().unwrap();
        let prediction = bounds.prediction;
        let covered = |t: usize, y: f32| prediction.lower[t] <= f64::from(y) && f64::from(y) <= prediction.upper[t];
        let share = test.targets.iter().enumerate().filter(|(t, y)| covered(*t, **y)).count() as f64 / 1000.0;
        assert!((0.75..0.88).contains(&share), "{share}");
        let confidence = bounds.confidence.unwrap();
        let narrower = confidence.upper.iter().zip(&prediction.upper).all(|(inner, outer)| inner <= outer);
        assert!(narrower);
    }

    #[test]
    fn draws_name_members_whatever_else_is_asked() {
        let agent =
            Bootstrap::train(&task(), &cubic(60, 1), None, &settings(&[("size", "3"), ("epochs", "2")]), 5).unwrap();
        let inputs = cubic(70, 8).inputs;
        assert_functions_stand_alone(&agent, &inputs, &[4, 0, 9, 4]);
        let canonical: std::collections::BTreeSet<u64> = (0..100).map(|draw| agent.canonical_draw(draw)).collect();
        assert_eq!(canonical.len(), 3);
    }

    #[test]
    fn degenerate_data_have_defined_answers() {
        let settings = settings(&[("size", "3"), ("epochs", "3")]);
        for data in degenerate_targets() {
            let agent = Bootstrap::train(&task(), &data, None, &settings, 5).unwrap();
            let inputs = Matrix::new(2, 1, vec![-1.0, 1.0]).unwrap();
            let samples = agent.sample_functions(&inputs, &[0, 1]).unwrap();
            assert!(samples.means.iter().all(|value| value.is_finite()));
            assert!(samples.noise_stds.iter().all(|noise| *noise >= LEAST_VARIANCE.sqrt() as f32));
            let prediction = agent.intervals(&inputs, 0.9).unwrap().unwrap().prediction;
            assert!(prediction.lower.iter().zip(&prediction.upper).all(|(lower, upper)| lower <= upper));
            assert_eq!(agent.noise_variance == 1.0, data.targets.len() < 2);
        }
        let known = RegressionTask { noise_std: Some(0.25), ..task() };
        let agent = Bootstrap::train(&known, &cubic(20, 1), None, &settings, 5).unwrap();
        assert_eq!(agent.noise_variance, 0.0625);
    }

    #[test]
    fn silly_settings_are_refused() {
        for silly in [("hidden", "100000,100000"), ("size", "1000000000"), ("epochs", "0"), ("width", "3")] {
            assert_invalid(
                Bootstrap::train(&task(), &cubic(5, 1), None, &settings(&[silly]), 5),
                &format!("{silly:?}"),
            );
        }
    }

    /// `cargo test --release -p jointly-agent-bootstrap -- --ignored --nocapture times`
    #[test]
    #[ignore = "measures"]
    fn times() {
        let start = std::time::Instant::now();
        let agent = Bootstrap::train(&task(), &cubic(1000, 1), Some(&cubic(150, 2)), &[], 3).unwrap();
        println!("1000 rows of 1 feature: {:?}; noise {}", start.elapsed(), agent.noise_variance.sqrt() as f32 * SCALE);
    }
}
