//! Quantiles of a sample.

/// Returns the p-quantile of a sample in which value `v_i` occurs `n_i` times, values in ascending order.
///
/// # Formula
/// With the sample written out as `x_0 <= ... <= x_{N-1}` and h = (N - 1) p, the quantile is
/// `x_k + (h - k) (x_{k+1} - x_k)`, where k is the whole part of h: linear between order statistics, the default of
/// most software (type 7 of Hyndman and Fan, 1996).
///
/// # Panics
/// When the sample is empty or `p` is not in [0, 1].
pub fn weighted_quantile(sorted: &[(f64, u64)], p: f64) -> f64 {
    let total: u64 = sorted.iter().map(|(_, count)| count).sum();
    assert!(total > 0, "a sample has values");
    assert!((0.0..=1.0).contains(&p), "a probability is in [0, 1], not {p}");
    let height = (total - 1) as f64 * p;
    let below = height.floor();
    let (low, high) = (nth(sorted, below as u64), nth(sorted, (below as u64 + 1).min(total - 1)));
    // Equal values are returned as they are, even huge ones; the clamp keeps rounding from exceeding the upper value.
    if low == high { low } else { (low + (height - below) * (high - low)).clamp(low, high) }
}

fn nth(sorted: &[(f64, u64)], index: u64) -> f64 {
    let mut seen = 0;
    for &(value, count) in sorted {
        seen += count;
        if index < seen {
            return value;
        }
    }
    sorted[sorted.len() - 1].0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_of_four() {
        let sample = [(1.0, 1), (2.0, 1), (4.0, 1), (8.0, 1)];
        for (p, expected) in [(0.0, 1.0), (0.5, 3.0), (1.0, 8.0), (0.25, 1.75), (0.9, 6.8)] {
            assert!((weighted_quantile(&sample, p) - expected).abs() < 1e-12, "{p}");
        }
    }

    #[test]
    fn one_value_is_every_quantile() {
        for p in [0.0, 0.3, 1.0] {
            assert_eq!(weighted_quantile(&[(-3.5, 100)], p), -3.5);
        }
    }

    proptest! {
        #[test]
        fn counting_is_writing_out(values in prop::collection::vec((0_i32..20, 1_u64..5), 1..8), p in 0.0..=1.0_f64) {
            let mut counted: Vec<(f64, u64)> = values.iter().map(|&(v, n)| (f64::from(v), n)).collect();
            counted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let written: Vec<(f64, u64)> =
                counted.iter().flat_map(|&(v, n)| std::iter::repeat_n((v, 1), n as usize)).collect();
            prop_assert_eq!(weighted_quantile(&counted, p), weighted_quantile(&written, p));
        }
    }
}
