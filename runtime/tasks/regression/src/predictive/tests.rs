//! Predictions derived from draws and from moments, on small cases worked out by hand.

use std::convert::Infallible;

use jointly_core::matrix::Matrix;
use jointly_core::regression::{Belief, Bounds, FunctionSamples, Gaussian, Intervals};

use super::predict::GAUSSIAN_ROWS;
use super::*;
use crate::{Fitted, Standardization};

/// An ensemble of constant functions, each with its own noise.
struct Members {
    each: Vec<(f32, f32)>,
    gaussian: bool,
    calls: Vec<usize>,
}

impl Members {
    fn of(members: &[(f32, f32)]) -> Fitted<Self> {
        let belief = Self { each: members.to_vec(), gaussian: false, calls: Vec::new() };
        Fitted::new(belief, Standardization::identity(1))
    }
}

impl Belief for Members {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.iter().map(|draw| draw % self.each.len() as u64).collect())
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        self.calls.push(draws.len() * inputs.rows());
        let member = |draw: &u64| self.each[(draw % self.each.len() as u64) as usize];
        let each = |of: fn((f32, f32)) -> f32| -> Vec<f32> {
            draws.iter().flat_map(|draw| vec![of(member(draw)); inputs.rows()]).collect()
        };
        Ok(FunctionSamples::new(inputs.rows(), draws.len(), each(|m| m.0), each(|m| m.1)).unwrap())
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        let rows = inputs.rows();
        let covariance = vec![4.0; rows * rows];
        let gaussian = || Gaussian::new(rows, vec![1.0; rows], covariance, vec![12.0; rows]).unwrap();
        Ok(self.gaussian.then(gaussian))
    }

    fn intervals(&mut self, _: &Matrix, _: f64) -> Result<Option<Intervals>, Infallible> {
        Ok(None)
    }
}

fn inputs(rows: usize) -> Matrix {
    Matrix::new(rows, 1, vec![0.0; rows]).unwrap()
}

fn options(draws: u32, levels: &[f64]) -> PredictionOptions {
    PredictionOptions { draws, levels: levels.to_vec(), ..PredictionOptions::paper(0.into(), "members") }
}

#[test]
fn moments_of_four_draws_of_two_members() {
    let prediction = Members::of(&[(1.0, 1.0), (3.0, 2.0)]).predict(&inputs(2), &options(4, &[0.5])).unwrap();
    assert_eq!(prediction.mean, [2.0, 2.0]);
    // Four deviations of 1 over 4 - 1; noise (1 + 4) / 2.
    assert_eq!(prediction.function_variance, [4.0 / 3.0; 2]);
    assert_eq!(prediction.noise_variance, [2.5; 2]);
    assert_eq!(prediction.moments_from, Origin::Draws);
    let intervals = &prediction.intervals[0];
    assert_eq!((intervals.confidence_from, intervals.prediction_from), (Origin::Draws, Origin::Draws));
    // The quartiles of the sample 1, 1, 3, 3 are 1 and 3.
    assert_eq!((intervals.confidence.lower()[0], intervals.confidence.upper()[1]), (1.0, 3.0));
    let law = prediction.observation(0);
    let (lower, upper) = (intervals.prediction.lower()[0], intervals.prediction.upper()[0]);
    assert!((law.cdf(lower) - 0.25).abs() < 1e-9 && (law.cdf(upper) - 0.75).abs() < 1e-9);
}

#[test]
fn an_agent_of_one_function_is_sure_of_it() {
    let prediction = Members::of(&[(5.0, 2.0)]).predict(&inputs(1), &options(100, &[0.9])).unwrap();
    assert_eq!((prediction.function_variance[0], prediction.noise_variance[0]), (0.0, 4.0));
    let intervals = &prediction.intervals[0];
    assert_eq!(intervals.confidence.width(0), 0.0);
    assert!((intervals.prediction.width(0) - 4.0 * normal_quantile(0.95)).abs() < 1e-9);
}

#[test]
fn moments_of_the_agent_need_no_draws() {
    let mut fitted = Members::of(&[(9.0, 9.0)]);
    fitted.belief.gaussian = true;
    fitted.standardization =
        Standardization::of(&jointly_core::regression::Targets::new(inputs(2), vec![10.0, 30.0]).unwrap());
    let rows = GAUSSIAN_ROWS + 1;
    let prediction = fitted.predict(&inputs(rows), &options(100, &[0.9])).unwrap();
    assert!(fitted.belief.calls.is_empty());
    // In the data's units the agent's mean 1 is 30, and its variances 4 and 12 are 400 and 1200.
    assert_eq!((prediction.rows(), prediction.mean[rows - 1]), (rows, 30.0));
    assert_eq!((prediction.function_variance[0], prediction.variance(GAUSSIAN_ROWS)), (400.0, 1600.0));
    assert_eq!(prediction.moments_from, Origin::Agent);
    let intervals = &prediction.intervals[0];
    assert_eq!((intervals.confidence_from, intervals.prediction_from), (Origin::Moments, Origin::Moments));
    let z = normal_quantile(0.95);
    assert!((intervals.confidence.width(0) - 2.0 * z * 20.0).abs() < 1e-9);
    assert!((intervals.prediction.width(0) - 2.0 * z * 40.0).abs() < 1e-9);
}

#[test]
fn each_function_is_asked_for_once_and_a_few_again() {
    let mut fitted = Members::of(&[(1.0, 1.0), (3.0, 2.0), (4.0, 1.0)]);
    fitted.predict(&inputs(10), &options(1000, &[])).unwrap();
    assert_eq!(fitted.belief.calls, [3 * 10, 4 * 4, 1]);
}

#[test]
fn joint_answers_are_in_the_datas_units() {
    let mut fitted = Members::of(&[(1.0, 1.0), (3.0, 2.0)]);
    fitted.standardization =
        Standardization::of(&jointly_core::regression::Targets::new(inputs(2), vec![10.0, 30.0]).unwrap());
    let samples = fitted.sample(&inputs(2), vec![0, 1, 2], &options(3, &[])).unwrap();
    assert_eq!((samples.rows, samples.means), (2, vec![30.0, 30.0, 50.0, 50.0, 30.0, 30.0]));
    assert_eq!(samples.noise_stds, [10.0, 10.0, 20.0, 20.0, 10.0, 10.0]);
    assert_eq!(fitted.gaussian(&inputs(2), &options(1, &[])).unwrap(), None);
    fitted.belief.gaussian = true;
    let gaussian = fitted.gaussian(&inputs(2), &options(1, &[])).unwrap().unwrap();
    assert_eq!((gaussian.mean(), gaussian.covariance()), ([30.0; 2].as_slice(), [400.0; 4].as_slice()));
}

#[test]
fn no_rows_have_no_predictions() {
    let prediction = Members::of(&[(1.0, 1.0)]).predict(&inputs(0), &options(10, &[0.5])).unwrap();
    assert_eq!((prediction.rows(), prediction.intervals[0].prediction.rows()), (0, 0));
}

/// Functions that are 0 everywhere, without noise.
fn still(inputs: &Matrix, draws: &[u64]) -> FunctionSamples {
    let zeros = vec![0.0; inputs.rows() * draws.len()];
    FunctionSamples::new(inputs.rows(), draws.len(), zeros.clone(), zeros).unwrap()
}

/// Moments that depend on the number of rows in a call.
struct Crowded(fn(usize) -> Option<[f64; 3]>);

impl Belief for Crowded {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.to_vec())
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        Ok(still(inputs, draws))
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        let rows = inputs.rows();
        let gaussian = |[mean, covariance, noise]: [f64; 3]| {
            Gaussian::new(rows, vec![mean; rows], vec![covariance; rows * rows], vec![noise; rows]).unwrap()
        };
        Ok(self.0(rows).map(gaussian))
    }

    fn intervals(&mut self, _: &Matrix, _: f64) -> Result<Option<Intervals>, Infallible> {
        Ok(None)
    }
}

#[test]
fn moments_that_change_with_the_rows_are_found_and_rounding_is_not() {
    let of = |moments| {
        let mut fitted = Fitted::new(Crowded(moments), Standardization::identity(1));
        let predicted = fitted.predict(&inputs(30), &options(1, &[])).map(drop).map_err(|error| error.to_string());
        let joint = fitted.joint(&inputs(30), 30, &options(1, &[])).map(drop).map_err(|error| error.to_string());
        assert_eq!(predicted, joint);
        predicted
    };
    assert_eq!(of(|rows| Some([1e3 + 1e-4 / rows as f64, 1.0 + 1e-5 / rows as f64, 2.0])), Ok(()));
    assert_eq!(of(|_| Some([0.0; 3])), Ok(()));
    for (moments, what) in [
        (of(|rows| Some([rows as f64, 1.0, 2.0])), "the mean of row"),
        (of(|rows| Some([0.0, 1.0 / rows as f64, 2.0])), "the variance of row"),
        (of(|rows| Some([0.0, 1.0, 2.0 / rows as f64])), "the noise's variance at row"),
        (of(|rows| (rows > 4).then_some([0.0; 3])), "there are moments of 30 rows and none of 4 of them"),
    ] {
        let message = moments.unwrap_err();
        assert!(message.starts_with(what) && message.contains("30 rows"), "{message}");
    }
}

/// Is more certain of a row the more rows there are, except for one row, whose input is 1, about which it is very
/// uncertain.
struct Distracting;

impl Belief for Distracting {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.to_vec())
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        Ok(still(inputs, draws))
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        let (rows, ends) = (inputs.rows(), ends(inputs));
        let mut covariance = vec![0.0; rows * rows];
        for (row, end) in ends.iter().enumerate() {
            covariance[row * rows + row] = end * end;
        }
        Ok(Some(Gaussian::new(rows, vec![0.0; rows], covariance, vec![0.0; rows]).unwrap()))
    }

    fn intervals(&mut self, inputs: &Matrix, _: f64) -> Result<Option<Intervals>, Infallible> {
        let ends = ends(inputs);
        let prediction = Bounds::new(ends.iter().map(|end| -end).collect(), ends).unwrap();
        Ok(Some(Intervals { confidence: None, prediction }))
    }
}

fn ends(inputs: &Matrix) -> Vec<f64> {
    let rows = inputs.rows();
    (0..rows).map(|row| if inputs.row(row)[0] == 1.0 { 1e90 } else { 1.0 / rows as f64 }).collect()
}

#[test]
fn one_enormous_row_does_not_excuse_the_others() {
    let mut fitted = Fitted::new(Distracting, Standardization::identity(1));
    let mut values = vec![0.0; 30];
    values[7] = 1.0;
    let inputs = Matrix::new(30, 1, values).unwrap();
    let error = fitted.gaussian(&inputs, &options(1, &[])).unwrap_err().to_string();
    assert!(error.starts_with("the variance of row"), "{error}");
    let error = fitted.intervals(&inputs, 0.9, &options(1, &[])).unwrap_err().to_string();
    assert!(error.starts_with("the lower end of row") && error.ends_with("among 4 of them"), "{error}");
}
