//! The agent `uniform`: predicts the same probability for every class, whatever the input.

use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, settings};

settings! {
    /// There is nothing to set.
    struct Settings {}
}

/// The number of classes, the only thing that the agent uses.
#[derive(Debug)]
pub struct Uniform {
    classes: usize,
}

impl Classifier for Uniform {
    fn describe() -> Description {
        let summary = "equal probabilities for all classes";
        Description { deterministic: true, ..Description::new("uniform", env!("CARGO_PKG_VERSION"), summary) }
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        Settings::parse(settings)?;
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        out.fill(1.0 / self.classes as f32);
        Ok(())
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(classifier: Uniform);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_as_likely() {
        let task = Task::new(1, 4);
        let data = Dataset { inputs: Matrix::new(1, 1, vec![3.0]).unwrap(), labels: vec![2] };
        let uniform = Uniform::train(&task, &data, None, &[], 0).unwrap();
        let mut out = [0.0; 4];
        uniform.probs(&data.inputs, 7, &mut out).unwrap();
        assert_eq!(out, [0.25; 4]);
        let unknown = [Setting { name: "size".into(), value: "3".into() }];
        assert!(matches!(Uniform::train(&task, &data, None, &unknown, 0), Err(Failure::InvalidSetting(_))));
    }
}
