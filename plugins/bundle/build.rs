//! Builds the reference agents to components, for `src/lib.rs` to embed.
//!
//! The components have the same bytes wherever they are built, because a score depends on the component's digest.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use wit_component::ComponentEncoder;

/// Each agent's name, the directory of its crate and the kinds of task it supports, in the order in which all lists
/// show them.
const AGENTS: &[(&str, &str, Learns)] = &[
    ("uniform", "uniform", CLASSES),
    ("class-average", "class-average", CLASSES),
    ("prior", "prior", CLASSES),
    ("knn", "knn", CLASSES),
    ("random-forest", "random-forest", CLASSES),
    ("logistic-regression", "logistic-regression", CLASSES),
    ("mlp", "mlp", TOKENS),
    ("laplace", "laplace", CLASSES),
    ("deep-kernel", "deep-kernel", CLASSES),
    ("dropout", "dropout", ALL),
    ("bbb", "bbb", ALL),
    ("ivon", "ivon", TOKENS),
    ("swag", "swag", TOKENS),
    ("flow", "flow", CLASSES),
    ("ensemble", "ensemble", ALL),
    ("packed-ensemble", "packed-ensemble", CLASSES),
    ("ensemble+", "ensemble-plus", CLASSES),
    ("ntk-ensemble", "ntk-ensemble", CLASSES),
    ("hypermodel", "hypermodel", CLASSES),
    ("epinet", "epinet", CLASSES),
    ("sgmcmc", "sgmcmc", CLASSES),
    ("nuts", "nuts", CLASSES),
    ("pfn", "pfn", CLASSES),
    ("target-average", "target-average", NUMBERS),
    ("linear", "linear", NUMBERS),
    ("gp", "gp", NUMBERS),
    ("svgp", "svgp", NUMBERS),
    ("nkn", "nkn", NUMBERS),
    ("bootstrap", "bootstrap", NUMBERS),
    ("concrete-dropout", "concrete-dropout", NUMBERS),
    ("quantile", "quantile", NUMBERS),
    ("conformal", "conformal", NUMBERS),
    ("hmc", "hmc", NUMBERS),
    ("nng", "nng", NUMBERS),
    ("fbnn", "fbnn", BOTH),
    ("temperature-scaling", "temperature-scaling", TOKENS),
    ("ll-dropout", "ll-dropout", TOKENS),
    ("ll-svi", "ll-svi", TOKENS),
];

/// Whether an agent supports classification, whether it supports regression, and whether it takes tokens in
/// classification.
type Learns = (bool, bool, bool);

const CLASSES: Learns = (true, false, false);
const TOKENS: Learns = (true, false, true);
const NUMBERS: Learns = (false, true, false);
const BOTH: Learns = (true, true, false);
const ALL: Learns = (true, true, true);

const TARGET: &str = "wasm32-unknown-unknown";

/// Variables of the outer build that are removed for the agents' build, besides those that begin with `CARGO_` or
/// `RUSTC`.
const OUTER: [&str; 3] = ["RUSTFLAGS", "RUSTDOCFLAGS", "MAKEFLAGS"];

fn main() -> Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    watch(&root);
    build(&root, &out.join("target"))?;

    let mut listing = String::from("[\n");
    for (name, directory, (classifies, regresses, tokens)) in AGENTS {
        let module = format!("jointly_agent_{}.wasm", directory.replace('-', "_"));
        let module = out.join("target").join(TARGET).join("agent").join(module);
        let component = out.join(format!("{directory}.component.wasm"));
        let encoded = encode(&module).with_context(|| format!("failed to make a component of the agent {name}"))?;
        fs::write(&component, encoded)?;
        let component = component.to_str().context("the directory of the build is not text")?;
        writeln!(
            listing,
            "    Bundled {{ name: {name:?}, component: include_bytes!({component:?}), classifies: {classifies}, regresses: \
             {regresses}, tokens: {tokens} }},"
        )?;
    }
    listing.push_str("]\n");
    fs::write(out.join("bundled.rs"), listing)?;
    Ok(())
}

/// Makes cargo run this script again only when a source of the agents has changed.
fn watch(root: &Path) {
    let shared = ["Cargo.toml", "Cargo.lock", "wit", "sdk/Cargo.toml", "sdk/src"].map(String::from);
    let shared_crates = ["nets", "kernels"].into_iter();
    let crates = shared_crates.chain(AGENTS.iter().map(|(_, directory, _)| *directory));
    let crates = crates.flat_map(|name| [format!("plugins/{name}/Cargo.toml"), format!("plugins/{name}/src")]);
    for path in shared.into_iter().chain(crates) {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
}

/// Compiles all agents to core modules.
fn build(root: &Path, target_dir: &Path) -> Result<()> {
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo.current_dir(root).args(["build", "--locked", "--profile", "agent", "--target", TARGET, "--target-dir"]);
    cargo.arg(target_dir);
    for (_, directory, _) in AGENTS {
        cargo.arg("--package").arg(format!("jointly-agent-{directory}"));
    }
    // The outer cargo's environment variables must not affect this build.
    for (variable, _) in env::vars_os() {
        let name = variable.to_string_lossy();
        let outer = name.starts_with("CARGO_") && name != "CARGO_HOME" && !name.starts_with("CARGO_NET_");
        if outer || name.starts_with("RUSTC") || OUTER.contains(&&*name) {
            cargo.env_remove(&variable);
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(root)?.join("\x1f"));
    let output = cargo.output().context("failed to start cargo")?;
    if !output.status.success() {
        let report = String::from_utf8_lossy(&output.stderr);
        if report.contains("can't find crate for `core`") || report.contains("target may not be installed") {
            bail!("the agents need the target {TARGET}; install it with `rustup target add {TARGET}`");
        }
        bail!("failed to build the agents:\n{report}");
    }
    Ok(())
}

/// Returns the compiler flags: vector instructions, and no path of this machine in the code.
fn flags(root: &Path) -> Result<Vec<String>> {
    let mut flags = vec!["-Ctarget-feature=+simd128,+relaxed-simd".into()];
    let mut remap = |from: &Path, to: &str| flags.push(format!("--remap-path-prefix={}={to}", from.display()));
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    remap(&cargo_home.context("no home directory")?, "/cargo");
    remap(root, "/jointly");
    Ok(flags)
}

/// Builds a component from a core module that carries its component type.
fn encode(module: &Path) -> Result<Vec<u8>> {
    let module = fs::read(module).with_context(|| format!("failed to read {}", module.display()))?;
    ensure!(!module.is_empty(), "the module is empty");
    ComponentEncoder::default().module(&module)?.validate(true).encode()
}
