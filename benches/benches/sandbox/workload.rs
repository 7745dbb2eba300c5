//! The training that is measured.

use jointly_sdk::Rng;

/// The number of features of an input.
pub(crate) const DIM: usize = 2;

/// The number of training examples; a batch contains each once.
pub(crate) const EXAMPLES: usize = 100;

/// The number of members, small so that a turn is short compared with changes in the machine's speed.
const MEMBERS: usize = 3;
const STEPS: usize = 1000;
const HIDDEN: usize = 50;
const CLASSES: usize = 2;

/// Data and settings.
pub(crate) struct Workload {
    pub(crate) inputs: Vec<f32>,
    pub(crate) labels: Vec<u32>,
    pub(crate) settings: Vec<(&'static str, String)>,
}

impl Workload {
    pub(crate) fn new() -> Self {
        let mut rng = Rng::new(0, 0);
        let inputs: Vec<f32> = (0..EXAMPLES * DIM).map(|_| rng.normal()).collect();
        let labels = inputs.chunks(DIM).map(|row| u32::from(row[0] * row[1] > 0.0)).collect();
        Self { inputs, labels, settings: vec![("size", MEMBERS.to_string()), ("steps", STEPS.to_string())] }
    }
}

/// Returns the number of training steps of all members together.
pub(crate) fn steps() -> f64 {
    (MEMBERS * STEPS) as f64
}

/// Returns the number of multiplications and additions in the matrix products of the training, if none were skipped:
/// every layer's values and gradient, and the gradient with respect to the inputs of all layers but the first.
pub(crate) fn operations() -> f64 {
    let products = 2 * DIM * HIDDEN + 3 * HIDDEN * HIDDEN + 3 * HIDDEN * CLASSES;
    (2 * EXAMPLES * products) as f64 * steps()
}
