//! A portable random number generator: the same numbers on every machine for every (seed, draw).

use std::convert::Infallible;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng, TryRng};

/// A seeded stream of random numbers. Different draws of one seed are independent streams.
///
/// It implements the generator trait of `rand`, so it samples from every distribution of `rand_distr`:
/// `Gamma::new(2.0, 1.0)?.sample(rng)`.
#[derive(Clone, Debug)]
pub struct Rng {
    chacha: ChaCha8Rng,
    /// The polar method makes normal numbers in pairs; this is the second one, not yet returned.
    spare: Option<f32>,
}

impl Rng {
    /// Creates the stream of `draw` under `seed`.
    pub fn new(seed: u64, draw: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut chacha = ChaCha8Rng::from_seed(key);
        chacha.set_stream(draw);
        Self { chacha, spare: None }
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.chacha.next_u64()
    }

    /// Draws uniformly from [0, 1).
    pub fn uniform(&mut self) -> f32 {
        (self.chacha.next_u32() >> 8) as f32 * (1.0 / (1 << 24) as f32)
    }

    /// Draws uniformly from 0, 1, ..., `n` - 1.
    ///
    /// # Panics
    ///
    /// Panics if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "nothing to choose from");
        // The bias of the high product is at most n / 2^64.
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// Draws from the standard normal distribution, by Marsaglia's polar method.
    pub fn normal(&mut self) -> f32 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let u = 2.0 * self.uniform_f64() - 1.0;
            let v = 2.0 * self.uniform_f64() - 1.0;
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let scale = (-2.0 * s.ln() / s).sqrt();
                self.spare = Some((v * scale) as f32);
                return (u * scale) as f32;
            }
        }
    }

    /// Draws from the standard normal distribution truncated to two standard deviations; its variance is .774, not
    /// rescaled.
    pub fn truncated_normal(&mut self) -> f32 {
        loop {
            let z = self.normal();
            if z.abs() <= 2.0 {
                return z;
            }
        }
    }

    /// Draws from the exponential distribution with mean 1.
    pub fn exponential(&mut self) -> f32 {
        -(1.0 - self.uniform_f64()).ln() as f32
    }

    fn uniform_f64(&mut self) -> f64 {
        (self.chacha.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

impl TryRng for Rng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.chacha.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.chacha.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.chacha.fill_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    const SAMPLES: usize = 200_000;
    /// Five standard errors of a mean of `SAMPLES` samples of unit variance.
    const TOLERANCE: f64 = 5.0 / 447.0;

    fn moments(mut next: impl FnMut() -> f32) -> (f64, f64) {
        let values: Vec<f64> = (0..SAMPLES).map(|_| f64::from(next())).collect();
        let mean = values.iter().sum::<f64>() / SAMPLES as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / SAMPLES as f64;
        (mean, variance)
    }

    #[test]
    fn numbers_never_move() {
        let mut rng = Rng::new(7, 3);
        assert_eq!(rng.next_u64(), 0xA9B5_3DC8_ACBB_C55E);
        let mut rng = Rng::new(7, 3);
        assert_ne!(rng.next_u64(), Rng::new(7, 4).next_u64());
        assert_ne!(Rng::new(7, 3).next_u64(), Rng::new(8, 3).next_u64());
    }

    #[test]
    fn moments_are_those_of_the_law() {
        let mut rng = Rng::new(1, 0);
        for (law, (mean, variance), expected) in [
            ("uniform", moments(|| rng.uniform()), (0.5, 1.0 / 12.0)),
            ("normal", moments(|| Rng::normal(&mut rng)), (0.0, 1.0)),
            ("truncated normal", moments(|| Rng::truncated_normal(&mut rng)), (0.0, 0.7737)),
            ("exponential", moments(|| Rng::exponential(&mut rng)), (1.0, 1.0)),
        ] {
            assert!((mean - expected.0).abs() < TOLERANCE, "{law}: mean {mean}");
            assert!((variance - expected.1).abs() < 4.0 * TOLERANCE, "{law}: variance {variance}");
        }
    }

    #[test]
    fn below_reaches_every_value_and_no_other() {
        let mut rng = Rng::new(2, 0);
        let mut counts = [0; 7];
        (0..7000).for_each(|_| counts[rng.below(7)] += 1);
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
    }
}
