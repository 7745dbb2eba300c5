//! Initial length scales from the distances between examples.

use crate::rows::Rows;

/// The largest number of rows that are used; from more, evenly spaced ones are chosen.
const MOST_ROWS: usize = 500;

/// Returns a length scale for each feature: the median distance between two examples in it, times the square root of
/// the number of features; 1 if that is below 1e-6. Follows the published code of Wang, Sun and Grosse (2021).
pub fn median_distances(rows: &Rows) -> Vec<f64> {
    let count = rows.rows().min(MOST_ROWS);
    let chosen: Vec<&[f64]> = (0..count).map(|i| rows.row(i * rows.rows() / count.max(1))).collect();
    let root = (rows.cols() as f64).sqrt();
    let median = |d: usize| {
        let mut distances: Vec<f64> = Vec::with_capacity(count * count / 2);
        for (i, a) in chosen.iter().enumerate() {
            distances.extend(chosen[..i].iter().map(|b| (a[d] - b[d]).abs()));
        }
        if distances.is_empty() {
            return 1.0;
        }
        let middle = distances.len() / 2;
        let scale = root * *distances.select_nth_unstable_by(middle, f64::total_cmp).1;
        if scale < 1e-6 { 1.0 } else { scale }
    };
    (0..rows.cols()).map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_three_examples_by_hand() {
        let rows = Rows::from_fn(3, 2, |i, d| if d == 0 { [0.0, 1.0, 5.0][i] } else { 7.0 });
        // Distances of 1, 4 and 5 in the first feature; the second is constant.
        assert_eq!(median_distances(&rows), [4.0 * 2f64.sqrt(), 1.0]);
        assert_eq!(median_distances(&Rows::zeros(0, 2)), [1.0, 1.0]);
    }
}
