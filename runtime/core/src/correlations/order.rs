//! Random orders and random groups of rows.

use crate::stream::Stream;

/// Draws a uniform random order of 0..n, by a random key for each number, ties by index.
pub fn random_order(n: usize, stream: &mut Stream) -> Vec<usize> {
    let keys: Vec<u64> = (0..n).map(|_| stream.next_u64()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| keys[i]);
    order
}

/// Draws `count` groups of `size` distinct rows out of `rows`; groups have all rows if there are fewer.
pub fn random_groups(rows: usize, size: usize, count: usize, stream: &mut Stream) -> Vec<Vec<usize>> {
    let group = |_| {
        let mut order = random_order(rows, stream);
        order.truncate(size);
        order
    };
    (0..count).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    #[test]
    fn every_order_is_as_likely() {
        // Each of the 6 orders of three must occur 1000 times, within six standard deviations.
        let mut counts = std::collections::BTreeMap::new();
        let mut source = stream(0, "test", "orders", 0);
        for _ in 0..6000 {
            *counts.entry(random_order(3, &mut source)).or_insert(0_i64) += 1;
        }
        let deviation = (6000.0_f64 * (1.0 / 6.0) * (5.0 / 6.0)).sqrt();
        assert!(
            counts.len() == 6 && counts.values().all(|n| ((n - 1000) as f64).abs() < 6.0 * deviation),
            "{counts:?}"
        );
    }

    #[test]
    fn groups_hold_distinct_rows() {
        let groups = random_groups(8, 5, 100, &mut stream(0, "test", "groups", 0));
        assert_eq!(groups.len(), 100);
        for mut group in groups {
            group.sort_unstable();
            group.dedup();
            assert!(group.len() == 5 && group[4] < 8);
        }
        assert_eq!(random_groups(2, 5, 1, &mut stream(0, "test", "groups", 1))[0].len(), 2);
    }
}
