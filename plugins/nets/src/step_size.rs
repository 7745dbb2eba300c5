//! Adapts the step size of a Markov chain so that the mean acceptance probability of its trajectories reaches a target.

/// Dual averaging of the logarithm of the step size.
///
/// # Formula
///
/// After t transitions with acceptance probabilities a_1..a_t: h_t = (1 - 1 / (t + 10)) h_{t-1} + (0.8 - a_t) / (t +
/// 10). The logarithm of the current step size is log(10 e_0) - 20 sqrt(t) h_t; the final one is its average with
/// weights t^-0.75. Hoffman and Gelman, JMLR 2014, section 3.2.
#[derive(Clone, Debug)]
pub struct StepSize {
    /// The value towards which the logarithm of the step size shrinks: log(10 e_0).
    centre: f64,
    transitions: f64,
    excess: f64,
    log_current: f64,
    log_settled: f64,
}

impl StepSize {
    /// The target of the mean acceptance probability.
    pub const TARGET: f64 = 0.8;

    const SHRINKAGE: f64 = 0.05;
    const STABILIZATION: f64 = 10.0;
    const DECAY: f64 = 0.75;

    /// Starts the adaptation at the step size `start`.
    pub fn new(start: f32) -> Self {
        let log_start = libm::log(f64::from(start));
        Self {
            centre: log_start + std::f64::consts::LN_10,
            transitions: 0.0,
            excess: 0.0,
            log_current: log_start,
            log_settled: log_start,
        }
    }

    /// Updates the step size with the acceptance probability of one transition.
    pub fn learn(&mut self, acceptance: f64) {
        self.transitions += 1.0;
        let share = 1.0 / (self.transitions + Self::STABILIZATION);
        self.excess = (1.0 - share) * self.excess + share * (Self::TARGET - acceptance);
        self.log_current = self.centre - self.transitions.sqrt() / Self::SHRINKAGE * self.excess;
        let weight = libm::pow(self.transitions, -Self::DECAY);
        self.log_settled = weight * self.log_current + (1.0 - weight) * self.log_settled;
    }

    /// The step size of the next transition during adaptation.
    pub fn current(&self) -> f32 {
        libm::exp(self.log_current) as f32
    }

    /// The averaged step size, to be used once adaptation is over.
    pub fn settled(&self) -> f32 {
        libm::exp(self.log_settled) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::StepSize;

    #[test]
    fn settles_where_the_acceptance_is_the_target() {
        // The acceptance probability decreases with the step size e: 1 - e / 2 is 0.8 at e = 0.4.
        let mut step_size = StepSize::new(1.0);
        for _ in 0..2000 {
            step_size.learn((1.0 - f64::from(step_size.current()) / 2.0).clamp(0.0, 1.0));
        }
        assert!((step_size.settled() - 0.4).abs() < 0.02, "{}", step_size.settled());
    }
}
