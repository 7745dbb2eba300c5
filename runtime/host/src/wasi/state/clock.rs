//! Virtual time: it advances when a guest reads a clock, and when it sleeps.

use wasmtime::component::{ComponentType, Lower};

const SECOND: u64 = 1_000_000_000;
/// The nanoseconds that pass with each reading, so that a loop that waits for a time ends.
pub(in crate::wasi) const STEP: u64 = SECOND / 1_000;
/// The first reading of the monotonic clock, in nanoseconds: a day, so that a guest may subtract from it.
const UP: u64 = 86_400 * SECOND;
/// The first reading of the wall clock, in seconds: the start of the year 2025.
const EPOCH_SECONDS: u64 = 1_735_689_600;

/// The virtual time, in nanoseconds since the store was made.
#[derive(Default)]
pub(in crate::wasi) struct Clock {
    elapsed: u64,
}

impl Clock {
    /// Reads the monotonic clock, in nanoseconds, which advances the time.
    pub(in crate::wasi) fn read(&mut self) -> u64 {
        self.elapsed = self.elapsed.saturating_add(STEP);
        self.now()
    }

    fn now(&self) -> u64 {
        UP.saturating_add(self.elapsed)
    }

    /// Advances the time to `then`, in nanoseconds of the monotonic clock, unless it is past.
    pub(in crate::wasi) fn wait_until(&mut self, then: u64) {
        self.elapsed = self.elapsed.max(then.saturating_sub(UP));
    }

    /// Reads the wall clock, which advances the time.
    pub(in crate::wasi) fn wall(&mut self) -> Datetime {
        self.read();
        Datetime {
            seconds: EPOCH_SECONDS + self.elapsed / SECOND,
            nanoseconds: u32::try_from(self.elapsed % SECOND).expect("less than a second"),
        }
    }
}

#[derive(ComponentType, Lower)]
#[component(record)]
pub(in crate::wasi) struct Datetime {
    pub(in crate::wasi) seconds: u64,
    pub(in crate::wasi) nanoseconds: u32,
}

#[cfg(test)]
mod tests {
    use super::{Clock, EPOCH_SECONDS, SECOND, STEP, UP};

    #[test]
    fn time_passes_by_looking_and_by_sleeping() {
        let mut clock = Clock::default();
        assert_eq!((clock.read(), clock.read()), (UP + STEP, UP + 2 * STEP));
        let then = UP + 100 * SECOND;
        clock.wait_until(then);
        assert_eq!(clock.read(), then + STEP);
        clock.wait_until(then);
        assert_eq!(clock.read(), then + 2 * STEP, "what is past is not waited for");
        let wall = clock.wall();
        assert_eq!((wall.seconds, u64::from(wall.nanoseconds)), (EPOCH_SECONDS + 100, 3 * STEP));
    }

    #[test]
    fn the_end_of_time_is_no_panic() {
        let mut clock = Clock::default();
        clock.wait_until(u64::MAX);
        assert_eq!((clock.read(), clock.read()), (u64::MAX, u64::MAX));
        assert!(clock.wall().seconds > EPOCH_SECONDS);
    }
}
