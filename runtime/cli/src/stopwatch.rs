//! The time that a thread works, whatever else its machine is doing.

use std::time::{Duration, Instant};

/// Below this the system's account of a thread, which it updates now and then, is coarser than the clock is wrong.
const FINE: Duration = Duration::from_millis(20);

/// Measures one thread, that which started it.
pub(crate) struct Stopwatch {
    clock: Instant,
    busy: Option<Duration>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { clock: Instant::now(), busy: busy() }
    }

    /// Seconds since the start or the last lap: those on a core where the system tells them, else all.
    pub(crate) fn lap(&mut self) -> f64 {
        let last = std::mem::replace(self, Self::start());
        let passed = self.clock.duration_since(last.clock);
        let worked = self.busy.zip(last.busy).map(|(now, then)| now.saturating_sub(then));
        let seconds = if passed < FINE { passed } else { worked.map_or(passed, |worked| worked.min(passed)) };
        seconds.as_secs_f64()
    }
}

/// How long this thread has been on a core, where the system says so.
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    // Some systems have the file and always say 0.
    text.split_whitespace().next()?.parse().ok().filter(|busy| *busy > 0).map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::Stopwatch;

    #[test]
    fn a_thread_that_waits_does_not_work() {
        let mut stopwatch = Stopwatch::start();
        let begun = std::time::Instant::now();
        std::thread::scope(|scope| {
            // Another thread's work is its own.
            scope.spawn(|| while begun.elapsed().as_millis() < 100 {});
        });
        let (seconds, passed) = (stopwatch.lap(), begun.elapsed().as_secs_f64());
        assert!((0.0..=passed).contains(&seconds), "{seconds} of {passed}");
        if super::busy().is_some() {
            assert!(seconds < passed, "{seconds} of {passed}");
        }
    }
}
