//! Activation functions of hidden units.

use jointly_sdk::choices;

use crate::simd::{Lanes, floats_mut};

choices! {
    /// The activation function of a hidden unit.
    #[derive(Default)]
    pub enum Activation {
        /// max(x, 0).
        #[default]
        Relu = "relu",
        /// The hyperbolic tangent.
        Tanh = "tanh",
    }
}

impl Activation {
    /// Replaces each number by its hyperbolic tangent.
    pub(crate) fn tanh(values: &mut [Lanes]) {
        for value in floats_mut(values) {
            *value = libm::tanhf(*value);
        }
    }
}
