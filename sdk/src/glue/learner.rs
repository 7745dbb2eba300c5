//! A common trait of both kinds of classifiers, from which the interface's export is built.

use crate::{Classifier, Dataset, Failure, InputClassifier, Inputs, Matrix, Setting, Task, Tokens};

/// A classifier that takes its data by value, which avoids a copy of large inputs.
pub trait Learner: Sized + 'static {
    fn learn(
        task: &Task,
        data: Dataset<Inputs>,
        validation: Option<Dataset<Inputs>>,
        unlabelled: Option<Inputs>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure>;

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure>;

    fn canonical_draw(&self, draw: u64) -> u64;
}

/// A [`Classifier`], which receives the numbers of its inputs and refuses tokens.
pub struct OfNumbers<T>(T);

impl<T: Classifier> Learner for OfNumbers<T> {
    fn learn(
        task: &Task,
        data: Dataset<Inputs>,
        validation: Option<Dataset<Inputs>>,
        unlabelled: Option<Inputs>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        if task.tokens != Tokens::Absent {
            let reason = "the inputs have tokens, and the agent takes numbers and images alone";
            return Err(Failure::Unsupported(reason.into()));
        }
        let (data, validation) = (numbers(data), validation.map(numbers));
        let unlabelled: Option<Matrix> = unlabelled.map(|inputs| inputs.numbers);
        T::train_with_unlabelled(task, &data, validation.as_ref(), unlabelled.as_ref(), settings, seed).map(Self)
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.sample_probs(&inputs.numbers, draws, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.0.canonical_draw(draw)
    }
}

fn numbers(Dataset { inputs, labels }: Dataset<Inputs>) -> Dataset {
    Dataset { inputs: inputs.numbers, labels }
}

/// An [`InputClassifier`], which receives its inputs unchanged.
pub struct OfInputs<T>(T);

impl<T: InputClassifier> Learner for OfInputs<T> {
    fn learn(
        task: &Task,
        data: Dataset<Inputs>,
        validation: Option<Dataset<Inputs>>,
        unlabelled: Option<Inputs>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        T::train_with_unlabelled(task, &data, validation.as_ref(), unlabelled.as_ref(), settings, seed).map(Self)
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.sample_probs(inputs, draws, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.0.canonical_draw(draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Description, TokenMatrix};

    /// Counts the inputs without labels that it receives.
    struct Counts(usize);

    impl Classifier for Counts {
        fn describe() -> Description {
            Description::new("counts", "1", "a test")
        }

        fn train(_: &Task, _: &Dataset, _: Option<&Dataset>, _: &[Setting], _: u64) -> Result<Self, Failure> {
            Ok(Self(0))
        }

        fn train_with_unlabelled(
            _: &Task,
            _: &Dataset,
            _: Option<&Dataset>,
            unlabelled: Option<&Matrix>,
            _: &[Setting],
            _: u64,
        ) -> Result<Self, Failure> {
            Ok(Self(unlabelled.map_or(0, Matrix::rows)))
        }

        fn probs(&self, inputs: &Matrix, _: u64, out: &mut [f32]) -> Result<(), Failure> {
            out.copy_from_slice(inputs.values());
            Ok(())
        }
    }

    fn learn(task: &Task, unlabelled: Option<Inputs>) -> Result<OfNumbers<Counts>, Failure> {
        let data = Dataset { inputs: rows(0), labels: Vec::new() };
        OfNumbers::learn(task, data, None, unlabelled, &[], 0)
    }

    fn rows(count: usize) -> Inputs {
        Matrix::new(count, 2, vec![0.5; 2 * count]).unwrap().into()
    }

    #[test]
    fn a_classifier_of_numbers_refuses_tokens_and_takes_images() {
        let text = Task { tokens: Tokens::Text { vocabulary: 9, length: 2 }, ..Task::new(2, 2) };
        assert!(matches!(learn(&text, None), Err(Failure::Unsupported(reason)) if reason.contains("tokens")));
        let image = crate::ImageShape { height: 1, width: 2, channels: 1 };
        let agent = learn(&Task { image: Some(image), ..Task::new(2, 2) }, None).unwrap();
        let mut out = [0.0; 4];
        agent.sample_probs(&rows(1), &[3, 4], &mut out).unwrap();
        assert_eq!(out, [0.5; 4]);
    }

    #[test]
    fn inputs_without_labels_reach_an_agent_that_uses_them() {
        assert_eq!(learn(&Task::new(2, 2), Some(rows(3))).unwrap().0.0, 3);
        assert_eq!(learn(&Task::new(2, 2), None).unwrap().0.0, 0);
        assert_eq!(rows(3).tokens, TokenMatrix::new(3, 0, Vec::new()).unwrap());
    }
}
