//! The agents that are measured, with their data and settings.

use jointly_sdk::Rng;

/// An agent at work.
pub(crate) struct Workload {
    /// The name in the table.
    pub(crate) name: &'static str,
    pub(crate) agent: &'static str,
    pub(crate) inputs: Vec<f32>,
    pub(crate) dim: usize,
    pub(crate) image: Option<(u32, u32, u32)>,
    pub(crate) targets: Targets,
    pub(crate) settings: Vec<(&'static str, &'static str)>,
    /// The draws at all inputs that are measured; without them, training is.
    pub(crate) sampling: Option<Sampling>,
}

/// Calls that each ask for the same draws at all inputs.
pub(crate) struct Sampling {
    pub(crate) draws: u64,
    pub(crate) calls: usize,
}

/// The labels or numbers that an agent learns.
pub(crate) enum Targets {
    Classes(Vec<u32>),
    Numbers(Vec<f32>),
}

/// The training of the ensemble, which runs natively too.
pub(crate) mod ensemble {
    /// The number of features of an input.
    pub(crate) const DIM: usize = 2;
    /// The number of training examples; a batch contains each once.
    pub(crate) const EXAMPLES: usize = 100;
    /// The number of members, small so that a turn is short compared with changes in the machine's speed.
    pub(crate) const SETTINGS: [(&str, &str); 2] = [("size", "3"), ("steps", "1000")];
    const HIDDEN: usize = 50;
    const CLASSES: usize = 2;

    /// Returns the number of training steps of all members together.
    pub(crate) fn steps() -> f64 {
        SETTINGS.iter().map(|(_, number)| number.parse::<f64>().expect("a number")).product()
    }

    /// Returns the number of multiplications and additions in the matrix products of the training, if none were skipped:
    /// every layer's values and gradient, and the gradient with respect to the inputs of all layers but the first.
    pub(crate) fn operations() -> f64 {
        let products = 2 * DIM * HIDDEN + 3 * HIDDEN * HIDDEN + 3 * HIDDEN * CLASSES;
        (2 * EXAMPLES * products) as f64 * steps()
    }
}

impl Workload {
    /// Returns all workloads, the ensemble first. Each takes a second or less, but for the draws.
    pub(crate) fn all() -> Vec<Self> {
        vec![
            Self::classes("dense layers: training an ensemble", "ensemble", ensemble::EXAMPLES, ensemble::DIM)
                .with(&ensemble::SETTINGS),
            Self::classes("convolutions: an epoch of LeNet on 64 images", "mlp", 64, 32 * 32 * 3)
                .with(&[("network", "lenet"), ("epochs", "1"), ("batch-size", "32")])
                .of_images((32, 32, 3)),
            Self::classes("1,000 draws of dropout on 100,000 rows", "dropout", 100, 10)
                .with(&[("steps", "10")])
                .sampled(Sampling { draws: 1000, calls: 1000 }),
            Self::numbers("Cholesky: steps of a Gaussian process", "gp", 200, 8).with(&[
                ("optimizer", "adam"),
                ("starts", "1"),
                ("steps", "20"),
            ]),
            Self::numbers("steps of a sparse Gaussian process", "svgp", 1000, 8)
                .with(&[("optimizer", "adam"), ("steps", "10")]),
            Self::numbers("leapfrog steps of HMC", "hmc", 400, 8).with(&[
                ("chains", "1"),
                ("warmup", "50"),
                ("samples", "10"),
                ("thinning", "5"),
            ]),
        ]
    }

    fn new(name: &'static str, agent: &'static str, inputs: Vec<f32>, dim: usize, targets: Targets) -> Self {
        Self { name, agent, inputs, dim, image: None, targets, settings: Vec::new(), sampling: None }
    }

    fn classes(name: &'static str, agent: &'static str, rows: usize, dim: usize) -> Self {
        let inputs = normal(rows * dim);
        let labels = inputs.chunks(dim).map(|row| u32::from(row[0] * row[1] > 0.0)).collect();
        Self::new(name, agent, inputs, dim, Targets::Classes(labels))
    }

    fn numbers(name: &'static str, agent: &'static str, rows: usize, dim: usize) -> Self {
        let inputs = normal(rows * dim);
        let targets = inputs.chunks(dim).map(|row| row[0] * row[1] + row[2]).collect();
        Self::new(name, agent, inputs, dim, Targets::Numbers(targets))
    }

    fn with(mut self, settings: &[(&'static str, &'static str)]) -> Self {
        self.settings = settings.to_vec();
        self
    }

    fn of_images(mut self, shape: (u32, u32, u32)) -> Self {
        self.image = Some(shape);
        // Pixels are from 0 to 1.
        self.inputs.iter_mut().for_each(|pixel| *pixel = (0.5 + 0.2 * *pixel).clamp(0.0, 1.0));
        self
    }

    fn sampled(mut self, sampling: Sampling) -> Self {
        self.sampling = Some(sampling);
        self
    }
}

fn normal(count: usize) -> Vec<f32> {
    let mut rng = Rng::new(0, 0);
    (0..count).map(|_| rng.normal()).collect()
}
