//! The events that a guest may wait for.

use wasmtime::component::Resource;

/// An event that a guest may wait for; its representation is its place in [`Pollables`].
pub(in crate::wasi) struct Pollable;

/// The times that pollables wait for. Streams are always ready: theirs is 0.
///
/// There are no more than the engine lets a store have handles.
#[derive(Default)]
pub(in crate::wasi) struct Pollables {
    times: Vec<u64>,
    free: Vec<u32>,
}

impl Pollables {
    /// Adds a pollable that is ready at `time`, and returns its place.
    pub(in crate::wasi) fn add(&mut self, time: u64) -> u32 {
        if let Some(place) = self.free.pop() {
            self.times[place as usize] = time;
            return place;
        }
        self.times.push(time);
        u32::try_from(self.times.len() - 1).expect("fewer than the handles of a store")
    }

    /// Frees the place of a dropped pollable.
    pub(in crate::wasi) fn drop(&mut self, place: u32) {
        self.free.push(place);
    }

    /// The time that a pollable waits for.
    pub(in crate::wasi) fn time(&self, pollable: &Resource<Pollable>) -> u64 {
        self.times[pollable.rep() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Pollables;

    #[test]
    fn places_are_used_again() {
        let mut pollables = Pollables::default();
        assert_eq!((pollables.add(5), pollables.add(6)), (0, 1));
        pollables.drop(0);
        assert_eq!((pollables.add(7), pollables.add(8)), (0, 2));
        assert_eq!(pollables.times, [7, 6, 8]);
    }
}
