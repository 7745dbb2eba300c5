//! The accuracy of the environment itself, which no agent can expect to exceed.

use std::num::NonZeroU32;

use jointly_core::Seed;

use crate::{Evaluation, Initialization, Problem, Source, TestInputs};

/// The accuracy of the predictions that know the environment, at the inputs on which an agent's accuracy is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestAccuracy {
    /// The expected accuracy over the labels' randomness.
    pub mean: f64,
    /// The variance, over the labels' randomness, of the accuracy that is observed.
    pub variance: f64,
}

impl Problem {
    /// Returns the number of rows on which accuracy is measured, if the problem's environment is sampled.
    pub fn accuracy_rows(&self, evaluation: &Evaluation) -> Option<u64> {
        let Source::Synthetic { .. } = &self.source else { return None };
        Some(u64::from(*evaluation.taus.first()?) * u64::from(evaluation.samples))
    }

    /// Returns the best accuracy that an agent can expect at the test inputs of the first tau, if the problem's
    /// environment is sampled.
    ///
    /// # Formula
    /// The environment has class probabilities `p_r` at R rows. The mean is (1/R) sum over r of the largest of `p_r`,
    /// called `m_r`, and the variance is (1/R^2) sum over r of `m_r (1 - m_r)`. Given the inputs, labels are independent,
    /// and whatever class an agent chooses at a row, it is right with probability `m_r` at most.
    pub fn best_accuracy(&self, seed: Seed, evaluation: &Evaluation) -> Option<BestAccuracy> {
        self.accuracy_rows(evaluation).filter(|rows| *rows > 0)?;
        let instance = self.instance(seed);
        let inputs = instance.test(*evaluation.taus.first()?, 0..evaluation.samples).inputs;
        let probs = instance.environment()?.class_probs(inputs.numbers());
        let rows = probs.chunks_exact(self.task().num_classes as usize);
        let count = rows.len() as f64;
        let (mut sum, mut variances) = (0.0, 0.0);
        for row in rows {
            let most = f64::from(row.iter().copied().fold(0.0, f32::max)).min(1.0);
            sum += most;
            variances += most * (1.0 - most);
        }
        Some(BestAccuracy { mean: sum / count, variance: variances / (count * count) })
    }

    /// Returns the problem with the overrides that its source has a place for.
    #[must_use]
    pub fn overridden(mut self, anchors: Option<NonZeroU32>, initialization: Option<Initialization>) -> Self {
        if let Source::Synthetic { environment, test_inputs, .. } = &mut self.source {
            if let (TestInputs::Anchored { anchors: own }, Some(chosen)) = (test_inputs, anchors) {
                *own = chosen;
            }
            environment.initialization = initialization.unwrap_or(environment.initialization);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::suite;

    /// Five standard deviations.
    const DEVIATIONS: f64 = 5.0;

    /// Compares with the share of labels that the environment's most probable class predicts.
    #[test]
    fn the_environment_is_as_accurate_as_it_expects_and_no_more() {
        let suite = suite("quick").unwrap();
        let (mut total, mut variance) = (0.0, 0.0);
        for problem in &suite.problems {
            let best = problem.best_accuracy(0.into(), &suite.evaluation).unwrap();
            let instance = problem.instance(0.into());
            let test = instance.test(suite.evaluation.taus[0], 0..suite.evaluation.samples);
            let probs = instance.environment().unwrap().class_probs(test.inputs.numbers());
            let right = probs.chunks_exact(2).zip(&test.labels).filter(|(row, label)| {
                let chosen = u32::from(row[1] > row[0]);
                chosen == **label
            });
            let observed = right.count() as f64 / test.labels.len() as f64;
            assert!(
                0.5 <= best.mean && best.mean <= 1.0 && best.variance <= 0.25 / test.labels.len() as f64,
                "{best:?}"
            );
            total += observed - best.mean;
            variance += best.variance;
        }
        assert!(total.abs() < DEVIATIONS * variance.sqrt(), "{total} {}", variance.sqrt());
    }

    #[test]
    fn where_no_environment_is_sampled_no_best_is_known() {
        let real = suite("quick/real").unwrap();
        assert_eq!(real.problems[0].best_accuracy(0.into(), &real.evaluation), None);
    }
}
