//! Small data sets.

use jointly_sdk::{Dataset, Matrix, Rng, Targets, Task};

/// Returns the task of classifying points of the plane into two classes.
pub fn plane(temperature: Option<f32>) -> Task {
    Task { temperature, ..Task::new(2, 2) }
}

/// Creates standard normal inputs (N, 2), of class 1 if the first feature is above the second.
pub fn half_plane(examples: usize, seed: u64) -> Dataset {
    let inputs = normal_inputs(examples, 2, &mut Rng::new(seed, 0));
    let labels = inputs.values().chunks(2).map(|row| u32::from(row[0] > row[1])).collect();
    Dataset { inputs, labels }
}

/// Creates standard normal inputs (N, D), and as targets a sine of the first feature with noise of standard deviation
/// 0.1.
pub fn wave(rows: usize, features: usize, seed: u64) -> Targets {
    let mut rng = Rng::new(seed, 0);
    let inputs = normal_inputs(rows, features, &mut rng);
    let targets = inputs.values().chunks(features).map(|row| (2.0 * row[0]).sin() + 0.1 * rng.normal()).collect();
    Targets { inputs, targets }
}

/// Returns an empty set of labelled examples.
pub fn no_examples(features: usize) -> Dataset {
    Dataset { inputs: matrix(0, features, Vec::new()), labels: Vec::new() }
}

/// Returns an empty set of targets.
pub fn no_targets(features: usize) -> Targets {
    Targets { inputs: matrix(0, features, Vec::new()), targets: Vec::new() }
}

/// Returns data of one feature from which a method can estimate nothing: no row, one row, and fifty equal rows.
pub fn degenerate_targets() -> [Targets; 3] {
    let one = Targets { inputs: matrix(1, 1, vec![0.5]), targets: vec![0.0] };
    let equal = Targets { inputs: matrix(50, 1, vec![0.0; 50]), targets: vec![0.0; 50] };
    [no_targets(1), one, equal]
}

fn normal_inputs(rows: usize, features: usize, rng: &mut Rng) -> Matrix {
    matrix(rows, features, (0..rows * features).map(|_| rng.normal()).collect())
}

fn matrix(rows: usize, cols: usize, values: Vec<f32>) -> Matrix {
    Matrix::new(rows, cols, values).expect("as many values as the shape has")
}
