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
        let means = averages.means();
        let rows = means.chunks_exact(averages.classes);
        match self {
            Self::Uniform => vec![0.0; averages.entropies.len()],
            Self::Entropy => rows.map(entropy).collect(),
            Self::Margin => rows.map(|row| largest_two(row).1 - largest_two(row).0).collect(),
            Self::LeastConfidence => rows.map(|row| -largest_two(row).0).collect(),
            Self::Variance => {
                let from_first: Vec<f64> = averages.sums.iter().map(|sum| sum / averages.total).collect();
                let variance = |(mean, square): (&f64, &f64)| square / averages.total - mean * mean;
                let each: Vec<f64> = from_first.iter().zip(&averages.squares).map(variance).collect();
                each.chunks_exact(averages.classes).map(|row| row.iter().sum()).collect()
            }
            Self::MutualInformation => {
                let first = averages.first.chunks_exact(averages.classes).map(entropy);
                let gain = |((row, first), sum): ((&[f64], f64), &f64)| entropy(row) - first - sum / averages.total;
                rows.zip(first).zip(&averages.entropies).map(gain).collect()
            }
        }
    }
}

/// Sums over functions of an agent's predictions at some inputs. They are of differences to the first function, so that what
/// functions have in common adds no rounding error: without a difference, variance and mutual information are 0.
pub(crate) struct Averages {
    classes: usize,
    /// The number of functions.
    total: f64,
    /// The probabilities of the first function, inputs x classes.
    first: Vec<f64>,
    /// Sums of probabilities less those of the first function, inputs x classes, of their squares, and of entropies less the
    /// first function's, one for each input.
    sums: Vec<f64>,
    squares: Vec<f64>,
    entropies: Vec<f64>,
}

impl Averages {
    pub(crate) fn new(inputs: usize, classes: usize) -> Self {
        let zeros = vec![0.0; inputs * classes];
        Self {
            classes,
            total: 0.0,
            first: Vec::new(),
            sums: zeros.clone(),
            squares: zeros,
            entropies: vec![0.0; inputs],
        }
    }

    /// Adds a function that `count` draws name, by its probabilities at all inputs.
    pub(crate) fn add(&mut self, function: &[f32], count: f64) {
        let function: Vec<f64> = function.iter().map(|&p| f64::from(p)).collect();
        if self.first.is_empty() {
            self.first.clone_from(&function);
        }
        self.total += count;
        for (((sum, square), p), first) in self.sums.iter_mut().zip(&mut self.squares).zip(&function).zip(&self.first) {
            *sum += count * (p - first);
            *square += count * (p - first) * (p - first);
        }
        let rows = function.chunks_exact(self.classes).zip(self.first.chunks_exact(self.classes));
        for (sum, (row, first)) in self.entropies.iter_mut().zip(rows) {
            *sum += count * (entropy(row) - entropy(first));
        }
    }

    /// Returns the mean probabilities.
    fn means(&self) -> Vec<f64> {
        self.first.iter().zip(&self.sums).map(|(first, sum)| first + sum / self.total).collect()
    }
}

fn entropy(probs: &[f64]) -> f64 {
    probs.iter().map(|&p| if p > 0.0 { -p * log(p) } else { 0.0 }).sum()
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

    #[test]
    fn one_function_has_no_variance_and_no_mutual_information_to_the_last_bit() {
        let mut averages = Averages::new(2, 3);
        for count in [250.0, 7.0] {
            averages.add(&[0.3, 0.3, 0.4, 0.1, 0.2, 0.7], count);
            assert_eq!(Priority::Variance.of(&averages), [0.0; 2]);
            assert_eq!(Priority::MutualInformation.of(&averages), [0.0; 2]);
        }
    }
}
