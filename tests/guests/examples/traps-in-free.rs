//! Traps while freeing an answer that the host has read.
#![allow(unsafe_code, reason = "an allocator is the way into the host's own calls")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// The size in bytes of the answer, which is freed when it has been read.
static MEANT: AtomicUsize = AtomicUsize::new(usize::MAX);

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: all memory is the system allocator's, requested and returned exactly as it was requested and returned here.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if layout.size() == MEANT.load(Ordering::Relaxed) {
            #[cfg(target_arch = "wasm32")]
            std::arch::wasm32::unreachable();
        }
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// See the module documentation.
pub struct TrapsInFree {
    classes: usize,
}

impl Classifier for TrapsInFree {
    fn describe() -> Description {
        card("traps-in-free", "traps once its answer is read")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }

    fn sample_probs(&self, _inputs: &Matrix, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        MEANT.store(size_of_val(out), Ordering::Relaxed);
        Ok(())
    }
}

jointly_sdk::export!(classifier: TrapsInFree);
