//! Convergence diagnostics of chains.

/// Returns split R-hat: the factor by which the scale of a quantity might still shrink if the chains ran forever. It
/// is 1 if they agree, and `None` if a chain has fewer than four values or nothing varies.
///
/// # Formula
///
/// Every chain is split into halves of n values. With W the mean of the halves' variances and B / n the variance of
/// their means, R-hat is sqrt((W (n - 1) / n + B / n) / W). Gelman and others, Bayesian data analysis, third edition,
/// section 11.4.
pub(crate) fn r_hat(chains: &[Vec<f64>]) -> Option<f64> {
    let n = chains.iter().map(Vec::len).min()? / 2;
    if n < 2 {
        return None;
    }
    let halves: Vec<(f64, f64)> =
        chains.iter().flat_map(|chain| [moments(&chain[..n]), moments(&chain[chain.len() - n..])]).collect();
    let within = halves.iter().map(|(_, variance)| variance).sum::<f64>() / halves.len() as f64;
    let means: Vec<f64> = halves.iter().map(|(mean, _)| *mean).collect();
    let between = moments(&means).1;
    let n = n as f64;
    (within > 0.0).then(|| ((within * (n - 1.0) / n + between) / within).sqrt())
}

/// Computes the mean and the unbiased variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, squares / (values.len() as f64 - 1.0))
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    #[test]
    fn by_hand() {
        // Halves (0, 2), (2, 4), (4, 6), (6, 8): W = 2, and the means 1, 3, 5, 7 have variance 20 / 3.
        let found = r_hat(&[vec![0.0, 2.0, 2.0, 4.0], vec![4.0, 6.0, 6.0, 8.0]]).unwrap();
        assert!((found - f64::midpoint(1.0, 20.0 / 3.0).sqrt()).abs() < 1e-12, "{found}");
        assert!(r_hat(&[vec![1.0; 8], vec![1.0; 8]]).is_none() && r_hat(&[vec![1.0, 2.0, 3.0]]).is_none());
    }

    #[test]
    fn it_is_one_where_chains_sample_the_same_law_and_more_where_one_is_elsewhere() {
        let chain = |draw: u64, shift: f64| -> Vec<f64> {
            let mut rng = Rng::new(1, draw);
            (0..2000).map(|_| f64::from(rng.normal()) + shift).collect()
        };
        let same = r_hat(&[chain(0, 0.0), chain(1, 0.0), chain(2, 0.0)]).unwrap();
        let apart = r_hat(&[chain(0, 0.0), chain(1, 0.0), chain(2, 3.0)]).unwrap();
        assert!(same < 1.01 && apart > 1.5, "{same} and {apart}");
    }
}
