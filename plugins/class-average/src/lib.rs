//! The agent `class-average`: predicts the frequency of each class in the training set, whatever the input.

use jointly_nets::truncated::truncate;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, NonNegative, Setting, Task, settings, sweep};

settings! {
    struct Settings {
        /// minimum frequency of a class, below 0.5, which keeps the loss of an unseen class finite
        floor: NonNegative = "0.01",
    }
}

/// The frequency of each class in the training set.
#[derive(Debug)]
pub struct ClassAverage {
    frequencies: Vec<f32>,
}

impl Classifier for ClassAverage {
    fn describe() -> Description {
        let summary = "the frequency of each class among the examples, whatever the input";
        Description {
            citation: "Osband et al., The Neural Testbed: evaluating joint predictions, NeurIPS 2022".into(),
            deterministic: true,
            parameters: Settings::parameters(),
            sweeps: vec![sweep("floor", ["0.001", "0.01", "0.1"].map(|floor| vec![("floor", floor)]))],
            ..Description::new("class-average", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    /// # Formula
    ///
    /// p_k = n_k / T, where n_k of the T examples are of class k; 1 / K without examples. [`truncate`] then raises
    /// each to at least the floor.
    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let floor = *Settings::parse(settings)?.floor;
        if floor >= 0.5 {
            return Err(Failure::InvalidSetting(format!("floor={floor}: expected a number below 0.5")));
        }
        let mut counts = vec![0_u32; task.num_classes];
        for label in &data.labels {
            let count = counts.get_mut(*label as usize);
            *count.ok_or_else(|| Failure::Internal(format!("label {label} of {} classes", task.num_classes)))? += 1;
        }
        let mut frequencies = match data.labels.len() {
            0 => vec![1.0 / task.num_classes as f32; task.num_classes],
            examples => counts.iter().map(|count| (f64::from(*count) / examples as f64) as f32).collect(),
        };
        truncate(&mut frequencies, floor);
        Ok(Self { frequencies })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        for row in out.chunks_exact_mut(self.frequencies.len()) {
            row.copy_from_slice(&self.frequencies);
        }
        Ok(())
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(classifier: ClassAverage);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_invalid, setting};

    use super::*;

    const TOLERANCE: f32 = 1e-6;

    fn train(labels: &[u32], settings: &[Setting]) -> Result<ClassAverage, Failure> {
        let task = Task::new(1, 3);
        let inputs = Matrix::new(labels.len(), 1, vec![0.5; labels.len()]).unwrap();
        ClassAverage::train(&task, &Dataset { inputs, labels: labels.to_vec() }, None, settings, 0)
    }

    fn probs(labels: &[u32], settings: &[Setting]) -> Vec<f32> {
        let mut out = vec![0.0; 6];
        let inputs = Matrix::new(2, 1, vec![1.0, -1.0]).unwrap();
        train(labels, settings).unwrap().probs(&inputs, 3, &mut out).unwrap();
        out
    }

    #[test]
    fn frequencies_by_hand() {
        let close = |labels: &[u32], floor: &str, expected: [f32; 3]| {
            let probs = probs(labels, &[setting("floor", floor)]);
            let pairs = probs.iter().zip(expected.iter().cycle());
            assert!(pairs.into_iter().all(|(p, expected)| (p - expected).abs() < TOLERANCE), "{probs:?}");
        };
        close(&[0, 2, 2, 1], "0.01", [0.25, 0.25, 0.5]);
        close(&[], "0.01", [1.0 / 3.0; 3]);
        close(&[2, 2], "0", [0.0, 0.0, 1.0]);
        close(&[2, 2], "0.01", [0.01 / 1.01, 0.01 / 1.01, 0.99 / 1.01]);
    }

    #[test]
    fn a_floor_of_half_and_an_impossible_label_are_refused() {
        assert_invalid(train(&[0], &[setting("floor", "0.5")]), "floor=0.5");
        assert!(matches!(train(&[3], &[]), Err(Failure::Internal(_))));
    }
}
