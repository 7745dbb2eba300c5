//! Tasks and calls that any agent must handle.

use super::subject::{DRAWS, SEED, Subject, points, sample};

/// The prefix of a failure by which the host recognises that an agent refuses a task.
pub(super) const UNSUPPORTED: &str = "unsupported task";

/// Trains and samples; the host checks the answers as in a run.
pub(super) fn answers(subject: &Subject) -> Result<(), String> {
    let draws: Vec<u64> = (0..DRAWS).collect();
    sample(&mut subject.trained()?, &points(200, 0), &draws).map(drop)
}

pub(super) fn three_classes(subject: &Subject) -> Result<(), String> {
    works(subject, 3, 21)
}

pub(super) fn no_data(subject: &Subject) -> Result<(), String> {
    works(subject, 2, 0)
}

/// Accepts a refusal, because some methods have no answer without examples.
pub(super) fn no_data_or_refusal(subject: &Subject) -> Result<(), String> {
    match subject.train(2, 0, SEED, &subject.settings) {
        Err(failure) if failure.message.starts_with(UNSUPPORTED) => Ok(()),
        _ => no_data(subject),
    }
}

pub(super) fn zero_rows(subject: &Subject) -> Result<(), String> {
    sample(&mut subject.trained()?, &points(0, 0), &[0, 1]).map(drop)
}

pub(super) fn zero_draws(subject: &Subject) -> Result<(), String> {
    sample(&mut subject.trained()?, &points(5, 0), &[]).map(drop)
}

fn works(subject: &Subject, num_classes: u32, examples: usize) -> Result<(), String> {
    let trained = subject.train(num_classes, examples, SEED, &subject.settings);
    let mut model = trained.map_err(|failure| failure.to_string())?;
    sample(&mut model, &points(10, 0), &[0, 1, 2]).map(drop)
}
