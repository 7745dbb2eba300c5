//! Calls WASI's first preview, as the C library does, and logs the answers.
#![cfg_attr(target_arch = "wasm32", expect(unsafe_code, reason = "the first preview is an interface of raw pointers"))]

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

#[cfg(target_arch = "wasm32")]
mod preview1 {
    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    unsafe extern "C" {
        pub(crate) fn clock_time_get(clock: u32, precision: u64, time: *mut u64) -> u32;
        pub(crate) fn environ_sizes_get(count: *mut u32, bytes: *mut u32) -> u32;
        pub(crate) fn fd_prestat_get(descriptor: u32, prestat: *mut [u32; 2]) -> u32;
        pub(crate) fn fd_write(descriptor: u32, parts: *const [u32; 2], count: u32, written: *mut u32) -> u32;
        pub(crate) fn random_get(buffer: *mut u8, length: u32) -> u32;
    }
}

/// Uses the first preview.
pub struct ReadsPreview1 {
    classes: usize,
}

impl Classifier for ReadsPreview1 {
    fn describe() -> Description {
        card("reads-preview1", "calls what the C library calls")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        #[cfg(target_arch = "wasm32")]
        call();
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

#[cfg(target_arch = "wasm32")]
fn call() {
    let (mut time, mut count, mut bytes, mut prestat, mut written) = (0, 7, 7, [0; 2], 0);
    let mut random = [0; 4];
    let line = b"a line of the C library\n";
    let parts = [line.as_ptr() as u32, line.len() as u32];
    // SAFETY: every pointer is to a local variable that outlives the call and has the size that the interface requires.
    let codes = unsafe {
        [
            preview1::clock_time_get(0, 1, &raw mut time),
            preview1::environ_sizes_get(&raw mut count, &raw mut bytes),
            preview1::fd_prestat_get(3, &raw mut prestat),
            preview1::fd_write(1, &raw const parts, 1, &raw mut written),
            preview1::random_get(random.as_mut_ptr(), 4),
        ]
    };
    jointly_sdk::log(&format!(
        "codes {codes:?}, time {time}, environment {count} {bytes}, {written} bytes, {random:x?}"
    ));
}

jointly_sdk::export!(classifier: ReadsPreview1);
