//! Priorities of active learning: which label to buy next.

use libm::log;

/// The rule by which an agent's predictions choose the inputs whose labels are bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// No priority: inputs are chosen at random.
    Uniform,
    /// The entropy of the mean prediction.
    Entropy,
    /// How near the two most probable classes of the mean prediction are.
    Margin,
    /// How improbable the most probable class of the mean prediction is.
    LeastConfidence,
    /// The variance of the predicted probabilities over functions, summed over classes.
    Variance,
    /// The mutual information of the label and the function.
    MutualInformation,
}

impl Priority {
    /// All priorities, in the order of suites and figures.
    pub const ALL: [Self; 6] =
        [Self::Uniform, Self::Entropy, Self::Margin, Self::LeastConfidence, Self::Variance, Self::MutualInformation];

    /// Returns the name of the priority in the names of problems.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Entropy => "entropy",
            Self::Margin => "margin",
            Self::LeastConfidence => "least-confidence",
            Self::Variance => "variance",
            Self::MutualInformation => "mutual-information",
        }
    }

    /// Returns the priority of each input; the largest comes first.
    ///
    /// # Formula
    /// With p_m the predictions of M functions at an input and p their mean: entropy `H(p)`, margin `p_(2) - p_(1)` of the
    /// two largest probabilities, least confidence `-p_(1)`, variance `sum_k sum_m (p_mk - p_k)^2 / M`, and mutual information
    /// `H(p) - sum_m H(p_m) / M`. Houlsby et al., "Bayesian Active Learning for Classification and Preference Learning" (2011),
    /// for the last; the reference implementation for the others.
    pub(crate) fn of(self, averages: &Averages) -> Vec<f64> {
        let rows = averages.probs.chunks_exact(averages.classes);
        match self {
            Self::Uniform => vec![0.0; averages.entropies.len()],
            Self::Entropy => rows.map(|row| entropy(row.iter().map(|p| p / averages.total))).collect(),
            Self::Margin => rows.map(|row| (largest_two(row).1 - largest_two(row).0) / averages.total).collect(),
            Self::LeastConfidence => rows.map(|row| -largest_two(row).0 / averages.total).collect(),
            Self::Variance => {
                let squares = averages.squares.chunks_exact(averages.classes);
                let variance = |(p, square): (&f64, &f64)| square / averages.total - (p / averages.total).powi(2);
                rows.zip(squares).map(|(row, squares)| row.iter().zip(squares).map(variance).sum()).collect()
            }
            Self::MutualInformation => {
                let own = rows.map(|row| entropy(row.iter().map(|p| p / averages.total)));
                own.zip(&averages.entropies).map(|(own, sum)| own - sum / averages.total).collect()
            }
        }
    }
}

/// Sums over functions of an agent's predictions at some inputs.
pub(crate) struct Averages {
    classes: usize,
    /// The number of functions.
    total: f64,
    /// Sums of probabilities, inputs x classes, of their squares, and of entropies, one for each input.
    probs: Vec<f64>,
    squares: Vec<f64>,
    entropies: Vec<f64>,
}

impl Averages {
    pub(crate) fn new(inputs: usize, classes: usize) -> Self {
        let zeros = vec![0.0; inputs * classes];
        Self { classes, total: 0.0, probs: zeros.clone(), squares: zeros, entropies: vec![0.0; inputs] }
    }

    /// Adds a function that `count` draws name, by its probabilities at all inputs.
    pub(crate) fn add(&mut self, function: &[f32], count: f64) {
        self.total += count;
        for ((sum, square), &p) in self.probs.iter_mut().zip(&mut self.squares).zip(function) {
            *sum += count * f64::from(p);
            *square += count * f64::from(p) * f64::from(p);
        }
        for (sum, row) in self.entropies.iter_mut().zip(function.chunks_exact(self.classes)) {
            *sum += count * entropy(row.iter().map(|&p| f64::from(p)));
        }
    }
}

fn entropy(probs: impl Iterator<Item = f64>) -> f64 {
    probs.map(|p| if p > 0.0 { -p * log(p) } else { 0.0 }).sum()
}

/// Returns the two largest numbers, the largest first.
fn largest_two(row: &[f64]) -> (f64, f64) {
    row.iter().fold(
        (f64::NEG_INFINITY, f64::NEG_INFINITY),
        |(first, second), &p| {
            if p > first { (p, first) } else { (first, second.max(p)) }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{Averages, Priority};

    #[test]
    fn priorities_are_those_of_a_hand_calculation() {
        let mut averages = Averages::new(2, 3);
        // Functions agree that input 0 is a coin between two classes, and disagree about input 1.
        averages.add(&[0.5, 0.5, 0.0, 1.0, 0.0, 0.0], 1.0);
        averages.add(&[0.5, 0.5, 0.0, 0.0, 1.0, 0.0], 3.0);
        let of = |priority: Priority| priority.of(&averages);
        let near = |found: Vec<f64>, expected: [f64; 2]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
        };
        let mixed = 0.75 * (4.0_f64 / 3.0).ln() + 0.25 * 4.0_f64.ln();
        near(of(Priority::Uniform), [0.0; 2]);
        near(of(Priority::Entropy), [2.0_f64.ln(), mixed]);
        near(of(Priority::Margin), [0.0, -0.5]);
        near(of(Priority::LeastConfidence), [-0.5, -0.75]);
        near(of(Priority::Variance), [0.0, 2.0 * 0.1875]);
        near(of(Priority::MutualInformation), [0.0, mixed]);
    }
}
