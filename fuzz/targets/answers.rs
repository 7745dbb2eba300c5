//! `make fuzz TARGET=answers`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jointly_fuzz::answers(bytes);
});
