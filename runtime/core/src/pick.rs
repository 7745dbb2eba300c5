//! Random choices among examples.

use crate::stream::Stream;

/// Draws a number from 0..n, uniform to within n / 2^64.
pub fn below(n: usize, source: &mut Stream) -> usize {
    ((u128::from(source.next_u64()) * n as u128) >> 64) as usize
}

/// Returns the first `count` numbers of a random order of 0..n. With the same stream, a shorter result is the beginning
/// of a longer one.
pub fn prefix(n: usize, count: usize, source: &mut Stream) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in 0..count.min(n) {
        let j = i + below(n - i, source);
        order.swap(i, j);
    }
    order.truncate(count);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    const SAMPLES: usize = 40_000;

    #[test]
    fn a_whole_order_is_a_permutation_and_its_beginnings_are_nested() {
        let order = |count| prefix(50, count, &mut stream(1, "test", "order", 0));
        let whole = order(50);
        for count in [0, 1, 10, 49] {
            assert_eq!(order(count), whole[..count]);
        }
        let mut sorted = whole.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        assert_ne!(sorted, whole);
    }

    #[test]
    fn every_order_is_as_likely() {
        // Each of the 6 orders of three must occur 1000 times, within six standard deviations.
        let mut counts = std::collections::HashMap::new();
        for i in 0..6000 {
            *counts.entry(prefix(3, 3, &mut stream(0, "test", "orders", i))).or_insert(0_i64) += 1;
        }
        let deviation = (6000.0_f64 * (1.0 / 6.0) * (5.0 / 6.0)).sqrt();
        assert!(
            counts.len() == 6 && counts.values().all(|n| ((n - 1000) as f64).abs() < 6.0 * deviation),
            "{counts:?}"
        );
    }

    #[test]
    fn whole_numbers_are_uniform() {
        let mut source = stream(0, "test", "below", 0);
        let mut counts = [0_u32; 7];
        for _ in 0..SAMPLES {
            counts[below(7, &mut source)] += 1;
        }
        // Tolerance: five standard errors of a binomial count.
        let (expected, error) = (SAMPLES as f64 / 7.0, (SAMPLES as f64 * 6.0 / 49.0).sqrt());
        assert!(counts.iter().all(|&count| (f64::from(count) - expected).abs() < 5.0 * error), "{counts:?}");
        assert_eq!(below(1, &mut source), 0);
    }
}
