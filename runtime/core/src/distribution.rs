//! Distributions: checks of class probabilities before they are scored, the Gaussian and Student's t.

mod normal;
mod student;

pub use normal::{normal_cdf, normal_density};
pub use student::{student_t_cdf, student_t_quantile};

pub use crate::estimate::probit::probit as normal_quantile;

/// The largest difference of a row's sum from 1: it allows for a softmax in single precision.
pub const SUM_TOLERANCE: f64 = 1e-4;

/// Returns why a row is not a distribution over classes: a probability is not finite or is outside [0, 1], or the sum
/// differs from 1 by more than [`SUM_TOLERANCE`]. Returns None for a valid row.
///
/// The text is a fragment such as "a probability of 1.5" or "probabilities that sum to 2".
pub fn distribution_defect(row: &[f32]) -> Option<String> {
    if is_distribution(row) {
        return None;
    }
    if row.iter().any(|p| !p.is_finite()) {
        return Some("a probability that is not finite".to_owned());
    }
    let outside = row.iter().find(|p| !(0.0..=1.0).contains(*p));
    Some(outside.map_or_else(|| format!("probabilities that sum to {}", sum(row)), |p| format!("a probability of {p}")))
}

/// Returns whether a row has no [defect](distribution_defect).
#[inline]
pub(crate) fn is_distribution(row: &[f32]) -> bool {
    // Without a branch, so that many short rows are checked side by side. A NaN is outside every range.
    let inside = row.iter().fold(true, |inside, p| inside & (0.0..=1.0).contains(p));
    inside & ((sum(row) - 1.0).abs() <= SUM_TOLERANCE)
}

/// Divides a row of probabilities by its sum, in double precision.
#[inline]
pub fn normalize(row: &mut [f32]) {
    let sum = sum(row);
    for p in row {
        *p = (f64::from(*p) / sum) as f32;
    }
}

#[inline]
fn sum(row: &[f32]) -> f64 {
    row.iter().map(|&p| f64::from(p)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_have_no_defect() {
        for row in [[0.25, 0.75], [0.0, 1.0], [0.5, 0.500_09]] {
            assert_eq!(distribution_defect(&row), None, "{row:?}");
        }
    }

    #[test]
    fn each_defect_is_named() {
        let defects = [
            ([0.5, f32::NAN], "a probability that is not finite"),
            ([2.0, f32::INFINITY], "a probability that is not finite"),
            ([1.5, -0.5], "a probability of 1.5"),
            ([0.5, -0.5], "a probability of -0.5"),
            ([1.0, 1.0], "probabilities that sum to 2"),
            ([0.0, 0.0], "probabilities that sum to 0"),
        ];
        for (row, defect) in defects {
            assert_eq!(distribution_defect(&row).as_deref(), Some(defect));
        }
        assert!(distribution_defect(&[0.5, 0.5002]).is_some());
    }
}
