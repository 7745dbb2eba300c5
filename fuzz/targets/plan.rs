//! `make fuzz TARGET=plan`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::plan(bytes);
});
