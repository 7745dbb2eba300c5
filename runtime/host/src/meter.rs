//! What a store knows of its guest: limits, progress and a bounded log.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use wasmtime::ResourceLimiter;

use crate::Limits;

/// How much of an agent's log is kept.
const LOG_BYTES: usize = 64 * 1024;
/// The longest line of a log, and so of a message that quotes it.
const LINE_BYTES: usize = 2 * 1024;
/// Elements of all tables together: interpreters need many thousands, nobody a million.
const TABLE_ELEMENTS: usize = 1_000_000;
/// Core instances, memories and tables of one component.
const INSTANCES: usize = 256;

/// The fraction of its current call that an agent says is done; shared with whoever shows it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU32>);

impl Progress {
    /// Between 0 and 1.
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// Keeps what lies in [0, 1]; a guest may say anything.
    pub(crate) fn set(&self, fraction: f32) {
        let fraction = if fraction >= 0.0 { fraction.min(1.0) } else { 0.0 };
        self.0.store(fraction.to_bits(), Ordering::Relaxed);
    }
}

/// The state of a guest's store.
pub(crate) struct Meter {
    memory: usize,
    memory_limit: usize,
    tables: usize,
    /// Memory was asked for and refused: what the guest does next is likely a consequence.
    pub(crate) refused_memory: bool,
    pub(crate) progress: Progress,
    log: Vec<String>,
    log_bytes: usize,
    dropped: u64,
}

impl Meter {
    pub(crate) fn new(limits: Limits, progress: Progress) -> Self {
        Self {
            memory: 0,
            memory_limit: usize::try_from(limits.memory).unwrap_or(usize::MAX),
            tables: 0,
            refused_memory: false,
            progress,
            log: Vec::new(),
            log_bytes: 0,
            dropped: 0,
        }
    }

    /// Keeps a line while there is room; counts it otherwise.
    pub(crate) fn log(&mut self, message: &str) {
        let mut end = message.len().min(LINE_BYTES);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        if self.log_bytes + end > LOG_BYTES || self.log.len() >= LOG_BYTES {
            self.dropped += 1;
            return;
        }
        self.log_bytes += end;
        self.log.push(message[..end].to_owned());
    }

    pub(crate) fn lines(&self) -> &[String] {
        &self.log
    }

    pub(crate) fn dropped_lines(&self) -> u64 {
        self.dropped
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        // The guest's memories share one limit.
        let total = self.memory.saturating_add(desired.saturating_sub(current));
        if total > self.memory_limit {
            self.refused_memory = true;
            return Ok(false);
        }
        self.memory = total;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let total = self.tables.saturating_add(desired.saturating_sub(current));
        if total > TABLE_ELEMENTS {
            self.refused_memory = true;
            return Ok(false);
        }
        self.tables = total;
        Ok(true)
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn tables(&self) -> usize {
        INSTANCES
    }

    fn memories(&self) -> usize {
        INSTANCES
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, LOG_BYTES, Meter, Progress};
    use crate::Limits;
    use wasmtime::ResourceLimiter;

    #[test]
    fn the_log_is_bounded_and_counts_what_it_drops() {
        let mut meter = Meter::new(Limits::default(), Progress::default());
        let line = "é".repeat(LINE_BYTES);
        (0..1000).for_each(|_| meter.log(&line));
        let kept: usize = meter.lines().iter().map(String::len).sum();
        assert!(kept <= LOG_BYTES && kept + LINE_BYTES > LOG_BYTES, "{kept}");
        assert_eq!(meter.lines().len() as u64 + meter.dropped_lines(), 1000);
    }

    #[test]
    fn memories_share_one_limit() {
        let mut meter = Meter::new(Limits { fuel: 0, memory: 100 }, Progress::default());
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(!meter.memory_growing(0, 60, None).unwrap());
        assert!(meter.refused_memory);
        assert!(meter.memory_growing(60, 100, None).unwrap());
    }

    #[test]
    fn progress_is_a_fraction_whatever_is_said() {
        let progress = Progress::default();
        for (said, kept) in [(0.5, 0.5), (7.0, 1.0), (-1.0, 0.0), (f32::NAN, 0.0)] {
            progress.set(said);
            assert_eq!(progress.get(), kept);
        }
    }
}
