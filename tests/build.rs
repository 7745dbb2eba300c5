//! Builds the guests, agents that misbehave, to the modules that the tests run, and lists them for the tests.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

const TARGET: &str = "wasm32-unknown-unknown";

/// A file of the runtime that a guest includes.
const ENVIRONMENT: &str = "../runtime/tasks/classification/src/environment.rs";

/// Settings of the outer build that must not apply to the guests.
const OUTER: [&str; 4] = ["RUSTFLAGS", "RUSTDOCFLAGS", "RUSTC", "MAKEFLAGS"];

fn main() -> Result<()> {
    let tests = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let target_dir = out.join("target");
    watch(&tests);
    build(&tests, &target_dir)?;
    let modules = target_dir.join(TARGET).join("release/examples");
    fs::write(out.join("guests.rs"), list(&tests, &modules)?)?;
    println!("cargo::rustc-env=GUESTS={}", modules.display());
    Ok(())
}

/// Returns a macro that calls another macro with the name of each guest as a function name.
fn list(tests: &Path, modules: &Path) -> Result<String> {
    let sources = fs::read_dir(tests.join("guests/examples"))?;
    let sources: Vec<PathBuf> = sources.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let mut names: Vec<String> = Vec::new();
    for source in sources {
        let name = source.file_stem().context("a guest without a name")?.to_string_lossy().replace('-', "_");
        let module = modules.join(&name).with_extension("wasm");
        ensure!(module.is_file(), "{} is no cdylib; list it in tests/guests/Cargo.toml", source.display());
        names.push(name);
    }
    names.sort();
    let mut text = String::from("macro_rules! for_each_guest {\n    ($call:ident) => {\n");
    for name in names {
        writeln!(text, "        $call!({name});")?;
    }
    text.push_str("    };\n}\n");
    Ok(text)
}

/// Rebuilds only if sources of the guests have changed.
fn watch(tests: &Path) {
    let sdk = ["../sdk/Cargo.toml", "../sdk/src", "../runtime/core/src", ENVIRONMENT];
    for path in ["build.rs", "guests", "../Cargo.toml", "../Cargo.lock", "../wit"].into_iter().chain(sdk) {
        println!("cargo::rerun-if-changed={}", tests.join(path).display());
    }
}

/// Compiles all guests to core modules, which the host turns into components.
fn build(tests: &Path, target_dir: &Path) -> Result<()> {
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo.current_dir(tests).args(["build", "--locked", "--release", "--examples", "--package", "jointly-guests"]);
    cargo.args(["--target", TARGET, "--target-dir"]).arg(target_dir);
    // Variables that the outer cargo sets for its own build are not meant for this one.
    for (variable, _) in env::vars_os() {
        let name = variable.to_string_lossy();
        let outer = name.starts_with("CARGO_") && name != "CARGO_HOME" && !name.starts_with("CARGO_NET_");
        if outer || name.starts_with("RUSTC") || OUTER.contains(&&*name) {
            cargo.env_remove(&variable);
        }
    }
    let output = cargo.output().context("failed to start cargo")?;
    if !output.status.success() {
        let report = String::from_utf8_lossy(&output.stderr);
        if report.contains("can't find crate for `core`") || report.contains("target may not be installed") {
            bail!("the guests need the target {TARGET}; install it with `rustup target add {TARGET}`");
        }
        bail!("failed to build the guests:\n{report}");
    }
    Ok(())
}
