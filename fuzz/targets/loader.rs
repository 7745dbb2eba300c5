//! `cargo fuzz run loader`; CONTRIBUTING.md has the whole command.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| jointly_fuzz::loader(bytes));
