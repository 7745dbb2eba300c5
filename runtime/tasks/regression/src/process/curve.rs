//! The paper's functions of one input, with the standard deviations of their noise and the distributions of their
//! inputs.

use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

use super::inputs::{two_modes, uniform};
use super::test_set::TestSet;
use crate::noise::Noise;

/// A function of one input, with the standard deviation of the noise and the distribution of the inputs.
///
/// # Formula
/// `Line`: f(x) = x, standard deviation 0.1, x ~ U(-2, 2) (section 3.2 of Sluijterman et al.). The others have f(x) =
/// (2 x - 1)^3: `Homoscedastic` with standard deviation 0.2 and x ~ U(-0.5, 0.5) (section 5.2); `Heteroscedastic` with
/// standard deviation 0.1 + x^2 and the same inputs (section 5.3); `Gap` with standard deviation 0.2 and inputs with
/// two modes (section 5.4). `Constant` has f(x) = 100 and standard deviation 5 (section 3.4); `Zero` has f(x) = 0 and
/// standard deviation 0.1 + x^2 (section 3.3). Both have x ~ U(-0.5, 0.5).
///
/// The paper's example of a constant has no inputs; here they say nothing about the targets. Its figure of the zero
/// function draws a standard deviation without giving it; here it is that of `Heteroscedastic`.
///
/// The paper plots the inputs of `Gap` without giving their distribution: more of them near -0.4 and 0.3, few near 0.
/// Here they are drawn with equal probability from N(-0.4, 0.1^2) or N(0.3, 0.1^2), each truncated to [-0.5, 0.5].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// The straight line.
    Line,
    /// The cubic with constant noise.
    Homoscedastic,
    /// The cubic with noise that grows away from 0.
    Heteroscedastic,
    /// The cubic with few inputs near 0.
    Gap,
    /// A constant, 100, with constant noise.
    Constant,
    /// The zero function with noise that grows away from 0.
    Zero,
}

impl Curve {
    /// Returns the function's value.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Line => x,
            Self::Homoscedastic | Self::Heteroscedastic | Self::Gap => {
                let u = 2.0 * x - 1.0;
                u * u * u
            }
            Self::Constant => 100.0,
            Self::Zero => 0.0,
        }
    }

    /// Returns the standard deviation of the noise.
    pub fn noise_std(self, x: f64) -> f64 {
        match self {
            Self::Line => 0.1,
            Self::Homoscedastic | Self::Gap => 0.2,
            Self::Heteroscedastic | Self::Zero => 0.1 + x * x,
            Self::Constant => 5.0,
        }
    }

    /// Draws `rows` inputs.
    pub(super) fn inputs(self, rows: usize, source: &mut Stream) -> Matrix {
        let one = |_| match self {
            Self::Line => uniform(-2.0, 2.0, source),
            Self::Homoscedastic | Self::Heteroscedastic | Self::Constant | Self::Zero => uniform(-0.5, 0.5, source),
            Self::Gap => two_modes(source),
        };
        Matrix::from_rows(1, (0..rows).map(one).map(|x| x as f32).collect())
    }

    /// Draws observations at inputs.
    pub(super) fn observe(self, inputs: Matrix, noise: Noise, source: &mut Stream) -> TestSet {
        // The true inputs are those that an agent gets, in f32.
        let at = |of: &dyn Fn(f64) -> f64| inputs.values().iter().map(|&x| of(f64::from(x))).collect();
        let (truth, stds) = (at(&|x| self.value(x)), at(&|x| self.noise_std(x)));
        TestSet::observe(inputs, truth, stds, noise, source)
    }
}
