//! Shows the progress of long work on standard error: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use jointly_core::printable::ShowPath as _;
use jointly_engine::activity::{Activity, Watcher};
use jointly_engine::deadline::Deadline;
use jointly_engine::time_left::TimeLeft;
use jointly_fetch::TransferWatcher;
use jointly_host::Failure;
use jointly_record::plan::Plan;
use jointly_record::unit::Unit;

use crate::{exit, output};

/// With more units than this, only some of them get a plain line.
const LINES: usize = 200;

/// Shows the progress of a run.
pub(crate) struct Display {
    bar: Option<ProgressBar>,
    total: usize,
    finished: AtomicUsize,
    time_left: TimeLeft,
    /// When the run ends, and where its units are recorded.
    end: Option<(Deadline, String)>,
}

impl Display {
    /// Makes a display for units of the plan that run on `jobs` threads, after `done` units that are already done.
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
        Self { bar, total, finished: AtomicUsize::new(done), time_left: TimeLeft::of(plan, units, jobs), end: None }
    }

    /// Lets the run in a directory end at a deadline.
    pub(crate) fn end_at(&mut self, deadline: Option<Deadline>, directory: &Path) {
        self.end = deadline.map(|deadline| (deadline, directory.shown().to_string()));
    }

    /// Ends the process, whatever its units are doing, if the deadline has passed. Called where all that is finished is
    /// recorded.
    pub(crate) fn end_if_late(&self) {
        if let Some((deadline, directory)) = self.end.as_ref().filter(|(deadline, _)| deadline.has_passed()) {
            self.clear();
            output::note(&deadline.notice(self.finished.load(Ordering::Relaxed), self.total, directory));
            exit::end(exit::STOPPED);
        }
    }

    /// Describes how long the rest is likely to take.
    fn left(&self) -> Option<String> {
        self.time_left.remaining().map(about)
    }

    /// Removes the bar from the terminal.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watcher for Display {
    fn finished(&self, agent: &str, problem: &str, seconds: f64, failure: Option<&Failure>) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        self.time_left.finished(agent, problem, seconds);
        let line = || {
            let left = self.left().map(|left| format!("; {left}")).unwrap_or_default();
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

    fn running(&self, activities: &[Activity]) {
        self.end_if_late();
        if let Some(bar) = &self.bar {
            let doing = activities.iter().filter_map(Activity::describe);
            let all: Vec<String> = self.left().into_iter().chain(doing).collect();
            bar.set_message(all.join(", "));
        }
    }

    fn stopped(&self, error: &anyhow::Error) {
        self.clear();
        exit::at_once(error)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Formats a remaining time.
fn about(left: Duration) -> String {
    format!("about {} left", HumanDuration(left))
}

/// Shows how much of a file has been transferred.
pub(crate) struct Transfer {
    bar: Option<ProgressBar>,
    total: u64,
    /// The number of tenths that plain lines have reported.
    told: u64,
}

/// Files below this many bytes get no plain lines, because they arrive before a line is read.
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

    /// Returns a line at each tenth of a large file.
    fn line(&mut self, bytes: u64) -> Option<String> {
        let tenths = bytes.min(self.total) * 10 / self.total.max(1);
        if self.total < LARGE || tenths <= self.told {
            return None;
        }
        self.told = tenths;
        Some(format!("{} % of {} MB", tenths * 10, self.total / 1_000_000))
    }
}

impl TransferWatcher for Transfer {
    fn note(&mut self, text: &str) {
        output::note(text);
    }

    fn reached(&mut self, bytes: u64) {
        match &self.bar {
            Some(bar) => bar.set_position(bytes),
            None => {
                if let Some(line) = self.line(bytes) {
                    output::note(&line);
                }
            }
        }
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
    use super::{Transfer, about};
    use std::time::Duration;

    #[test]
    fn a_time_is_said_in_its_largest_unit() {
        assert_eq!(about(Duration::from_secs(9_999)), "about 3 hours left");
    }

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
