//! Describes itself with millions of empty lists, which take more memory in the host than in the agent.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Sweep, Task};

/// Has a list of empty lists.
pub struct NestedLists {
    classes: usize,
}

/// The number of variants of a sweep, none of which sets anything.
const VARIANTS: usize = 1_500_000;

impl Classifier for NestedLists {
    fn describe() -> Description {
        let sweep = Sweep { name: "nothing".into(), variants: vec![Vec::new(); VARIANTS], kind: None };
        Description { sweeps: vec![sweep], ..card("nested-lists", "describes itself by empty lists") }
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: NestedLists);
