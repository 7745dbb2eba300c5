//! Relaxed dropout masks: numbers between dropped and kept that are differentiable with respect to the rate.

use jointly_sdk::Rng;

/// The range of the logit of a rate; the rate is between 6e-6 and 0.98.
pub(crate) const LOGITS: (f32, f32) = (-12.0, 4.0);

/// Returns the probability with this logit.
pub(crate) fn rate(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

/// Returns the logit of a probability, clamped to the range of rates.
pub(crate) fn logit(rate: f32) -> f32 {
    (libm::logf(rate) - libm::log1pf(-rate)).clamp(LOGITS.0, LOGITS.1)
}

/// Draws the odds u / (1 - u) of a uniform number u.
pub(crate) fn odds(rng: &mut Rng) -> f32 {
    let u = rng.uniform();
    u / (1.0 - u)
}

/// The rate from which relaxed masks are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask {
    rate: f32,
    /// The odds of the rate.
    odds: f32,
}

impl Mask {
    pub(crate) fn new(logit: f32) -> Self {
        Self { rate: rate(logit), odds: libm::expf(logit) }
    }

    /// Returns the factor of a unit, and its derivative with respect to the logit of the rate.
    ///
    /// # Formula
    ///
    /// With rate p of logit q, z = 1 - sigmoid((q + logit u) / 0.1), the relaxation of Maddison et al. and Jang et
    /// al. at the temperature of Gal, Hron and Kendall. As the temperature is a tenth,
    /// z = 1 / (1 + (e^q u / (1 - u))^10). The factor is z / (1 - p); its derivative with respect to q is
    /// (p z - 10 z (1 - z)) / (1 - p).
    pub(crate) fn factor(self, odds: f32) -> (f32, f32) {
        let s = self.odds * odds;
        let square = s * s;
        let fifth = square * square * s;
        let z = 1.0 / (1.0 + fifth * fifth);
        let keeps = 1.0 - self.rate;
        (z / keeps, (self.rate * z - 10.0 * z * (1.0 - z)) / keeps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_nearly_bernoulli_and_their_slopes_are_right() {
        const DRAWS: usize = 20_000;
        // z is between 0.05 and 0.95 if |q + logit u| is less than a tenth of the logit of 0.95.
        let between = 0.1 * 19f32.ln();
        let mut rng = Rng::new(1, 0);
        for p in [0.01, 0.1, 0.5, 0.9] {
            let q = logit(p);
            assert!((rate(q) - p).abs() < 1e-6);
            let draws: Vec<f32> = (0..DRAWS).map(|_| odds(&mut rng)).collect();
            let kept: Vec<f32> = draws.iter().map(|odds| Mask::new(q).factor(*odds).0 * (1.0 - p)).collect();
            let mean = kept.iter().sum::<f32>() / DRAWS as f32 / (1.0 - p);
            assert!((mean - 1.0).abs() < 0.1, "{p}: {mean}");
            let share = |is: &dyn Fn(f32) -> bool| kept.iter().filter(|z| is(**z)).count() as f32 / DRAWS as f32;
            // Five standard errors.
            let near = |found: f32, expected: f32| {
                (found - expected).abs() < 5.0 * (expected * (1.0 - expected) / DRAWS as f32).sqrt()
            };
            let dropped = share(&|z| z < 0.5);
            assert!(near(dropped, p), "{p}: {dropped}");
            let undecided = share(&|z| (0.05..0.95).contains(&z));
            let expected = rate(q + between) - rate(q - between);
            assert!(near(undecided, expected) && undecided < 0.16, "{p}: {undecided} for {expected}");
            for odds in &draws[..200] {
                let (_, slope) = Mask::new(q).factor(*odds);
                let difference = (Mask::new(q + 1e-3).factor(*odds).0 - Mask::new(q - 1e-3).factor(*odds).0) / 2e-3;
                assert!((difference - slope).abs() < 2e-3 * slope.abs().max(1.0), "{p}: {difference} {slope}");
            }
        }
    }

    #[test]
    fn extremes_are_finite() {
        for q in [LOGITS.0, LOGITS.1] {
            for odds in [0.0, 1e-7, 1e8] {
                let (factor, slope) = Mask::new(q).factor(odds);
                assert!(factor.is_finite() && slope.is_finite() && factor >= 0.0);
            }
        }
    }
}
