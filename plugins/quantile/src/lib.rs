//! The agent `quantile`: a network that predicts many quantiles of a target at once.

mod knots;

use jointly_nets::belief::{evaluate, sample_each};
use jointly_nets::fit::affordable;
use jointly_nets::quantile::check_level;
use jointly_nets::start::glorot;
use jointly_nets::{Activation, Fit, Network, PointLoss, Points, Progress, Stream, sweeps};
use jointly_sdk::{
    Bounds, Count, Description, Failure, FunctionSamples, Intervals, Matrix, NonNegative, Positive, RegressionTask,
    Regressor, Setting, SettingValue, Targets, Widths, settings,
};

use knots::Knots;

/// The largest number of quantiles that a network predicts.
const MOST_LEVELS: usize = 1000;

/// A number of quantiles.
#[derive(Clone, Copy, Debug)]
struct Levels(usize);

impl SettingValue for Levels {
    fn expected() -> String {
        format!("a whole number from 2 to {MOST_LEVELS}")
    }

    fn parse_value(text: &str) -> Option<Self> {
        text.trim().parse().ok().filter(|levels| (2..=MOST_LEVELS).contains(levels)).map(Self)
    }
}

settings! {
    struct Settings {
        /// number of quantiles K that the network predicts, at the levels 1/(2 K), 3/(2 K), ..., 1 - 1/(2 K)
        levels: Levels = "50",
        /// widths of the hidden layers
        hidden: Widths = "40,30,20",
        /// function of a hidden unit: relu or tanh
        activation: Activation = "relu",
        /// passes over the examples
        epochs: Count = "200",
        /// examples in a batch
        batch_size: Count = "32",
        /// initial step size of Adam; it falls to zero at the end
        learning_rate: Positive = "1e-3",
        /// weight of the sum of squares of the network's weights
        l2: NonNegative = "0",
    }
}

/// A quantile regression network: one output for each of K levels, trained jointly by the pinball loss.
///
/// Where outputs cross they are sorted, which never raises the pinball loss (Chernozhukov, Fernandez-Val and Galichon
/// 2010). Between levels the quantile function is linear; beyond an outermost level it is that of a normal
/// distribution through the outermost quantile and the median.
///
/// An interval of level a reaches from the (1 - a) / 2 to the (1 + a) / 2 quantile, and is for an observation. The
/// network does not model the uncertainty of its quantiles, so there is no interval for the function's value. For the
/// same reason all draws name one function: the mean of the predicted distribution, with its standard deviation as
/// the noise. Only the intervals show how the noise deviates from a normal distribution. A noise's standard deviation
/// that the task states is ignored: the quantiles are learnt from the targets only.
#[derive(Debug)]
pub struct Quantile {
    network: Network,
    knots: Knots,
}

impl Quantile {
    /// Passes the sorted quantiles of each row to `take`.
    fn each(&self, inputs: &Matrix, mut take: impl FnMut(&[f64])) -> Result<(), Failure> {
        let out = evaluate(&self.network, inputs)?;
        for row in out.chunks_exact(self.knots.len()) {
            let mut row: Vec<f64> = row.iter().map(|value| f64::from(*value)).collect();
            row.sort_by(f64::total_cmp);
            take(&row);
        }
        Ok(())
    }
}

impl Regressor for Quantile {
    fn describe() -> Description {
        Description {
            citation: "Koenker and Bassett, Regression quantiles, Econometrica 1978".into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("levels", &["10", "50", "200"]),
                sweeps::one("epochs", &["50", "100", "200", "800"]),
            ],
            ..Description::new("quantile", env!("CARGO_PKG_VERSION"), "a network that predicts many quantiles at once")
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let points = Points::new(task, data)?;
        let knots = Knots::new(settings.levels.0);
        let widths = [&[task.input_dim], &settings.hidden[..], &[knots.len()]].concat();
        affordable(&widths, 1)?;
        let fit = Fit {
            loss: PointLoss::Pinball(knots.levels()),
            epochs: *settings.epochs,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            annealed: true,
            l2: *settings.l2,
        };
        let mut network = glorot(&widths, &mut Stream::Start.rng(seed, 0)).with_activation(settings.activation);
        knots.start(&mut network, &widths);
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let mut progress = Progress::new(fit.steps(points.len()));
        let network = fit.run(network, &points, &all, &mut Stream::Batches.rng(seed, 0), &mut progress)?;
        Ok(Self { network, knots })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let (mut means, mut deviations) = (Vec::new(), Vec::new());
        self.each(inputs, |row| {
            let (mean, deviation) = self.knots.moments(row);
            means.push(mean as f32);
            deviations.push(deviation as f32);
        })?;
        sample_each(draws, inputs.rows(), |_| Ok((means.clone(), deviations.clone())))
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }

    fn intervals(&self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        let level = check_level(level)?;
        let mut prediction = Bounds { lower: Vec::new(), upper: Vec::new() };
        self.each(inputs, |row| {
            let lower = self.knots.quantile(row, 0.5 * (1.0 - level));
            prediction.lower.push(lower);
            prediction.upper.push(self.knots.quantile(row, 0.5 * (1.0 + level)).max(lower));
        })?;
        Ok(Some(Intervals { confidence: None, prediction }))
    }
}

jointly_sdk::export!(regressor: Quantile);

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats_mut;
    use jointly_sdk::Rng;
    use jointly_testkit::{assert_functions_stand_alone, assert_invalid, degenerate_targets, settings};

    use super::*;

    fn task() -> RegressionTask {
        RegressionTask { input_dim: 1, noise_std: None }
    }

    /// Creates a sine with exponential noise, whose scale doubles from left to right.
    fn skewed(rows: usize, seed: u64) -> Targets {
        let mut rng = Rng::new(seed, 0);
        let inputs: Vec<f32> = (0..rows).map(|_| 3.0 * rng.uniform() - 1.5).collect();
        let targets = inputs.iter().map(|x| (2.0 * x).sin() + (0.3 + 0.1 * x) * rng.exponential()).collect();
        Targets { inputs: Matrix::new(rows, 1, inputs).unwrap(), targets }
    }

    #[test]
    fn skewed_noise_is_covered_on_both_sides() {
        let agent = Quantile::train(&task(), &skewed(2000, 1), None, &[], 3).unwrap();
        let test = skewed(4000, 2);
        for level in [0.5, 0.8, 0.9] {
            let intervals = agent.intervals(&test.inputs, level).unwrap().unwrap();
            assert_eq!(intervals.confidence, None);
            let pairs = || intervals.prediction.lower.iter().zip(&intervals.prediction.upper).zip(&test.targets);
            let below = pairs().filter(|((lower, _), y)| f64::from(**y) < **lower).count() as f64 / 4000.0;
            let above = pairs().filter(|((_, upper), y)| f64::from(**y) > **upper).count() as f64 / 4000.0;
            let tail = 0.5 * (1.0 - level);
            assert!((below - tail).abs() < 0.04 && (above - tail).abs() < 0.04, "{level}: {below} {above}");
        }
    }

    #[test]
    fn every_draw_is_the_same_function_with_the_laws_deviation() {
        let agent = Quantile::train(&task(), &skewed(2000, 1), None, &[], 3).unwrap();
        let inputs = Matrix::new(1, 1, vec![0.0]).unwrap();
        let samples = agent.sample_functions(&inputs, &[0, 7]).unwrap();
        assert_eq!((samples.means[0], agent.canonical_draw(7)), (samples.means[1], 0));
        // Exponential noise has its scale as mean and as standard deviation.
        assert!((samples.means[0] - 0.3).abs() < 0.12, "{samples:?}");
        assert!((0.2..0.4).contains(&samples.noise_stds[0]), "{samples:?}");
    }

    #[test]
    fn crossed_outputs_are_sorted() {
        let knots = Knots::new(2);
        let mut network = glorot(&[1, 2], &mut Rng::new(0, 0));
        let vectors = network.parameters.len();
        floats_mut(&mut network.parameters[..vectors / 2]).fill(0.0);
        floats_mut(&mut network.parameters[vectors / 2..])[..2].copy_from_slice(&[3.0, 1.0]);
        let agent = Quantile { network, knots };
        let intervals = agent.intervals(&Matrix::new(1, 1, vec![0.0]).unwrap(), 0.5).unwrap().unwrap();
        assert_eq!((intervals.prediction.lower[0], intervals.prediction.upper[0]), (1.0, 3.0));
    }

    #[test]
    fn a_row_has_the_same_bits_in_any_company() {
        let agent = Quantile::train(&task(), &skewed(60, 1), None, &settings(&[("epochs", "2")]), 3).unwrap();
        let inputs = skewed(70, 2).inputs;
        assert_functions_stand_alone(&agent, &inputs, &[4, 2]);
    }

    #[test]
    fn degenerate_data_have_defined_answers() {
        for data in degenerate_targets() {
            let agent = Quantile::train(&task(), &data, None, &settings(&[("epochs", "20")]), 5).unwrap();
            let inputs = Matrix::new(2, 1, vec![-1.0, 1.0]).unwrap();
            let samples = agent.sample_functions(&inputs, &[0]).unwrap();
            assert!(samples.means.iter().chain(&samples.noise_stds).all(|value| value.is_finite()), "{samples:?}");
            for level in [1e-9, 0.5, 1.0 - 1e-12] {
                let prediction = agent.intervals(&inputs, level).unwrap().unwrap().prediction;
                assert!(prediction.lower.iter().zip(&prediction.upper).all(|(lower, upper)| lower <= upper));
            }
        }
    }

    #[test]
    fn silly_settings_are_refused() {
        for silly in [("hidden", "100000,100000"), ("levels", "1"), ("levels", "1000000"), ("l2", "-1")] {
            assert_invalid(
                Quantile::train(&task(), &skewed(5, 1), None, &settings(&[silly]), 5),
                &format!("{silly:?}"),
            );
        }
    }

    /// `cargo test --release -p jointly-agent-quantile -- --ignored --nocapture times`
    #[test]
    #[ignore = "measures"]
    fn times() {
        let start = std::time::Instant::now();
        Quantile::train(&task(), &skewed(1000, 1), None, &[], 3).unwrap();
        println!("1000 rows of 1 feature: {:?}", start.elapsed());
    }
}
