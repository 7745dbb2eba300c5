//! Shifts of tables of numbers: noise, stretched columns and moved columns.

use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

use super::error::ShiftError;

/// The mean and standard deviation of each column of the training rows, relative to which tables are shifted.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns(Vec<Column>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    mean: f64,
    deviation: f64,
}

impl Columns {
    /// Computes the statistics of training rows.
    ///
    /// # Formula
    /// `mean_j = sum_i x_ij / T`, `deviation_j = sqrt(sum_i (x_ij - mean_j)^2 / T)` over T rows; a constant column has
    /// deviation 0, so that noise and offsets leave it unchanged.
    ///
    /// # Errors
    /// When there are no rows, or a number is not finite.
    pub fn of(rows: &Matrix) -> Result<Self, ShiftError> {
        if rows.rows() == 0 {
            return Err(ShiftError::NoRows);
        }
        finite(rows)?;
        let column = |j: usize| {
            let values = || rows.values().iter().skip(j).step_by(rows.cols()).map(|&x| f64::from(x));
            let count = rows.rows() as f64;
            let first = f64::from(rows.values()[j]);
            if values().all(|x| x == first) {
                return Column { mean: first, deviation: 0.0 };
            }
            let mean = values().sum::<f64>() / count;
            // The square of the difference of two `f32` is finite in `f64`.
            let variance = values().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
            Column { mean, deviation: variance.sqrt() }
        };
        Ok(Self((0..rows.cols()).map(column).collect()))
    }
}

/// Checks that the rows have these columns, and finite numbers.
pub(super) fn check(rows: &Matrix, columns: &Columns) -> Result<(), ShiftError> {
    let (expected, found) = (columns.0.len(), rows.cols());
    if expected == found { finite(rows) } else { Err(ShiftError::Columns { expected, found }) }
}

/// Computes `x_ij + s deviation_j N_ij(0, 1)`.
pub(super) fn noise(rows: &Matrix, columns: &Columns, s: f64, stream: &mut Stream) -> Result<Matrix, ShiftError> {
    map(rows, columns, |x, _, column| x + s * column.deviation * stream.normal())
}

/// Computes `mean_j + (x_ij - mean_j) exp(s N_j(0, 1))`.
pub(super) fn scale(rows: &Matrix, columns: &Columns, s: f64, stream: &mut Stream) -> Result<Matrix, ShiftError> {
    let factors: Vec<f64> = columns.0.iter().map(|_| libm::exp(s * stream.normal())).collect();
    map(rows, columns, |x, j, column| column.mean + (x - column.mean) * factors[j])
}

/// Computes `x_ij + s deviation_j N_j(0, 1)`.
pub(super) fn offset(rows: &Matrix, columns: &Columns, s: f64, stream: &mut Stream) -> Result<Matrix, ShiftError> {
    let offsets: Vec<f64> = columns.0.iter().map(|column| s * column.deviation * stream.normal()).collect();
    map(rows, columns, |x, j, _| x + offsets[j])
}

/// Replaces each value, row by row, given its column.
fn map(
    rows: &Matrix,
    columns: &Columns,
    mut value: impl FnMut(f64, usize, Column) -> f64,
) -> Result<Matrix, ShiftError> {
    let places = rows.values().iter().zip(columns.0.iter().enumerate().cycle());
    let values = places.map(|(&x, (j, &column))| value(f64::from(x), j, column) as f32).collect();
    let shifted = Matrix::from_rows(rows.cols(), values);
    finite(&shifted)?;
    Ok(shifted)
}

fn finite(rows: &Matrix) -> Result<(), ShiftError> {
    match rows.values().iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(ShiftError::NotFinite { row: i / rows.cols(), col: i % rows.cols() }),
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::super::fixture::moments;
    use super::*;

    const ROWS: usize = 40_000;

    /// Returns a constant column, one of deviation 1/2 about 1.5, and one of deviation 20 about -20.
    fn training() -> Matrix {
        Matrix::new(2, 3, vec![7.0, 1.0, 0.0, 7.0, 2.0, -40.0]).unwrap()
    }

    fn source() -> Stream {
        stream(0, "test", "table", 0)
    }

    fn column(rows: &Matrix, j: usize) -> Vec<f64> {
        (0..rows.rows()).map(|i| f64::from(rows.row(i)[j])).collect()
    }

    #[test]
    fn columns_are_measured() {
        let measured = Columns::of(&training()).unwrap().0;
        let expected = [(7.0, 0.0), (1.5, 0.5), (-20.0, 20.0)];
        assert!(measured.iter().zip(expected).all(|(column, found)| (column.mean, column.deviation) == found));
        assert_eq!(Columns::of(&Matrix::new(0, 3, vec![]).unwrap()), Err(ShiftError::NoRows));
        let bad = Matrix::new(1, 2, vec![0.0, f32::NAN]).unwrap();
        assert_eq!(Columns::of(&bad), Err(ShiftError::NotFinite { row: 0, col: 1 }));
    }

    #[test]
    fn noise_is_of_the_training_deviation() {
        let rows = Matrix::new(ROWS, 3, [7.0, 3.0, 5.0].repeat(ROWS)).unwrap();
        let noisy = noise(&rows, &Columns::of(&training()).unwrap(), 0.5, &mut source()).unwrap();
        assert!(column(&noisy, 0).iter().all(|&x| x == 7.0));
        for (j, mean, deviation) in [(1, 3.0, 0.25), (2, 5.0, 10.0)] {
            let found = moments(&column(&noisy, j));
            // Five standard errors.
            let error = 5.0 / (ROWS as f64).sqrt();
            assert!((found.0 - mean).abs() < error * deviation, "{found:?}");
            assert!((found.1 / (deviation * deviation) - 1.0).abs() < error * 2.0_f64.sqrt(), "{found:?}");
        }
    }

    #[test]
    fn a_stretched_column_keeps_its_training_mean() {
        let columns = Columns::of(&training()).unwrap();
        let rows = Matrix::new(3, 3, vec![7.0, 1.5, -20.0, 7.0, 2.5, -10.0, 8.0, 0.5, -40.0]).unwrap();
        let stretched = scale(&rows, &columns, 1.0, &mut source()).unwrap();
        assert_eq!(stretched.row(0), rows.row(0));
        let mut normals = source();
        for (j, mean) in [7.0, 1.5, -20.0].into_iter().enumerate() {
            let factor = libm::exp(normals.normal());
            for (before, after) in column(&rows, j).iter().zip(column(&stretched, j)) {
                assert!((after - (mean + (before - mean) * factor)).abs() < 1e-5 * (1.0 + after.abs()));
            }
        }
    }

    #[test]
    fn an_offset_is_the_same_for_all_rows() {
        let columns = Columns::of(&training()).unwrap();
        let rows = Matrix::new(2, 3, vec![7.0, 1.5, -20.0, 1.0, 0.0, 10.0]).unwrap();
        let moved = offset(&rows, &columns, 2.0, &mut source()).unwrap();
        let by: Vec<Vec<f64>> =
            (0..3).map(|j| column(&rows, j).iter().zip(column(&moved, j)).map(|(a, b)| b - a).collect()).collect();
        assert!(by.iter().all(|by| (by[0] - by[1]).abs() < 1e-5));
        assert!(by[0][0] == 0.0 && by[1][0] != 0.0 && by[2][0] != 0.0);
    }

    #[test]
    fn an_overflow_is_located() {
        let wide = Matrix::new(2, 1, vec![-1e38, 1e38]).unwrap();
        let columns = Columns::of(&wide).unwrap();
        let rows = Matrix::new(1, 1, vec![f32::MAX]).unwrap();
        // One of the two streams moves the column up.
        let moved = (0..2).map(|index| offset(&rows, &columns, 10.0, &mut stream(0, "test", "overflow", index)));
        let scaled = (0..9).map(|index| scale(&rows, &columns, 10.0, &mut stream(0, "test", "overflow", index)));
        let errors: Vec<ShiftError> = moved.chain(scaled).filter_map(Result::err).collect();
        assert!(!errors.is_empty());
        assert!(errors.iter().all(|error| *error == ShiftError::NotFinite { row: 0, col: 0 }));
        let other = Matrix::new(1, 2, vec![0.0; 2]).unwrap();
        assert_eq!(check(&other, &columns), Err(ShiftError::Columns { expected: 1, found: 2 }));
    }
}
