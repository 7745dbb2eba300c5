//! Correlations of correlations: how well a candidate's correlations agree with the oracle's.

use thiserror::Error;

use super::information_gain::PoolTest;
use super::rank::mean_ranks;

/// The correlations of two lists of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Association {
    /// Pearson's correlation, in [-1, 1].
    pub pearson: f64,
    /// Spearman's correlation: Pearson's correlation of the ranks, where equal values share their mean rank.
    pub spearman: f64,
}

/// Why a correlation does not exist.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Undefined {
    /// All of the candidate's values are the same, as with a belief without variance.
    #[error("the candidate's values are all the same")]
    ConstantCandidate,
    /// All of the oracle's values are the same.
    #[error("the oracle's values are all the same")]
    ConstantOracle,
    /// A value is not finite.
    #[error("a value is not finite")]
    NotFinite,
}

/// Computes Pearson's and Spearman's correlation of a candidate's values with the oracle's, entry by entry.
///
/// # Formula
/// With deviations `a_i`, `b_i` from the means: sum `a_i b_i` / sqrt(sum `a_i`^2 sum `b_i`^2), clipped to [-1, 1]. The
/// correlation of a list with itself is exactly 1.
///
/// # Errors
/// When a value is not finite, or all values of one side are the same, as in a list of fewer than two.
///
/// # Panics
/// When the lists differ in length.
pub fn association(candidate: &[f64], oracle: &[f64]) -> Result<Association, Undefined> {
    assert_eq!(candidate.len(), oracle.len(), "one value of the oracle's for each of the candidate's");
    if candidate.iter().chain(oracle).any(|x| !x.is_finite()) {
        return Err(Undefined::NotFinite);
    }
    let constant = |values: &[f64]| values.iter().all(|x| *x == values[0]);
    if constant(candidate) {
        return Err(Undefined::ConstantCandidate);
    }
    if constant(oracle) {
        return Err(Undefined::ConstantOracle);
    }
    Ok(Association {
        pearson: pearson(&deviations(candidate), &deviations(oracle)),
        spearman: pearson(&deviations(&mean_ranks(candidate)), &deviations(&mean_ranks(oracle))),
    })
}

/// Computes the metacorrelation: how well a candidate's correlations of f agree with the oracle's, over all pairs of a
/// pool point and a test point.
///
/// # Formula
/// [`association`] of the entries of the two pool x test blocks of rho(x, x') (equation 1), without noise. Wang, Sun
/// and Grosse, "Beyond Marginal Uncertainty" (2021), section 3.1.
///
/// # Errors
/// When all correlations of one side are the same; those of a belief that is certain at the pool are all 0.
///
/// # Panics
/// When candidate and oracle have different pools or test points.
pub fn metacorrelation(candidate: &PoolTest, oracle: &PoolTest) -> Result<Association, Undefined> {
    association(candidate.correlation().values(), oracle.correlation().values())
}

/// Computes the correlations of a candidate's variances of f with the oracle's over the pool.
///
/// # Errors
/// When all variances of one side are the same.
///
/// # Panics
/// When candidate and oracle have different pools.
pub fn variance_association(candidate: &PoolTest, oracle: &PoolTest) -> Result<Association, Undefined> {
    association(candidate.pool_variance(), oracle.pool_variance())
}

/// Returns the deviation of each value from the mean, in units of the largest deviation, so that squares neither vanish
/// nor overflow.
///
/// The values must not all be the same.
fn deviations(values: &[f64]) -> Vec<f64> {
    let largest = values.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let scaled: Vec<f64> = values.iter().map(|x| x / largest).collect();
    let mean = scaled.iter().sum::<f64>() / values.len() as f64;
    let widest = scaled.iter().fold(0.0, |widest: f64, x| widest.max((x - mean).abs()));
    scaled.iter().map(|x| (x - mean) / widest).collect()
}

fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    (sum(a, b) / (sum(a, a) * sum(b, b)).sqrt()).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlations::moments::SampledFunctions;
    use crate::stream::stream;

    const ROUNDING: f64 = 1e-14;

    #[test]
    fn four_points_on_paper() {
        // Deviations (-1.5, -.5, .5, 1.5) and (-2, 1, -1, 2): 3 - .5 - .5 + 3 = 5 divided by sqrt(5 * 10).
        let Association { pearson, spearman } = association(&[1.0, 2.0, 3.0, 4.0], &[0.0, 3.0, 1.0, 4.0]).unwrap();
        assert!((pearson - 5.0 / 50.0_f64.sqrt()).abs() < ROUNDING);
        assert!((spearman - 0.8).abs() < ROUNDING);
    }

    #[test]
    fn spearman_sees_order_alone() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        let cubes = x.map(|x: f64| x.powi(3));
        let up = association(&x, &cubes).unwrap();
        assert!(up.spearman == 1.0 && up.pearson < 1.0);
        assert_eq!(association(&x, &cubes.map(|x| -x)).unwrap().spearman, -1.0);
    }

    #[test]
    fn a_list_with_itself_has_one_exactly() {
        let mut source = stream(0, "test", "association", 0);
        for scale in [1.0, 1e-300, 1e300, f64::from_bits(5)] {
            let values: Vec<f64> = (0..100).map(|_| scale * source.normal().clamp(-3.0, 3.0)).collect();
            assert_eq!(association(&values, &values).unwrap(), Association { pearson: 1.0, spearman: 1.0 });
        }
    }

    #[test]
    fn absences_are_typed() {
        // The mean of several 0.1s is not exactly 0.1, so constancy is determined from the values.
        assert_eq!(association(&[0.1; 10], &[1.0; 10]), Err(Undefined::ConstantCandidate));
        let varied: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(association(&varied, &[0.1; 10]), Err(Undefined::ConstantOracle));
        assert_eq!(association(&[], &[]), Err(Undefined::ConstantCandidate));
        assert_eq!(association(&[1.0, f64::NAN], &[1.0, 2.0]), Err(Undefined::NotFinite));
        assert_eq!(association(&[1.0, 2.0], &[1.0, f64::INFINITY]), Err(Undefined::NotFinite));
    }

    fn belief(constant: bool, index: u64) -> PoolTest {
        let mut source = stream(0, "test", "metacorrelation", index);
        let means: Vec<f64> = (0..50 * 7).map(|_| if constant { 2.0 } else { source.normal() }).collect();
        PoolTest::of_functions(&SampledFunctions::new(7, &means, &[0.1; 350]).unwrap(), 0..4, 4..7)
    }

    #[test]
    fn a_belief_agrees_with_itself_and_a_certain_one_with_none() {
        let (oracle, other, certain) = (belief(false, 0), belief(false, 1), belief(true, 0));
        let whole = Association { pearson: 1.0, spearman: 1.0 };
        assert_eq!(metacorrelation(&oracle, &oracle), Ok(whole));
        assert_eq!(variance_association(&oracle, &oracle), Ok(whole));
        assert!(metacorrelation(&other, &oracle).unwrap().pearson < 0.9);
        assert_eq!(metacorrelation(&certain, &oracle), Err(Undefined::ConstantCandidate));
        assert_eq!(metacorrelation(&oracle, &certain), Err(Undefined::ConstantOracle));
        assert_eq!(variance_association(&certain, &oracle), Err(Undefined::ConstantCandidate));
    }
}
