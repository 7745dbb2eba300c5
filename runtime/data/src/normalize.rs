//! Normalisation of features.

/// Added to the variance of an image, so that the standard deviation of an image of a single colour is not 0; the value
/// of the reference implementation.
const IMAGE_VARIANCE: f64 = 1e-8;
/// The largest value of a pixel.
const WHITE: f64 = 255.0;

/// A value that is too large to be normalised, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unscalable {
    pub(super) row: usize,
    pub(super) column: usize,
}

/// The mean and standard deviation of each column of a table.
#[derive(Debug)]
pub(super) struct Columns(Vec<Column>);

#[derive(Debug)]
struct Column {
    mean: f64,
    /// The standard deviation; None where the column is constant.
    deviation: Option<f64>,
}

impl Columns {
    /// Computes them from the rows of a training set, at least one.
    ///
    /// # Formula
    /// `mean_j = sum_i x_ij / T`, `deviation_j = sqrt(sum_i (x_ij - mean_j)^2 / T)` over all T rows of the training
    /// set, even where an agent is given fewer of them, so that normalised inputs do not depend on the number given.
    ///
    /// # Errors
    /// When a column that is not constant has a variance outside the normal numbers of `f64`; the error names the
    /// column's largest value.
    pub(super) fn of(columns: usize, values: &[f64]) -> Result<Self, Unscalable> {
        let column = |j: usize| {
            let column = || values.iter().skip(j).step_by(columns);
            let rows = (values.len() / columns) as f64;
            let mean = column().sum::<f64>() / rows;
            if column().all(|&x| x == values[j]) {
                return Ok(Column { mean, deviation: None });
            }
            let variance = column().map(|&x| (x - mean) * (x - mean)).sum::<f64>() / rows;
            if variance.is_normal() {
                return Ok(Column { mean, deviation: Some(variance.sqrt()) });
            }
            // The first of the values that are largest in absolute value.
            let largest =
                column().enumerate().reduce(|most, next| if next.1.abs() > most.1.abs() { next } else { most });
            Err(Unscalable { row: largest.map_or(0, |(row, _)| row), column: j })
        };
        (0..columns).map(column).collect::<Result<_, _>>().map(Self)
    }

    /// Subtracts the mean and divides by the standard deviation; 0 in a column that is constant over the training set.
    ///
    /// # Errors
    /// When a quotient exceeds the range of `f32`.
    pub(super) fn normalize(&self, values: &[f64]) -> Result<Vec<f32>, Unscalable> {
        let columns = self.0.iter().cycle();
        let scaled =
            |(x, column): (&f64, &Column)| column.deviation.map_or(0.0, |deviation| (x - column.mean) / deviation);
        let scaled: Vec<f32> = values.iter().zip(columns).map(|pair| scaled(pair) as f32).collect();
        match scaled.iter().position(|x| !x.is_finite()) {
            None => Ok(scaled),
            Some(i) => Err(Unscalable { row: i / self.0.len(), column: i % self.0.len() }),
        }
    }
}

/// Normalises an image's pixels and appends them.
///
/// # Formula
/// With `x_j` the pixel over 255, `(x_j - mean) / sqrt(variance + 1e-8)`, with mean and variance of the image itself,
/// as in the reference implementation. Sums are over whole numbers, and exact.
pub(super) fn image(pixels: &[u8], values: &mut Vec<f32>) {
    let n = pixels.len() as i64;
    let sum: i64 = pixels.iter().map(|&p| i64::from(p)).sum();
    let squares: i64 = pixels.iter().map(|&p| i64::from(p) * i64::from(p)).sum();
    let size = n as f64 * WHITE;
    let variance = (n * squares - sum * sum) as f64 / (size * size);
    let deviation = (variance + IMAGE_VARIANCE).sqrt();
    let shade = |p: i64| ((n * p - sum) as f64 / size / deviation) as f32;
    let shades: Vec<f32> = (0..=255).map(shade).collect();
    values.extend(pixels.iter().map(|&p| shades[usize::from(p)]));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tolerance for rounding in a few operations on f32.
    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn columns_have_mean_zero_and_deviation_one() {
        // 1, 3, 5 have mean 3 and standard deviation sqrt(8/3); the second column is constant.
        let columns = Columns::of(2, &[1.0, 0.1, 3.0, 0.1, 5.0, 0.1]).unwrap();
        let unit = (8.0_f32 / 3.0).sqrt();
        let normal = columns.normalize(&[1.0, 0.1, 3.0, 0.1, 5.0, 0.1, 7.0, 9.0]).unwrap();
        let expected = [-2.0 / unit, 0.0, 0.0, 0.0, 2.0 / unit, 0.0, 4.0 / unit, 0.0];
        assert!(normal.iter().zip(expected).all(|(a, b)| (a - b).abs() < TOLERANCE), "{normal:?}");
    }

    #[test]
    fn what_floating_point_cannot_normalise_is_located() {
        let refused = |train: [f64; 6]| Columns::of(2, &train).unwrap_err();
        // Squares below the smallest number, and a sum and squares above the largest.
        assert_eq!(refused([1.0, 0.0, 2.0, 1e-170, 3.0, 0.0]), Unscalable { row: 1, column: 1 });
        assert_eq!(refused([1.0, 0.0, 2.0, 1.7e308, 3.0, 1.7e308]), Unscalable { row: 1, column: 1 });
        assert_eq!(refused([1.7e308, 0.0, -1.7e308, 1.0, 0.0, 2.0]), Unscalable { row: 0, column: 0 });
        let columns = Columns::of(2, &[1.0, 0.0, 2.0, 1e-150, 3.0, 0.0]).unwrap();
        assert!(columns.normalize(&[1.0, 1e-150]).unwrap().iter().all(|x| x.is_finite()));
        assert_eq!(columns.normalize(&[1.0, 0.0, 1.0, 1.0]), Err(Unscalable { row: 1, column: 1 }));
    }

    #[test]
    fn an_image_has_mean_zero_and_deviation_one() {
        let mut values = vec![9.0];
        image(&[0, 255, 0, 255], &mut values);
        let expected = [9.0, -1.0, 1.0, -1.0, 1.0];
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < TOLERANCE), "{values:?}");
    }

    #[test]
    fn an_image_of_one_colour_is_zero() {
        let mut values = Vec::new();
        image(&[77; 784], &mut values);
        assert_eq!(values, vec![0.0; 784]);
    }

    #[test]
    fn the_largest_image_fits_the_whole_numbers() {
        let mut values = Vec::new();
        image(&[255; 3072].map(|p: u8| p), &mut values);
        image(&[[0; 1536], [255; 1536]].concat(), &mut values);
        assert_eq!(values[..3072], [0.0; 3072]);
        assert!((values[3072] + 1.0).abs() < TOLERANCE && (values[6143] - 1.0).abs() < TOLERANCE);
    }
}
