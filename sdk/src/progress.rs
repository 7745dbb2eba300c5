//! Reports the progress of training at intervals.

use crate::progress;

/// Reports the progress of training to the host, about a hundred times in all.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    done: usize,
    next: usize,
}

impl Progress {
    /// Creates the progress of a training of `total` steps.
    pub fn new(total: usize) -> Self {
        Self { total, done: 0, next: 0 }
    }

    /// Records that a step is done.
    pub fn step(&mut self) {
        self.done += 1;
        if self.done >= self.next {
            progress(self.done as f32 / self.total as f32);
            self.next = self.done + self.total.div_ceil(100);
        }
    }
}
