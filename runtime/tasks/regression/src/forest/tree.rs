//! A regression tree.

use jointly_core::matrix::Matrix;

/// A tree as a list of nodes, the root first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree(Vec<Node>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    /// Predicts this number.
    Leaf(f64),
    /// Sends an input to the node `low` if the feature is at most the threshold, else to the node `high`.
    Split { feature: usize, threshold: f64, low: usize, high: usize },
}

/// A split of a node's rows in two.
#[derive(Clone, Copy)]
struct Cut {
    feature: usize,
    threshold: f64,
    /// The reduction of the sum of squares.
    gain: f64,
}

impl Tree {
    /// Grows a tree on at least one row; rows may be repeated.
    pub(super) fn grow(inputs: &Matrix, targets: &[f64], rows: Vec<usize>, depth: u32) -> Self {
        let mut tree = Self(Vec::new());
        tree.add(inputs, targets, rows, depth);
        tree
    }

    /// Adds the node of these rows and all nodes below it, and returns the node's index.
    fn add(&mut self, inputs: &Matrix, targets: &[f64], rows: Vec<usize>, depth: u32) -> usize {
        let place = self.0.len();
        let mean = rows.iter().map(|&row| targets[row]).sum::<f64>() / rows.len() as f64;
        self.0.push(Node::Leaf(mean));
        let pure = rows.iter().all(|&row| targets[row] == targets[rows[0]]);
        if depth == 0 || pure {
            return place;
        }
        if let Some(Cut { feature, threshold, .. }) = best_cut(inputs, targets, &rows, mean) {
            let below = |row: &usize| f64::from(inputs.row(*row)[feature]) <= threshold;
            let (low, high) = rows.into_iter().partition(below);
            let low = self.add(inputs, targets, low, depth - 1);
            let high = self.add(inputs, targets, high, depth - 1);
            self.0[place] = Node::Split { feature, threshold, low, high };
        }
        place
    }

    pub(super) fn predict(&self, input: &[f32]) -> f64 {
        let mut place = 0;
        loop {
            match self.0[place] {
                Node::Leaf(mean) => return mean,
                Node::Split { feature, threshold, low, high } => {
                    place = if f64::from(input[feature]) <= threshold { low } else { high };
                }
            }
        }
    }
}

/// Finds the cut that lowers the sum of squares most; `None` if all rows have the same inputs.
///
/// With the node's mean subtracted from all targets, the sum of squares falls by `L^2 / l + R^2 / r`, where L and R are
/// the sums of the l targets on one side and of the r targets on the other.
fn best_cut(inputs: &Matrix, targets: &[f64], rows: &[usize], mean: f64) -> Option<Cut> {
    let mut best: Option<Cut> = None;
    let mut sorted: Vec<(f32, f64)> = Vec::with_capacity(rows.len());
    let total: f64 = rows.iter().map(|&row| targets[row] - mean).sum();
    for feature in 0..inputs.cols() {
        sorted.clear();
        sorted.extend(rows.iter().map(|&row| (inputs.row(row)[feature], targets[row] - mean)));
        // Sorts by target too, so that rows with equal inputs are summed in one order.
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut sum = 0.0;
        for (i, pair) in sorted.windows(2).enumerate() {
            sum += pair[0].1;
            if pair[0].0 == pair[1].0 {
                continue;
            }
            let (left, right) = ((i + 1) as f64, (sorted.len() - i - 1) as f64);
            let gain = sum * sum / left + (total - sum) * (total - sum) / right;
            if best.is_none_or(|best| gain > best.gain) {
                // Exact in f64, so that the threshold lies between the two values even if these are neighbouring
                // floats.
                let threshold = 0.5 * (f64::from(pair[0].0) + f64::from(pair[1].0));
                best = Some(Cut { feature, threshold, gain });
            }
        }
    }
    best
}
