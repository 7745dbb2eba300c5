//! Named random streams: each is a function of (seed, purpose, problem, index), so that the use of one does not change
//! another.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::Seed;
use crate::estimate::probit;

/// The largest absolute deviate that [`Stream::truncated_normal`] keeps, in standard deviations.
pub const TRUNCATION: f64 = 2.0;

/// A stream of random numbers.
///
/// Equal calls give equal bits on every platform: integers come from `ChaCha8`, transcendental functions from `libm`.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

/// Makes the stream for `purpose` at `index` of `problem` under the master `seed`.
///
/// `problem` is the stream name of a problem: its name if the problem is sampled, the digest of its contents if it is
/// imported.
///
/// The hash includes the length of each name before the name, so that different names never give the same key.
pub fn stream(seed: impl Into<Seed>, purpose: &str, problem: &str, index: u64) -> Stream {
    let mut message = Vec::with_capacity(purpose.len() + problem.len() + 24);
    for name in [purpose, problem] {
        message.extend((name.len() as u64).to_le_bytes());
        message.extend(name.as_bytes());
    }
    message.extend(index.to_le_bytes());
    Stream(ChaCha8Rng::from_seed(seed.into().derive(&message)))
}

/// Returns the seed with which every agent trains on `problem`, given by its stream name.
///
/// Under a sealed master seed, it is 64 bits of a one-way function and reveals nothing of the master seed or of another
/// problem's seed.
pub fn agent_seed(seed: Seed, problem: &str) -> u64 {
    stream(seed, "agent", problem, 0).next_u64()
}

impl Stream {
    /// Draws 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a uniform number in [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Draws a standard normal number, the quantile of one uniform number; its absolute value is at most 8.3.
    pub fn normal(&mut self) -> f64 {
        // Midpoints of 2^52 equal cells: neither 0 nor 1, both of which have an infinite quantile.
        let cell = (self.next_u64() >> 12) as f64 + 0.5;
        probit::probit(cell * (1.0 / 4_503_599_627_370_496.0))
    }

    /// Draws a standard normal number truncated to [-2, 2], by rejection; its variance is about 0.774.
    pub fn truncated_normal(&mut self) -> f64 {
        loop {
            let z = self.normal();
            if z.abs() <= TRUNCATION {
                return z;
            }
        }
    }

    /// Draws a class with probabilities `probs`, which need not sum to exactly 1; never draws a class of probability 0.
    ///
    /// # Panics
    /// When no probability is positive.
    pub fn categorical(&mut self, probs: &[f32]) -> u32 {
        let total: f64 = probs.iter().map(|&p| f64::from(p)).sum();
        let target = self.uniform() * total;
        let mut cumulative = 0.0;
        for (class, &p) in probs.iter().enumerate() {
            cumulative += f64::from(p);
            if target < cumulative {
                return class as u32;
            }
        }
        // Rounding may raise the target to the total itself.
        let last = probs.iter().rposition(|&p| p > 0.0);
        last.expect("a categorical distribution has a positive probability") as u32
    }
}

#[cfg(test)]
mod tests;
