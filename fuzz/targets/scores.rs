//! `make fuzz TARGET=scores`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::scores(bytes);
});
