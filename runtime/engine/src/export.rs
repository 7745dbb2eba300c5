//! The part of a problem that an agent may see, as a file: for clusters where nothing may call back.

use anyhow::Result;
use jointly_classification::{Evaluation, Instance, Problem};
use jointly_core::Inputs;
use jointly_core::digest::Hasher;
use jointly_data::import::NpzWriter;

/// Returns the test inputs of all tau-samples of all taus, one after another.
pub fn test_inputs(problem: &Problem, instance: &Instance, evaluation: &Evaluation) -> Vec<Inputs> {
    let samples = problem.samples(evaluation);
    problem.taus(evaluation).into_iter().map(|tau| instance.test(tau, 0..samples).inputs).collect()
}

/// Returns the name of a problem's file below a folder.
pub fn file_name(problem: &str) -> String {
    format!("{problem}.npz")
}

/// Returns a number that identifies the name, the training data and the test inputs of a problem. Predictions carry it, so
/// that those for another seed's problem are told apart.
pub fn fingerprint(problem: &Problem, instance: &Instance, test: &[Inputs]) -> i64 {
    let mut hasher = Hasher::default();
    hasher.add(problem.name.as_bytes());
    let train = instance.train();
    for inputs in [train.inputs()].into_iter().chain(test) {
        let numbers = inputs.numbers();
        hasher.add(&(numbers.rows() as u64).to_le_bytes());
        for value in numbers.values() {
            hasher.add(&value.to_le_bytes());
        }
    }
    for label in train.labels() {
        hasher.add(&label.to_le_bytes());
    }
    let digits: String = hasher.finish().chars().filter(char::is_ascii_hexdigit).rev().take(15).collect();
    i64::from_str_radix(&digits, 16).unwrap_or_default()
}

/// Returns training data and test inputs as an .npz: `x_train` (T, d) float32, `y_train` (T,) int64, `x_test` (rows, d)
/// float32, `num_classes` int64, `fingerprint` int64 of the test inputs, and `temperature` float64 where it is known.
/// Test labels are no part of it.
///
/// # Errors
/// When the archive would become too large for its format.
pub fn archive(problem: &Problem, instance: &Instance, evaluation: &Evaluation) -> Result<Vec<u8>> {
    let (task, train) = (problem.task(), instance.train());
    let columns = u64::from(task.input_dim);
    let mut npz = NpzWriter::default();
    let numbers = train.inputs().numbers();
    npz.array("x_train", &[numbers.rows() as u64, columns], numbers.values().iter().copied())?;
    npz.array("y_train", &[train.labels().len() as u64], train.labels().iter().map(|&label| i64::from(label)))?;
    let test = test_inputs(problem, instance, evaluation);
    let rows: usize = test.iter().map(Inputs::rows).sum();
    let values = test.iter().flat_map(|inputs| inputs.numbers().values().iter().copied());
    npz.array("x_test", &[rows as u64, columns], values)?;
    npz.array("num_classes", &[], [i64::from(task.num_classes)])?;
    npz.array("fingerprint", &[], [fingerprint(problem, instance, &test)])?;
    if let Some(temperature) = task.temperature {
        npz.array("temperature", &[], [shortest(temperature)])?;
    }
    Ok(npz.finish()?)
}

/// Returns the number that reads as the shortest decimal of an `f32`: 0.1 and not 0.10000000149011612.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(value.into())
}
