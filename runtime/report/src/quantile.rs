//! Quantiles of a handful of numbers.

/// Returns the quantile of sorted values, interpolated linearly; NaN if there are none. Between a finite and an
/// infinite value it is infinite.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = q * last as f64;
    let (low, part) = (at as usize, at - libm::floor(at));
    let (below, above) = (sorted[low], sorted[(low + 1).min(last)]);
    if part == 0.0 || below == above { below } else { below + (above - below) * part }
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!([0.0, 0.5, 1.0].map(|q| quantile(&values, q)), [1.0, 3.0, 8.0]);
        assert_eq!(quantile(&[7.0], 0.975), 7.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn what_is_infinite_makes_no_nan() {
        let values = [1.0, 2.0, f64::INFINITY, f64::INFINITY];
        let quantiles = [0.25, 0.5, 0.75, 1.0].map(|q| quantile(&values, q));
        assert_eq!(quantiles, [1.75, f64::INFINITY, f64::INFINITY, f64::INFINITY]);
        assert_eq!(quantile(&values, 1.0 / 3.0), 2.0);
    }
}
