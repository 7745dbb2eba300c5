//! A random forest for regression: the true function of simulations that resemble a table.

mod tree;

use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

use tree::Tree;

/// The settings by which a forest is grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForestSettings {
    /// Number of trees, at least 1.
    pub trees: u32,
    /// Maximum number of splits between a tree's root and a leaf.
    pub depth: u32,
}

/// Regression trees, each grown on rows drawn with replacement.
///
/// # Formula
/// Each tree is grown on as many rows as the table has, drawn with replacement. A node is split at the feature and
/// threshold with the smallest sum of squares about the two means, among all features and all midpoints between
/// neighbouring values. A node is not split if its rows have equal targets or equal inputs, or if it has the greatest
/// depth. Ties go to the lowest feature and threshold. The forest predicts the mean of its trees, a tree the mean of a
/// leaf. Breiman, "Random Forests" (2001), with all features at each split, as in common libraries for regression.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest(Vec<Tree>);

impl Forest {
    /// Grows a forest; `source` returns each tree's random stream by its number.
    ///
    /// # Panics
    /// When there are no rows or no trees, or not one target for each row.
    pub fn fit(inputs: &Matrix, targets: &[f64], settings: ForestSettings, source: impl Fn(u64) -> Stream) -> Self {
        Self::with_out_of_bag(inputs, targets, settings, source).0
    }

    /// Grows a forest, and predicts each row by the mean of the trees that did not see it, or of all trees if each of
    /// them did.
    ///
    /// # Panics
    /// As for [`fit`](Self::fit).
    pub fn with_out_of_bag(
        inputs: &Matrix,
        targets: &[f64],
        settings: ForestSettings,
        source: impl Fn(u64) -> Stream,
    ) -> (Self, Vec<f64>) {
        assert_eq!(inputs.rows(), targets.len(), "a target for each row");
        assert!(!targets.is_empty() && settings.trees > 0, "a forest needs rows and trees");
        let mut trees = Vec::new();
        let mut unseen = vec![(0.0, 0_u32); targets.len()];
        for i in 0..u64::from(settings.trees) {
            let mut source = source(i);
            let rows: Vec<usize> =
                (0..targets.len()).map(|_| (source.uniform() * targets.len() as f64) as usize).collect();
            let mut seen = vec![false; targets.len()];
            for &row in &rows {
                seen[row] = true;
            }
            let tree = Tree::grow(inputs, targets, rows, settings.depth);
            for (row, (sum, count)) in unseen.iter_mut().enumerate().filter(|(row, _)| !seen[*row]) {
                *sum += tree.predict(inputs.row(row));
                *count += 1;
            }
            trees.push(tree);
        }
        let forest = Self(trees);
        let all = forest.predict(inputs);
        let mean = |(row, (sum, count)): (usize, (f64, u32))| if count > 0 { sum / f64::from(count) } else { all[row] };
        let out_of_bag = unseen.into_iter().enumerate().map(mean).collect();
        (forest, out_of_bag)
    }

    /// Returns the mean of the trees at each row.
    ///
    /// # Panics
    /// When the inputs have fewer features than those that the forest was grown on.
    pub fn predict(&self, inputs: &Matrix) -> Vec<f64> {
        let mean = |row| self.0.iter().map(|tree| tree.predict(inputs.row(row))).sum::<f64>() / self.0.len() as f64;
        (0..inputs.rows()).map(mean).collect()
    }
}

#[cfg(test)]
mod tests;
