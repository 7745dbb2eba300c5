//! `make fuzz TARGET=journal`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::journal(bytes);
});
