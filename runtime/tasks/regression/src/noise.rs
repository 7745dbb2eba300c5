//! The distributions of observation noise: Gaussian, heavy-tailed, skewed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use jointly_core::distribution::{normal_cdf, normal_quantile, student_t_cdf, student_t_quantile};
use jointly_core::stream::Stream;

/// Degrees of freedom of the heavy-tailed distribution: the smallest whole number with a finite variance.
const DEGREES: f64 = 3.0;

/// The distribution of the observation noise, standardised to mean 0 and variance 1.
///
/// # Formula
/// `Normal` is N(0, 1). `StudentT` is T / sqrt 3, with T from Student's t distribution with 3 degrees of freedom:
/// symmetric, with tails so heavy that the fourth moment does not exist. `Exponential` is E - 1, with E from the
/// exponential distribution of mean 1: skewed, never below -1. Section 6.1 of Sluijterman et al. asks for other
/// distributions than the normal one, "to see what happens if the customary assumption of normality does not hold": one
/// changes its tails, the other its symmetry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// N(0, 1).
    #[default]
    Normal,
    /// Student's t distribution with 3 degrees of freedom, divided by its standard deviation.
    StudentT,
    /// The exponential distribution minus its mean.
    Exponential,
}

impl Noise {
    /// All noise distributions.
    pub const ALL: [Self; 3] = [Self::Normal, Self::StudentT, Self::Exponential];

    /// Returns the name used by `--noise` and in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::StudentT => "student-t",
            Self::Exponential => "exponential",
        }
    }

    /// Returns the distribution function at `z`; it is continuous for each distribution.
    ///
    /// # Panics
    /// When `z` is NaN.
    pub fn cdf(self, z: f64) -> f64 {
        assert!(!z.is_nan(), "a deviation is a number");
        match self {
            Self::Normal => normal_cdf(z),
            Self::StudentT => student_t_cdf(z * DEGREES.sqrt(), DEGREES),
            Self::Exponential => -libm::expm1(-(z + 1.0).max(0.0)),
        }
    }

    /// Returns the p-quantile, the inverse of [`cdf`](Self::cdf).
    ///
    /// # Panics
    /// When `p` is not in [0, 1].
    pub fn quantile(self, p: f64) -> f64 {
        assert!((0.0..=1.0).contains(&p), "a probability is in [0, 1], not {p}");
        match self {
            Self::Normal => normal_quantile(p),
            Self::StudentT => student_t_quantile(p, DEGREES) / DEGREES.sqrt(),
            Self::Exponential => -libm::log1p(-p) - 1.0,
        }
    }

    /// Draws a deviate, the quantile of one uniform number, so that the same stream gives deviates of the same rank
    /// under each distribution.
    pub fn sample(self, source: &mut Stream) -> f64 {
        self.quantile(open_uniform(source))
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Normal => "normal",
            Self::StudentT => "student-t",
            Self::Exponential => "exponential",
        })
    }
}

/// Draws uniformly from (0, 1): the midpoint of one of 2^52 equal cells, whose Gaussian quantile [`Stream::normal`]
/// returns.
pub(crate) fn open_uniform(source: &mut Stream) -> f64 {
    ((source.next_u64() >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    const CELLS: u32 = 200_000;

    /// Computes mean and variance by the midpoint rule over quantiles.
    fn moments(noise: Noise) -> (f64, f64) {
        let z = |i: u32| noise.quantile((f64::from(i) + 0.5) / f64::from(CELLS));
        let mean = (0..CELLS).map(z).sum::<f64>() / f64::from(CELLS);
        (mean, (0..CELLS).map(|i| z(i) * z(i)).sum::<f64>() / f64::from(CELLS))
    }

    #[test]
    fn each_has_mean_zero_and_variance_one() {
        for noise in Noise::ALL {
            let (mean, variance) = moments(noise);
            // The midpoint rule misses most of what the heavy tails contribute beyond the last cell: about
            // `(1 / CELLS)^(1/3)`.
            let tolerance = if noise == Noise::StudentT { 0.03 } else { 1e-3 };
            assert!(mean.abs() < 1e-4 && (variance - 1.0).abs() < tolerance, "{noise}: {mean} and {variance}");
        }
    }

    #[test]
    fn probabilities_known_on_paper() {
        assert!((Noise::Normal.cdf(1.0) - 0.841_344_746_068_543).abs() < 1e-15);
        assert_eq!(Noise::Exponential.cdf(-1.5), 0.0);
        assert!((Noise::Exponential.cdf(0.0) - 0.632_120_558_828_557_7).abs() < 1e-15);
        // At 1, T is sqrt 3: 1/2 + (1/2 + pi/4) / pi.
        let one = 0.5 + (0.5 + std::f64::consts::FRAC_PI_4) / std::f64::consts::PI;
        assert!((Noise::StudentT.cdf(1.0) - one).abs() < 1e-14);
        for noise in Noise::ALL {
            assert_eq!((noise.cdf(f64::NEG_INFINITY), noise.cdf(f64::INFINITY)), (0.0, 1.0), "{noise}");
        }
    }

    #[test]
    fn samples_follow_the_distribution_function() {
        for noise in Noise::ALL {
            let mut source = stream(0, "test", "noise", 0);
            let mut probs: Vec<f64> = (0..10_000).map(|_| noise.cdf(noise.sample(&mut source))).collect();
            probs.sort_by(f64::total_cmp);
            let gap = |(i, p): (usize, &f64)| (p - (i as f64 + 0.5) / 10_000.0).abs();
            let kolmogorov = probs.iter().enumerate().map(gap).fold(0.0, f64::max);
            // Samples of the distribution exceed this once in 1000 times.
            assert!(kolmogorov < 1.95 / 100.0, "{noise}: {kolmogorov}");
        }
    }

    #[test]
    fn one_stream_gives_the_same_ranks_under_each_law() {
        for i in 0..20 {
            let rank = |noise: Noise| noise.cdf(noise.sample(&mut stream(i, "test", "rank", 0)));
            assert!((rank(Noise::Normal) - rank(Noise::StudentT)).abs() < 1e-11);
            assert!((rank(Noise::Normal) - rank(Noise::Exponential)).abs() < 1e-11);
        }
        let normal = Noise::Normal.sample(&mut stream(3, "test", "same", 0));
        assert_eq!(normal, stream(3, "test", "same", 0).normal());
    }
}
