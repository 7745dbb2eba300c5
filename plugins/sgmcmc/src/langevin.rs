//! Langevin dynamics: gradient descent with noise, whose states over time are a sample from a distribution.

use jointly_nets::simd::Lanes;

/// The settings of a chain's steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Step size.
    pub(crate) rate: f32,
    /// Share of its velocity that a chain keeps in a step.
    pub(crate) momentum: f32,
    /// Temperature of the noise: a chain with the gradient of U samples the distribution proportional to
    /// exp(-U / temperature).
    pub(crate) temperature: f32,
    /// Whether steps are scaled, for each parameter, by the size of its past gradients.
    pub(crate) preconditioned: bool,
}

/// Decay of the mean square of gradients per step, and the constant added to its root.
const MEMORY: f32 = 0.99;
const EPSILON: f32 = 1e-7;

/// The state of a chain besides its position.
///
/// # Formula
///
/// With gradient g, standard normal z, rate e, momentum b and temperature t, the velocity v and the position w become
/// v' = b v + e g + sqrt(2 (1 - b) e t) z and w' = w - v'. Without momentum this is the stochastic-gradient Langevin
/// dynamics of Welling and Teh (2011), with momentum the Hamiltonian variant of Chen, Fox and Guestrin (2014).
///
/// With preconditioning, let a = sqrt(s) + 1e-7, where s is the mean of g^2 with decay 0.99 (Li, Chen, Carlson and
/// Carin, 2016, without the term for the change of a): v' = b v + e g + sqrt(2 (1 - b) e t a) z and w' = w - v' / a.
#[derive(Debug)]
pub(crate) struct Chain {
    motion: Motion,
    velocity: Vec<Lanes>,
    /// Mean squares of gradients; empty without preconditioning.
    squares: Vec<Lanes>,
}

impl Chain {
    /// Creates a chain at rest, over `len` vectors.
    pub(crate) fn new(len: usize, motion: Motion) -> Self {
        let zeros = |len| vec![Lanes::splat(0.0); len];
        Self { motion, velocity: zeros(len), squares: zeros(if motion.preconditioned { len } else { 0 }) }
    }

    /// Moves the position by one step, given the noise and the gradient without its term `decay` times the position.
    ///
    /// # Panics
    ///
    /// Panics if the lengths differ from that of [`new`](Self::new).
    pub(crate) fn step(&mut self, place: &mut [Lanes], gradient: &[Lanes], decay: f32, noise: &[Lanes]) {
        let Motion { rate, momentum, temperature, preconditioned } = self.motion;
        let len = place.len();
        assert!(gradient.len() == len && noise.len() == len && self.velocity.len() == len);
        let deviation = Lanes::splat((2.0 * (1.0 - momentum) * rate * temperature).sqrt());
        let (rate, momentum, decay) = (Lanes::splat(rate), Lanes::splat(momentum), Lanes::splat(decay));
        let terms = place.iter_mut().zip(gradient).zip(noise).zip(&mut self.velocity);
        if !preconditioned {
            for (((place, gradient), noise), velocity) in terms {
                let gradient = place.mul_add(decay, *gradient);
                *velocity = noise.mul_add(deviation, gradient.mul_add(rate, *velocity * momentum));
                *place = *place - *velocity;
            }
            return;
        }
        for ((((place, gradient), noise), velocity), square) in terms.zip(&mut self.squares) {
            let gradient = place.mul_add(decay, *gradient);
            *square = square.mul_add(Lanes::splat(MEMORY), gradient * gradient * Lanes::splat(1.0 - MEMORY));
            let scale = square.sqrt() + Lanes::splat(EPSILON);
            let noise = *noise * scale.sqrt();
            *velocity = noise.mul_add(deviation, gradient.mul_add(rate, *velocity * momentum));
            *place = *place - *velocity / scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::normals::Normals;
    use jointly_nets::simd::{LANES, floats};
    use jointly_sdk::Rng;

    use super::*;

    const TOLERANCE: f32 = 1e-6;

    fn motion() -> Motion {
        Motion { rate: 0.1, momentum: 0.5, temperature: 0.2, preconditioned: false }
    }

    #[test]
    fn two_steps_by_hand() {
        let mut place = [Lanes::splat(1.0)];
        let mut chain = Chain::new(1, motion());
        // The noise has standard deviation sqrt(2 * 0.5 * 0.1 * 0.2) = 0.141421, and the gradient is 2 + 3 * 1 = 5.
        chain.step(&mut place, &[Lanes::splat(2.0)], 3.0, &[Lanes::splat(1.0)]);
        let velocity = 0.5 + 0.141_421_36;
        assert!((floats(&place)[0] - (1.0 - velocity)).abs() < TOLERANCE);
        chain.step(&mut place, &[Lanes::splat(-1.0)], 0.0, &[Lanes::splat(0.0)]);
        assert!((floats(&place)[LANES - 1] - (1.0 - velocity - (0.5 * velocity - 0.1))).abs() < TOLERANCE);
    }

    #[test]
    fn a_preconditioned_step_by_hand() {
        let mut place = [Lanes::splat(1.0)];
        let mut chain = Chain::new(1, Motion { preconditioned: true, ..motion() });
        chain.step(&mut place, &[Lanes::splat(2.0)], 3.0, &[Lanes::splat(1.0)]);
        // The mean square is 0.01 * 25, whose root is 0.5; the noise is multiplied by sqrt(0.5).
        let expected = 1.0 - (0.5 + 0.1) / 0.5;
        assert!((floats(&place)[0] - expected).abs() < 10.0 * TOLERANCE);
    }

    #[test]
    fn a_normal_law_is_reached() {
        const CHAINS: usize = 512;
        const STEPS: usize = 2000;
        // For U(w) = w^2 / (2 s^2) at temperature t the variance is s^2 t. With a = e / s^2 and momentum b, that of a
        // discrete chain is larger by a factor of 1 / (1 - a / (2 (1 + b))).
        for momentum in [0.0, 0.9] {
            let (deviation, temperature) = (0.5f32, 0.3);
            let motion = Motion { rate: 0.02, momentum, temperature, preconditioned: false };
            let mut chain = Chain::new(CHAINS, motion);
            let mut place = vec![Lanes::splat(2.0); CHAINS];
            let (zeros, mut noise) = (place.iter().map(|_| Lanes::splat(0.0)).collect::<Vec<_>>(), place.clone());
            let mut normals = Normals::new(&mut Rng::new(4, 0));
            let (mut sum, mut count) = (0.0, 0.0);
            for step in 0..STEPS {
                normals.fill(&mut noise);
                chain.step(&mut place, &zeros, 1.0 / deviation.powi(2), &noise);
                // Far enough from each other and from the start to be independent.
                if step % 200 == 199 {
                    sum += floats(&place).iter().map(|w| f64::from(w * w)).sum::<f64>();
                    count += floats(&place).len() as f64;
                }
            }
            let a = f64::from(motion.rate / deviation.powi(2));
            let expected = f64::from(deviation.powi(2) * temperature) / (1.0 - a / (2.0 * (1.0 + f64::from(momentum))));
            // Five standard errors.
            let tolerance = 5.0 * (2.0 / count).sqrt();
            assert!((sum / count / expected - 1.0).abs() < tolerance, "{momentum}: {} for {expected}", sum / count);
        }
    }
}
