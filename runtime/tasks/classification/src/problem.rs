//! Problems: the sources of the training data and test tau-samples of one unit of work.

use std::ops::Range;
use std::sync::Arc;

use crate::{Evaluation, EvaluationError};
use jointly_core::Seed;
use jointly_core::coordinates::Coordinates;
use jointly_core::dataset::Dataset;
use jointly_core::estimate::{MAX_SAMPLE_BYTES, joint_log_likelihood};
use jointly_core::inputs::Inputs;
use jointly_core::matrix::Matrix;
use jointly_core::metric::Metric;
use jointly_core::normal_inputs::normal_inputs;
use jointly_core::stream::{Stream, stream};
use jointly_core::task::Task;
use jointly_core::tau_samples::{TauSamples, tau_sample_index};
use jointly_data::RealProblem;
use jointly_data::import::ImportedProblem;
use jointly_data::problem::RealInstance;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::environment::{Environment, EnvironmentSpec};
use crate::rule::Rule;
use crate::test_inputs::TestInputs;

/// The most tau-samples that one thread creates at a time: enough to fill the lanes of the environment's network.
const PIECE: u32 = 64;

/// One problem, on which agents train and are tested.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The name in results.
    pub name: String,
    /// The source of its data.
    pub source: Source,
    /// Its place in its suite.
    pub coordinates: Coordinates,
}

/// The source of a problem's data.
#[derive(Clone, Debug)]
pub enum Source {
    /// An environment sampled from the seed.
    Synthetic {
        /// The distribution of the environment.
        environment: EnvironmentSpec,
        /// Number T of training examples.
        train_size: u32,
        /// The distribution of the inputs of a test tau-sample.
        test_inputs: TestInputs,
    },
    /// A problem read from a file.
    Imported(Arc<ImportedProblem>),
    /// A dataset, whose data must be attached before [`Problem::instance`] is called.
    Real(RealProblem),
}

impl Problem {
    /// Creates a problem that was read from a file.
    pub fn imported(name: String, problem: ImportedProblem) -> Self {
        Self { name, source: Source::Imported(Arc::new(problem)), coordinates: Coordinates::default() }
    }

    /// Returns the name from which random streams are derived: the problem's name or, if it was imported, its digest,
    /// so that the same data score the same whatever the name of their file.
    pub fn stream_name(&self) -> &str {
        match &self.source {
            Source::Synthetic { .. } | Source::Real(_) => &self.name,
            Source::Imported(imported) => imported.content(),
        }
    }

    /// Returns the description of the task that agents receive.
    pub fn task(&self) -> Task {
        match &self.source {
            Source::Synthetic { environment, .. } => environment.task(),
            Source::Imported(imported) => imported.task().clone(),
            Source::Real(real) => real.task(),
        }
    }

    /// Returns the orders of the predictive distributions to evaluate.
    pub fn taus(&self, evaluation: &Evaluation) -> Vec<u32> {
        match &self.source {
            Source::Synthetic { .. } | Source::Real(_) => evaluation.taus.clone(),
            Source::Imported(imported) => vec![imported.tau()],
        }
    }

    /// Returns the number N of test tau-samples.
    pub fn samples(&self, evaluation: &Evaluation) -> u32 {
        match &self.source {
            Source::Synthetic { .. } | Source::Real(_) => evaluation.samples,
            Source::Imported(imported) => imported.samples(),
        }
    }

    /// Returns the metric of joint log-likelihoods: KL where the environment's are known, else negative log-likelihood.
    pub fn metric(&self) -> Metric {
        match &self.source {
            Source::Synthetic { .. } => Metric::Kl,
            Source::Imported(imported) => Metric::given(imported.log_likelihoods().is_some()),
            Source::Real(_) => Metric::Nll,
        }
    }

    /// Returns the dataset that the problem is made of, if any.
    pub fn real(&self) -> Option<&RealProblem> {
        match &self.source {
            Source::Real(real) => Some(real),
            Source::Synthetic { .. } | Source::Imported(_) => None,
        }
    }

    /// Returns the most bytes that one of the problem's tau-samples takes: its inputs, one function's probabilities at
    /// it and the estimates of all draws.
    pub fn bytes(&self, evaluation: &Evaluation) -> u64 {
        self.needs(evaluation).map(|(_, bytes)| bytes).max().unwrap_or(0)
    }

    /// Checks that an evaluation suits this problem.
    ///
    /// # Errors
    /// When the evaluation does not pass its [check](Evaluation::check), it has no taus and the problem is not
    /// imported, or one tau-sample or its anchors would take more than [`MAX_SAMPLE_BYTES`].
    pub fn fits(&self, evaluation: &Evaluation) -> Result<(), EvaluationError> {
        evaluation.check()?;
        if self.taus(evaluation).is_empty() {
            return Err(EvaluationError::range("taus", &"empty", "at least one tau for a problem that is sampled"));
        }
        if let Source::Synthetic { test_inputs, environment, .. } = &self.source {
            test_inputs.check(environment.input_dim)?;
        }
        match self.needs(evaluation).find(|&(_, bytes)| bytes > MAX_SAMPLE_BYTES) {
            None => Ok(()),
            Some((tau, bytes)) => Err(EvaluationError::TooLarge {
                tau,
                num_classes: self.task().num_classes,
                planes: evaluation.planes,
                draws: evaluation.draws,
                bytes,
            }),
        }
    }

    /// Returns each tau with the bytes that one of its tau-samples takes.
    fn needs(&self, evaluation: &Evaluation) -> impl Iterator<Item = (u32, u64)> {
        let Task { input_dim, num_classes, .. } = self.task();
        let rule = Rule { num_classes: num_classes as usize, ..Rule::of(evaluation) };
        let draws = u64::from(evaluation.draws);
        self.taus(evaluation).into_iter().enumerate().map(move |(i, tau)| {
            let rule = Rule { tau, marginals: i == 0, ..rule.clone() };
            (tau, rule.sample_bytes(draws).saturating_add(rule.input_bytes(input_dim)))
        })
    }

    /// Samples the environment and the training data; test data are sampled on demand.
    ///
    /// # Panics
    /// When the problem is on real data that are not attached.
    pub fn instance(&self, seed: Seed) -> Instance {
        match &self.source {
            Source::Synthetic { environment: spec, train_size, test_inputs } => {
                let synthetic = Synthetic::sample(spec, *train_size, *test_inputs, seed, self.stream_name());
                Instance(Data::Synthetic(synthetic))
            }
            Source::Imported(imported) => Instance(Data::Imported(Arc::clone(imported))),
            Source::Real(real) => Instance(Data::Real(real.instance(seed, self.stream_name()))),
        }
    }
}

/// The data of a problem under one seed.
#[derive(Clone, Debug)]
pub struct Instance(Data);

#[derive(Clone, Debug)]
enum Data {
    Synthetic(Synthetic),
    Imported(Arc<ImportedProblem>),
    Real(RealInstance),
}

impl Instance {
    /// Returns the training examples.
    pub fn train(&self) -> &Dataset {
        match &self.0 {
            Data::Synthetic(synthetic) => &synthetic.train,
            Data::Imported(imported) => imported.train(),
            Data::Real(real) => real.train(),
        }
    }

    /// Returns the examples held out for the agent's own use, if the problem has any; none has today.
    pub fn validation(&self) -> Option<&Dataset> {
        None
    }

    /// Returns the inputs without labels: the training examples of a real dataset that are not in the training set, or
    /// those of an imported file. Environments have none, because their inputs carry no information about labels.
    ///
    /// They may be many: call this only if the agent uses them.
    pub fn unlabelled(&self) -> Option<Inputs> {
        match &self.0 {
            Data::Synthetic(_) => None,
            Data::Imported(imported) => imported.unlabelled().cloned(),
            Data::Real(real) => real.unlabelled(),
        }
    }

    /// Returns the sampled environment, if there is one.
    pub fn environment(&self) -> Option<&Environment> {
        match &self.0 {
            Data::Synthetic(synthetic) => Some(&synthetic.environment),
            Data::Imported(_) | Data::Real(_) => None,
        }
    }

    /// Returns the test tau-samples of a range of indices: each depends only on (seed, problem, tau, its index).
    ///
    /// # Panics
    /// When the problem is imported and its tau differs or it has fewer tau-samples.
    pub fn test(&self, tau: u32, samples: Range<u32>) -> TauSamples {
        match &self.0 {
            Data::Synthetic(synthetic) => synthetic.test(tau, samples),
            Data::Imported(imported) => imported.test(tau, samples),
            Data::Real(real) => real.test(tau, samples),
        }
    }
}

#[derive(Clone, Debug)]
struct Synthetic {
    environment: Environment,
    input_dim: usize,
    num_classes: usize,
    train: Dataset,
    test_inputs: TestInputs,
    seed: Seed,
    name: String,
}

impl Synthetic {
    fn sample(spec: &EnvironmentSpec, train_size: u32, test_inputs: TestInputs, seed: Seed, name: &str) -> Self {
        let environment = Environment::sample(spec, &mut stream(seed, "environment", name, 0));
        let input_dim = spec.input_dim as usize;
        let num_classes = spec.num_classes as usize;
        let inputs = normal_inputs(train_size as usize, input_dim, &mut stream(seed, "train-inputs", name, 0));
        let probs = environment.class_probs(&inputs);
        let labels = labels(&probs, num_classes, &mut stream(seed, "train-labels", name, 0));
        let train = Dataset::new(&spec.task(), inputs, labels).expect("sampled inputs and labels are valid");
        Self { environment, input_dim, num_classes, train, test_inputs, seed, name: name.to_owned() }
    }

    /// Creates the tau-samples in pieces on the threads of the calling pool.
    fn test(&self, tau: u32, samples: Range<u32>) -> TauSamples {
        let starts: Vec<u32> = samples.clone().step_by(PIECE as usize).collect();
        let piece = |start: u32| self.piece(tau, start..start.saturating_add(PIECE).min(samples.end));
        let pieces: Vec<TauSamples> = starts.into_par_iter().map(piece).collect();
        let rows = samples.len() * tau as usize;
        let mut inputs = Vec::with_capacity(rows * self.input_dim);
        let mut labels = Vec::with_capacity(rows);
        let mut log_likelihoods = Vec::with_capacity(samples.len());
        for piece in pieces {
            inputs.extend_from_slice(piece.inputs.numbers().values());
            labels.extend(piece.labels);
            log_likelihoods.extend(piece.log_likelihoods.into_iter().flatten());
        }
        let inputs = Matrix::from_rows(self.input_dim, inputs).into();
        TauSamples { inputs, labels, log_likelihoods: Some(log_likelihoods) }
    }

    fn piece(&self, tau: u32, samples: Range<u32>) -> TauSamples {
        let rows = tau as usize;
        let mut inputs = Vec::with_capacity(samples.len() * rows * self.input_dim);
        for n in samples.clone() {
            let source = |purpose: &str| stream(self.seed, purpose, &self.name, tau_sample_index(tau, n));
            inputs.extend(self.test_inputs.sample(rows, self.input_dim, source));
        }
        let inputs = Matrix::from_rows(self.input_dim, inputs);
        let probs = self.environment.class_probs(&inputs);
        let mut all_labels = Vec::with_capacity(samples.len() * rows);
        let mut log_likelihoods = Vec::with_capacity(samples.len());
        for (n, probs) in samples.zip(probs.chunks_exact(rows * self.num_classes)) {
            let mut source = stream(self.seed, "test-labels", &self.name, tau_sample_index(tau, n));
            let labels = labels(probs, self.num_classes, &mut source);
            log_likelihoods.push(joint_log_likelihood(probs, &labels, self.num_classes));
            all_labels.extend(labels);
        }
        TauSamples { inputs: inputs.into(), labels: all_labels, log_likelihoods: Some(log_likelihoods) }
    }
}

fn labels(probs: &[f32], num_classes: usize, source: &mut Stream) -> Vec<u32> {
    probs.chunks_exact(num_classes).map(|row| source.categorical(row)).collect()
}

#[cfg(test)]
mod tests;
