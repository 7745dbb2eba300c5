//! A common trait of both kinds of classifiers, from which the interface's export is built.

use crate::{Classifier, Dataset, Failure, Given, InputClassifier, Inputs, Matrix, Setting, Task, Tokens};

/// The arguments of a training, by value: a classifier of numbers takes the numbers without a copy.
pub struct Lesson<I = Inputs> {
    pub task: Task,
    pub data: Dataset<I>,
    pub validation: Option<Dataset<I>>,
    pub unlabelled: Option<I>,
    pub settings: Vec<Setting>,
    pub seed: u64,
}

impl<I> Lesson<I> {
    fn given(&self) -> Given<'_, I> {
        Given {
            task: &self.task,
            data: &self.data,
            validation: self.validation.as_ref(),
            unlabelled: self.unlabelled.as_ref(),
            settings: &self.settings,
            seed: self.seed,
        }
    }
}

/// A classifier of either kind.
pub trait Learner: Sized + 'static {
    fn learn(lesson: Lesson) -> Result<Self, Failure>;

    fn parts(task: &Task, settings: &[Setting]) -> Result<Option<u32>, Failure>;

    fn learn_part(lesson: Lesson, part: u32) -> Result<Vec<u8>, Failure>;

    fn join(lesson: Lesson, parts: &[Vec<u8>]) -> Result<Self, Failure>;

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure>;

    fn canonical_draw(&self, draw: u64) -> u64;
}

/// A [`Classifier`], which receives the numbers of its inputs and refuses tokens.
pub struct OfNumbers<T>(T);

impl<T: Classifier> Learner for OfNumbers<T> {
    fn learn(lesson: Lesson) -> Result<Self, Failure> {
        let lesson = numbers(lesson)?;
        let Given { task, data, validation, unlabelled, settings, seed } = lesson.given();
        T::train_with_unlabelled(task, data, validation, unlabelled, settings, seed).map(Self)
    }

    fn parts(task: &Task, settings: &[Setting]) -> Result<Option<u32>, Failure> {
        T::parts(task, settings)
    }

    fn learn_part(lesson: Lesson, part: u32) -> Result<Vec<u8>, Failure> {
        T::train_part(numbers(lesson)?.given(), part)
    }

    fn join(lesson: Lesson, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        T::join(numbers(lesson)?.given(), parts).map(Self)
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.0.sample_probs(&inputs.numbers, draws, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.0.canonical_draw(draw)
    }
}

fn numbers(lesson: Lesson) -> Result<Lesson<Matrix>, Failure> {
    if lesson.task.tokens != Tokens::Absent {
        let reason = "the inputs have tokens, and the agent takes numbers and images alone";
        return Err(Failure::Unsupported(reason.into()));
    }
    let of = |Dataset { inputs, labels }: Dataset<Inputs>| Dataset { inputs: inputs.numbers, labels };
    let Lesson { task, data, validation, unlabelled, settings, seed } = lesson;
    let unlabelled = unlabelled.map(|inputs| inputs.numbers);
    Ok(Lesson { task, data: of(data), validation: validation.map(of), unlabelled, settings, seed })
}

/// An [`InputClassifier`], which receives its inputs unchanged.
pub struct OfInputs<T>(T);

impl<T: InputClassifier> Learner for OfInputs<T> {
    fn learn(lesson: Lesson) -> Result<Self, Failure> {
        let Given { task, data, validation, unlabelled, settings, seed } = lesson.given();
        T::train_with_unlabelled(task, data, validation, unlabelled, settings, seed).map(Self)
    }

    fn parts(task: &Task, settings: &[Setting]) -> Result<Option<u32>, Failure> {
        T::parts(task, settings)
    }

    fn learn_part(lesson: Lesson, part: u32) -> Result<Vec<u8>, Failure> {
        T::train_part(lesson.given(), part)
    }

    fn join(lesson: Lesson, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        T::join(lesson.given(), parts).map(Self)
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

    fn lesson(task: &Task, unlabelled: Option<Inputs>) -> Lesson {
        let data = Dataset { inputs: rows(0), labels: Vec::new() };
        Lesson { task: task.clone(), data, validation: None, unlabelled, settings: Vec::new(), seed: 0 }
    }

    fn learn(task: &Task, unlabelled: Option<Inputs>) -> Result<OfNumbers<Counts>, Failure> {
        OfNumbers::learn(lesson(task, unlabelled))
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

    #[test]
    fn an_agent_has_no_parts_unless_it_says_so() {
        let task = Task::new(2, 2);
        assert_eq!(OfNumbers::<Counts>::parts(&task, &[]), Ok(None));
        let none = OfNumbers::<Counts>::learn_part(lesson(&task, None), 0);
        assert_eq!(none, Err(Failure::Internal("training has no parts".into())));
        assert!(OfNumbers::<Counts>::join(lesson(&task, None), &[]).is_err());
    }
}
