//! Hamiltonian Monte Carlo for a standard normal prior truncated at walls, under any likelihood.

use jointly_core::stream::Stream;

/// The largest step size, in radians of the prior's rotation: far below the arc between two bounces.
pub(super) const WIDEST_STEP: f64 = std::f64::consts::FRAC_PI_4;
/// The rotation that makes a new position independent of the old one where the likelihood is flat.
const QUARTER_TURN: f64 = std::f64::consts::FRAC_PI_2;
/// The most bounces of a coordinate within one step; a trajectory with more is rejected. Run backwards it would bounce
/// as often, so the target distribution remains invariant.
const BOUNCES: usize = 32;

/// A position, and the log-likelihood and its gradient there.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) position: Vec<f64>,
    pub(super) log_likelihood: f64,
    gradient: Vec<f64>,
}

/// The length and resolution of a trajectory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trajectory {
    /// The likelihood's power, from 0 (the prior) to 1 (the posterior).
    pub(super) power: f64,
    /// The largest rotation between two kicks, in radians; each trajectory uses between half of it and all.
    pub(super) step: f64,
    /// The largest number of steps.
    pub(super) most_steps: usize,
}

impl Trajectory {
    /// Returns whether `most_steps` steps are too few for a quarter turn.
    pub(super) fn falls_short(&self) -> bool {
        self.step * (self.most_steps as f64) < QUARTER_TURN
    }
}

impl State {
    pub(super) fn new(position: Vec<f64>, likelihood: &mut impl FnMut(&[f64], &mut [f64]) -> f64) -> Self {
        let mut gradient = vec![0.0; position.len()];
        let log_likelihood = likelihood(&position, &mut gradient);
        Self { position, log_likelihood, gradient }
    }

    /// Proposes the end of one trajectory, accepts or rejects it, and returns the acceptance probability.
    ///
    /// # Formula
    /// The target's density is N(z; 0, I) L(z)^power within the walls. A trajectory of `H(z, p) = (|z|^2 + |p|^2) / 2 -
    /// power ln L(z)` alternates kicks by the gradient of the likelihood with the exact flow of the rest, which rotates
    /// each (z_i, p_i) and reverses p_i at a wall. The trajectory preserves volume and is reversible, so that accepting
    /// with probability min(1, exp(H before - H after)) leaves the target invariant. The probability is 0 when a
    /// coordinate bounces too often or the energy is NaN. Neal, "MCMC using Hamiltonian dynamics", 2011, sections 5.3
    /// and 5.5.1; Pakman and Paninski, "Exact Hamiltonian Monte Carlo for truncated multivariate Gaussians", 2014;
    /// Shahbaba et al., "Split Hamiltonian Monte Carlo", 2014.
    pub(super) fn transition(
        &mut self,
        walls: &[f64],
        trajectory: Trajectory,
        likelihood: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
        stream: &mut Stream,
    ) -> f64 {
        let Trajectory { power, step, most_steps } = trajectory;
        // Random step sizes let a chain leave regions of higher curvature than those where the step size was adapted.
        let step = step * (0.5 + 0.5 * stream.uniform());
        let mut momentum: Vec<f64> = self.position.iter().map(|_| stream.normal()).collect();
        let longest = (QUARTER_TURN / step).ceil().min(most_steps as f64);
        let steps = (longest * (0.5 + 0.5 * stream.uniform())).ceil().max(1.0) as usize;
        let uniform = stream.uniform();

        let mut end = self.clone();
        let before = end.energy(&momentum, power);
        end.kick(&mut momentum, power * step / 2.0);
        for i in 0..steps {
            if !rotate(&mut end.position, &mut momentum, walls, step) {
                return 0.0;
            }
            end.log_likelihood = likelihood(&end.position, &mut end.gradient);
            let last = i + 1 == steps;
            end.kick(&mut momentum, if last { power * step / 2.0 } else { power * step });
        }
        let gain = before - end.energy(&momentum, power);
        // A NaN energy is always rejected.
        let probability = if gain.is_nan() { 0.0 } else { libm::exp(gain.min(0.0)) };
        if uniform < probability {
            *self = end;
        }
        probability
    }

    fn energy(&self, momentum: &[f64], power: f64) -> f64 {
        let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
        0.5 * (square(&self.position) + square(momentum)) - power * self.log_likelihood
    }

    fn kick(&self, momentum: &mut [f64], factor: f64) {
        for (p, slope) in momentum.iter_mut().zip(&self.gradient) {
            *p += factor * slope;
        }
    }
}

/// Applies the flow of (z^2 + p^2) / 2 in each coordinate for a time `angle`, up to [`WIDEST_STEP`]; p changes sign at
/// a wall. Returns false when [`BOUNCES`] are too few; position and momentum are then meaningless.
///
/// A point of radius r meets a wall w where the cosine of its angle to the wall's axis is w / r. Reversing p there
/// moves it to the mirror image across that axis, which is a further rotation by twice that angle.
fn rotate(position: &mut [f64], momentum: &mut [f64], walls: &[f64], angle: f64) -> bool {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    for ((z, p), &wall) in position.iter_mut().zip(momentum).zip(walls) {
        let before = *p;
        (*z, *p) = (*z * cos + *p * sin, *p * cos - *z * sin);
        let square = (*z * *z + *p * *p) / (wall * wall);
        // Beyond the wall now, or on the way across the axis.
        if square > 1.0 && (z.abs() > wall || before * *p < 0.0) {
            let cos = (2.0 / square - 1.0).max(-1.0);
            let sin = 2.0 * (square - 1.0).sqrt() / square;
            let mut bounce = || {
                (*z, *p) = (*z * cos + *p * sin, *p * cos - *z * sin);
                z.abs() <= wall
            };
            if !(0..BOUNCES).any(|_| bounce()) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests;
