//! Reads the numbers of inputs for networks: unchanged, or standardised by the training set if the inputs also have
//! tokens.

use std::borrow::Cow;

use jointly_sdk::{Failure, Inputs, Matrix};

use super::plan::Plan;

/// Checks inputs against a task, and standardises numbers that stand beside tokens.
#[derive(Clone, Debug)]
pub struct Reader {
    plan: Plan,
    /// The mean that is subtracted from each number and the factor of the rest; empty if numbers stay unchanged.
    scaling: Vec<(f32, f32)>,
}

impl Reader {
    /// Makes a reader from the training inputs.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not fit the task, or if a number is not finite.
    pub(super) fn new(plan: Plan, inputs: &Inputs) -> Result<Self, Failure> {
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

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    fn check(&self, inputs: &Inputs) -> Result<(), Failure> {
        let (rows, numbers, tokens) = (inputs.rows(), &inputs.numbers, &inputs.tokens);
        let Plan { tokens: kind, numbers: expected, .. } = &self.plan;
        if tokens.rows() != rows || rows > 0 && (numbers.cols() != *expected || tokens.cols() != kind.columns()) {
            let found =
                format!("{rows} rows of {} numbers, {} of {} tokens", numbers.cols(), tokens.rows(), tokens.cols());
            return Err(Failure::Internal(format!("{found}; the task has {expected} and {}", kind.columns())));
        }
        if (0..rows).any(|row| !kind.contain(tokens.row(row))) {
            return Err(Failure::Internal("a token that is in no vocabulary".into()));
        }
        Ok(())
    }

    /// Returns the network's inputs for inputs without tokens: their numbers, or a single zero if they have none.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not fit the task.
    pub fn plain<'a>(&self, inputs: &'a Inputs) -> Result<Cow<'a, Matrix>, Failure> {
        self.check(inputs)?;
        let (rows, cols) = (inputs.rows(), self.plan.inputs);
        if inputs.numbers.cols() == cols {
            return Ok(Cow::Borrowed(&inputs.numbers));
        }
        let zeros = Matrix::new(rows, cols, vec![0.0; rows * cols]);
        zeros.map(Cow::Owned).ok_or_else(|| Failure::Internal("rows of another length".into()))
    }

    /// Returns the numbers of every row, side by side.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not fit the task.
    pub(super) fn numbers<'a>(&self, inputs: &'a Inputs) -> Result<Cow<'a, [f32]>, Failure> {
        self.check(inputs)?;
        let values = inputs.numbers.values();
        if self.scaling.is_empty() {
            return Ok(values.into());
        }
        let scaling = self.scaling.iter().cycle();
        Ok(values.iter().zip(scaling).map(|(value, (mean, factor))| (value - mean) * factor).collect())
    }
}

/// Returns the mean of each column and one over its standard deviation; the factor is one for a constant column, and
/// there is nothing without rows.
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

#[cfg(test)]
mod tests {
    use jointly_sdk::{ImageShape, Task, TokenMatrix, Tokens};
    use jointly_testkit::trials::trials;

    use super::*;
    use crate::inputs::design::tests::design;

    fn inputs(rows: usize, values: Vec<f32>) -> Inputs {
        Matrix::new(rows, 2, values).unwrap().into()
    }

    fn with_categories(rows: usize, values: Vec<f32>) -> Inputs {
        Inputs { tokens: TokenMatrix::new(rows, 1, vec![0; rows]).unwrap(), ..inputs(rows, values) }
    }

    fn reader(task: &Task, seen: &Inputs) -> Result<Reader, Failure> {
        Reader::new(Plan::new(&design(), task, 1).unwrap(), seen)
    }

    #[test]
    fn numbers_beside_tokens_are_standardised_by_the_training_set_and_others_are_not() {
        let categories = Task { tokens: Tokens::Categories(vec![3]), ..Task::new(2, 2) };
        let seen = vec![1.0, 7.0, 3.0, 7.0, 1.0, 7.0, 3.0, 7.0];
        let asked = with_categories(1, vec![4.0, 9.0]);
        let reads = |rows, values| reader(&categories, &with_categories(rows, values)).unwrap();
        // The first column has mean 2 and standard deviation 1; the second is constant.
        assert_eq!(reads(4, seen.clone()).numbers(&asked).unwrap()[..], [2.0, 2.0]);
        assert_eq!(reads(0, Vec::new()).numbers(&asked).unwrap()[..], [4.0, 9.0]);
        let image = Some(ImageShape { height: 1, width: 2, channels: 1 });
        for task in [Task::new(2, 2), Task { image, ..Task::new(2, 2) }] {
            let reader = reader(&task, &inputs(4, seen.clone())).unwrap();
            assert_eq!(reader.numbers(&inputs(1, vec![4.0, 9.0])).unwrap()[..], [4.0, 9.0]);
        }
    }

    #[test]
    fn inputs_that_are_not_the_tasks_are_refused() {
        let reader = reader(&Task::new(2, 2), &inputs(1, vec![1.0, 2.0])).unwrap();
        for trial in trials().iter().skip(1) {
            assert!(matches!(reader.numbers(&trial.test.inputs), Err(Failure::Internal(_))), "{}", trial.name);
        }
        assert!(super::tests::reader(&Task::new(2, 2), &inputs(1, vec![f32::NAN, 0.0])).is_err());
    }
}
