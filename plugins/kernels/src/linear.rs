//! The linear kernel.

use jointly_sdk::Rng;

use crate::bounds::Bound;
use crate::features::Features;
use crate::kernel::Kernel;

/// The kernel of linear functions through the origin, with a variance for each feature's weight.
///
/// # Formula
///
/// k(a, b) = sum_d v_d a_d b_d; the parameters are log v_1 ... log v_D.
#[derive(Clone, Debug)]
pub struct Linear {
    logs: Vec<f64>,
    variances: Vec<f64>,
}

impl Linear {
    /// Makes a kernel from the variances.
    ///
    /// # Panics
    ///
    /// Panics if a variance is not positive.
    pub fn new(variances: &[f64]) -> Self {
        assert!(variances.iter().all(|variance| *variance > 0.0), "variances are positive");
        Self { logs: variances.iter().map(|variance| libm::log(*variance)).collect(), variances: variances.to_vec() }
    }

    /// Returns the weights of a random linear function. Each is plus or minus its standard deviation, so that squares
    /// vary less than with normal weights.
    pub fn line(&self, rng: &mut Rng) -> Vec<f64> {
        let sign = |rng: &mut Rng| if rng.next_u64() >> 63 == 0 { 1.0 } else { -1.0 };
        self.variances.iter().map(|variance| sign(rng) * variance.sqrt()).collect()
    }
}

impl Kernel for Linear {
    fn parameters(&self) -> Vec<f64> {
        self.logs.clone()
    }

    fn bounds(&self) -> Vec<Bound> {
        vec![Bound::logs(1e-6, 1e4); self.logs.len()]
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.logs = parameters.to_vec();
        self.variances = parameters.iter().map(|log| libm::exp(*log)).collect();
    }

    fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        self.variances.iter().zip(a.iter().zip(b)).map(|(variance, (a, b))| variance * (a * b)).sum()
    }

    fn add_gradient_at(&self, _: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        for ((to, variance), (a, b)) in to.iter_mut().zip(&self.variances).zip(a.iter().zip(b)) {
            *to += weight * variance * (a * b);
        }
    }

    fn add_input_gradient_at(&self, _: f64, _: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        to.iter_mut().zip(&self.variances).zip(b).for_each(|((to, variance), b)| *to += weight * variance * b);
    }

    fn features(&self, count: usize, rng: &mut Rng) -> Box<dyn Features> {
        let scale = (count as f64).recip().sqrt();
        let line = |_| self.line(rng).into_iter().map(|weight| scale * weight).collect();
        Box::new(Lines { weights: (0..count).map(line).collect() })
    }
}

/// Random linear functions.
#[derive(Debug)]
struct Lines {
    weights: Vec<Vec<f64>>,
}

impl Features for Lines {
    fn len(&self) -> usize {
        self.weights.len()
    }

    fn at(&self, input: &[f64], out: &mut [f64]) {
        for (out, weights) in out.iter_mut().zip(&self.weights) {
            *out = crate::product::dot(weights, input);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn gradients_and_features_are_the_kernels() {
        let rows = check::inputs(4, 3);
        let mut kernel = Linear::new(&[0.7, 1.5, 2.0]);
        check::gradients(&mut kernel, &rows);
        check::features(&kernel, &rows);
        assert_eq!(kernel.value(&[1.0, 2.0, 0.0], &[1.0, 1.0, 1.0]), 0.7 + 3.0);
    }
}
