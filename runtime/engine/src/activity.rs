//! The activity of each thread of a run, and its watchers.

use std::sync::Mutex;

use jointly_host::{Failure, Trace};

/// Follows units while they are carried out, and shows a person how far they have got.
pub trait Watcher {
    /// A unit has been carried out, or measured, in `seconds`.
    fn finished(&self, agent: &str, problem: &str, seconds: f64, failure: Option<&Failure>);

    /// Is called several times a second with what the threads are doing.
    fn running(&self, activities: &[Activity]);

    /// A result cannot be recorded, and no more units are begun. Those that still run may take long, and none of them can be
    /// recorded: a command ends the process here.
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
    /// A unit is begun: its agent trains.
    pub fn begin(&self, agent: &str, problem: &str, training: Trace) {
        *self.doing() = Some(Doing { what: format!("{agent} on {problem}"), training, sampled: None });
    }

    /// So much of the agent's predictions is scored.
    pub fn sampling(&self, fraction: f64) {
        if let Some(doing) = self.doing().as_mut() {
            doing.sampled = Some(fraction);
        }
    }

    /// The unit has ended.
    pub fn end(&self) {
        *self.doing() = None;
    }

    /// A description of the activity; none where there is none.
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
