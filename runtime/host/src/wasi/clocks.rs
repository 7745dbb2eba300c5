//! `wasi:clocks`: virtual time, which advances when a guest reads a clock and when it sleeps.

use wasmtime::component::{ComponentType, LinkerInstance, Lower};

use super::io::{Pollable, pollable};
use super::link::{Caller, function};
use crate::meter::Meter;

const SECOND: u64 = 1_000_000_000;
/// The nanoseconds that pass with each reading, so that a loop that waits for a time ends.
const STEP: u64 = SECOND / 1_000;
/// The first reading of the monotonic clock, in nanoseconds: a day, so that a guest may subtract from it.
const UP: u64 = 86_400 * SECOND;
/// The first reading of the wall clock, in seconds: the start of the year 2025.
const EPOCH_SECONDS: u64 = 1_735_689_600;

/// The virtual time, in nanoseconds since the store was made.
#[derive(Default)]
pub(super) struct Clock {
    elapsed: u64,
}

impl Clock {
    /// Reads the monotonic clock, in nanoseconds, which advances the time.
    pub(super) fn read(&mut self) -> u64 {
        self.elapsed = self.elapsed.saturating_add(STEP);
        self.now()
    }

    fn now(&self) -> u64 {
        UP.saturating_add(self.elapsed)
    }

    /// Advances the time to `then`, in nanoseconds of the monotonic clock, unless it is past.
    pub(super) fn wait_until(&mut self, then: u64) {
        self.elapsed = self.elapsed.max(then.saturating_sub(UP));
    }

    fn wall(&mut self) -> Datetime {
        self.read();
        Datetime {
            seconds: EPOCH_SECONDS + self.elapsed / SECOND,
            nanoseconds: u32::try_from(self.elapsed % SECOND).expect("less than a second"),
        }
    }
}

#[derive(ComponentType, Lower)]
#[component(record)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}

/// Links `wasi:clocks/monotonic-clock`.
pub(super) fn monotonic(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "now", |store, (): ()| Ok((store.data_mut().wasi.clock.read(),)))?;
    function(instance, "resolution", |_, (): ()| Ok((STEP,)))?;
    function(instance, "subscribe-instant", |store, (when,): (u64,)| Ok((pollable(store, when),)))?;
    function(instance, "subscribe-duration", |store: &mut Caller<'_>, (duration,): (u64,)| {
        let when = store.data_mut().wasi.clock.read().saturating_add(duration);
        Ok::<(wasmtime::component::Resource<Pollable>,), _>((pollable(store, when),))
    })
}

/// Links `wasi:clocks/wall-clock`.
pub(super) fn wall(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "now", |store, (): ()| Ok((store.data_mut().wasi.clock.wall(),)))?;
    function(instance, "resolution", |_, (): ()| {
        Ok((Datetime { seconds: 0, nanoseconds: u32::try_from(STEP).expect("less than a second") },))
    })
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
