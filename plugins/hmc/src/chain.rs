//! A Markov chain of Hamiltonian Monte Carlo.

use jointly_nets::step_size::StepSize;
use jointly_sdk::Rng;

use crate::posterior::{Place, Posterior, Scales};

/// The relative amount by which a transition's step may differ from the chain's, so that no trajectory repeatedly
/// returns to its starting point.
const JITTER: f32 = 0.2;

/// A Markov chain with its current state and step size.
#[derive(Debug)]
pub(crate) struct Chain {
    /// The current state.
    pub(crate) place: Place,
    /// The step size, which is adapted during warm-up.
    pub(crate) step_size: StepSize,
    rng: Rng,
}

impl Chain {
    /// Creates a chain that starts at weights drawn from their prior.
    pub(crate) fn new(posterior: &mut Posterior, scales: Scales, step: f32, mut rng: Rng) -> Self {
        let deviation = libm::exp(scales.log_weight) as f32;
        let position = posterior.normals(&mut rng).iter().map(|z| z * deviation).collect();
        Self { place: posterior.place(position), step_size: StepSize::new(step), rng }
    }

    /// Makes a transition of `steps` leapfrog steps of about size `step`; returns its acceptance probability.
    ///
    /// # Formula
    ///
    /// With momentum p ~ N(0, I), H = U + |p|^2 / 2 and steps p -= e U' / 2, w += e p, p -= e U' / 2, the end point
    /// is accepted with probability min(1, exp(H - H')). Neal, MCMC using Hamiltonian dynamics, 2011, section 5.3.2.
    pub(crate) fn transition(&mut self, posterior: &mut Posterior, scales: Scales, step: f32, steps: usize) -> f64 {
        let step = step * (1.0 + JITTER * (2.0 * self.rng.uniform() - 1.0));
        let mut momentum = posterior.normals(&mut self.rng);
        let start = scales.energy(&self.place) + kinetic(&momentum);
        let mut place = self.place.clone();
        push(&mut momentum, &place, scales, 0.5 * step);
        for n in 1..=steps {
            for (position, momentum) in place.position.iter_mut().zip(&momentum) {
                *position += step * momentum;
            }
            posterior.evaluate(&mut place);
            if !place.squares.is_finite() {
                return 0.0;
            }
            push(&mut momentum, &place, scales, if n == steps { 0.5 * step } else { step });
        }
        let gain = start - scales.energy(&place) - kinetic(&momentum);
        // NaN is rejected.
        let probability = if gain.is_nan() { 0.0 } else { libm::exp(gain.min(0.0)) };
        if f64::from(self.rng.uniform()) < probability {
            self.place = place;
        }
        probability
    }
}

/// Changes the momentum by the gradient of the energy over a time.
fn push(momentum: &mut [f32], place: &Place, scales: Scales, time: f32) {
    let (noise, weight) = scales.precisions();
    let (noise, weight) = (-time * noise as f32, -time * weight as f32);
    for (momentum, (slope, position)) in momentum.iter_mut().zip(place.slope.iter().zip(&place.position)) {
        *momentum += noise * slope + weight * position;
    }
}

fn kinetic(momentum: &[f32]) -> f64 {
    0.5 * momentum.iter().map(|p| f64::from(*p) * f64::from(*p)).sum::<f64>()
}
