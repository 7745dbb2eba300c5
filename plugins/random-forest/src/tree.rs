//! One classification tree: how it is grown, and how it predicts.

use jointly_nets::truncated::WithOrigins;
use jointly_sdk::Rng;

use crate::criterion::{Criterion, Side};

/// The examples, stored feature by feature.
#[derive(Debug)]
pub(crate) struct Examples {
    /// Feature j of example i is at `j * labels.len() + i`.
    pub(crate) columns: Vec<f32>,
    pub(crate) labels: Vec<u32>,
    pub(crate) features: usize,
    pub(crate) classes: usize,
}

impl Examples {
    /// Copies the examples of a view.
    ///
    /// Allocates memory for the features once, in addition to the view's data: 266 MiB for the 88,800 images of 784
    /// pixels in EMNIST letters. With the caller's copy that is half of an agent's default memory.
    pub(crate) fn new(examples: WithOrigins<'_>) -> Self {
        let (rows, features) = (examples.rows(), examples.dim());
        let mut columns = Vec::with_capacity(rows * features);
        for j in 0..features {
            columns.extend((0..rows).map(|i| examples.feature(i, j)));
        }
        Self { columns, labels: examples.labels(), features, classes: examples.classes() }
    }

    fn column(&self, feature: usize) -> &[f32] {
        &self.columns[feature * self.labels.len()..][..self.labels.len()]
    }
}

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    /// If the feature is at most the threshold the next node is at `children`, else it is the one after that.
    Split { feature: u32, threshold: f32, children: u32 },
    /// All examples are of one class.
    Pure { class: u32 },
    /// The class shares are in the tree's `shares` from this index on.
    Mixed { shares: u32 },
}

/// A grown tree.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    shares: Vec<f32>,
}

impl Tree {
    /// Adds the class shares of the leaf that the input reaches.
    pub(crate) fn add_shares(&self, input: &[f32], out: &mut [f32]) {
        let mut node = self.nodes[0];
        while let Node::Split { feature, threshold, children } = node {
            let right = usize::from(input[feature as usize] > threshold);
            node = self.nodes[children as usize + right];
        }
        match node {
            Node::Pure { class } => out[class as usize] += 1.0,
            Node::Mixed { shares } => {
                let shares = &self.shares[shares as usize..][..out.len()];
                out.iter_mut().zip(shares).for_each(|(out, share)| *out += share);
            }
            Node::Split { .. } => unreachable!("the loop ends at a leaf"),
        }
    }
}

/// A split and its quality.
#[derive(Clone, Copy, Debug)]
struct Split {
    feature: usize,
    threshold: f32,
    purity: f64,
}

/// The state of growing trees, one after the other.
#[derive(Debug)]
pub(crate) struct Grower<'a> {
    examples: &'a Examples,
    criterion: &'a Criterion,
    /// Number of features tried for a split; more are tried while none of them has two values.
    tries: usize,
    /// How often the tree's sample contains each example.
    counts: Vec<u32>,
    /// The examples in the sample; those of a node are contiguous.
    members: Vec<u32>,
    features: Vec<u32>,
    /// A node's values of one feature in ascending order, each with its example.
    sorted: Vec<u64>,
    node: Side,
    left: Side,
    right: Side,
}

impl<'a> Grower<'a> {
    pub(crate) fn new(examples: &'a Examples, criterion: &'a Criterion) -> Self {
        let side = Side::new(examples.classes);
        Self {
            examples,
            criterion,
            tries: examples.features.isqrt().max(1),
            counts: vec![0; examples.labels.len()],
            members: Vec::new(),
            features: (0..examples.features as u32).collect(),
            sorted: Vec::new(),
            node: side.clone(),
            left: side.clone(),
            right: side,
        }
    }

    /// Grows a tree on a bootstrap sample, as large as the training set and drawn with replacement.
    ///
    /// A node is split until all its examples have the same class or no feature separates them. Waiting nodes are
    /// kept in an explicit list: a tree may be as deep as there are examples, and the stack of a sandboxed agent is
    /// small.
    pub(crate) fn grow(&mut self, rng: &mut Rng) -> Tree {
        let examples = self.counts.len();
        self.counts.fill(0);
        (0..examples).for_each(|_| self.counts[rng.below(examples)] += 1);
        self.members.clear();
        self.members.extend((0..).zip(&self.counts).filter(|(_, count)| **count > 0).map(|(i, _)| i));
        // The choice of features must not depend on earlier trees.
        (0..).zip(&mut self.features).for_each(|(i, feature)| *feature = i);

        let mut tree = Tree { nodes: vec![Node::Pure { class: 0 }], shares: Vec::new() };
        let mut waiting = vec![(0, 0..self.members.len())];
        while let Some((place, range)) = waiting.pop() {
            self.count(range.clone());
            if let Some(class) = self.node.only_class() {
                tree.nodes[place] = Node::Pure { class };
            } else if let Some(split) = self.best_split(range.clone(), rng) {
                let middle = range.start + self.partition(range.clone(), split);
                let children = tree.nodes.len();
                let (feature, threshold) = (split.feature as u32, split.threshold);
                tree.nodes[place] = Node::Split { feature, threshold, children: children as u32 };
                tree.nodes.extend([Node::Pure { class: 0 }; 2]);
                waiting.push((children + 1, middle..range.end));
                waiting.push((children, range.start..middle));
            } else {
                tree.nodes[place] = Node::Mixed { shares: tree.shares.len() as u32 };
                tree.shares.extend(self.node.frequencies());
            }
        }
        // Spare capacity could double the memory of every tree.
        tree.nodes.shrink_to_fit();
        tree.shares.shrink_to_fit();
        tree
    }

    fn count(&mut self, range: std::ops::Range<usize>) {
        self.node.clear();
        for member in &self.members[range] {
            let member = *member as usize;
            self.node.add(self.criterion, self.examples.labels[member], self.counts[member]);
        }
    }

    /// Finds the best split on a few features chosen at random; returns `None` if no feature has two values.
    fn best_split(&mut self, range: std::ops::Range<usize>, rng: &mut Rng) -> Option<Split> {
        let mut best: Option<Split> = None;
        for tried in 0..self.features.len() {
            if tried >= self.tries && best.is_some() {
                break;
            }
            let chosen = tried + rng.below(self.features.len() - tried);
            self.features.swap(tried, chosen);
            let feature = self.features[tried] as usize;
            let split = self.best_split_on(feature, range.clone());
            if split.is_some_and(|split| best.is_none_or(|best| split.purity > best.purity)) {
                best = split;
            }
        }
        best
    }

    fn best_split_on(&mut self, feature: usize, range: std::ops::Range<usize>) -> Option<Split> {
        let column = self.examples.column(feature);
        self.sorted.clear();
        self.sorted.extend(self.members[range].iter().map(|member| key(column[*member as usize], *member)));
        self.sorted.sort_unstable();
        self.left.clear();
        self.right.copy(&self.node);
        let mut best: Option<Split> = None;
        for pair in self.sorted.windows(2) {
            let example = pair[0] as u32 as usize;
            let (label, count) = (self.examples.labels[example], self.counts[example]);
            self.left.add(self.criterion, label, count);
            self.right.remove(self.criterion, label, count);
            let (low, high) = (column[example], column[pair[1] as u32 as usize]);
            if low < high {
                let purity = self.left.purity(self.criterion) + self.right.purity(self.criterion);
                if best.is_none_or(|best| purity > best.purity) {
                    best = Some(Split { feature, threshold: between(low, high), purity });
                }
            }
        }
        best
    }

    /// Moves the members of a node that go left before those that go right; returns how many go left.
    fn partition(&mut self, range: std::ops::Range<usize>, split: Split) -> usize {
        let column = self.examples.column(split.feature);
        let members = &mut self.members[range];
        let mut left = 0;
        for i in 0..members.len() {
            if column[members[i] as usize] <= split.threshold {
                members.swap(i, left);
                left += 1;
            }
        }
        left
    }
}

/// Packs a value and its example into one integer that sorts by the value, then by the example.
fn key(value: f32, example: u32) -> u64 {
    // Adding zero turns -0 into +0.
    let bits = (value + 0.0).to_bits();
    let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(ordered) << 32 | u64::from(example)
}

/// Returns the midpoint of two numbers, at least the lower and below the higher.
fn between(low: f32, high: f32) -> f32 {
    let middle = 0.5 * low + 0.5 * high;
    if middle >= low && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Dataset, Matrix, Rng, Task};
    use proptest::prelude::*;

    use super::*;

    fn examples(rows: &[Vec<f32>], labels: &[u32], classes: usize) -> Examples {
        let features = rows[0].len();
        let columns = (0..features).flat_map(|j| rows.iter().map(move |row| row[j])).collect();
        Examples { columns, labels: labels.to_vec(), features, classes }
    }

    /// Computes the Gini impurity of the examples, times their number.
    fn gini(labels: &[u32]) -> f64 {
        let n = labels.len() as f64;
        let share = |class| labels.iter().filter(|label| **label == class).count() as f64 / n;
        n * (1.0 - (0..3).map(|class| share(class).powi(2)).sum::<f64>())
    }

    const TOLERANCE: f64 = 1e-9;

    proptest! {
        #[test]
        fn the_split_is_the_best_of_all(
            rows in prop::collection::vec(prop::collection::vec(-3i8..4, 1), 2..30),
            labels in prop::collection::vec(0u32..3, 30),
        ) {
            let rows: Vec<Vec<f32>> = rows.iter().map(|row| row.iter().map(|x| f32::from(*x)).collect()).collect();
            let labels = &labels[..rows.len()];
            let examples = examples(&rows, labels, 3);
            let mut grower = Grower::new(&examples, &Criterion::Gini);
            grower.counts.fill(1);
            grower.members = (0..rows.len() as u32).collect();
            grower.count(0..rows.len());
            let impurity = |threshold: f32| {
                let side = |left: bool| {
                    let pairs = rows.iter().zip(labels).filter(move |(row, _)| (row[0] <= threshold) == left);
                    pairs.map(|(_, label)| *label).collect::<Vec<u32>>()
                };
                let (left, right) = (side(true), side(false));
                (!left.is_empty() && !right.is_empty()).then(|| gini(&left) + gini(&right))
            };
            let best = (-3i8..4).filter_map(|threshold| impurity(f32::from(threshold))).reduce(f64::min);
            let found = grower.best_split(0..rows.len(), &mut Rng::new(0, 0));
            prop_assert_eq!(found.is_some(), best.is_some());
            if let (Some(found), Some(best)) = (found, best) {
                prop_assert!((impurity(found.threshold).unwrap() - best).abs() < TOLERANCE);
                prop_assert!((rows.len() as f64 - found.purity - best).abs() < TOLERANCE);
            }
        }

        #[test]
        fn keys_sort_as_numbers(a in -1e30f32..1e30, b in -1e30f32..1e30) {
            prop_assert_eq!(key(a, 0).cmp(&key(b, 0)), a.total_cmp(&b));
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(low == high || (between(low, high) >= low && between(low, high) < high));
        }
    }

    fn depth(tree: &Tree) -> usize {
        let (mut deepest, mut waiting) = (0, vec![(0, 0)]);
        while let Some((place, depth)) = waiting.pop() {
            deepest = deepest.max(depth);
            if let Node::Split { children, .. } = tree.nodes[place as usize] {
                waiting.extend([(children, depth + 1), (children + 1, depth + 1)]);
            }
        }
        deepest
    }

    #[test]
    fn examples_take_no_more_room_than_their_numbers() {
        let mut rng = Rng::new(0, 0);
        let inputs: Vec<f32> = (0..3 * 1000).map(|_| rng.normal()).collect();
        let data = Dataset { inputs: Matrix::new(1000, 3, inputs).unwrap(), labels: vec![1; 1000] };
        let task = Task::new(3, 5);
        let examples = Examples::new(WithOrigins::new(&task, &data).unwrap());
        assert_eq!(examples.columns.capacity(), 3 * 1005);
        assert_eq!(examples.column(2)[..1000], data.inputs.values().chunks(3).map(|row| row[2]).collect::<Vec<_>>());
        assert_eq!(examples.column(2)[1000..], [0.0; 5]);
        let tree = Grower::new(&examples, &Criterion::Gini).grow(&mut Rng::new(0, 0));
        assert_eq!(tree.nodes.capacity(), tree.nodes.len());
    }

    #[test]
    fn a_deep_tree_finds_every_example_again() {
        // Classes alternate along a line, so the best split cuts off an end of it.
        let rows: Vec<Vec<f32>> = (0..2000).map(|i| vec![i as f32]).collect();
        let labels: Vec<u32> = (0..2000).map(|i| i % 2).collect();
        let examples = examples(&rows, &labels, 2);
        let mut grower = Grower::new(&examples, &Criterion::Gini);
        let tree = grower.grow(&mut Rng::new(0, 0));
        // A balanced tree with as many leaves would have a depth of 11.
        assert!(depth(&tree) > 50, "{}", depth(&tree));
        for ((row, label), count) in rows.iter().zip(&labels).zip(&grower.counts) {
            let mut out = [0.0; 2];
            tree.add_shares(row, &mut out);
            assert!(*count == 0 || out[*label as usize] == 1.0, "{row:?}");
        }
    }

    #[test]
    fn what_no_feature_tells_apart_is_a_mixed_leaf() {
        let examples = examples(&[vec![1.0, 2.0], vec![1.0, 2.0], vec![1.0, 2.0]], &[0, 1, 1], 2);
        let criterion = Criterion::entropy(3);
        let mut grower = Grower::new(&examples, &criterion);
        let trees = (0..100).map(|index| grower.grow(&mut Rng::new(0, index)));
        let mean = trees.fold([0.0; 2], |mut sum, tree| {
            tree.add_shares(&[1.0, 2.0], &mut sum);
            sum
        });
        // Means of a hundred samples of three; their standard error is 0.03.
        assert!((mean[0] / 100.0 - 1.0 / 3.0).abs() < 0.15 && (mean[0] + mean[1] - 100.0).abs() < 1e-3, "{mean:?}");
    }
}
