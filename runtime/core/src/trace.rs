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
    /// The trace of the whole, if this is one of several parts, and their number.
    whole: Option<(Trace, u32)>,
}

#[derive(Debug, Default)]
struct Log {
    first: Vec<String>,
    last: String,
    lines: u64,
}

impl Trace {
    /// Makes the trace of one of `parts` equal parts of the agent's work: its progress is also that of the whole, by its
    /// share; its log stays its own until [`append`](Self::append).
    #[must_use]
    pub fn part(&self, parts: u32) -> Self {
        Self(Arc::new(Said { whole: Some((self.clone(), parts)), ..Said::default() }))
    }

    /// Moves the log of a part to the end of this one.
    pub fn append(&self, part: &Self) {
        let part = std::mem::take(&mut *part.kept());
        part.first.iter().for_each(|line| self.add_line(line));
        let mut log = self.kept();
        log.lines += part.lines - part.first.len() as u64;
        if !part.last.is_empty() {
            log.last = part.last;
        }
    }

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
        let before = f32::from_bits(self.0.progress.swap(fraction.to_bits(), Ordering::Relaxed));
        if let Some((whole, parts)) = &self.0.whole {
            whole.advance((fraction - before) / *parts as f32);
        }
    }

    /// Adds to the progress.
    fn advance(&self, by: f32) {
        let add = |bits| Some((f32::from_bits(bits) + by).clamp(0.0, 1.0).to_bits());
        // An update without a limit of tries never fails.
        let _ = self.0.progress.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
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
    fn parts_advance_the_whole_by_their_share_and_add_their_logs_in_order() {
        let whole = Trace::default();
        let parts = [(); 4].map(|()| whole.part(4));
        parts[2].set_progress(1.0);
        parts[0].set_progress(0.5);
        assert_eq!(whole.progress(), 0.375);
        parts[2].set_progress(0.0);
        assert_eq!(whole.progress(), 0.125);
        (0..LINES + 5).for_each(|line| parts[1].add_line(&format!("second {line}")));
        parts[0].add_line("first");
        for part in &parts {
            whole.append(part);
        }
        let (kept, more) = whole.log();
        assert_eq!((kept[0].as_str(), kept[1].as_str(), more), ("first", "second 0", 6));
        assert_eq!(whole.last_line(), Some(format!("second {}", LINES + 4)));
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
