//! Ranks in which equal values share the mean.

/// Returns the rank of each value, 0 for the least; equal values share the mean of the ranks that they occupy.
///
/// No value may be NaN.
pub fn mean_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    // Zeros of both signs are equal, and are adjacent.
    for equals in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let rank = start as f64 + (equals.len() - 1) as f64 / 2.0;
        for &i in equals {
            ranks[i] = rank;
        }
        start += equals.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::mean_ranks;

    #[test]
    fn equals_share_the_mean_of_their_ranks() {
        assert_eq!(mean_ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [3.0, 0.0, 3.0, 1.0, 3.0]);
        assert_eq!(mean_ranks(&[0.0, f64::NEG_INFINITY, -0.0]), [1.5, 0.0, 1.5]);
        assert_eq!(mean_ranks(&[3.0, 1.0, 3.0, f64::INFINITY]), [1.5, 0.0, 1.5, 3.0]);
        assert_eq!(mean_ranks(&[]), [0.0; 0]);
    }
}
