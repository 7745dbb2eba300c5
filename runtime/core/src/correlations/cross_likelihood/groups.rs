//! Groups of points that are most correlated under a reference.

use crate::correlations::dense::Dense;

/// Returns one group for each row: the row and the `size` - 1 rows most correlated with it.
///
/// # Formula
/// The row itself comes first, then the others by |rho| in descending order, ties by index; groups have all rows if
/// there are fewer than `size`. `correlation` is square. Wang, Sun and Grosse (2021), algorithm 2, with the absolute
/// value of its section 3.3.2 and its code.
///
/// # Panics
/// When `size` is 0 or the matrix is not square.
pub fn correlated_groups(correlation: &Dense, size: usize) -> Vec<Vec<usize>> {
    assert!(size >= 1, "a group has a row");
    assert_eq!(correlation.rows(), correlation.cols(), "a correlation matrix is square");
    (0..correlation.rows()).map(|i| group(correlation.row(i), i, size)).collect()
}

fn group(row: &[f64], i: usize, size: usize) -> Vec<usize> {
    let mut others: Vec<usize> = (0..row.len()).filter(|&j| j != i).collect();
    let nearer = |a: &usize, b: &usize| row[*b].abs().total_cmp(&row[*a].abs()).then(a.cmp(b));
    let count = (size - 1).min(others.len());
    if count < others.len() {
        others.select_nth_unstable_by(count, nearer);
        others.truncate(count);
    }
    others.sort_by(nearer);
    let mut group = vec![i];
    group.extend(others);
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_correlations_of_either_sign_come_first_and_ties_go_by_index() {
        let rows = [
            [1.0, 0.5, -0.9, 0.5, 0.0],
            [0.5, 1.0, 0.0, 0.0, 0.0],
            [-0.9, 0.0, 1.0, -0.2, 0.3],
            [0.5, 0.0, -0.2, 1.0, 0.0],
            [0.0, 0.0, 0.3, 0.0, 1.0],
        ];
        let correlation = Dense::new(5, 5, rows.concat()).unwrap();
        let expected = [[0, 2, 1], [1, 0, 2], [2, 0, 4], [3, 0, 2], [4, 2, 0]];
        assert_eq!(correlated_groups(&correlation, 3), expected);
    }

    #[test]
    fn a_row_is_of_its_own_group_whatever_equals_it() {
        let ones = Dense::from_fn(4, 4, |_, _| 1.0);
        assert_eq!(correlated_groups(&ones, 2), [[0, 1], [1, 0], [2, 0], [3, 0]]);
    }

    #[test]
    fn a_group_is_no_larger_than_all() {
        let identity = Dense::from_fn(2, 2, |i, j| f64::from(u8::from(i == j)));
        assert_eq!(correlated_groups(&identity, 5), [[0, 1], [1, 0]]);
        assert!(correlated_groups(&Dense::zeros(0, 0), 5).is_empty());
    }
}
