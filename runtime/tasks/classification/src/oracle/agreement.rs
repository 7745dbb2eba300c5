//! Convergence of chains: the potential scale reduction (R-hat) and the effective number of draws.

/// The agreement of chains on one quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The ratio of the standard deviation of all draws to that within half a chain: 1 when the chains agree.
    pub r_hat: f64,
    /// The number of independent draws that would give the mean as small an error.
    pub effective: f64,
}

impl Agreement {
    /// Computes the agreement of a quantity's values, one list of equal length for each chain.
    ///
    /// # Formula
    /// For C chains of n values, let W be the mean variance within chains and B / n the variance of their means. Then
    /// `V = W (n - 1) / n + B / n`,
    /// and R-hat = sqrt(V / W), computed with each half of a chain as a chain. With r_t = 1 - (W - mean autocovariance
    /// at lag t) / V, the effective number of draws is C n / (-1 + 2 sum of the pairs r_2k + r_2k+1 before the first
    /// that is not positive, each capped at the one before). A quantity that is constant over all draws has R-hat 1 and
    /// the effective number C n; one that is not finite in some draw has R-hat infinity and the effective number 0.
    /// Gelman et al., "Bayesian Data Analysis", 3rd ed., sections 11.4 and 11.5; Geyer, "Practical Markov chain Monte
    /// Carlo", 1992.
    pub(super) fn of(chains: &[Vec<f64>]) -> Self {
        if chains.iter().flatten().any(|value| !value.is_finite()) {
            return Self { r_hat: f64::INFINITY, effective: 0.0 };
        }
        let halves: Vec<&[f64]> = chains.iter().flat_map(|chain| halves(chain)).collect();
        let Spread { within, total } = Spread::of(&halves);
        let r_hat = if total == 0.0 { 1.0 } else { (total / within).sqrt() };
        let whole: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        Self { r_hat, effective: effective(&whole) }
    }
}

/// Returns the two halves of a chain, without the middle value if its length is odd.
fn halves(chain: &[f64]) -> [&[f64]; 2] {
    let half = chain.len() / 2;
    [&chain[..half], &chain[chain.len() - half..]]
}

/// The variance within chains and the estimated variance of the target.
struct Spread {
    within: f64,
    total: f64,
}

impl Spread {
    fn of(chains: &[&[f64]]) -> Self {
        let n = chains[0].len() as f64;
        let within = mean(chains.iter().map(|chain| autocovariance(chain, 0) * n / (n - 1.0)));
        let means: Vec<f64> = chains.iter().map(|chain| mean(chain.iter().copied())).collect();
        let count = means.len() as f64;
        let between = autocovariance(&means, 0) * count / (count - 1.0);
        Self { within, total: within * (n - 1.0) / n + between }
    }
}

fn effective(chains: &[&[f64]]) -> f64 {
    let n = chains[0].len();
    let all = (chains.len() * n) as f64;
    let Spread { within, total } = Spread::of(chains);
    if total == 0.0 {
        return all;
    }
    let correlation = |lag| 1.0 - (within - mean(chains.iter().map(|chain| autocovariance(chain, lag)))) / total;
    let (mut sum, mut least) = (0.0, f64::INFINITY);
    for lag in (0..n - 1).step_by(2) {
        let pair = if lag == 0 { 1.0 } else { correlation(lag) } + correlation(lag + 1);
        if pair <= 0.0 {
            break;
        }
        least = pair.min(least);
        sum += least;
    }
    // Negatively correlated draws could be worth more than their number; the estimate is capped at it.
    all / (2.0 * sum - 1.0).max(1.0)
}

/// The autocovariance at a lag: the sum of products of deviations, divided by the number of values.
fn autocovariance(values: &[f64], lag: usize) -> f64 {
    let mean = mean(values.iter().copied());
    let products = values.iter().zip(&values[lag..]).map(|(a, b)| (a - mean) * (b - mean));
    products.sum::<f64>() / values.len() as f64
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::Agreement;

    const CHAINS: u64 = 8;
    const LENGTH: usize = 2000;
    /// Five standard errors of R-hat over chains of this length.
    const R_HAT: f64 = 0.01;
    /// The relative error of an effective number estimated from this many draws.
    const RELATIVE: f64 = 0.15;

    /// Autoregressions x_t = a x_t-1 + noise of variance 1 - a^2, whose effective number of draws is (1 - a) / (1 + a)
    /// of all.
    fn autoregressions(a: f64) -> Vec<Vec<f64>> {
        let chain = |i| {
            let mut source = stream(0, "test", "autoregression", i);
            let mut x = source.normal();
            let mut next = move || {
                x = a * x + (1.0 - a * a).sqrt() * source.normal();
                x
            };
            (0..LENGTH).map(|_| next()).collect()
        };
        (0..CHAINS).map(chain).collect()
    }

    #[test]
    fn chains_of_one_law_agree_and_count_less_the_more_they_linger() {
        for (a, share) in [(0.0, 1.0), (0.5, 1.0 / 3.0), (0.9, 0.1 / 1.9)] {
            let agreement = Agreement::of(&autoregressions(a));
            assert!((agreement.r_hat - 1.0).abs() < R_HAT / (1.0 - a), "{agreement:?}");
            let expected = share * (CHAINS as f64 * LENGTH as f64);
            assert!((agreement.effective / expected - 1.0).abs() < RELATIVE, "{a}: {agreement:?}, not {expected}");
        }
    }

    #[test]
    fn a_chain_that_stays_elsewhere_shows() {
        let mut chains = autoregressions(0.0);
        for x in &mut chains[3] {
            *x += 3.0;
        }
        let agreement = Agreement::of(&chains);
        // The means' variance is 9 / 8, added to a variance of 1 within.
        assert!((agreement.r_hat - (17.0_f64 / 8.0).sqrt()).abs() < 5.0 * R_HAT, "{agreement:?}");
        assert!(agreement.effective < 4.0 * CHAINS as f64, "{agreement:?}");
    }

    #[test]
    fn a_drift_within_chains_shows() {
        let drift = |(t, x): (usize, f64)| x + if t < LENGTH / 2 { 0.0 } else { 3.0 };
        let chains: Vec<Vec<f64>> =
            autoregressions(0.0).into_iter().map(|chain| chain.into_iter().enumerate().map(drift).collect()).collect();
        assert!(Agreement::of(&chains).r_hat > 1.5);
    }

    #[test]
    fn what_is_no_number_is_not_agreed_upon() {
        for hole in [f64::NAN, f64::INFINITY] {
            let mut chains = autoregressions(0.0);
            chains[3][7] = hole;
            assert_eq!(Agreement::of(&chains), Agreement { r_hat: f64::INFINITY, effective: 0.0 });
        }
    }

    #[test]
    fn what_never_changes_is_agreed_upon() {
        assert_eq!(Agreement::of(&vec![vec![2.0; 10]; 3]), Agreement { r_hat: 1.0, effective: 30.0 });
    }
}
