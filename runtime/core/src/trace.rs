//! The progress and the bounded log of an agent.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most lines of a log that are kept.
const LINES: usize = 20;
/// The most bytes of a line that are kept.
pub const LINE_BYTES: usize = 2 * 1024;

/// The hint that Rust prints after a panic's message, which says nothing about the panic.
const HINT: &str = "note: run with `RUST_BACKTRACE=1`";

/// The progress and the log of an agent, shared between its store and the code that shows or keeps them.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Said>);

#[derive(Debug, Default)]
struct Said {
    /// The progress, as the bits of an `f32`.
    progress: AtomicU32,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    first: Vec<String>,
    last: String,
    lines: u64,
}

impl Trace {
    /// Returns the completed fraction of the current call, as the agent reports it, from 0 to 1.
    pub fn progress(&self) -> f32 {
        f32::from_bits(self.0.progress.load(Ordering::Relaxed))
    }

    /// Returns the first lines that the agent logged, and the number of further lines.
    pub fn log(&self) -> (Vec<String>, u64) {
        let log = self.kept();
        (log.first.clone(), log.lines - log.first.len() as u64)
    }

    /// Returns the last informative line that the agent logged, if any.
    pub fn last_line(&self) -> Option<String> {
        let log = self.kept();
        (!log.last.is_empty()).then(|| log.last.clone())
    }

    /// Sets the progress, clamped to [0, 1], with 0 for NaN: a guest may report any number.
    pub fn set_progress(&self, fraction: f32) {
        let fraction = if fraction >= 0.0 { fraction.min(1.0) } else { 0.0 };
        self.0.progress.store(fraction.to_bits(), Ordering::Relaxed);
    }

    /// Keeps the start of a line until the limits are reached; counts the line in any case.
    pub fn add_line(&self, line: &str) {
        let mut end = line.len().min(LINE_BYTES);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let line = &line[..end];
        let mut log = self.kept();
        log.lines += 1;
        if !line.trim().is_empty() && !line.starts_with(HINT) {
            line.clone_into(&mut log.last);
        }
        if log.first.len() < LINES {
            log.first.push(line.to_owned());
        }
    }

    fn kept(&self) -> MutexGuard<'_, Log> {
        self.0.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, LINES, Trace};

    #[test]
    fn the_log_is_bounded_and_counts_what_it_drops() {
        let trace = Trace::default();
        // Each character takes two bytes, so an odd limit would cut one in half.
        let line = "é".repeat(LINE_BYTES);
        (0..1000).for_each(|_| trace.add_line(&line));
        let (kept, dropped) = trace.log();
        assert_eq!((kept.len(), dropped), (LINES, 1000 - LINES as u64));
        assert!(kept.iter().all(|line| line.len() <= LINE_BYTES));
        trace.add_line("the end");
        trace.add_line(" ");
        trace.add_line("note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace");
        assert_eq!(trace.last_line().as_deref(), Some("the end"));
    }

    #[test]
    fn progress_is_a_fraction_whatever_is_said() {
        let trace = Trace::default();
        for (said, kept) in [(0.5, 0.5), (7.0, 1.0), (-1.0, 0.0), (f32::NAN, 0.0)] {
            trace.set_progress(said);
            assert_eq!(trace.progress(), kept);
        }
    }
}
