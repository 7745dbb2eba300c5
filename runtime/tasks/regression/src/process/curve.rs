//! The paper's functions of one input, the spread of their noise, and the laws of their inputs.

use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

use super::inputs::{two_modes, uniform};
use super::test_set::TestSet;
use crate::noise::Noise;

/// A function of one input, the spread of the noise about it, and the law of the inputs.
///
/// # Formula
/// `Line`: f(x) = x, spread 0.1, x ~ U(-2, 2) (section 3.2 of Sluijterman et al.). The others have f(x) = (2 x - 1)^3:
/// `Homoscedastic` with spread 0.2 and x ~ U(-0.5, 0.5) (section 5.2); `Heteroscedastic` with spread 0.1 + x^2 and the same
/// inputs (section 5.3); `Gap` with spread 0.2 and inputs of two modes (section 5.4).
///
/// The paper shows the inputs of the last without giving their law: more of them about -0.4 and 0.3, few about 0. Ours are,
/// with equal odds, of N(-0.4, 0.1^2) or of N(0.3, 0.1^2), each given that it lies in [-0.5, 0.5].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// The straight line.
    Line,
    /// The cubic under noise of one spread.
    Homoscedastic,
    /// The cubic under noise that grows away from 0.
    Heteroscedastic,
    /// The cubic with few inputs about 0.
    Gap,
}

impl Curve {
    /// The function's value.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Line => x,
            Self::Homoscedastic | Self::Heteroscedastic | Self::Gap => {
                let u = 2.0 * x - 1.0;
                u * u * u
            }
        }
    }

    /// Standard deviation of the noise.
    pub fn noise_std(self, x: f64) -> f64 {
        match self {
            Self::Line => 0.1,
            Self::Homoscedastic | Self::Gap => 0.2,
            Self::Heteroscedastic => 0.1 + x * x,
        }
    }

    /// So many inputs.
    pub(super) fn inputs(self, rows: usize, source: &mut Stream) -> Matrix {
        let one = |_| match self {
            Self::Line => uniform(-2.0, 2.0, source),
            Self::Homoscedastic | Self::Heteroscedastic => uniform(-0.5, 0.5, source),
            Self::Gap => two_modes(source),
        };
        Matrix::from_rows(1, (0..rows).map(one).map(|x| x as f32).collect())
    }

    /// Observations at inputs.
    pub(super) fn observe(self, inputs: Matrix, noise: Noise, source: &mut Stream) -> TestSet {
        // The inputs as an agent gets them, in f32, are the true ones.
        let at = |of: &dyn Fn(f64) -> f64| inputs.values().iter().map(|&x| of(f64::from(x))).collect();
        let (truth, stds) = (at(&|x| self.value(x)), at(&|x| self.noise_std(x)));
        TestSet::observe(inputs, truth, stds, noise, source)
    }
}
