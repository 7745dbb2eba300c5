//! Tracks the activity of each thread of a run and reports it to watchers.

use std::sync::Mutex;

use jointly_host::{Failure, Trace};

/// Follows units while they run and shows the user their progress.
pub trait Watcher {
    /// Called when a unit has been carried out or measured, in `seconds`.
    fn finished(&self, agent: &str, problem: &str, seconds: f64, failure: Option<&Failure>);

    /// Called several times a second with the activities of the threads.
    fn running(&self, activities: &[Activity]);

    /// Called when a result cannot be recorded. No more units are begun. Units that still run may take long and cannot
    /// be recorded, so a command ends the process here.
    fn stopped(&self, error: &anyhow::Error);
}

/// The activity of one thread.
#[derive(Default)]
pub struct Activity(Mutex<Option<Doing>>);

struct Doing {
    what: String,
    training: Trace,
    sampled: Option<f64>,
}

impl Activity {
    /// Begins a unit: its agent trains.
    pub fn begin(&self, agent: &str, problem: &str, training: Trace) {
        *self.doing() = Some(Doing { what: format!("{agent} on {problem}"), training, sampled: None });
    }

    /// Sets the fraction of the agent's predictions that is scored.
    pub fn sampling(&self, fraction: f64) {
        if let Some(doing) = self.doing().as_mut() {
            doing.sampled = Some(fraction);
        }
    }

    /// Ends the unit.
    pub fn end(&self) {
        *self.doing() = None;
    }

    /// Describes the activity; returns `None` if the thread is idle.
    pub fn describe(&self) -> Option<String> {
        let doing = self.doing();
        let Doing { what, training, sampled } = doing.as_ref()?;
        Some(match sampled {
            None => format!("{what}: training {:.0} %", 100.0 * training.progress()),
            Some(fraction) => format!("{what}: scoring {:.0} %", 100.0 * fraction),
        })
    }

    fn doing(&self) -> std::sync::MutexGuard<'_, Option<Doing>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
