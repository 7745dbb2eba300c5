//! Trains a classifier on a problem in the way that every command does.

use jointly_classification::{Instance, Problem};
use jointly_core::{Classifier as _, Seed, agent_seed};
use jointly_host::{Failure, Limits, Setting, Trace};

use crate::agent::{Agent, TrainedClassifier};

/// Trains an agent with its settings and limits on a problem's data, with a master seed.
///
/// Inputs without labels are made only for an agent whose description says that it uses them.
///
/// # Errors
/// With the agent's failure.
pub fn train(
    agent: &Agent,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
    (problem, instance): (&Problem, &Instance),
    seed: Seed,
) -> Result<TrainedClassifier, Failure> {
    let unlabelled = if agent.description().unlabelled { instance.unlabelled() } else { None };
    let (task, seed) = (problem.task(), agent_seed(seed, problem.stream_name()));
    let mut classifier = agent.classifier(settings, limits, trace);
    classifier.train(&task, instance.train(), instance.validation(), unlabelled.as_ref(), seed)
}
