//! The units in which an agent sees the data, and the conversion back to the data's units.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use jointly_core::matrix::Matrix;
use jointly_core::regression::answer::{Gaussian, Intervals};
use jointly_core::regression::dataset::{RegressionTask, Targets, TargetsError};

/// Inputs or targets leave the range of `f32` when they are standardised.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{0} once standardised: it is too far from the training set's to be an f32")]
pub struct StandardizeError(#[from] TargetsError);

/// The units in which agents see a simulation.
///
/// The coverage paper standardises tables for likelihoods (section 2.3, step 1) and does not say whether it does for its
/// simulations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentUnits {
    /// Inputs and targets are standardised by the training set.
    Standardized,
    /// Inputs are standardised, and targets stay as they are.
    StandardizedInputs,
    /// Inputs and targets stay as they are.
    Data,
}

impl AgentUnits {
    /// Returns the name used by `--agent-units` and in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standardized => "standardized",
            Self::StandardizedInputs => "standardized-inputs",
            Self::Data => "data",
        }
    }

    /// Returns the standardisation of a training set.
    pub(super) fn of(self, train: &Targets) -> Standardization {
        let same = Standardization::identity(train.inputs().cols());
        match self {
            Self::Standardized => Standardization::of(train),
            Self::StandardizedInputs => Standardization { target: same.target, ..Standardization::of(train) },
            Self::Data => same,
        }
    }
}

/// The shift and scale of each feature and of the target.
///
/// # Formula
/// With means and standard deviations (with divisor T) over the T training examples, an agent sees
/// `(x_j - mean_j) / deviation_j` and `(y - mean) / deviation`. A feature that is constant over the training set
/// becomes 0 everywhere, including at other inputs. A constant target is only shifted: its scale is 1, so that noise
/// and intervals keep the data's units. Without training examples nothing is shifted or scaled. This is step 1 in
/// section 2.3 of Sluijterman et al. The agent's answers are converted back before they are scored, as in step 4.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardization {
    /// One entry per feature; `None` if the feature is constant.
    features: Vec<Option<Column>>,
    target: Column,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    mean: f64,
    deviation: f64,
}

impl Standardization {
    /// Computes the standardisation of a training set.
    pub fn of(train: &Targets) -> Self {
        Self::of_each(train.inputs(), train.targets())
    }

    /// Computes the standardisation of features by some rows of inputs and of the target by other rows' targets. In
    /// active learning the inputs of the pool are known as well as those of the training set, but its targets are not.
    pub fn of_each(inputs: &Matrix, targets: &[f32]) -> Self {
        let cols = inputs.cols();
        let same = Self::identity(cols);
        let column = |col| Column::of(inputs.values().iter().skip(col).step_by(cols));
        let features = if inputs.rows() == 0 { same.features } else { (0..cols).map(column).collect() };
        let constant = |&mean: &f32| Column { mean: f64::from(mean), deviation: 1.0 };
        let target = Column::of(targets.iter()).or(targets.first().map(constant));
        Self { features, target: target.unwrap_or(same.target) }
    }

    /// Returns the standardisation that changes nothing.
    pub fn identity(input_dim: usize) -> Self {
        let same = Column { mean: 0.0, deviation: 1.0 };
        Self { features: vec![Some(same); input_dim], target: same }
    }

    /// Returns the value in the data's units of an agent's 0.
    pub fn shift(&self) -> f64 {
        self.target.mean
    }

    /// Returns the size in the data's units of an agent's unit; positive.
    pub fn scale(&self) -> f64 {
        self.target.deviation
    }

    /// Standardises inputs.
    ///
    /// # Errors
    /// When a standardised input leaves the range of `f32`.
    ///
    /// # Panics
    /// When the inputs have another number of columns than the training set.
    pub fn inputs(&self, inputs: &Matrix) -> Result<Matrix, StandardizeError> {
        assert_eq!(inputs.cols(), self.features.len(), "inputs have as many features as the training set's");
        let features = self.features.iter().cycle();
        let scaled = |(&x, column): (&f32, &Option<Column>)| column.map_or(0.0, |column| column.standardized(x));
        let values: Vec<f32> = inputs.values().iter().zip(features).map(scaled).collect();
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(TargetsError::Input { row: index / inputs.cols(), col: index % inputs.cols() }.into()),
            None => Ok(Matrix::from_rows(inputs.cols(), values)),
        }
    }

    /// Standardises examples.
    ///
    /// # Errors
    /// When an input or a target leaves the range of `f32`.
    pub fn examples(&self, examples: &Targets) -> Result<Targets, StandardizeError> {
        let targets = examples.targets().iter().map(|&y| self.target.standardized(y)).collect();
        Ok(Targets::new(self.inputs(examples.inputs())?, targets)?)
    }

    /// Returns the task as the agent is told it: a known noise is converted to the agent's units.
    pub fn task(&self, task: &RegressionTask) -> RegressionTask {
        let noise_std = task.noise_std.map(|std| (f64::from(std) / self.target.deviation) as f32);
        RegressionTask { noise_std, ..task.clone() }
    }

    /// Converts moments to the data's units.
    pub fn undo_gaussian(&self, gaussian: &Gaussian) -> Gaussian {
        gaussian.rescaled(self.shift(), self.scale())
    }

    /// Converts intervals to the data's units.
    pub fn undo_intervals(&self, intervals: &Intervals) -> Intervals {
        Intervals {
            confidence: intervals.confidence.as_ref().map(|bounds| bounds.rescaled(self.shift(), self.scale())),
            prediction: intervals.prediction.rescaled(self.shift(), self.scale()),
        }
    }
}

impl Column {
    /// Returns `None` if all values are equal.
    fn of<'a>(values: impl Iterator<Item = &'a f32> + Clone) -> Option<Self> {
        let first = *values.clone().next()?;
        if values.clone().all(|&x| x == first) {
            return None;
        }
        let rows = values.clone().count() as f64;
        let mean = values.clone().map(|&x| f64::from(x)).sum::<f64>() / rows;
        let squares: f64 = values.map(|&x| (f64::from(x) - mean) * (f64::from(x) - mean)).sum();
        Some(Self { mean, deviation: (squares / rows).sqrt() })
    }

    fn standardized(self, x: f32) -> f32 {
        ((f64::from(x) - self.mean) / self.deviation) as f32
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::regression::answer::Bounds;

    use super::*;

    /// Rounding of a few operations on f32.
    const ROUNDING: f32 = 1e-6;

    fn examples(inputs: Vec<f32>, targets: Vec<f32>) -> Targets {
        Targets::new(Matrix::new(targets.len(), 2, inputs).unwrap(), targets).unwrap()
    }

    #[test]
    fn features_and_targets_have_mean_zero_and_deviation_one() {
        // 1, 3, 5 have mean 3 and standard deviation sqrt(8/3); the second feature is constant.
        let train = examples(vec![1.0, 7.0, 3.0, 7.0, 5.0, 7.0], vec![10.0, 30.0, 50.0]);
        let standardization = Standardization::of(&train);
        let seen = standardization.examples(&train).unwrap();
        let unit = (1.5_f32).sqrt();
        let close = |found: &[f32], expected: &[f32]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < ROUNDING);
        assert!(close(seen.inputs().values(), &[-unit, 0.0, 0.0, 0.0, unit, 0.0]), "{seen:?}");
        assert!(close(seen.targets(), &[-unit, 0.0, unit]), "{seen:?}");
        let other = standardization.inputs(&Matrix::new(1, 2, vec![7.0, -9.0]).unwrap()).unwrap();
        assert!(close(other.values(), &[2.0 * unit, 0.0]), "{other:?}");
        assert_eq!(standardization.shift(), 30.0);
        let task = RegressionTask { input_dim: 2, noise_std: Some(3.0) };
        let told = standardization.task(&task).noise_std.unwrap();
        assert!((told - 3.0 / (800.0_f32 / 3.0).sqrt()).abs() < ROUNDING);
    }

    #[test]
    fn a_constant_target_is_only_shifted() {
        let train = examples(vec![1.0, 2.0, 3.0, 4.0], vec![0.1, 0.1]);
        let standardization = Standardization::of(&train);
        assert_eq!(standardization.scale(), 1.0);
        assert_eq!(standardization.examples(&train).unwrap().targets(), [0.0, 0.0]);
        let task = RegressionTask { input_dim: 2, noise_std: Some(0.5) };
        assert_eq!(standardization.task(&task), task);
    }

    #[test]
    fn without_examples_nothing_changes() {
        let none = Targets::new(Matrix::new(0, 2, vec![]).unwrap(), vec![]).unwrap();
        assert_eq!(Standardization::of(&none), Standardization::identity(2));
        let some = examples(vec![1.5, 2.5, 3.5, 4.5], vec![-1.0, 8.0]);
        assert_eq!(Standardization::identity(2).examples(&some).unwrap(), some);
    }

    #[test]
    fn answers_come_back_in_the_units_of_the_data() {
        let standardization = Standardization::of(&examples(vec![0.0, 0.0, 1.0, 1.0], vec![10.0, 30.0]));
        assert_eq!((standardization.shift(), standardization.scale()), (20.0, 10.0));
        let gaussian = Gaussian::new(2, vec![0.0, 1.0], vec![1.0, 0.5, 0.5, 2.0], vec![0.25; 2]).unwrap();
        let expected = Gaussian::new(2, vec![20.0, 30.0], vec![100.0, 50.0, 50.0, 200.0], vec![25.0; 2]).unwrap();
        assert_eq!(standardization.undo_gaussian(&gaussian), expected);
        let bounds = |lower, upper| Bounds::new(vec![lower], vec![upper]).unwrap();
        let intervals = Intervals { confidence: Some(bounds(-1.0, 1.0)), prediction: bounds(-2.0, f64::INFINITY) };
        let expected = Intervals { confidence: Some(bounds(10.0, 30.0)), prediction: bounds(0.0, f64::INFINITY) };
        assert_eq!(standardization.undo_intervals(&intervals), expected);
    }

    #[test]
    fn each_choice_of_units_leaves_what_it_says() {
        let train = examples(vec![1.0, 7.0, 3.0, 7.0, 5.0, 7.0], vec![10.0, 30.0, 50.0]);
        let seen = |units: AgentUnits| units.of(&train).examples(&train).unwrap();
        assert_eq!(seen(AgentUnits::Standardized), Standardization::of(&train).examples(&train).unwrap());
        assert_eq!(seen(AgentUnits::Data), train);
        let inputs = seen(AgentUnits::StandardizedInputs);
        assert_eq!((inputs.inputs(), inputs.targets()), (seen(AgentUnits::Standardized).inputs(), train.targets()));
    }

    #[test]
    fn what_no_f32_can_hold_is_refused() {
        let standardization = Standardization::of(&examples(vec![0.0, 0.0, 1e-30, 1.0], vec![0.0, 1.0]));
        let error = standardization.inputs(&Matrix::new(1, 2, vec![1e10, 0.0]).unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("feature 0 of row 0 is not finite once standardised"), "{error}");
    }
}
