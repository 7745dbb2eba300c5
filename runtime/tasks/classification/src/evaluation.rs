//! The evaluation options of classification, checked before they are used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use jointly_core::estimate::{MAX_DRAWS, MAX_PLANES, MAX_SAMPLE_BYTES, MAX_TAUS};
use jointly_core::{Partitioning, Real};

/// The largest tau that plain Monte Carlo estimates well (appendix A.1 of the paper).
const MONTE_CARLO_UP_TO: u32 = 10;

/// An evaluation that stops at a precision begins with fewer draws than twice this.
const FEW_DRAWS: u32 = 256;

/// The evaluation options of predictions on a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// Orders of the predictive distributions; an imported problem uses its own instead.
    pub taus: Vec<u32>,
    /// Number N of test tau-samples; an imported problem uses its own instead.
    pub samples: u32,
    /// Number M of functions sampled from the agent, from 1 to [`MAX_DRAWS`]; the most, with a precision.
    pub draws: u32,
    /// The precision, in nats a tau-sample: draws are doubled until no joint score has a larger error over draws or a larger
    /// bias than that. Without it, all draws are asked for at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Real>,
    /// The method that partitions the draws into cells, if any.
    #[serde(default)]
    pub partition: Partitioning,
    /// Number d of random hyperplanes that partition the draws, at most [`MAX_PLANES`]. With k-means there are at most
    /// 2^d clusters, the number of cells of d hyperplanes.
    pub planes: u32,
    /// Whether the partition clips probits as the reference implementation does; the paper's algorithm 4 does not.
    pub clip: bool,
    /// The largest tau whose joint likelihoods are estimated by Monte Carlo; above it, the partition estimates them, if
    /// there is one.
    pub partition_above: u32,
}

/// Reasons why evaluation options are refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EvaluationError {
    /// A number is out of range.
    #[error("{field} is {value}, expected {expected}")]
    Range {
        /// The field of [`Evaluation`].
        field: &'static str,
        /// The value given.
        value: String,
        /// The allowed values.
        expected: String,
    },
    /// One tau-sample would take too much memory.
    #[error(
        "one tau-sample with tau {tau}, {num_classes} classes, {planes} planes and {draws} draws takes {bytes} bytes, \
         expected at most {}: lower one of them",
        MAX_SAMPLE_BYTES
    )]
    TooLarge {
        /// Number of inputs in the tau-sample.
        tau: u32,
        /// Number of classes.
        num_classes: u32,
        /// Number of hyperplanes.
        planes: u32,
        /// Number of draws.
        draws: u32,
        /// The number of bytes it would take.
        bytes: u64,
    },
}

impl EvaluationError {
    /// Makes the error about a field that is out of its range.
    pub fn range(field: &'static str, value: &impl ToString, expected: impl Into<String>) -> Self {
        Self::Range { field, value: value.to_string(), expected: expected.into() }
    }
}

impl Evaluation {
    /// Returns the paper's options (appendix A.3) with the reference implementation's clip.
    pub fn testbed() -> Self {
        Self {
            taus: vec![1, 100],
            samples: 1000,
            draws: 1000,
            precision: None,
            partition: Partitioning::Planes,
            planes: 7,
            clip: true,
            partition_above: MONTE_CARLO_UP_TO,
        }
    }

    /// Returns the numbers of draws that an agent is asked for, one after the other, until the precision is reached: the last is
    /// `draws`, each before it half of the next, rounded up, and the first from 256 to 511 or all. Without a precision it is
    /// `draws` alone.
    pub fn steps(&self) -> Vec<u32> {
        let mut steps = vec![self.draws];
        while self.precision.is_some() && steps[0] >= 2 * FEW_DRAWS {
            steps.insert(0, steps[0].div_ceil(2));
        }
        steps
    }

    /// Checks each option separately; [`Problem::fits`](crate::Problem::fits) checks whether they suit a problem.
    ///
    /// Without taus, the number of tau-samples may be 0: imported problems have their own.
    ///
    /// # Errors
    /// When draws, planes, a tau or the number of tau-samples is out of its range, or a tau occurs twice.
    pub fn check(&self) -> Result<(), EvaluationError> {
        if self.draws == 0 || u64::from(self.draws) > MAX_DRAWS {
            return Err(EvaluationError::range("draws", &self.draws, format!("1 to {MAX_DRAWS}")));
        }
        if let Some(Real(precision)) = self.precision {
            if !(precision > 0.0 && precision.is_finite()) {
                return Err(EvaluationError::range("precision", &precision, "a number above 0"));
            }
            if self.partition != Partitioning::Jackknife {
                let expected = "jackknife where draws are asked for until a precision is reached: the bias of cells does \
                                not fall with draws";
                return Err(EvaluationError::range("partition", &self.partition.name(), expected));
            }
        }
        if self.planes > MAX_PLANES {
            return Err(EvaluationError::range("planes", &self.planes, format!("0 to {MAX_PLANES}")));
        }
        // Checked first, because taus are compared with one another.
        if self.taus.len() > MAX_TAUS {
            let expected = format!("{MAX_TAUS} at most");
            return Err(EvaluationError::range("the number of taus", &self.taus.len(), expected));
        }
        for (i, tau) in self.taus.iter().enumerate() {
            if *tau == 0 {
                return Err(EvaluationError::range("tau", tau, "at least 1"));
            }
            if self.taus[..i].contains(tau) {
                return Err(EvaluationError::range("taus", &format!("{:?}", self.taus), "each tau once"));
            }
        }
        if !self.taus.is_empty() && self.samples == 0 {
            return Err(EvaluationError::range("samples", &self.samples, "at least 1"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut Evaluation)) -> String {
        let mut evaluation = Evaluation::testbed();
        change(&mut evaluation);
        evaluation.check().unwrap_err().to_string()
    }

    #[test]
    fn the_testbed_passes() {
        assert_eq!(Evaluation::testbed().check(), Ok(()));
    }

    #[test]
    fn draws_are_doubled_up_to_all_of_them() {
        let steps = |draws, precision: Option<f64>| {
            Evaluation { draws, precision: precision.map(Real), ..Evaluation::testbed() }.steps()
        };
        assert_eq!(steps(1000, None), [1000]);
        assert_eq!(steps(1000, Some(0.1)), [500, 1000]);
        assert_eq!(steps(4096, Some(0.1)), [256, 512, 1024, 2048, 4096]);
        assert_eq!(steps(1025, Some(0.1)), [257, 513, 1025]);
        assert_eq!((steps(511, Some(0.1)), steps(7, Some(0.1))), (vec![511], vec![7]));
    }

    #[test]
    fn there_are_so_many_taus_and_no_more() {
        let with = |count: u32| Evaluation { taus: (1..=count).collect(), ..Evaluation::testbed() }.check();
        assert_eq!(with(100), Ok(()));
        assert_eq!(with(101).unwrap_err().to_string(), "the number of taus is 101, expected 100 at most");
    }

    #[test]
    fn the_largest_numbers_pass() {
        let evaluation = Evaluation { draws: 1 << 18, planes: 20, samples: u32::MAX, ..Evaluation::testbed() };
        assert_eq!(evaluation.check(), Ok(()));
    }

    #[test]
    fn a_number_out_of_range_is_named_with_its_range() {
        assert_eq!(refusal(|e| e.draws = 0), "draws is 0, expected 1 to 262144");
        assert_eq!(refusal(|e| e.draws = u32::MAX), "draws is 4294967295, expected 1 to 262144");
        assert_eq!(refusal(|e| e.planes = 21), "planes is 21, expected 0 to 20");
        assert_eq!(refusal(|e| e.taus = vec![1, 0]), "tau is 0, expected at least 1");
        assert_eq!(refusal(|e| e.taus = vec![5, 1, 5]), "taus is [5, 1, 5], expected each tau once");
        assert_eq!(refusal(|e| e.samples = 0), "samples is 0, expected at least 1");
        let precise = |e: &mut Evaluation, precision, partition| {
            (e.precision, e.partition) = (Some(Real(precision)), partition);
        };
        let number = refusal(|e| precise(e, 0.0, Partitioning::Jackknife));
        assert_eq!(number, "precision is 0, expected a number above 0");
        let cells = refusal(|e| precise(e, 0.05, Partitioning::Planes));
        assert!(cells.starts_with("partition is planes, expected jackknife where draws"), "{cells}");
    }

    #[test]
    fn an_evaluation_written_before_there_were_clusters_is_by_planes() {
        let text = r#"{"taus":[1,100],"samples":1000,"draws":1000,"planes":7,"clip":true,"partition_above":10}"#;
        assert_eq!(serde_json::from_str::<Evaluation>(text).unwrap(), Evaluation::testbed());
    }

    #[test]
    fn imported_problems_bring_their_own_taus_and_samples() {
        let evaluation = Evaluation { taus: vec![], samples: 0, ..Evaluation::testbed() };
        assert_eq!(evaluation.check(), Ok(()));
    }
}
