//! Mixtures of Gaussians: the predictive distribution of an observation over an agent's draws.

use jointly_core::distribution::{normal_cdf, normal_density, normal_quantile};

/// Maximum number of steps to a quantile. Each step bisects the bracket unless a Newton step does better: enough for
/// any `f64`.
const MOST_STEPS: u32 = 300;
/// Error of a quantile, as a fraction of the range of the components' own quantiles.
const PRECISION: f64 = 1e-13;

/// One Gaussian of a mixture; with a deviation of 0 it is a point mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// Its probability in the mixture.
    pub weight: f64,
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation, 0 or more.
    pub deviation: f64,
}

/// A mixture of Gaussians, some of which may be point masses.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalMixture(Vec<Component>);

impl NormalMixture {
    /// Creates a mixture from components whose weights add up to 1.
    ///
    /// # Panics
    /// When there are no components, or in a debug build when the weights do not add up to 1 or a deviation is
    /// negative.
    pub fn new(components: Vec<Component>) -> Self {
        assert!(!components.is_empty(), "a mixture has a component");
        debug_assert!((components.iter().map(|c| c.weight).sum::<f64>() - 1.0).abs() < 1e-6);
        debug_assert!(components.iter().all(|c| c.deviation >= 0.0));
        Self(components)
    }

    /// Creates N(mean, deviation^2).
    pub fn normal(mean: f64, deviation: f64) -> Self {
        Self::new(vec![Component { weight: 1.0, mean, deviation }])
    }

    /// Returns the components.
    pub fn components(&self) -> &[Component] {
        &self.0
    }

    /// Returns the distribution function at `y`: `sum w_m Phi((y - mean_m) / deviation_m)`.
    ///
    /// At the location of a point mass half of its weight counts, so that a point prediction that is correct has the
    /// value 1/2.
    pub fn cdf(&self, y: f64) -> f64 {
        self.0.iter().map(|c| c.weight * normal_cdf(c.standardized(y))).sum()
    }

    /// Returns the p-quantile.
    ///
    /// # Formula
    /// The quantile lies between the smallest and the largest of the components' own p-quantiles. The search starts
    /// with this bracket and takes Newton steps, or bisects wherever a Newton step would leave the bracket or does not
    /// halve the step before, until the error is within 1e-13 of the first bracket's width. Where the distribution
    /// function jumps over p, the quantile is the location of the jump.
    ///
    /// # Panics
    /// When `p` is not between 0 and 1.
    pub fn quantile(&self, p: f64) -> f64 {
        assert!(p > 0.0 && p < 1.0, "a probability is between 0 and 1, not {p}");
        let z = normal_quantile(p);
        let own = || self.0.iter().map(|c| c.mean + z * c.deviation);
        let (mut low, mut high) = (own().fold(f64::INFINITY, f64::min), own().fold(f64::NEG_INFINITY, f64::max));
        let precision = PRECISION * (high - low);
        let start: f64 = self.0.iter().map(|c| c.weight * (c.mean + z * c.deviation)).sum();
        let mut y = start.clamp(low, high);
        let mut last = high - low;
        for _ in 0..MOST_STEPS {
            let gap = p - self.cdf(y);
            if gap == 0.0 {
                break;
            }
            if gap > 0.0 {
                low = y;
            } else {
                high = y;
            }
            let newton = gap / self.density(y);
            // With a density of 0 the step is infinite or NaN, and `inside` is false.
            let inside = y + newton > low && y + newton < high;
            let next = if inside && newton.abs() <= 0.5 * last { y + newton } else { 0.5 * (low + high) };
            last = (next - y).abs();
            y = next;
            if last <= precision || high - low <= precision {
                break;
            }
        }
        y
    }

    /// Returns the density of the components that are not point masses.
    fn density(&self, y: f64) -> f64 {
        let normal = self.0.iter().filter(|c| c.deviation > 0.0);
        normal.map(|c| c.weight / c.deviation * normal_density(c.standardized(y))).sum()
    }
}

impl Component {
    /// Returns `(y - mean) / deviation`; for a point mass 0 at its location and infinite elsewhere.
    pub(crate) fn standardized(self, y: f64) -> f64 {
        let distance = y - self.mean;
        if self.deviation > 0.0 {
            distance / self.deviation
        } else if distance == 0.0 {
            0.0
        } else {
            f64::INFINITY.copysign(distance)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mixture(parts: &[(f64, f64, f64)]) -> NormalMixture {
        let component = |&(weight, mean, deviation): &(f64, f64, f64)| Component { weight, mean, deviation };
        NormalMixture::new(parts.iter().map(component).collect())
    }

    #[test]
    fn one_component_has_the_normal_quantiles() {
        let law = NormalMixture::normal(3.0, 2.0);
        for p in [1e-9, 0.1, 0.5, 0.975] {
            assert_eq!(law.quantile(p), 3.0 + 2.0 * normal_quantile(p));
        }
        assert!((law.cdf(5.0) - normal_cdf(1.0)).abs() < 1e-15);
    }

    #[test]
    fn a_symmetric_mixture_has_its_median_in_the_middle() {
        // Half a unit wide each and ten apart: there is almost no density at the median.
        let law = mixture(&[(0.5, -5.0, 0.5), (0.5, 5.0, 0.5)]);
        assert!(law.quantile(0.5).abs() < 1e-9);
        assert!((law.quantile(0.25) + 5.0).abs() < 1e-9);
        assert!((law.quantile(0.975) - (5.0 + 0.5 * normal_quantile(0.95))).abs() < 1e-9);
    }

    #[test]
    fn points_make_jumps() {
        let law = mixture(&[(0.3, 1.0, 0.0), (0.7, 2.0, 0.0)]);
        for (y, p) in [(0.5, 0.0), (1.0, 0.15), (1.5, 0.3), (2.0, 0.65), (3.0, 1.0)] {
            assert!((law.cdf(y) - p).abs() < 1e-15, "{y}");
        }
        assert!((law.quantile(0.2) - 1.0).abs() < 1e-12 && (law.quantile(0.4) - 2.0).abs() < 1e-12);
        assert_eq!(NormalMixture::normal(4.0, 0.0).quantile(0.9), 4.0);
        assert_eq!(NormalMixture::normal(4.0, 0.0).cdf(4.0), 0.5);
        let mixed = mixture(&[(0.5, 0.0, 0.0), (0.5, 0.0, 1.0)]);
        assert!(mixed.quantile(0.6).abs() < 1e-12 && mixed.quantile(0.9) > 0.5);
    }

    fn parts() -> impl Strategy<Value = Vec<(f64, f64, f64)>> {
        prop::collection::vec((0.01..1.0, -1e3..1e3, prop_oneof![1e-6..1e-3, 0.1..1e3]), 1..12).prop_map(|mut parts| {
            let total: f64 = parts.iter().map(|part: &(f64, f64, f64)| part.0).sum();
            for part in &mut parts {
                part.0 /= total;
            }
            parts
        })
    }

    proptest! {
        #[test]
        fn the_quantile_undoes_the_distribution_function(parts in parts(), p in 0.001..0.999_f64) {
            let law = mixture(&parts);
            let y = law.quantile(p);
            // Where a narrow component makes the distribution function steep, the precision of y dominates.
            let step = 1e-9 * y.abs().max(1.0);
            prop_assert!(law.cdf(y - step) <= p + 1e-9 && law.cdf(y + step) >= p - 1e-9, "{} at {}", law.cdf(y), y);
        }

        #[test]
        fn quantiles_rise(parts in parts(), p in 0.01..0.5_f64) {
            let law = mixture(&parts);
            prop_assert!(law.quantile(p) <= law.quantile(1.0 - p));
        }
    }
}
