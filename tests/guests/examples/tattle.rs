//! Logs a digest of everything that it is given.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Parameter, Setting, Task, log, parse_settings};

/// Logs what it is given.
pub struct Tattle {
    classes: usize,
}

/// Returns a setting that distinguishes copies of the agent.
fn parameters() -> Vec<Parameter> {
    vec![Parameter { name: "copy".into(), default_value: "0".into(), summary: "changes nothing".into(), kind: None }]
}

fn bytes(matrix: &Matrix) -> impl Iterator<Item = u8> {
    matrix.values().iter().flat_map(|value| value.to_le_bytes())
}

/// Computes FNV-1a.
fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

impl Classifier for Tattle {
    fn describe() -> Description {
        Description { parameters: parameters(), ..card("tattle", "tells what it sees") }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&parameters(), settings)?;
        let labels = data.labels.iter().flat_map(|label| label.to_le_bytes());
        log(&format!("train {:016x}", digest(bytes(&data.inputs).chain(labels).chain(seed.to_le_bytes()))));
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        log(&format!("sample {} rows {:016x}", inputs.rows(), digest(bytes(inputs))));
        fill_evenly(out, self.classes);
        Ok(())
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(classifier: Tattle);
