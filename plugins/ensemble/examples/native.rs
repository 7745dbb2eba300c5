//! Trains the agent outside the sandbox and prints the time in seconds, which the benchmark `sandbox` compares with
//! the component's. The arguments are the number of examples and settings such as `size=10`.

use std::time::Instant;

use jointly_agent_ensemble::DeepEnsemble;
use jointly_sdk::{Dataset, InputClassifier, Inputs, Matrix, Rng, Setting, Task};

/// Features of an input.
const DIM: usize = 2;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let examples = arguments.next().and_then(|n| n.parse().ok()).expect("the number of examples");
    let settings: Vec<Setting> = arguments
        .map(|argument| {
            let (name, value) = argument.split_once('=').expect("a setting is name=value");
            Setting { name: name.into(), value: value.into() }
        })
        .collect();
    let task = Task { temperature: Some(0.1), hidden_layers: Some(2), ..Task::new(DIM, 2) };
    let mut rng = Rng::new(0, 0);
    let inputs: Vec<f32> = (0..examples * DIM).map(|_| rng.normal()).collect();
    let labels = inputs.chunks(DIM).map(|row| u32::from(row[0] * row[1] > 0.0)).collect();
    let data = Dataset { inputs: Inputs::from(Matrix::new(examples, DIM, inputs).expect("a row an example")), labels };

    let start = Instant::now();
    let trained = DeepEnsemble::train(&task, &data, None, &settings, 0);
    let seconds = start.elapsed().as_secs_f64();
    trained.expect("training succeeds");
    println!("{seconds}");
}
