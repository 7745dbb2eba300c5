//! The probit, the quantile function of the standard normal distribution: an accurate version for all probabilities,
//! and a fast one for probits in [-5, 5].

mod accurate;
mod fast;

pub use accurate::probit;
pub use fast::{HIGHEST, LOWEST, clamp, clipped};

/// 2^-149, the smallest positive `f32`, whose probit replaces infinite ones.
const SMALLEST: f64 = f64::from_bits((1023 - 149) << 52);

/// Computes finite probits of probabilities: a probability of 0 counts as 2^-149, and a probability of 1 gets the
/// negative of that probit.
pub(super) fn finite(probs: &[f32], probits: &mut [f32]) {
    for (probit, &p) in probits.iter_mut().zip(probs) {
        let quantile = match p {
            0.0 => accurate::probit(SMALLEST),
            1.0 => -accurate::probit(SMALLEST),
            p => accurate::probit(f64::from(p)),
        };
        *probit = quantile as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_has_a_finite_probit_beyond_all_others() {
        let mut probits = [0.0; 4];
        finite(&[0.0, f32::from_bits(1), 1.0 - f32::EPSILON / 2.0, 1.0], &mut probits);
        assert_eq!(probits[0], probits[1]);
        assert_eq!(probits[3], -probits[0]);
        assert!(probits[2] < probits[3]);
        assert!((-14.3..-14.1).contains(&probits[0]));
    }
}
