//! `make fuzz TARGET=npz`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::npz(bytes);
});
