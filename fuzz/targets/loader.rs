//! `make fuzz TARGET=loader`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::loader(bytes);
});
