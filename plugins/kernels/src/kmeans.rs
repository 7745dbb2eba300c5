//! K-means clustering, for initial inducing points.

use crate::rows::Rows;
use crate::stream::Stream;

/// The largest number of rounds of assigning and averaging.
const ROUNDS: usize = 25;
/// The largest number of rows that are used, as in the published code of Wang, Sun and Grosse (2021), unless there are
/// more clusters.
const MOST_ROWS: usize = 10_000;

/// Returns the centres of `count` clusters by Lloyd's algorithm, starting from rows that the seed chooses. Returns all
/// rows if there are at most `count`.
pub fn centres(rows: &Rows, count: usize, seed: u64) -> Rows {
    if rows.rows() <= count {
        return rows.clone();
    }
    // The beginning of a random permutation.
    let mut order: Vec<usize> = (0..rows.rows()).collect();
    let mut rng = Stream::Clusters.rng(seed, 0);
    let chosen = MOST_ROWS.max(count).min(rows.rows());
    for i in 0..chosen {
        let j = i + rng.below(order.len() - i);
        order.swap(i, j);
    }
    let data: Vec<&[f64]> = order[..chosen].iter().map(|i| rows.row(*i)).collect();
    let mut centres = Rows::from_fn(count, rows.cols(), |i, j| data[i][j]);
    let mut nearest = vec![usize::MAX; data.len()];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (row, nearest) in data.iter().zip(&mut nearest) {
            let distance = |centre: &[f64]| -> f64 { centre.iter().zip(*row).map(|(c, x)| (c - x) * (c - x)).sum() };
            let mut best = (f64::INFINITY, 0);
            for (i, centre) in centres.iter().enumerate() {
                let distance = distance(centre);
                if distance < best.0 {
                    best = (distance, i);
                }
            }
            changed |= *nearest != best.1;
            *nearest = best.1;
        }
        if !changed {
            break;
        }
        let mut sums = Rows::zeros(count, rows.cols());
        let mut sizes = vec![0.0; count];
        for (row, nearest) in data.iter().zip(&nearest) {
            crate::product::axpy(1.0, row, sums.row_mut(*nearest));
            sizes[*nearest] += 1.0;
        }
        // An empty cluster stays where it is.
        for i in (0..count).filter(|i| sizes[*i] > 0.0) {
            for (centre, sum) in centres.row_mut(i).iter_mut().zip(sums.row(i)) {
                *centre = sum / sizes[i];
            }
        }
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_have_their_means_for_centres() {
        let rows = Rows::from_fn(40, 2, |i, j| if i % 2 == 0 { 10.0 } else { -10.0 } + ((i / 2 + j) % 4) as f64);
        let centres = centres(&rows, 2, 0);
        let mut found: Vec<f64> = centres.iter().map(|row| row[0]).collect();
        found.sort_by(f64::total_cmp);
        assert_eq!(found, [-8.5, 11.5]);
    }

    #[test]
    fn few_rows_are_their_own_centres() {
        let rows = Rows::from_fn(3, 1, |i, _| i as f64);
        assert_eq!(centres(&rows, 3, 0), rows);
        // Rows that are all equal leave clusters empty.
        let same = Rows::from_fn(9, 1, |_, _| 2.0);
        assert!(centres(&same, 4, 0).iter().all(|row| row == [2.0]));
    }
}
