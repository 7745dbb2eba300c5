//! Edge cases: constant targets, a single example, and agents that break their contract or give extreme intervals.

use jointly_core::matrix::Matrix;
use jointly_core::regression::{
    Belief, Bounds, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets,
};

use super::super::*;
use super::least_squares::LeastSquares;

/// Answers every level with its own intervals: from -inf to inf, or a single point.
struct Claims {
    endless: bool,
    /// Whether a sampled function's value depends on the number of rows in the call.
    fickle: bool,
}

impl Regressor for Claims {
    type Belief = Self;
    type Error = String;

    fn train(&mut self, _: &RegressionTask, train: &Targets, _: Option<&Targets>, _: u64) -> Result<Self, String> {
        if train.targets().iter().any(|y| y.abs() > 100.0) {
            return Err("targets are not standardised".to_owned());
        }
        Ok(Self { ..*self })
    }
}

impl Belief for Claims {
    type Error = String;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, String> {
        Ok(draws.to_vec())
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, String> {
        let drift = if self.fickle { inputs.rows() as f32 } else { 0.0 };
        let means = draws.iter().flat_map(|&draw| vec![draw as f32 + drift; inputs.rows()]).collect();
        let noise = vec![0.0; draws.len() * inputs.rows()];
        FunctionSamples::new(inputs.rows(), draws.len(), means, noise).map_err(|error| error.to_string())
    }

    fn gaussian(&mut self, _: &Matrix) -> Result<Option<Gaussian>, String> {
        Ok(None)
    }

    fn intervals(&mut self, inputs: &Matrix, _: f64) -> Result<Option<Intervals>, String> {
        let reach = if self.endless { f64::INFINITY } else { 0.0 };
        let prediction = Bounds::new(vec![-reach; inputs.rows()], vec![reach; inputs.rows()]);
        Ok(Some(Intervals { confidence: None, prediction: prediction.map_err(|error| error.to_string())? }))
    }
}

fn run(agent: &mut Claims) -> Result<Evaluated, FitError<String>> {
    let process = Process::line(Noise::Normal);
    let instance = process.instance(0.into());
    let mut fitted = fit(agent, &process.task(), &instance.simulation(0).train, None, 0)?;
    let options = PredictionOptions { draws: 3, ..PredictionOptions::paper(0.into(), "line") };
    let test = instance.test(0);
    evaluate(&mut fitted, test.data(), Some(&test), &options, &mut |_| {})
}

#[test]
fn endless_intervals_cover_everything_at_an_endless_width() {
    let evaluated = run(&mut Claims { endless: true, fickle: false }).unwrap();
    let mut coverage = Coverage::default();
    coverage.add(0, evaluated.coverage.unwrap()).unwrap();
    let summary = coverage.summary().unwrap();
    for (level, scores) in summary.levels.iter().zip(&evaluated.scores.levels) {
        assert_eq!((level.prediction.origin, level.confidence.origin), (Origin::Agent, Origin::Draws));
        assert!(level.prediction.by_point.iter().all(|fraction| fraction.0 == 1.0));
        assert_eq!((level.prediction.width.mean, scores.width.0, scores.picp.0), (f64::INFINITY, f64::INFINITY, 1.0));
        assert!((level.prediction.brier.score.0 - (1.0 - level.level) * (1.0 - level.level)).abs() < 1e-12);
        // One simulation has no standard error and no bias estimate.
        assert!(level.prediction.brier.stderr.0.is_nan() && level.prediction.brier.bias.0.is_nan());
    }
}

#[test]
fn points_cover_nothing() {
    let evaluated = run(&mut Claims { endless: false, fickle: false }).unwrap();
    assert!(evaluated.coverage.unwrap().levels.iter().all(|level| level.picp() == 0.0 && level.covered.0[0] == 0.0));
    // Three certain values, all wrong: the mixture has no density there, but the Gaussian does.
    assert_eq!(evaluated.scores.nll_mixture.0, f64::INFINITY);
    assert!(evaluated.scores.nll.0.is_finite() && evaluated.scores.crps_mixture.0.is_finite());
}

#[test]
fn an_agent_that_fits_its_answers_to_the_call_is_told_apart() {
    let error = run(&mut Claims { endless: false, fickle: true }).unwrap_err();
    assert!(matches!(&error, FitError::Inconsistent(text) if text.ends_with("when asked again")), "{error}");
}

#[test]
fn an_agents_failure_is_its_own() {
    let far = Targets::new(Matrix::new(1, 1, vec![0.0]).unwrap(), vec![1e6]).unwrap();
    let belief = Claims { endless: false, fickle: false }.train(&Process::line(Noise::Normal).task(), &far, None, 0);
    assert!(belief.is_err());
    // A single target is 0 once standardised.
    let task = RegressionTask { input_dim: 1, noise_std: None };
    assert!(fit(&mut Claims { endless: false, fickle: false }, &task, &far, None, 0).is_ok());
}

#[test]
fn a_constant_target_comes_back_in_its_own_units() {
    let inputs = Matrix::new(4, 1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
    let train = Targets::new(inputs.clone(), vec![7.5; 4]).unwrap();
    let task = RegressionTask { input_dim: 1, noise_std: None };
    let mut fitted = fit(&mut LeastSquares { intercept: true }, &task, &train, None, 0).unwrap();
    let prediction = fitted.predict(&inputs, &PredictionOptions::paper(0.into(), "constant")).unwrap();
    assert_eq!(prediction.mean, [7.5; 4]);
    assert!((0..4).all(|row| prediction.variance(row) == 0.0 && prediction.intervals[0].prediction.width(row) == 0.0));
}

/// Least squares commute with a change of units, so standardising must not change the predictions.
#[test]
fn standardising_changes_nothing_but_the_units() {
    let process = Process::line(Noise::Normal);
    let (train, task) = (process.instance(3.into()).simulation(0).train, process.task());
    let shifted: Vec<f32> = train.targets().iter().map(|y| 1000.0 + 40.0 * y).collect();
    let shifted = Targets::new(train.inputs().clone(), shifted).unwrap();
    let options = PredictionOptions::paper(0.into(), "units");
    let inputs = Matrix::new(3, 1, vec![-1.5, 0.0, 4.0]).unwrap();
    let predict = |data: &Targets| {
        let mut fitted = fit(&mut LeastSquares { intercept: true }, &task, data, None, 0).unwrap();
        fitted.predict(&inputs, &options).unwrap()
    };
    let (plain, scaled) = (predict(&train), predict(&shifted));
    // Targets near 1000 are rounded to 6e-5.
    let close = |a: f64, b: f64| (1000.0 + 40.0 * a - b).abs() < 2e-3;
    assert!(plain.mean.iter().zip(&scaled.mean).all(|(&a, &b)| close(a, b)));
    for (a, b) in plain.intervals.iter().zip(&scaled.intervals) {
        assert!(a.prediction.lower().iter().zip(b.prediction.lower()).all(|(&a, &b)| close(a, b)));
        assert!(a.confidence.upper().iter().zip(b.confidence.upper()).all(|(&a, &b)| close(a, b)));
    }
}
