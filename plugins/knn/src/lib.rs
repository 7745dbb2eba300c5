//! The agent `knn`: the class frequencies among the nearest examples.

mod neighbours;

use jointly_nets::truncated::{WithOrigins, truncate};
use jointly_sdk::{Classifier, Count, Dataset, Description, Failure, Matrix, Setting, Task, choices, settings, sweep};

use neighbours::{Neighbour, Neighbours};

/// The smallest probability of a class; the largest is one minus it.
const FLOOR: f32 = 0.01;

choices! {
    /// The weight of a neighbour.
    enum Weights {
        /// Every neighbour has the same weight.
        Uniform = "uniform",
        /// The weight is one over the distance.
        Distance = "distance",
    }
}

settings! {
    struct Settings {
        /// number of neighbours; all examples if there are fewer
        k: Count = "3",
        /// weight of a neighbour: uniform, or distance for one over its distance
        weights: Weights = "uniform",
    }
}

/// The training examples and the settings.
#[derive(Debug)]
pub struct Knn {
    neighbours: Neighbours,
    labels: Vec<u32>,
    classes: usize,
    settings: Settings,
}

impl Knn {
    /// Computes the class probabilities from the neighbours.
    ///
    /// # Formula
    ///
    /// p_k is the share of the neighbours' total weight that belongs to class k. A weight is 1, or one over the
    /// Euclidean distance; if some neighbours have distance zero, only these count.
    fn vote(&self, found: &[Neighbour], row: &mut [f32]) {
        let touching = found.first().is_some_and(|nearest| nearest.squared_distance == 0.0);
        let weight = |neighbour: &Neighbour| match self.settings.weights {
            Weights::Uniform => 1.0,
            Weights::Distance if touching => f32::from(u8::from(neighbour.squared_distance == 0.0)),
            // In units of the nearest neighbour's distance, which keeps the weights finite.
            Weights::Distance => (found[0].squared_distance / neighbour.squared_distance).sqrt(),
        };
        row.fill(0.0);
        let mut total = 0.0;
        for neighbour in found {
            let weight = weight(neighbour);
            row[self.labels[neighbour.index] as usize] += weight;
            total += weight;
        }
        for p in &mut *row {
            *p /= total;
        }
        truncate(row, FLOOR);
    }
}

impl Classifier for Knn {
    fn describe() -> Description {
        let summary = "the classes of the nearest examples, of which one of every class is added at the origin";
        let weights = ["uniform", "distance"];
        let k = ["1", "5", "10", "30", "50", "100"];
        Description {
            citation: "Cover and Hart, Nearest neighbor pattern classification, IEEE Transactions on Information \
                       Theory 1967"
                .into(),
            deterministic: true,
            parameters: Settings::parameters(),
            sweeps: vec![sweep(
                "k",
                k.into_iter().flat_map(|k| weights.map(|weights| vec![("k", k), ("weights", weights)])),
            )],
            ..Description::new("knn", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let examples = WithOrigins::new(task, data)?;
        let neighbours = Neighbours::new(examples.rows(), examples.dim(), |i, j| examples.feature(i, j));
        Ok(Self { neighbours, labels: examples.labels(), classes: examples.classes(), settings })
    }

    fn probs(&self, inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let dim = self.neighbours.dim();
        if inputs.cols() != dim {
            return Err(Failure::Internal(format!("inputs have {} columns; the task has {dim}", inputs.cols())));
        }
        let mut found = Vec::new();
        for (input, row) in inputs.values().chunks_exact(dim).zip(out.chunks_exact_mut(self.classes)) {
            self.neighbours.nearest(input, *self.settings.k, &mut found);
            self.vote(&found, row);
        }
        Ok(())
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(classifier: Knn);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_invalid, setting};

    use super::*;

    const TOLERANCE: f32 = 1e-6;

    /// Trains on examples of classes 0, 1 and 1 at 1, 2 and 4 on a line.
    fn train(settings: &[Setting]) -> Result<Knn, Failure> {
        let task = Task::new(1, 2);
        let inputs = Matrix::new(3, 1, vec![1.0, 2.0, 4.0]).unwrap();
        Knn::train(&task, &Dataset { inputs, labels: vec![0, 1, 1] }, None, settings, 0)
    }

    fn chance_of_one(settings: &[Setting], input: f32) -> f32 {
        let mut out = [0.0; 2];
        train(settings).unwrap().probs(&Matrix::new(1, 1, vec![input]).unwrap(), 0, &mut out).unwrap();
        assert!((out[0] + out[1] - 1.0).abs() < TOLERANCE);
        out[1]
    }

    #[test]
    fn votes_by_hand() {
        let distance = setting("weights", "distance");
        for (settings, input, expected) in [
            // The neighbours are 2, 4 and 1.
            (vec![], 3.0, 2.0 / 3.0),
            (vec![setting("k", "2")], 3.0, 0.99),
            // Weights 1, 1 and 1/2.
            (vec![distance.clone()], 3.0, 0.8),
            (vec![distance.clone()], 1.0, 0.01),
            // The two examples at the origin are the nearest; the first one has class 0.
            (vec![setting("k", "1")], -1.0, 0.01),
            (vec![distance], 0.0, 0.5),
            // More than there are examples: three of class 1 among five.
            (vec![setting("k", "100")], 9.0, 0.6),
        ] {
            let found = chance_of_one(&settings, input);
            assert!((found - expected).abs() < TOLERANCE, "{settings:?} at {input}: {found}");
        }
    }

    #[test]
    fn unknown_weights_and_inputs_of_another_shape_are_refused() {
        assert_invalid(train(&[setting("weights", "square")]), "weights=square");
        let failure = train(&[]).unwrap().probs(&Matrix::new(1, 2, vec![0.0; 2]).unwrap(), 0, &mut [0.0; 2]);
        assert!(matches!(failure, Err(Failure::Internal(_))));
    }
}
