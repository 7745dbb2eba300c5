//! Rules by which functions sampled from an agent choose where to search next.

use jointly_core::stream::Stream;
use jointly_regression::predictive::Samples;

use crate::ties::one_of;

/// The rule that chooses actions by sampled functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Thompson sampling: each action is the best by one sampled function.
    Thompson,
    /// Expected improvement: each action is the one by which the best value found is expected to grow most.
    Improvement,
}

impl Rule {
    /// All rules, in the order of suites and figures.
    pub const ALL: [Self; 2] = [Self::Thompson, Self::Improvement];

    /// Returns the name of the rule in the names of problems.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thompson => "thompson",
            Self::Improvement => "improvement",
        }
    }

    /// Returns the number of functions that a batch of `steps` actions is chosen by, of at most `draws`.
    pub(crate) fn functions(self, draws: u32, steps: u32) -> u32 {
        match self {
            Self::Thompson => draws.min(steps),
            Self::Improvement => draws,
        }
    }

    /// Returns the action of each step of a batch, given the functions' values at all actions and the actions taken before.
    /// `tie` makes the stream that chooses among equally good actions in a step.
    pub(crate) fn choose(
        self,
        samples: &Samples,
        taken: &[usize],
        steps: usize,
        tie: impl Fn(usize) -> Stream,
    ) -> Vec<usize> {
        match self {
            Self::Thompson => {
                let functions: Vec<&[f64]> = samples.means.chunks_exact(samples.rows).collect();
                let best =
                    |step: usize| one_of(&largest(functions[step % functions.len()], 0..samples.rows), || tie(step));
                (0..steps).map(best).collect()
            }
            Self::Improvement => {
                let mut found = Found::before(samples, taken);
                let sums = sums(samples);
                let next = |step| {
                    // Where no action gains anything, the one with the largest mean is taken, whether it was before or not.
                    let most = largest(&found.gains(samples), 0..samples.rows);
                    let action = one_of(&largest(&sums, most), || tie(step));
                    found.add(samples, action);
                    action
                };
                (0..steps).map(next).collect()
            }
        }
    }
}

/// The largest value that each sampled function has at the actions taken so far.
///
/// # Formula
/// With b_m = max over taken actions of f_m, action x gains `sum_m max(f_m(x) - b_m, 0)`: M times the expected growth of the
/// largest value of the function itself at the actions taken, which noise does not disturb (Letham et al., "Constrained
/// Bayesian Optimization with Noisy Experiments", 2019). A batch is greedy: an action counts as taken as soon as it is
/// chosen, with the value that each function has there.
struct Found(Vec<f64>);

impl Found {
    fn before(samples: &Samples, taken: &[usize]) -> Self {
        let functions = samples.means.chunks_exact(samples.rows);
        let most = |function: &[f64]| taken.iter().fold(f64::NEG_INFINITY, |most, &action| most.max(function[action]));
        Self(functions.map(most).collect())
    }

    fn add(&mut self, samples: &Samples, action: usize) {
        for (most, function) in self.0.iter_mut().zip(samples.means.chunks_exact(samples.rows)) {
            *most = most.max(function[action]);
        }
    }

    fn gains(&self, samples: &Samples) -> Vec<f64> {
        let mut gains = vec![0.0; samples.rows];
        for (most, function) in self.0.iter().zip(samples.means.chunks_exact(samples.rows)) {
            for (gain, value) in gains.iter_mut().zip(function) {
                *gain += (value - most).max(0.0);
            }
        }
        gains
    }
}

/// Returns the sum over functions of the values at each action.
fn sums(samples: &Samples) -> Vec<f64> {
    let mut sums = vec![0.0; samples.rows];
    for function in samples.means.chunks_exact(samples.rows) {
        for (sum, value) in sums.iter_mut().zip(function) {
            *sum += value;
        }
    }
    sums
}

/// Returns those of the places at which the value is the largest.
fn largest(values: &[f64], places: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let places: Vec<usize> = places.into_iter().collect();
    let most = places.iter().fold(f64::NEG_INFINITY, |most, &place| most.max(values[place]));
    places.into_iter().filter(|&place| values[place] == most).collect()
}

#[cfg(test)]
mod tests {
    use super::Rule;
    use jointly_core::stream::stream;
    use jointly_regression::predictive::Samples;

    fn samples(functions: &[[f64; 4]]) -> Samples {
        let means: Vec<f64> = functions.concat();
        Samples { rows: 4, noise_stds: vec![0.1; means.len()], means }
    }

    fn choose(rule: Rule, functions: &[[f64; 4]], taken: &[usize], steps: usize) -> Vec<usize> {
        rule.choose(&samples(functions), taken, steps, |step| stream(3, "test", "tie", step as u64))
    }

    #[test]
    fn thompson_sampling_takes_the_best_of_each_function_in_turn() {
        let functions = [[0.0, 1.0, 2.0, 3.0], [5.0, 1.0, 2.0, 3.0]];
        assert_eq!(choose(Rule::Thompson, &functions, &[3], 4), [3, 0, 3, 0]);
        assert_eq!((Rule::Thompson.functions(10, 4), Rule::Improvement.functions(10, 4)), (4, 10));
    }

    #[test]
    fn a_batch_gains_what_its_earlier_actions_have_not() {
        // After action 0 the gains are 0 + 0, 0 + 4, 2 + 3 and 0 + 3. Once action 2 is taken, the second function gains
        // one more by action 1, and the first nothing.
        let functions = [[0.0, 0.0, 2.0, -1.0], [0.0, 4.0, 3.0, 3.0]];
        assert_eq!(choose(Rule::Improvement, &functions, &[0], 2), [2, 1]);
    }

    #[test]
    fn where_nothing_is_gained_the_largest_mean_is_taken() {
        let functions = [[0.0, 1.0, 0.0, 0.5], [0.0, 2.0, 1.0, 1.5]];
        assert_eq!(choose(Rule::Improvement, &functions, &[1], 3), [1; 3]);
    }

    #[test]
    fn equally_good_actions_are_equally_probable() {
        let flat = [[1.0; 4]];
        for rule in Rule::ALL {
            let chosen = choose(rule, &flat, &[2], 200);
            let counts: Vec<usize> = (0..4).map(|own| chosen.iter().filter(|action| **action == own).count()).collect();
            assert!(counts.iter().all(|count| (30..70).contains(count)), "{counts:?}");
        }
    }
}
