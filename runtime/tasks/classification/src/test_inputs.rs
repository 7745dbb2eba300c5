//! The distribution of the inputs of a test tau-sample.

use std::num::NonZeroU32;

use crate::EvaluationError;
use jointly_core::estimate::MAX_SAMPLE_BYTES;
use jointly_core::normal_inputs::normal_inputs;
use jointly_core::stream::Stream;

/// The distribution of the inputs of a test tau-sample.
///
/// In many dimensions, tau inputs drawn independently are so far from one another that their labels jointly carry
/// little information beyond each alone. Inputs that repeat a few anchors restore it: an agent that does not know the
/// label at an anchor must predict the same for all inputs there. Labels are drawn independently for each input given
/// the environment, so two inputs at one anchor may have different labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestInputs {
    /// Draws each input from N(0, I).
    Independent,
    /// Draws anchors from N(0, I) for each tau-sample, and each input uniformly and independently from the anchors:
    /// kappa-adic sampling, dyadic with two anchors. Osband et al., "Evaluating High-Order Predictive Distributions in
    /// Deep Learning" (2022).
    Anchored {
        /// The number kappa of anchors.
        anchors: NonZeroU32,
    },
}

impl TestInputs {
    /// Checks that the anchors of a tau-sample fit in memory.
    pub(crate) fn check(self, input_dim: u32) -> Result<(), EvaluationError> {
        let Self::Anchored { anchors } = self else { return Ok(()) };
        let most = MAX_SAMPLE_BYTES / (u64::from(input_dim) * size_of::<f32>() as u64).max(1);
        if u64::from(anchors.get()) <= most {
            return Ok(());
        }
        Err(EvaluationError::range("anchors", &anchors, format!("1 to {most} of {input_dim} features")))
    }

    /// Draws the values of `rows` inputs, row by row; `source` returns the tau-sample's stream for a purpose.
    pub(crate) fn sample(self, rows: usize, input_dim: usize, source: impl Fn(&str) -> Stream) -> Vec<f32> {
        match self {
            Self::Independent => normal_inputs(rows, input_dim, &mut source("test-inputs")).values().to_vec(),
            Self::Anchored { anchors } => {
                let anchors = normal_inputs(anchors.get() as usize, input_dim, &mut source("test-inputs"));
                let mut choice = source("test-anchors");
                let anchor = |_| anchors.row((choice.uniform() * anchors.rows() as f64) as usize);
                (0..rows).flat_map(anchor).copied().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Evaluation;
    use jointly_core::stream::stream;

    use super::*;
    use crate::Source;

    /// Four standard errors of a mean of products of `SAMPLES` pairs of deviates.
    const MOMENT: f64 = 4.0 / 100.0;
    const SAMPLES: u64 = 10_000;

    fn sample(inputs: TestInputs, rows: usize, n: u64) -> Vec<f32> {
        inputs.sample(rows, 2, |purpose| stream(0, purpose, "test", n))
    }

    fn anchored(anchors: u32) -> TestInputs {
        TestInputs::Anchored { anchors: NonZeroU32::new(anchors).unwrap() }
    }

    #[test]
    fn anchors_that_memory_cannot_hold_are_refused() {
        assert_eq!(TestInputs::Independent.check(u32::MAX), Ok(()));
        assert_eq!(anchored(1 << 20).check(128), Ok(()));
        let error = anchored((1 << 20) + 1).check(128).unwrap_err();
        assert_eq!(error.to_string(), "anchors is 1048577, expected 1 to 1048576 of 128 features");
        let mut problem = crate::suite("quick/dyadic").unwrap().problems.swap_remove(0);
        let Source::Synthetic { test_inputs, .. } = &mut problem.source else { unreachable!("the suite is synthetic") };
        *test_inputs = anchored(u32::MAX);
        assert!(problem.fits(&Evaluation::testbed()).is_err());
    }

    #[test]
    fn each_input_is_one_of_the_anchors_and_each_anchor_is_met() {
        for anchors in [1, 2, 5] {
            let inputs = sample(anchored(anchors), 200, 0);
            let mut distinct: Vec<_> = inputs.chunks(2).map(|row| [row[0].to_bits(), row[1].to_bits()]).collect();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), anchors as usize);
        }
    }

    #[test]
    fn two_inputs_are_the_same_as_often_as_chance_has_it() {
        for anchors in [1, 2, 4] {
            let same = |n| {
                let inputs = sample(anchored(anchors), 2, n);
                inputs[..2] == inputs[2..]
            };
            let share = (0..SAMPLES).filter(|&n| same(n)).count() as f64 / SAMPLES as f64;
            assert!((share - 1.0 / f64::from(anchors)).abs() < MOMENT, "{anchors}: {share}");
        }
    }

    #[test]
    fn an_input_alone_is_normal() {
        for inputs in [TestInputs::Independent, anchored(2)] {
            let values: Vec<f64> = (0..SAMPLES).map(|n| f64::from(sample(inputs, 1, n)[1])).collect();
            let mean = values.iter().sum::<f64>() / SAMPLES as f64;
            let square = values.iter().map(|x| x * x).sum::<f64>() / SAMPLES as f64;
            assert!(mean.abs() < MOMENT && (square - 1.0).abs() < 2.0 * MOMENT, "{inputs:?}: {mean} and {square}");
        }
    }
}
