//! Finds data whose inputs are all equal, such as texts that are all empty: no agent can learn anything from them.
//!
//! Datasets and tables of this kind are refused. A user-supplied problem is warned of only, because a coin that is thrown
//! again and again at the same input is a problem that asks something.

use jointly_core::Inputs;

/// Returns whether there are several rows of that number of columns, all with the same values.
pub(crate) fn are_equal<T: PartialEq>(values: &[T], columns: usize) -> bool {
    // Each row is compared with the one before it.
    columns > 0 && values.len() > columns && values[columns..] == values[..values.len() - columns]
}

/// Returns whether there are several inputs, all equal.
pub(crate) fn inputs_are_equal(inputs: &Inputs) -> bool {
    let (numbers, tokens) = (inputs.numbers(), inputs.tokens());
    inputs.rows() > 1
        && (numbers.cols() == 0 || are_equal(numbers.values(), numbers.cols()))
        && (tokens.cols() == 0 || are_equal(tokens.values(), tokens.cols()))
}

/// Names the inputs that are all equal, if some are.
pub(crate) fn which_are_equal(training: bool, test: bool) -> Option<&'static str> {
    match (training, test) {
        (true, true) => Some("training and test inputs"),
        (true, false) => Some("training inputs"),
        (false, true) => Some("test inputs"),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::{Inputs, Matrix, TokenMatrix};

    use super::{are_equal, inputs_are_equal};

    #[test]
    fn rows_are_compared_whole() {
        assert!(are_equal(&[1, 2, 1, 2, 1, 2], 2) && !are_equal(&[1, 2, 1, 2, 1, 3], 2));
        assert!(!are_equal(&[1, 2], 2) && !are_equal::<u8>(&[], 0));
        let inputs = |numbers: [f32; 2], tokens: [u32; 2]| {
            let numbers = Matrix::new(2, 1, numbers.to_vec()).unwrap();
            Inputs::new(numbers, TokenMatrix::new(2, 1, tokens.to_vec()).unwrap()).unwrap()
        };
        assert!(inputs_are_equal(&inputs([0.5, 0.5], [3, 3])));
        assert!(!inputs_are_equal(&inputs([0.5, 0.5], [3, 4])) && !inputs_are_equal(&inputs([0.5, 1.5], [3, 3])));
        let texts = Inputs::new(Matrix::new(2, 0, Vec::new()).unwrap(), TokenMatrix::new(2, 1, vec![0, 0]).unwrap());
        assert!(inputs_are_equal(&texts.unwrap()));
    }
}
