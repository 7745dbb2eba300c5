//! The kernels that settings can choose, with their initial parameters.

use crate::kernel::Kernel;
use crate::rbf::Rbf;
use crate::relu::Relu;
use crate::rows::Rows;
use crate::scales::median_distances;

jointly_sdk::choices! {
    /// A covariance function.
    pub enum Covariance {
        /// Squared-exponential: smooth functions.
        Rbf = "rbf",
        /// Arc-cosine: the limit of wide networks with a layer of rectified units.
        Relu = "relu",
    }
}

impl Covariance {
    /// Returns the kernel with variances and weights of 1. For `rbf`, the length scales are the median distances of the
    /// inputs: with `ard` one for each feature, otherwise their mean for all. For `relu`, there is with `ard` one
    /// weight for each feature, otherwise one for all.
    pub fn start(self, ard: bool, inputs: &Rows) -> Box<dyn Kernel> {
        let scales = median_distances(inputs);
        let dim = inputs.cols();
        match (self, ard) {
            (Self::Rbf, true) => Box::new(Rbf::ard(1.0, &scales)),
            (Self::Rbf, false) => {
                let mean = scales.iter().sum::<f64>() / dim.max(1) as f64;
                Box::new(Rbf::isotropic(1.0, if dim == 0 { 1.0 } else { mean }, dim))
            }
            (Self::Relu, ard) => {
                let weights = vec![1.0; if ard { dim } else { 1 }];
                Box::new(Relu::new([1.0, 1.0], 1.0, &weights, dim))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_a_kernel_for_any_inputs() {
        for inputs in [Rows::zeros(0, 1), Rows::from_fn(3, 2, |i, j| (i * j) as f64), Rows::zeros(4, 3)] {
            for covariance in [Covariance::Rbf, Covariance::Relu] {
                for (ard, scales) in [(true, inputs.cols()), (false, 1)] {
                    let kernel = covariance.start(ard, &inputs);
                    let others = if covariance == Covariance::Rbf { 1 } else { 3 };
                    assert_eq!(kernel.parameters().len(), others + scales);
                    let origin = vec![0.0; inputs.cols()];
                    // 1 for rbf; for relu the outer bias and half of the inner one.
                    let variance = if covariance == Covariance::Rbf { 1.0 } else { 1.5 };
                    assert!((kernel.value(&origin, &origin) - variance).abs() < 1e-12);
                }
            }
        }
    }
}
