//! An order of rows in which neighbours in space are adjacent.

use jointly_core::matrix::Matrix;

/// Returns the rows, split in halves by one feature after another, down to parts of `part` rows: all parts but the last
/// are full.
pub(super) fn neighbours_together(inputs: &Matrix, part: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..inputs.rows()).collect();
    halve(inputs, part, 0, &mut rows);
    rows
}

fn halve(inputs: &Matrix, part: usize, feature: usize, rows: &mut [usize]) {
    if rows.len() <= part {
        return;
    }
    // Ties are sorted by row, so that the result does not depend on the sorting algorithm.
    rows.sort_unstable_by(|&a, &b| inputs.row(a)[feature].total_cmp(&inputs.row(b)[feature]).then(a.cmp(&b)));
    let parts = rows.len().div_ceil(part);
    let (low, high) = rows.split_at_mut(parts.div_ceil(2) * part);
    let next = (feature + 1) % inputs.cols();
    halve(inputs, part, next, low);
    halve(inputs, part, next, high);
}

#[cfg(test)]
mod tests {
    use jointly_core::matrix::Matrix;
    use jointly_core::stream::stream;

    use super::neighbours_together;

    /// The sum, over parts of 16 rows, of squared distances between each row and the part's first.
    fn spread(inputs: &Matrix, order: &[usize]) -> f32 {
        let square = |a: usize, b: usize| -> f32 {
            inputs.row(a).iter().zip(inputs.row(b)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        order.chunks(16).flat_map(|part| part.iter().map(|&row| square(part[0], row))).sum()
    }

    #[test]
    fn every_row_has_one_place_near_its_neighbours() {
        let mut source = stream(0, "test", "order", 0);
        for (rows, cols) in [(0, 2), (1, 1), (16, 2), (17, 2), (1000, 2), (333, 3)] {
            let inputs = Matrix::new(rows, cols, (0..rows * cols).map(|_| source.normal() as f32).collect()).unwrap();
            let order = neighbours_together(&inputs, 16);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..rows).collect::<Vec<_>>());
            assert!(rows < 100 || spread(&inputs, &order) < 0.5 * spread(&inputs, &sorted), "{rows} x {cols}");
        }
    }

    #[test]
    fn equal_rows_keep_their_order() {
        let inputs = Matrix::new(40, 1, vec![1.0; 40]).unwrap();
        assert_eq!(neighbours_together(&inputs, 16), (0..40).collect::<Vec<_>>());
    }
}
