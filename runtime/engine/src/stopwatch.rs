//! Measures the time that a thread works, regardless of the rest of the machine.

use std::time::Duration;

/// Measures the thread that started it.
pub struct Stopwatch {
    last: Duration,
}

impl Stopwatch {
    /// Starts to measure the calling thread.
    pub fn start() -> Self {
        Self { last: worked() }
    }

    /// Returns the seconds since the start or the last lap that the thread was on a core; all seconds if the system
    /// does not count.
    pub fn lap(&mut self) -> f64 {
        let last = std::mem::replace(&mut self.last, worked());
        self.last.saturating_sub(last).as_secs_f64()
    }
}

/// Returns how long this thread has been on a core. The kernel's clock counts from the thread's first instruction,
/// unlike `/proc/thread-self/schedstat`, which says 0 until the first tick.
#[cfg(unix)]
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a thread has worked for no negative time")
}

#[cfg(not(unix))]
fn worked() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::{Duration, Instant};

    use super::Stopwatch;

    fn spin(time: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < time {}
    }

    #[test]
    fn a_thread_that_waits_does_not_work() {
        let waiting = || {
            let mut stopwatch = Stopwatch::start();
            // The work of another thread does not count.
            std::thread::scope(|scope| {
                scope.spawn(|| spin(Duration::from_millis(100)));
            });
            stopwatch.lap()
        };
        let seconds = std::thread::spawn(waiting).join().unwrap();
        assert!((0.0..0.05).contains(&seconds), "{seconds}");
    }

    #[test]
    fn laps_from_a_threads_first_moment_on_are_parts_of_all_its_work() {
        let working = || {
            let (mut whole, mut parts) = (Stopwatch::start(), Stopwatch::start());
            spin(Duration::from_millis(1));
            let first = parts.lap();
            spin(Duration::from_millis(1));
            (first, parts.lap(), whole.lap())
        };
        let (first, second, whole) = std::thread::spawn(working).join().unwrap();
        assert!(first > 0.0 && second > 0.0 && first + second <= whole, "{first} and {second} of {whole}");
    }
}
