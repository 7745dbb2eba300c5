//! Progress of long work: a bar on a terminal, plain lines elsewhere; always on standard error.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jointly_host::{Failure, Trace};

use crate::execution::Unit;
use crate::output;
use crate::plan::Plan;
use crate::time_left::TimeLeft;
use crate::unit::{Outcome, UnitResult};

/// With more units than this, plain lines are spread over the work.
const LINES: usize = 200;

/// What one thread is doing.
#[derive(Default)]
pub(crate) struct Activity(Mutex<Option<Doing>>);

struct Doing {
    what: String,
    training: Trace,
    sampled: Option<f64>,
}

impl Activity {
    pub(crate) fn begin(&self, agent: &str, problem: &str, training: Trace) {
        *self.doing() = Some(Doing { what: format!("{agent} on {problem}"), training, sampled: None });
    }

    pub(crate) fn sampling(&self, fraction: f64) {
        if let Some(doing) = self.doing().as_mut() {
            doing.sampled = Some(fraction);
        }
    }

    pub(crate) fn end(&self) {
        *self.doing() = None;
    }

    fn describe(&self) -> Option<String> {
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

/// Shows how far a run has got.
pub(crate) struct Display {
    bar: Option<ProgressBar>,
    total: usize,
    finished: AtomicUsize,
    time_left: TimeLeft,
}

impl Display {
    /// A display of units of the plan that are run so many at a time, beside which some are done already.
    pub(crate) fn new(plan: &Plan, units: &[Unit], done: usize, jobs: usize) -> Self {
        let total = units.len() + done;
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(done as u64);
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Self { bar, total, finished: AtomicUsize::new(done), time_left: TimeLeft::of(plan, units, jobs) }
    }

    pub(crate) fn finished(&self, result: &UnitResult) {
        let failure = match &result.outcome {
            Outcome::Scored { .. } | Outcome::Regression { .. } | Outcome::Shift { .. } => None,
            Outcome::Failed(failure) => Some(failure),
        };
        self.step(&result.agent, &result.problem, result.seconds.unwrap_or_default(), failure);
    }

    /// One unit more is done, or one measurement of it.
    pub(crate) fn step(&self, agent: &str, problem: &str, seconds: f64, failure: Option<&Failure>) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        self.time_left.finished(agent, problem, seconds);
        let line = || {
            let left = self.time_left.text().map(|left| format!("; {left}")).unwrap_or_default();
            let how = failure.map_or_else(|| format!("{seconds:.1} s"), |failure| format!("failed: {failure}"));
            format!("[{finished}/{}] {agent} on {problem}: {how}{left}", self.total)
        };
        match &self.bar {
            Some(bar) => {
                bar.set_position(finished as u64);
                if failure.is_some() {
                    bar.println(line());
                }
            }
            None if failure.is_some() || finished.is_multiple_of(self.total.div_ceil(LINES)) => output::note(&line()),
            None => {}
        }
    }

    pub(crate) fn running(&self, activities: &[Activity]) {
        if let Some(bar) = &self.bar {
            let doing = activities.iter().filter_map(Activity::describe);
            let all: Vec<String> = self.time_left.text().into_iter().chain(doing).collect();
            bar.set_message(all.join(", "));
        }
    }

    /// Takes the bar off the terminal.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Shows how much of a file has come.
pub(crate) struct Transfer {
    bar: Option<ProgressBar>,
    total: u64,
    /// Tenths of it that plain lines have told of.
    told: u64,
}

/// Files below this many bytes have come before a plain line of them is read.
const LARGE: u64 = 10_000_000;

impl Transfer {
    pub(crate) fn new(total: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {bytes}/{total_bytes} {elapsed} (eta {eta})");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Self { bar, total, told: 0 }
    }

    pub(crate) fn reached(&mut self, bytes: u64) {
        match &self.bar {
            Some(bar) => bar.set_position(bytes),
            None => {
                if let Some(line) = self.line(bytes) {
                    output::note(&line);
                }
            }
        }
    }

    /// A line at each tenth of a large file.
    fn line(&mut self, bytes: u64) -> Option<String> {
        let tenths = bytes.min(self.total) * 10 / self.total.max(1);
        if self.total < LARGE || tenths <= self.told {
            return None;
        }
        self.told = tenths;
        Some(format!("{} % of {} MB", tenths * 10, self.total / 1_000_000))
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Transfer;

    #[test]
    fn a_large_file_has_a_line_each_tenth() {
        let lines = |total: u64, reached: &[u64]| {
            let mut transfer = Transfer { bar: None, total, told: 0 };
            reached.iter().filter_map(|bytes| transfer.line(*bytes)).collect::<Vec<_>>()
        };
        let whole = [1, 1_999_999, 2_000_000, 2_000_001, 9_000_000, 20_000_000, 20_000_001];
        assert_eq!(lines(20_000_000, &whole), ["10 % of 20 MB", "40 % of 20 MB", "100 % of 20 MB"]);
        assert!(lines(5, &[1, 5]).is_empty());
    }
}
