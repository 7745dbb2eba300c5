//! `make fuzz TARGET=patches`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::patches(bytes);
});
