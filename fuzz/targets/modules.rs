//! `make fuzz TARGET=modules`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::modules(bytes);
});
