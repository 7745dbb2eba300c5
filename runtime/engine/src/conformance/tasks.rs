//! Tasks and calls that any agent must handle.

use jointly_host::Failure;

use super::subject::{DRAWS, Learned, SEED, Subject, points, sample};

/// The prefix of a failure by which the host recognises that an agent refuses a task.
pub(super) const UNSUPPORTED: &str = "unsupported task";

/// Trains and samples; the host checks the answers as in a run.
pub(super) fn answers(subject: &Subject) -> Result<(), String> {
    let draws: Vec<u64> = (0..DRAWS).collect();
    sample(&mut subject.trained()?, &points(200, 0), &draws).map(drop)
}

/// Accepts a refusal, because some methods know two classes alone.
pub(super) fn three_classes(subject: &Subject) -> Result<(), String> {
    unless_refused(subject, 3, 21)
}

pub(super) fn no_data(subject: &Subject) -> Result<(), String> {
    predicts(subject.train(2, 0, SEED, &subject.settings))
}

/// Accepts a refusal, because some methods have no answer without examples.
pub(super) fn no_data_or_refusal(subject: &Subject) -> Result<(), String> {
    unless_refused(subject, 2, 0)
}

fn unless_refused(subject: &Subject, classes: u32, examples: usize) -> Result<(), String> {
    match subject.train(classes, examples, SEED, &subject.settings) {
        Err(failure) if failure.message.starts_with(UNSUPPORTED) => Ok(()),
        trained => predicts(trained),
    }
}

pub(super) fn zero_rows(subject: &Subject) -> Result<(), String> {
    sample(&mut subject.trained()?, &points(0, 0), &[0, 1]).map(drop)
}

pub(super) fn zero_draws(subject: &Subject) -> Result<(), String> {
    sample(&mut subject.trained()?, &points(5, 0), &[]).map(drop)
}

fn predicts(trained: Result<Learned, Failure>) -> Result<(), String> {
    let mut model = trained.map_err(|failure| failure.to_string())?;
    sample(&mut model, &points(10, 0), &[0, 1, 2]).map(drop)
}
