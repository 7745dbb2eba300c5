//! What the classifiers that count examples share: an example of every class to start from, and no certainty.

use jointly_sdk::{Dataset, Failure, Matrix, Task};

/// The examples, then one of every class at the origin, so that every class has been seen.
///
/// # Errors
///
/// Inputs of another dimension than the task's, or labels that are not one class for each.
pub fn with_origins(task: &Task, data: &Dataset) -> Result<Dataset, Failure> {
    let (examples, dim, classes) = (data.inputs.rows(), task.input_dim, task.num_classes);
    if examples > 0 && data.inputs.cols() != dim {
        let cols = data.inputs.cols();
        return Err(Failure::Internal(format!("inputs of {cols} features; the task has {dim}")));
    }
    if data.labels.len() != examples || data.labels.iter().any(|label| *label as usize >= classes) {
        return Err(Failure::Internal(format!("labels that are not one of {classes} classes for each input")));
    }
    let mut values = data.inputs.values().to_vec();
    values.resize((examples + classes) * dim, 0.0);
    let inputs = Matrix::new(examples + classes, dim, values)
        .ok_or_else(|| Failure::Internal(format!("{examples} inputs of {dim} features are too many")))?;
    let labels = data.labels.iter().copied().chain(0..classes as u32).collect();
    Ok(Dataset { inputs, labels })
}

/// Keeps a row of probabilities away from zero and one, so that no label costs an infinite loss.
///
/// # Formula
///
/// Each p_k is clipped to [floor, 1 - floor]; then the row is divided by its sum. With two classes that sum is one
/// already. With K classes the least that a class can get is floor / (1 - floor + (K - 1) floor), a little below the
/// floor; the clip of the Neural Testbed (Osband et al. 2022, appendix B.8) becomes a distribution in this way.
pub fn truncate(row: &mut [f32], floor: f32) {
    for p in &mut *row {
        *p = p.clamp(floor, 1.0 - floor);
    }
    let sum: f32 = row.iter().sum();
    for p in row {
        *p /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn every_class_is_at_the_origin_once() {
        let task = Task { input_dim: 2, num_classes: 3, temperature: None, hidden_layers: None };
        let data = Dataset { inputs: Matrix::new(1, 2, vec![4.0, 5.0]).unwrap(), labels: vec![1] };
        let with = with_origins(&task, &data).unwrap();
        assert_eq!(with.inputs.values(), [4.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(with.labels, [1, 0, 1, 2]);
        let nothing = Dataset { inputs: Matrix::new(0, 0, Vec::new()).unwrap(), labels: Vec::new() };
        assert_eq!(with_origins(&task, &nothing).unwrap().labels, [0, 1, 2]);
        for (input_dim, num_classes) in [(3, 3), (2, 1)] {
            assert!(with_origins(&Task { input_dim, num_classes, ..task.clone() }, &data).is_err());
        }
    }

    #[test]
    fn rows_stay_distributions() {
        for (mut row, expected) in [
            (vec![0.0, 1.0], vec![0.01, 0.99]),
            (vec![0.3, 0.7], vec![0.3, 0.7]),
            (vec![0.0, 1.0, 0.0], vec![0.01 / 1.01, 0.99 / 1.01, 0.01 / 1.01]),
        ] {
            truncate(&mut row, 0.01);
            assert!(row.iter().zip(&expected).all(|(p, expected)| (p - expected).abs() < TOLERANCE), "{row:?}");
        }
    }
}
