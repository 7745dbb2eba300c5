//! Assertions that a classifier of the plane has learnt what the data show, and is uncertain elsewhere.

use jointly_sdk::{Classifier, Dataset, Failure, Matrix};

use crate::{plane, probs};

/// Computes the mean negative log-likelihood of labels under rows of probabilities, in nats.
pub fn mean_nll(probs: &[f32], labels: &[u32]) -> f32 {
    let rows = probs.chunks(probs.len() / labels.len()).zip(labels);
    rows.map(|(row, label)| -row[*label as usize].ln()).sum::<f32>() / labels.len() as f32
}

/// Counts the rows of two classes whose label has more than half of the probability.
pub fn correct(probs: &[f32], labels: &[u32]) -> usize {
    probs.chunks(2).zip(labels).filter(|(row, label)| row[**label as usize] > 0.5).count()
}

/// Asserts that fifty draws disagree at the input (1, 1): a tenth of them give class 0 less than 0.4, a tenth more
/// than 0.6. The draws of an agent that was trained on nothing have no reason to agree.
///
/// # Panics
///
/// Panics if they agree, or if the agent fails.
#[track_caller]
pub fn assert_draws_disagree(agent: &impl Classifier) {
    let input = Matrix::new(1, 2, vec![1.0, 1.0]).expect("two values");
    let draws: Vec<u64> = (0..50).collect();
    let mut predictions: Vec<f32> = probs(agent, &input, 2, &draws).chunks(2).map(|row| row[0]).collect();
    predictions.sort_by(f32::total_cmp);
    assert!(predictions[5] < 0.4 && predictions[45] > 0.6, "{predictions:?}");
}

/// Asserts that training on an infinite input fails with the step at which the loss stopped being finite.
///
/// # Panics
///
/// Panics if training ends in another way.
#[track_caller]
pub fn assert_divergence_names_the_step<A: Classifier>() {
    let inputs = Matrix::new(1, 2, vec![f32::INFINITY, 0.0]).expect("two values");
    let failure = A::train(&plane(Some(0.1)), &Dataset { inputs, labels: vec![0] }, None, &[], 0).err();
    assert_eq!(failure, Some(Failure::Diverged("the loss is not finite at step 0".into())));
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Description, Setting, Task};

    use super::*;
    use crate::no_examples;

    /// Predicts by the draw's parity if it was trained on nothing, and equal probabilities otherwise.
    struct Agent {
        trained: bool,
    }

    impl Classifier for Agent {
        fn describe() -> Description {
            Description::new("test", "1", "a test")
        }

        fn train(_: &Task, data: &Dataset, _: Option<&Dataset>, _: &[Setting], _: u64) -> Result<Self, Failure> {
            if data.inputs.values().iter().any(|value| value.is_infinite()) {
                return Err(Failure::Diverged("the loss is not finite at step 0".into()));
            }
            Ok(Self { trained: data.inputs.rows() > 0 })
        }

        fn probs(&self, _: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
            let p = if self.trained { 0.5 } else { [0.1, 0.9][(draw % 2) as usize] };
            out.chunks_mut(2).for_each(|row| row.copy_from_slice(&[p, 1.0 - p]));
            Ok(())
        }
    }

    fn agent(data: &Dataset) -> Agent {
        Agent::train(&plane(None), data, None, &[], 0).unwrap()
    }

    #[test]
    fn doubt_passes_and_divergence_is_found() {
        assert_draws_disagree(&agent(&no_examples(2)));
        assert_divergence_names_the_step::<Agent>();
    }

    #[test]
    #[should_panic(expected = "[0.5, ")]
    fn draws_that_agree_fail() {
        assert_draws_disagree(&agent(&crate::half_plane(3, 1)));
    }

    #[test]
    fn likelihoods_and_hits_by_hand() {
        let probs = [0.5, 0.5, 0.25, 0.75];
        assert!((mean_nll(&probs, &[0, 1]) + 0.5 * (0.5f32.ln() + 0.75f32.ln())).abs() < 1e-6);
        assert_eq!((correct(&probs, &[0, 1]), correct(&probs, &[0, 0])), (1, 0));
    }
}
