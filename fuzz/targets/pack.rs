//! `make fuzz TARGET=pack`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::pack(bytes);
});
