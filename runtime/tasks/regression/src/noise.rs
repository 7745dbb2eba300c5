//! The laws that observation noise may have: normal, heavy-tailed, lopsided.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use jointly_core::distribution::{normal_cdf, normal_quantile, student_t_cdf, student_t_quantile};
use jointly_core::stream::Stream;

/// Degrees of freedom of the heavy-tailed law: the fewest whole ones that have a variance.
const DEGREES: f64 = 3.0;

/// The law of the observation noise, standardised: of mean 0 and variance 1 in each case.
///
/// # Formula
/// `Normal` is N(0, 1). `StudentT` is T / sqrt 3, T of Student's law with 3 degrees of freedom: symmetric, its tails so
/// heavy that there is no fourth moment. `Exponential` is E - 1, E of the exponential law: skewed, never below -1. Section
/// 6.1 of Sluijterman et al. asks for laws other than the normal, "to see what happens if the customary assumption of
/// normality does not hold": one breaks its tails, the other its symmetry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// N(0, 1).
    #[default]
    Normal,
    /// Student's t with 3 degrees of freedom, over its standard deviation.
    StudentT,
    /// The exponential law less its mean.
    Exponential,
}

impl Noise {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Normal, Self::StudentT, Self::Exponential];

    /// The name that `--noise` and plans have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::StudentT => "student-t",
            Self::Exponential => "exponential",
        }
    }

    /// The distribution function, continuous in each case.
    ///
    /// # Panics
    /// When `z` is no number.
    pub fn cdf(self, z: f64) -> f64 {
        assert!(!z.is_nan(), "a deviation is a number");
        match self {
            Self::Normal => normal_cdf(z),
            Self::StudentT => student_t_cdf(z * DEGREES.sqrt(), DEGREES),
            Self::Exponential => -libm::expm1(-(z + 1.0).max(0.0)),
        }
    }

    /// The deviation that [`cdf`](Self::cdf) gives p, for p between 0 and 1.
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

    /// A deviate: the quantile of one uniform number, so that the same stream gives deviates of the same rank under each
    /// law.
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

/// Uniform on (0, 1): the midpoint of one of 2^52 equal cells, the number that [`Stream::normal`] is the quantile of.
pub(crate) fn open_uniform(source: &mut Stream) -> f64 {
    ((source.next_u64() >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    const CELLS: u32 = 200_000;

    /// Mean and variance by the midpoint rule over quantiles.
    fn moments(noise: Noise) -> (f64, f64) {
        let z = |i: u32| noise.quantile((f64::from(i) + 0.5) / f64::from(CELLS));
        let mean = (0..CELLS).map(z).sum::<f64>() / f64::from(CELLS);
        (mean, (0..CELLS).map(|i| z(i) * z(i)).sum::<f64>() / f64::from(CELLS))
    }

    #[test]
    fn each_has_mean_zero_and_variance_one() {
        for noise in Noise::ALL {
            let (mean, variance) = moments(noise);
            // The midpoint rule misses most of what the heavy tails hold beyond the last cell: about (1 / CELLS)^(1/3).
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
            // Exceeded once in 1000 times by samples of the law.
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
