//! The agent `random-forest`: the mean of many trees, each grown on a bootstrap sample of the examples.

mod criterion;
mod tree;

use jointly_nets::Stream;
use jointly_nets::truncated::{WithOrigins, truncate};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, Setting, Task, choices, progress, settings, sweep,
};

use criterion::Criterion;
use tree::{Examples, Grower, Tree};

/// The smallest probability of a class; the largest is one minus it.
const FLOOR: f32 = 0.01;

choices! {
    /// The impurity that a split minimises.
    enum Impurity {
        /// The probability that two examples drawn from a node have different classes.
        Gini = "gini",
        /// The entropy of the classes.
        Entropy = "entropy",
    }
}

settings! {
    struct Settings {
        /// number of trees
        trees: Count = "100",
        /// impurity that a split minimises: gini or entropy
        criterion: Impurity = "gini",
    }
}

/// A random forest. Trees are fully grown: their depth is not limited, a leaf may hold a single example, and a split
/// tries as many features as the root of their number, rounded down, and more only while none of them separates the
/// examples.
///
/// The forest is one function. Its trees are not draws from a posterior over functions, because each of them overfits
/// its sample.
#[derive(Debug)]
pub struct RandomForest {
    trees: Vec<Tree>,
    dim: usize,
    classes: usize,
}

impl Classifier for RandomForest {
    fn describe() -> Description {
        let summary =
            "the mean of trees grown on samples of the examples, of which one of every class is at the origin";
        let trees = ["10", "100", "1000"];
        let criteria = ["gini", "entropy"];
        let variant = |trees| criteria.map(|criterion| vec![("trees", trees), ("criterion", criterion)]);
        Description {
            citation: "Breiman, Random forests, Machine Learning 2001".into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweep("trees", trees.into_iter().flat_map(variant))],
            ..Description::new("random-forest", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let examples = Examples::new(WithOrigins::new(task, data)?);
        let criterion = match settings.criterion {
            Impurity::Gini => Criterion::Gini,
            Impurity::Entropy => Criterion::entropy(examples.labels.len()),
        };
        let mut grower = Grower::new(&examples, &criterion);
        let trees = (0..*settings.trees as u64).map(|index| {
            progress(index as f32 / *settings.trees as f32);
            grower.grow(&mut Stream::Tree.rng(seed, index))
        });
        Ok(Self { trees: trees.collect(), dim: examples.features, classes: examples.classes })
    }

    /// # Formula
    ///
    /// The mean over the trees of the class shares in the leaf that the input reaches, truncated as described in
    /// [`truncate`].
    fn probs(&self, inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        if inputs.cols() != self.dim {
            let (cols, dim) = (inputs.cols(), self.dim);
            return Err(Failure::Internal(format!("inputs have {cols} columns; the task has {dim}")));
        }
        out.fill(0.0);
        // Tree by tree, so that a tree stays in the cache.
        for tree in &self.trees {
            for (input, row) in inputs.values().chunks_exact(self.dim).zip(out.chunks_exact_mut(self.classes)) {
                tree.add_shares(input, row);
            }
        }
        for row in out.chunks_exact_mut(self.classes) {
            for p in &mut *row {
                *p /= self.trees.len() as f32;
            }
            truncate(row, FLOOR);
        }
        Ok(())
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(classifier: RandomForest);

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;
    use jointly_testkit::{assert_invalid, correct, no_examples, plane, probs, setting};

    use super::*;

    /// Creates examples whose class depends on the quadrant, as in exclusive or.
    fn quarters(examples: usize, stream: u64) -> Dataset {
        let mut rng = Rng::new(7, stream);
        let inputs: Vec<f32> = (0..2 * examples).map(|_| rng.normal()).collect();
        let labels = inputs.chunks(2).map(|row| u32::from((row[0] > 0.0) == (row[1] > 0.0))).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels }
    }

    fn train(data: &Dataset, settings: &[Setting], seed: u64) -> Result<RandomForest, Failure> {
        RandomForest::train(&plane(None), data, None, settings, seed)
    }

    #[test]
    fn what_no_line_divides_is_learnt() {
        let fresh = quarters(500, 1);
        for criterion in ["gini", "entropy"] {
            let forest = train(&quarters(500, 0), &[setting("criterion", criterion)], 0).unwrap();
            let probs = probs(&forest, &fresh.inputs, 2, &[0]);
            assert!(probs.iter().all(|p| (0.0099..=0.9901).contains(p)));
            let hits = correct(&probs, &fresh.labels);
            assert!(hits > 470, "{criterion}: {hits} of 500");
        }
    }

    #[test]
    fn the_seed_decides() {
        let data = quarters(50, 0);
        let of = |seed| probs(&train(&data, &[setting("trees", "10")], seed).unwrap(), &data.inputs, 2, &[0]);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn with_no_examples_all_classes_are_alike() {
        let forest = train(&no_examples(2), &[setting("trees", "1000")], 0).unwrap();
        let probs = probs(&forest, &Matrix::new(1, 2, vec![1.0, 2.0]).unwrap(), 2, &[0]);
        // Five standard errors of a mean of a thousand shares of two draws.
        assert!((probs[0] - 0.5).abs() < 5.0 * 0.354 / 1000f32.sqrt(), "{probs:?}");
    }

    #[test]
    fn an_unknown_criterion_is_refused() {
        assert_invalid(train(&quarters(5, 0), &[setting("criterion", "luck")], 0), "criterion=luck");
    }
}
