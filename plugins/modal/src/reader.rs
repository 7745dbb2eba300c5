//! The numbers of inputs as networks read them: pixels as they are, other numbers standardised by the training set.

use jointly_sdk::{Failure, Inputs, Matrix};

use crate::plan::Plan;

/// Checks inputs against a task, and standardises their numbers where they are no image.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    plan: Plan,
    /// What is subtracted from each number, and what the rest is multiplied by; empty where nothing is done.
    scaling: Vec<(f32, f32)>,
}

impl Reader {
    /// A reader that has seen the training inputs.
    ///
    /// # Errors
    ///
    /// Inputs that are not the task's, or numbers that are not finite.
    pub(crate) fn new(plan: Plan, inputs: &Inputs) -> Result<Self, Failure> {
        let mut reader = Self { plan, scaling: Vec::new() };
        reader.check(inputs)?;
        if inputs.numbers.values().iter().any(|value| !value.is_finite()) {
            return Err(Failure::Internal("a number of the training inputs is not finite".into()));
        }
        if reader.plan.standardises {
            reader.scaling = scaling(&inputs.numbers);
        }
        Ok(reader)
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    fn check(&self, inputs: &Inputs) -> Result<(), Failure> {
        let (rows, numbers, tokens) = (inputs.rows(), &inputs.numbers, &inputs.tokens);
        let Plan { kind, numbers: expected, .. } = &self.plan;
        if tokens.rows() != rows || rows > 0 && (numbers.cols() != *expected || tokens.cols() != kind.columns()) {
            let found =
                format!("{rows} rows of {} numbers, {} of {} tokens", numbers.cols(), tokens.rows(), tokens.cols());
            return Err(Failure::Internal(format!("{found}; the task has {expected} and {}", kind.columns())));
        }
        if (0..rows).any(|row| !kind.knows(tokens.row(row))) {
            return Err(Failure::Internal("a token that is in no vocabulary".into()));
        }
        Ok(())
    }

    /// The numbers of every row, side by side.
    ///
    /// # Errors
    ///
    /// Inputs that are not the task's.
    pub(crate) fn numbers(&self, inputs: &Inputs) -> Result<Vec<f32>, Failure> {
        self.check(inputs)?;
        let mut values = inputs.numbers.values().to_vec();
        if !self.scaling.is_empty() {
            for row in values.chunks_exact_mut(self.scaling.len()) {
                row.iter_mut().zip(&self.scaling).for_each(|(value, (mean, factor))| *value = (*value - mean) * factor);
            }
        }
        Ok(values)
    }
}

/// The mean of each column and one over its standard deviation; zero and one where there is none.
fn scaling(numbers: &Matrix) -> Vec<(f32, f32)> {
    let (rows, cols) = (numbers.rows(), numbers.cols());
    if rows == 0 {
        return Vec::new();
    }
    let column = |j: usize| {
        let values = || numbers.values().iter().skip(j).step_by(cols).map(|value| f64::from(*value));
        let mean = values().sum::<f64>() / rows as f64;
        let variance = values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / rows as f64;
        let factor = (1.0 / libm::sqrt(variance)) as f32;
        (mean as f32, if factor.is_finite() && factor > 0.0 { factor } else { 1.0 })
    };
    (0..cols).map(column).collect()
}
