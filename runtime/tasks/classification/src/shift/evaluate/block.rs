//! Marginal and joint estimates of a set of inputs, filled call by call.

use std::ops::Range;

use jointly_core::Seed;
use jointly_core::estimate::DrawError;
use jointly_core::functions::Functions;
use jointly_core::metric::{MarginalScores, Metric};
use jointly_core::score::JointScore;
use jointly_core::task::Task;

use super::means::Means;
use crate::evaluate::Block as JointBlock;
use crate::rule::Rule;
use crate::shift::options::ShiftOptions;

/// The estimates of a set of inputs.
pub(super) struct Block<'a> {
    functions: &'a Functions,
    num_classes: usize,
    draws: u32,
    /// One rule for each tau.
    rules: Vec<Rule<'a>>,
    losses: Vec<Vec<f64>>,
    errors: Vec<DrawError>,
    marginals: Vec<f64>,
    /// Increasing numbers of draws, ending with all draws; `squares` has the squared error at each input of the mean
    /// over each number of draws.
    checkpoints: Vec<u32>,
    squares: Vec<Vec<f64>>,
}

impl<'a> Block<'a> {
    pub(super) fn new(
        options: &'a ShiftOptions,
        task: &Task,
        functions: &'a Functions,
        seed: Seed,
        name: &'a str,
    ) -> Self {
        let num_classes = task.num_classes as usize;
        let rule = |&tau: &u32| Rule { problem: name, seed, tau, num_classes, marginals: false, ..options.rule() };
        let rules: Vec<Rule<'_>> = options.taus.iter().map(rule).collect();
        let checkpoints = checkpoints(options.draws);
        Self {
            functions,
            num_classes,
            draws: options.draws,
            losses: vec![Vec::new(); rules.len()],
            errors: vec![DrawError::default(); rules.len()],
            rules,
            marginals: Vec::new(),
            squares: vec![Vec::new(); checkpoints.len()],
            checkpoints,
        }
    }

    /// Adds the inputs at these rows; `probs` are the probabilities of every function at them, function by function.
    pub(super) fn add(&mut self, probs: &[f32], labels: Option<&[u32]>, rows: Range<usize>) {
        let width = rows.len() * self.num_classes;
        let mut sums = vec![0.0; width];
        let mut checkpoints = self.checkpoints.iter().zip(&mut self.squares).peekable();
        // Adds up draw by draw instead of function by function, so that the grouping of draws by function changes no
        // bit.
        for (done, &place) in (1..=self.draws).zip(&self.functions.places) {
            let function = &probs[place * width..][..width];
            sums.iter_mut().zip(function).for_each(|(sum, &p)| *sum += f64::from(p));
            if let Some((_, squares)) = checkpoints.next_if(|(checkpoint, _)| **checkpoint == done)
                && let Some(labels) = labels
            {
                squares.extend(squared_errors(&sums, f64::from(done), labels, self.num_classes));
            }
        }
        let draws = f64::from(self.draws);
        self.marginals.extend(sums.into_iter().map(|sum| sum / draws));
        let Some(labels) = labels else { return };
        for ((rule, losses), errors) in self.rules.iter().zip(&mut self.losses).zip(&mut self.errors) {
            let groups = whole(&rows, rule.tau);
            if groups == 0 {
                continue;
            }
            let (first, len) = ((rows.start / rule.tau as usize) as u32, groups * rule.tau as usize);
            let mut block = JointBlock::new(rule, first..first + groups as u32, &labels[..len]);
            let function = |place: usize| &probs[place * width..][..len * self.num_classes];
            if len == rows.len() {
                block.add(probs, &self.functions.counts);
            } else {
                let whole: Vec<f32> =
                    (0..self.functions.counts.len()).flat_map(|place| function(place).iter().copied()).collect();
                block.add(&whole, &self.functions.counts);
            }
            let log_likelihoods = block.finish(&mut MarginalScores::default(), errors);
            losses.extend(Metric::Nll.losses(&log_likelihoods, None));
        }
    }

    pub(super) fn finish(self) -> Means {
        let joint = self.rules.iter().zip(&self.losses).zip(&self.errors);
        let joint = joint
            .filter(|((_, losses), _)| !losses.is_empty())
            .map(|((rule, losses), errors)| (rule.tau, JointScore::of(losses, errors)))
            .collect();
        let brier = |squares: Vec<f64>| squares.iter().sum::<f64>() / squares.len() as f64;
        let labelled = self.checkpoints.into_iter().zip(self.squares).filter(|(_, squares)| !squares.is_empty());
        let brier_by_draws = labelled.map(|(draws, squares)| (draws, brier(squares))).collect();
        Means { marginals: self.marginals, joint, brier_by_draws }
    }
}

/// Returns 1, 2, 5, 10, 20, 50 and so on, below the number of all draws; then the number of all draws.
fn checkpoints(draws: u32) -> Vec<u32> {
    let decades = (0..).map(|power| 10_u32.saturating_pow(power));
    let steps = decades.flat_map(|ten| [1, 2, 5].map(|step| ten.saturating_mul(step)));
    steps.take_while(|&step| step < draws).chain([draws]).collect()
}

/// Returns the squared error at each input, of probabilities that are sums over `draws` draws.
fn squared_errors(sums: &[f64], draws: f64, labels: &[u32], num_classes: usize) -> impl Iterator<Item = f64> {
    let row = move |(sums, &label): (&[f64], &u32)| -> f64 {
        let error = |(k, sum): (usize, &f64)| sum / draws - f64::from(u8::from(k == label as usize));
        sums.iter().enumerate().map(error).map(|error| error * error).sum()
    };
    sums.chunks_exact(num_classes).zip(labels).map(row)
}

/// Returns the number of whole groups of tau in a range of rows.
fn whole(rows: &Range<usize>, tau: u32) -> usize {
    rows.len() / tau as usize
}

#[cfg(test)]
mod tests {
    use super::checkpoints;

    #[test]
    fn checkpoints_end_with_all_draws() {
        assert_eq!(checkpoints(1), [1]);
        assert_eq!(checkpoints(10), [1, 2, 5, 10]);
        assert_eq!(checkpoints(300), [1, 2, 5, 10, 20, 50, 100, 200, 300]);
    }
}
