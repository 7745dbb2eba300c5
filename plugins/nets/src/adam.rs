//! The Adam optimiser, with the gradient of an L2 penalty added in the same pass.

use crate::simd::Lanes;

/// Decay rate of the first moment; see [`Adam`].
pub const BETA1: f32 = 0.9;
/// Decay rate of the second moment; see [`Adam`].
pub const BETA2: f32 = 0.999;
/// Keeps the denominator from zero; see [`Adam`].
pub const EPSILON: f32 = 1e-8;

/// Vectors that one iteration of the loop updates, to save loop overhead.
const UNROLLED: usize = 4;

/// The Adam optimiser of Kingma and Ba (2015), for one vector of parameters.
///
/// # Formula
///
/// With g the gradient: m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, and a parameter moves by -rate * (m / (1 -
/// b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8) at step t, where b1 = 0.9 and b2 = 0.999. The moments are stored without the
/// factors 1 - b; these and the bias corrections are folded into two numbers per step.
#[derive(Debug)]
pub struct Adam {
    rate: f32,
    step: i32,
    first: Vec<Lanes>,
    second: Vec<Lanes>,
}

impl Adam {
    /// Makes an optimiser for `len` vectors of parameters.
    pub fn new(len: usize, rate: f32) -> Self {
        let zeros = vec![Lanes::splat(0.0); len];
        Self { rate, step: 0, first: zeros.clone(), second: zeros }
    }

    /// Changes the step size.
    pub fn set_rate(&mut self, rate: f32) {
        self.rate = rate;
    }

    /// Moves the parameters against `gradient + decay * parameters`.
    ///
    /// # Panics
    ///
    /// Panics if a length differs from that of [`new`](Self::new).
    pub fn update(&mut self, parameters: &mut [Lanes], gradient: &[Lanes], decay: f32) {
        self.step = self.step.saturating_add(1);
        let b1 = f64::from(BETA1);
        let b2 = f64::from(BETA2);
        // m and v are stored as m / (1 - b1) and v / (1 - b2), so the factor of the root moves into the rate and
        // epsilon.
        let root = ((1.0 - b2.powi(self.step)) / (1.0 - b2)).sqrt();
        let rate = f64::from(self.rate) * root * (1.0 - b1) / (1.0 - b1.powi(self.step));
        let step = Step {
            rate: Lanes::splat(-rate as f32),
            epsilon: Lanes::splat((f64::from(EPSILON) * root) as f32),
            decay: Lanes::splat(decay),
        };

        let len = parameters.len();
        assert!(gradient.len() == len && self.first.len() == len && self.second.len() == len);
        let (parameters, parameters_rest) = parameters.as_chunks_mut::<UNROLLED>();
        let (gradient, gradient_rest) = gradient.as_chunks::<UNROLLED>();
        let (first, first_rest) = self.first.as_chunks_mut::<UNROLLED>();
        let (second, second_rest) = self.second.as_chunks_mut::<UNROLLED>();
        for (((parameters, gradient), first), second) in parameters.iter_mut().zip(gradient).zip(first).zip(second) {
            step.apply(parameters, gradient, first, second);
        }
        for i in 0..parameters_rest.len() {
            let part = i..=i;
            step.apply::<1>(
                parameters_rest[part.clone()].as_mut_array().expect("one vector"),
                gradient_rest[part.clone()].as_array().expect("one vector"),
                first_rest[part.clone()].as_mut_array().expect("one vector"),
                second_rest[part].as_mut_array().expect("one vector"),
            );
        }
    }
}

/// The values that all parameters share in a step.
struct Step {
    rate: Lanes,
    epsilon: Lanes,
    decay: Lanes,
}

impl Step {
    #[inline]
    fn apply<const N: usize>(
        &self,
        parameters: &mut [Lanes; N],
        gradient: &[Lanes; N],
        first: &mut [Lanes; N],
        second: &mut [Lanes; N],
    ) {
        for n in 0..N {
            let gradient = parameters[n].mul_add(self.decay, gradient[n]);
            first[n] = first[n].mul_add(Lanes::splat(BETA1), gradient);
            second[n] = second[n].mul_add(Lanes::splat(BETA2), gradient * gradient);
            let direction = first[n] / (second[n].sqrt() + self.epsilon);
            parameters[n] = direction.mul_add(self.rate, parameters[n]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{LANES, floats};

    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn two_steps_by_hand() {
        // Seven vectors: one unrolled iteration and a remainder.
        let mut parameters = vec![Lanes::splat(1.0); 7];
        let mut adam = Adam::new(parameters.len(), 0.1);
        // Step 1: g = 0.3 + 0.2 * 1 = 0.5, and the corrected moments are 0.5 and 0.25: a full step.
        adam.update(&mut parameters, &[Lanes::splat(0.3); 7], 0.2);
        assert!((floats(&parameters)[0] - 0.9).abs() < TOLERANCE);
        // Step 2: g = -0.48 + 0.2 * 0.9 = -0.3; m = 0.9 * 0.05 - 0.1 * 0.3 = 0.015, corrected by 0.19: 0.0789474;
        // v = 0.999 * 0.00025 + 0.001 * 0.09 = 0.00033975, corrected by 0.001999: 0.16996, whose root is 0.412262.
        adam.update(&mut parameters, &[Lanes::splat(-0.48); 7], 0.2);
        let expected = 0.9 - 0.1 * 0.078_947_4 / 0.412_262;
        assert_eq!(floats(&parameters).len(), 7 * LANES);
        assert!(floats(&parameters).iter().all(|value| (value - expected).abs() < TOLERANCE));
    }
}
