//! Finds the release of the engine that is linked, which is part of every run's plan.

use std::{env, fs, path::PathBuf};

fn main() {
    let lock = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let lock = fs::read_to_string(lock).expect("the workspace has a lock file");
    let version = lock.split_once("name = \"wasmtime\"\nversion = \"").and_then(|(_, rest)| rest.split_once('"'));
    println!("cargo::rustc-env=WASMTIME_VERSION={}", version.expect("the lock file names wasmtime").0);
}
