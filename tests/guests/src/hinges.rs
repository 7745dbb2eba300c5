//! The answers of an honest regressor: predictions over sums of hinge functions, the same for any data.

use jointly_sdk::{Bounds, FunctionSamples, Gaussian, Intervals, Matrix, Rng};

/// The number of hinges of a function: fewer than most calls have rows, so that only the noise makes the targets'
/// covariance definite.
const HINGES: usize = 12;
/// The variance of the noise, whose square root is exact.
const NOISE_VARIANCE: f32 = 0.0625;

/// Returns the value of each hinge at a row: max(0, a x + b) with the hinge's own a and b.
fn openings(row: &[f32]) -> [f32; HINGES] {
    let mut openings = [0.0; HINGES];
    for (hinge, opening) in openings.iter_mut().enumerate() {
        let mut rng = Rng::new(1, hinge as u64);
        let sum: f32 = row.iter().map(|x| x * rng.normal()).sum();
        *opening = (sum / (row.len() as f32).sqrt() + rng.normal()).max(0.0) / (HINGES as f32).sqrt();
    }
    openings
}

/// Returns the functions of the draws, with weights from N(0, 1) on the hinges.
pub fn functions(inputs: &Matrix, draws: &[u64]) -> FunctionSamples {
    let openings: Vec<_> = (0..inputs.rows()).map(|row| openings(inputs.row(row))).collect();
    let mut means = Vec::with_capacity(draws.len() * openings.len());
    for &draw in draws {
        let mut rng = Rng::new(2, draw);
        let weights: [f32; HINGES] = std::array::from_fn(|_| rng.normal());
        means.extend(openings.iter().map(|row| row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f32>()));
    }
    let noise_stds = vec![NOISE_VARIANCE.sqrt(); means.len()];
    FunctionSamples { means, noise_stds }
}

/// Returns the moments of those functions.
pub fn moments(inputs: &Matrix) -> Gaussian {
    let rows = inputs.rows();
    let openings: Vec<_> = (0..rows).map(|row| openings(inputs.row(row))).collect();
    let covariance = |i: usize, j: usize| openings[i].iter().zip(&openings[j]).map(|(a, b)| f64::from(a * b)).sum();
    Gaussian {
        mean: vec![0.0; rows],
        covariance: (0..rows * rows).map(|at| covariance(at / rows, at % rows)).collect(),
        noise_variance: vec![f64::from(NOISE_VARIANCE); rows],
    }
}

/// Returns intervals around 0 that extend by `reach` at every row; those of the function extend half as far.
pub fn intervals(inputs: &Matrix, reach: f64) -> Intervals {
    let bounds = |reach: f64| Bounds { lower: vec![-reach; inputs.rows()], upper: vec![reach; inputs.rows()] };
    Intervals { confidence: Some(bounds(0.5 * reach)), prediction: bounds(reach) }
}
