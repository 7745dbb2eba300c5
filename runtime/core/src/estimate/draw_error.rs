//! The Monte Carlo error of a score that is estimated from finitely many draws of a posterior.

use super::joint_estimate::JointEstimate;

/// The Monte Carlo error over draws of a mean over tau-samples, accumulated one tau-sample at a time.
///
/// The M draws must be independent draws from the posterior, as [`Model`](crate::Model) promises of draws 0, 1, 2, ...
/// Both numbers are wrong for draws that are chosen to cover the posterior, and for draws of a slowly mixing chain.
/// Errors are in nats per tau-sample, like the mean log-likelihood; effective numbers are numbers of draws.
///
/// # Formula
/// `w_{n,m}` is the weight of function m in the [estimate](JointEstimate) at tau-sample n. All N tau-samples are
/// estimated from the same M draws, so the influence of a draw on the mean of N log-likelihoods is
/// `A_m` = (1/N) sum over n of (`w_{n,m}` - 1). Because draws are independent, the standard error of that mean is
/// sqrt(sum over m of (`A_m` - mean A)^2 / (M - 1) / M): the delta method.
///
/// The [variance](JointEstimate::variance) `V_n` of the likelihoods that the draws give to tau-sample n, relative to
/// their mean, gives Kish's effective number of draws, (sum L)^2 / sum L^2 = M / (1 + `V_n`): this many draws of equal
/// weight would estimate the likelihood equally well. [`effective_draws`](Self::effective_draws) is its harmonic mean
/// over tau-samples, M / (1 + mean V), because the bias of the score depends on the mean of `V_n`: the logarithm of a
/// mean of noisy likelihoods is too low by about half the mean's relative variance, so a loss is too high by about (1 /
/// effective - 1 / M) / 2 nats, and by more if that is not small. Kish, "Survey Sampling" (1965); Owen, "Monte Carlo
/// theory, methods and examples" (2013), chapter 9.
///
/// The error of a tau-sample whose labels have probability 0 under all draws is unknown: the standard error is then
/// NaN, and the effective number is that of the other tau-samples. Without other tau-samples it is NaN too, unless all
/// draws are the same function: the effective number is then M, because more draws would not change the estimate.
///
/// Values are sorted and equal values merged before they are added, so that neither the order of the draws nor their
/// repetition changes a bit.
#[derive(Clone, Debug, Default)]
pub struct DrawError {
    /// The number of draws that name each function.
    counts: Vec<u64>,
    /// The sum over tau-samples of each function's weight.
    weights: Vec<f64>,
    samples: u64,
    /// The number of tau-samples whose labels have a positive probability under some draw.
    finite: u64,
    /// The sum of V over these tau-samples.
    variances: f64,
    /// Whether there are several functions.
    differ: bool,
}

impl DrawError {
    /// Adds a tau-sample. `counts[m]` draws name function m, the same in every tau-sample. `differ` says whether any
    /// two of the functions give different probabilities here; an agent may name one function by several canonical
    /// draws.
    ///
    /// # Panics
    /// When the number of weights is not the number of counts, or the counts differ from those of the first tau-sample.
    pub fn add(&mut self, estimate: &JointEstimate, counts: &[u64], differ: bool) {
        assert_eq!(estimate.weights.len(), counts.len(), "a weight a function");
        if self.samples == 0 {
            self.counts = counts.to_vec();
            self.weights = vec![0.0; counts.len()];
        }
        assert_eq!(self.counts, counts, "the same functions at every tau-sample");
        self.samples += 1;
        self.differ |= differ;
        if estimate.log_likelihood.is_finite() {
            self.finite += 1;
            self.variances += estimate.variance;
        }
        for (sum, weight) in self.weights.iter_mut().zip(&estimate.weights) {
            *sum += weight;
        }
    }

    /// Returns the standard error over draws of the mean over tau-samples, in nats; NaN with one draw, or if a
    /// tau-sample has no finite log-likelihood.
    pub fn stderr(&self) -> f64 {
        let draws = self.draws();
        let squares = squares(&self.weights, &self.counts);
        (squares / (draws - 1.0) / draws).sqrt() / self.samples as f64
    }

    /// Returns the effective number of draws, from 1 to M; NaN if there are several functions and none gives the labels
    /// of any tau-sample a positive probability.
    pub fn effective_draws(&self) -> f64 {
        match self.finite {
            0 if self.differ => f64::NAN,
            0 => self.draws(),
            finite => self.draws() / (1.0 + self.variances / finite as f64),
        }
    }

    fn draws(&self) -> f64 {
        self.counts.iter().sum::<u64>() as f64
    }
}

/// Sums the squared deviations from the mean of values, each of which occurs a given number of times.
fn squares(values: &[f64], counts: &[u64]) -> f64 {
    let mut values: Vec<(f64, u64)> = values.iter().copied().zip(counts.iter().copied()).collect();
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|next, kept| {
        let equal = next.0 == kept.0;
        kept.1 += if equal { next.1 } else { 0 };
        equal
    });
    let Some(&(least, _)) = values.first() else { return 0.0 };
    // Deviations from the smallest value are exactly 0 if all values are equal.
    let count = values.iter().map(|value| value.1).sum::<u64>() as f64;
    let mean = values.iter().map(|&(value, count)| (value - least) * count as f64).sum::<f64>() / count;
    let square = |&(value, count): &(f64, u64)| (value - least - mean) * (value - least - mean) * count as f64;
    values.iter().map(square).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tolerance for rounding in sums of a few numbers.
    const ROUNDING: f64 = 1e-14;

    fn of(samples: &[&[f64]], counts: &[u64]) -> DrawError {
        let mut error = DrawError::default();
        for weights in samples {
            let draws = counts.iter().sum::<u64>() as f64;
            let variance =
                weights.iter().zip(counts).map(|(w, &c)| (w - 1.0) * (w - 1.0) * c as f64).sum::<f64>() / draws;
            error.add(&JointEstimate { log_likelihood: -1.0, weights: weights.to_vec(), variance }, counts, true);
        }
        error
    }

    /// Returns the estimate if the labels have probability 0 under all draws.
    fn impossible(functions: usize) -> JointEstimate {
        JointEstimate { log_likelihood: f64::NEG_INFINITY, weights: vec![f64::NAN; functions], variance: f64::NAN }
    }

    #[test]
    fn one_draw_of_four_that_bears_everything_is_one_effective_draw() {
        let error = of(&[&[4.0, 0.0]], &[1, 3]);
        assert_eq!(error.effective_draws(), 1.0);
        // The influences are 3, -1, -1 and -1, with a sum of squares of 12.
        assert_eq!(error.stderr(), (12.0_f64 / 3.0 / 4.0).sqrt());
    }

    #[test]
    fn the_effective_number_is_kishs() {
        let weights: [f64; 5] = [0.1, 0.2, 0.7, 1.5, 2.5];
        let kish = weights.iter().sum::<f64>().powi(2) / weights.iter().map(|w| w * w).sum::<f64>();
        assert!((of(&[&weights], &[1; 5]).effective_draws() / kish - 1.0).abs() < ROUNDING);
    }

    #[test]
    fn functions_that_agree_leave_no_error() {
        for weight in [1.0, 0.1, 1.0 / 3.0] {
            let weights = [weight; 3];
            let error = of(&[&weights[..]; 7], &[1, 2, 5]);
            assert_eq!(error.stderr(), 0.0, "{weight}");
        }
    }

    #[test]
    fn what_a_draw_does_to_one_tau_sample_it_may_undo_at_another() {
        let error = of(&[&[2.0, 0.0], &[0.0, 2.0]], &[4, 4]);
        assert_eq!((error.stderr(), error.effective_draws()), (0.0, 4.0));
    }

    #[test]
    fn effective_numbers_have_a_harmonic_mean() {
        let error = of(&[&[1.0, 1.0], &[2.0, 0.0]], &[5, 5]);
        let harmonic = 2.0 / (1.0 / 10.0 + 1.0 / 5.0);
        assert!((error.effective_draws() / harmonic - 1.0).abs() < ROUNDING);
    }

    #[test]
    fn tau_samples_whose_labels_no_draw_allows_take_no_part_in_the_effective_number() {
        let mut error = of(&[&[2.0, 0.0]], &[1, 1]);
        error.add(&impossible(2), &[1, 1], true);
        assert!(error.stderr().is_nan());
        assert_eq!(error.effective_draws(), 1.0);
    }

    #[test]
    fn where_no_draw_allows_any_labels_several_functions_have_no_effective_number() {
        let effective = |counts: &[u64], differ| {
            let mut error = DrawError::default();
            for _ in 0..3 {
                error.add(&impossible(counts.len()), counts, differ);
            }
            error.effective_draws()
        };
        assert!(effective(&[1; 5], true).is_nan());
        // A single function, named by one canonical draw or by several.
        assert_eq!(effective(&[5], false), 5.0);
        assert_eq!(effective(&[1; 5], false), 5.0);
    }

    #[test]
    fn one_draw_does_not_tell_its_error() {
        let error = of(&[&[1.0]], &[1]);
        assert!(error.stderr().is_nan());
        assert_eq!(error.effective_draws(), 1.0);
    }
}
