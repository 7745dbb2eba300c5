//! Filters over neighbourhoods: Gaussian, box and arbitrary kernels.

use super::border::Border;
use super::plane::Plane;

/// Returns the weights of a Gaussian cut at `truncate` standard deviations, of odd length and sum 1.
///
/// # Formula
/// `w_k` in proportion to `exp(-k^2 / (2 sigma^2))` for |k| up to `floor(truncate sigma + 1/2)`; the single weight 1 if
/// sigma is too small to reach a neighbour.
pub(super) fn gaussian(sigma: f64, truncate: f64) -> Vec<f64> {
    gaussian_of((truncate * sigma + 0.5) as usize, sigma)
}

/// Returns the weights of a Gaussian with `radius` pixels to either side.
pub(super) fn gaussian_of(radius: usize, sigma: f64) -> Vec<f64> {
    if radius == 0 || sigma <= 0.0 {
        return vec![1.0];
    }
    let radius = radius as isize;
    let weight = |k: isize| libm::exp(-((k * k) as f64) / (2.0 * sigma * sigma));
    normalized((-radius..=radius).map(weight).collect())
}

/// Returns weights divided by their sum.
pub(super) fn normalized(mut weights: Vec<f64>) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    for weight in &mut weights {
        *weight /= sum;
    }
    weights
}

/// Convolves with the same symmetric weights along rows and along columns.
pub(super) fn separable(plane: &Plane, weights: &[f64], border: Border) -> Plane {
    if weights.len() == 1 {
        return plane.map(|x| x * weights[0]);
    }
    transposed_lines(&transposed_lines(plane, weights, border), weights, border)
}

/// Filters each row and transposes the result.
fn transposed_lines(plane: &Plane, weights: &[f64], border: Border) -> Plane {
    let (height, width) = (plane.height(), plane.width());
    let radius = (weights.len() / 2) as isize;
    let places: Vec<usize> = (-radius..width as isize + radius).map(|j| border.index(j, width)).collect();
    let mut turned = Plane::new(width, height, vec![0.0; height * width]);
    let mut line = vec![0.0; places.len()];
    for i in 0..height {
        for (value, &j) in line.iter_mut().zip(&places) {
            *value = plane.at(i, j);
        }
        for (j, near) in line.windows(weights.len()).enumerate() {
            turned.set(j, i, near.iter().zip(weights).map(|(x, w)| x * w).sum());
        }
    }
    turned
}

/// Applies a Gaussian blur like scikit-image's: cut at 4 standard deviations, edges repeated.
pub(super) fn blur(plane: &Plane, sigma: f64) -> Plane {
    separable(plane, &gaussian(sigma, 4.0), Border::Edge)
}

/// Returns the mean over 3 x 3 pixels, mirrored at the edge.
pub(super) fn box_of_three(plane: &Plane) -> Plane {
    separable(plane, &[1.0 / 3.0; 3], Border::Mirror)
}

/// Correlates with a kernel of odd sides: each pixel becomes the sum of its neighbours times the weights that lie over
/// them. Weights of 0 are skipped.
pub(super) fn correlate(plane: &Plane, kernel: &Plane, border: Border) -> Plane {
    let (height, width) = (plane.height(), plane.width());
    let (up, left) = ((kernel.height() / 2) as isize, (kernel.width() / 2) as isize);
    let mut sums = Plane::new(height, width, vec![0.0; height * width]);
    for u in 0..kernel.height() {
        for v in 0..kernel.width() {
            let weight = kernel.at(u, v);
            if weight == 0.0 {
                continue;
            }
            let column: Vec<usize> = (0..width).map(|j| border.index((j + v) as isize - left, width)).collect();
            for i in 0..height {
                let row = border.index((i + u) as isize - up, height);
                let from = &plane.values()[row * width..(row + 1) * width];
                let to = &mut sums.values_mut()[i * width..(i + 1) * width];
                for (sum, &j) in to.iter_mut().zip(&column) {
                    *sum += weight * from[j];
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    const TOLERANCE: f64 = 1e-12;

    #[test]
    fn a_gaussian_has_sum_one_and_its_variance() {
        for sigma in [0.4, 0.6, 1.0, 3.0, 6.0] {
            let weights = gaussian(sigma, 4.0);
            let middle = (weights.len() / 2) as f64;
            let variance: f64 = weights.iter().enumerate().map(|(k, w)| (k as f64 - middle).powi(2) * w).sum();
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < TOLERANCE);
            // A narrow Gaussian summed over whole pixels is narrower than its integral; the cut removes 0.1 %.
            if sigma >= 1.0 {
                assert!((variance / (sigma * sigma) - 1.0).abs() < 2e-3, "{sigma}: {variance}");
            }
        }
        assert_eq!(gaussian(0.05, 4.0), [1.0]);
        assert_eq!(gaussian(0.0, 3.0), [1.0]);
    }

    #[test]
    fn separable_is_the_outer_product() {
        let mut source = stream(0, "test", "filter", 0);
        let weights = gaussian(0.8, 4.0);
        let n = weights.len();
        let kernel = Plane::from_fn(n, n, |i, j| weights[i] * weights[j]);
        for (height, width) in [(1, 1), (2, 3), (9, 5)] {
            let plane = Plane::from_fn(height, width, |_, _| source.uniform());
            for border in [Border::Edge, Border::Mirror, Border::Reflect] {
                let one = separable(&plane, &weights, border);
                let two = correlate(&plane, &kernel, border);
                let apart = one.values().iter().zip(two.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < TOLERANCE, "{apart}");
            }
        }
    }
}
