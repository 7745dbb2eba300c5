//! Files that are no agents, or not for this host: they are refused before any of their code runs.

use std::sync::OnceLock;

use crate::command::refused;
use crate::npz::TemporaryFile;
use crate::run::{PROBLEM, RunDirectory};

/// Returns a bundled agent's component.
fn component() -> &'static [u8] {
    static COMPONENT: OnceLock<Vec<u8>> = OnceLock::new();
    COMPONENT.get_or_init(|| std::fs::read(RunDirectory::of(&["uniform"], PROBLEM).kept_agent()).unwrap())
}

/// Asserts that `check` and `run` refuse the file with an error that names it and contains the texts, and `run` writes
/// nothing.
fn refused_agent(bytes: &[u8], texts: &[&str]) {
    let file = TemporaryFile::new("agent.wasm", bytes);
    let texts: Vec<&str> = [file.argument()].into_iter().chain(texts.iter().copied()).collect();
    refused(["check", file.argument()], &texts);
    let directory = RunDirectory::new();
    refused(directory.arguments(&["uniform", file.argument()], PROBLEM, &[]), &texts);
    assert!(!directory.path.exists());
}

fn refused_text(text: &str, texts: &[&str]) {
    refused_agent(&wat::parse_str(text).unwrap(), texts);
}

/// Returns the component with every occurrence of a text replaced by another of the same length.
fn replaced(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = component().to_vec();
    let mut found = 0;
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
            found += 1;
        }
    }
    assert!(found > 0, "the component does not hold {from}");
    bytes
}

#[test]
fn a_file_that_is_not_wasm() {
    refused_agent(b"#!/bin/sh\necho agent\n", &["not WebAssembly", "cargo build --release --target"]);
}

#[test]
fn parts_without_one_of_their_functions() {
    let bytes = replaced("train-part", "train-more");
    refused_agent(&bytes, &["classification-parts without its function train-part", "classifier-in-parts"]);
}

#[test]
fn an_empty_file() {
    refused_agent(b"", &["not WebAssembly", "cargo build --release --target"]);
}

#[test]
fn a_component_cut_short_anywhere() {
    let whole = component();
    // 8 bytes are a complete component that exports nothing; fewer do not even hold a preamble.
    for length in [4, 7, 9, 100, whole.len() / 2, whole.len() - 1] {
        refused_agent(&whole[..length], &["damaged or truncated", "build or copy it again"]);
    }
}

#[test]
fn a_component_with_a_flipped_bit_never_passes_for_the_agent() {
    let whole = component();
    let plain = RunDirectory::of(&["uniform"], PROBLEM).scores()["agents"][0]["digest"].to_string();
    for place in (8..whole.len()).step_by(whole.len() / 20) {
        let mut bytes = whole.to_vec();
        bytes[place] ^= 1 << (place % 8);
        let file = TemporaryFile::new("agent.wasm", bytes);
        let directory = RunDirectory::new();
        // The changed agent may loop, so its fuel is limited.
        let finished = directory.run(&[file.argument()], PROBLEM, &["--fuel", "1000000000"]);
        match finished.code {
            Some(2) => crate::command::is_one_line(&finished.stderr, &[file.argument()]),
            // If the bit lies in a name or a constant, the result is a different agent with a different digest.
            Some(0 | 3) => assert_ne!(directory.scores()["agents"][0]["digest"].to_string(), plain),
            _ => panic!("bit {place}: {finished:?}"),
        }
    }
}

#[test]
fn an_agent_of_an_older_interface() {
    let texts = ["speaks jointly:agent@0.0.9", "this host speaks jointly:agent@0.3.0", "rebuild it"];
    refused_agent(&replaced("@0.3.0", "@0.0.9"), &texts);
}

#[test]
fn a_module_stamped_with_another_interface() {
    let text = r#"(module (@custom "jointly-agent" "jointly:agent@0.1.0"))"#;
    refused_text(text, &["speaks jointly:agent@0.1.0", "rebuild it"]);
}

#[test]
fn a_component_of_a_foreign_world() {
    let text = r#"(component (instance $nothing) (export "wasi:cli/run@0.2.0" (instance $nothing)))"#;
    refused_text(text, &["not an agent", "wasi:cli/run@0.2.0", "export the world classifier"]);
    refused_text("(component)", &["not an agent", "exports nothing", "export the world classifier"]);
}

#[test]
fn a_component_whose_exports_have_the_right_names_and_nothing_in_them() {
    for interface in ["classification", "regression"] {
        let text = format!(
            r#"(component
                (instance $nothing)
                (export "jointly:agent/info@0.3.0" (instance $nothing))
                (export "jointly:agent/{interface}@0.3.0" (instance $nothing)))"#
        );
        refused_text(&text, &["not accepted"]);
    }
}

#[test]
fn a_module_of_the_c_library_without_a_component_type() {
    let text = r#"(module (import "wasi_snapshot_preview1" "path_open" (func)))"#;
    refused_text(text, &["a core module without a component type"]);
}

#[test]
fn a_module_that_imports_what_the_c_library_does_not_have() {
    let text = r#"(module (import "wasi_snapshot_preview1" "fork" (func)))"#;
    refused_text(text, &["imports wasi_snapshot_preview1 fork", "does not offer", "host interface"]);
}

#[test]
fn a_module_that_imports_from_the_browser() {
    let text = r#"(module (import "env" "emscripten_sleep" (func)))"#;
    refused_text(text, &["imports env emscripten_sleep", "does not offer", "host interface"]);
}

#[test]
fn a_component_that_imports_what_is_not_offered() {
    let imports = [
        "wasi:keyvalue/store@0.2.0",
        "wasi:http/incoming-handler@0.2.0",
        "wasi:cli/environment@0.3.0",
        "wasi:io/poll@0.2.0-rc-2023-11-10",
        "example:database/query@1.0.0",
    ];
    for import in imports {
        let text = format!(r#"(component (import "{import}" (instance)))"#);
        let imported = format!("imports {import}, which the sandbox does not offer");
        refused_text(&text, &[&imported, "host interface", "WASI 0.2"]);
    }
}

#[test]
fn a_component_that_imports_wasi_and_is_no_agent() {
    let text = r#"(component (import "wasi:cli/environment@0.2.0" (instance)))"#;
    refused_text(text, &["not an agent", "exports nothing"]);
}

#[test]
fn a_component_that_imports_a_function_that_wasi_does_not_have() {
    let text = r#"(component
        (import "wasi:random/random@0.2.0" (instance (export "get-true-randomness" (func (result u64)))))
        (instance $nothing)
        (export "jointly:agent/info@0.3.0" (instance $nothing))
        (export "jointly:agent/classification@0.3.0" (instance $nothing)))"#;
    refused_text(text, &["not accepted by the engine", "function implementation is missing"]);
}

#[test]
fn a_module_without_a_component_type() {
    refused_text("(module)", &["a core module without a component type", "jointly-sdk or wit-bindgen"]);
}

#[test]
fn a_module_whose_component_type_is_nonsense() {
    refused_text(r#"(module (@custom "component-type:agent" "nonsense"))"#, &["damaged or truncated"]);
}

/// Files of the fuzzers' corpus, each of which once ended the process or ran the host without taking fuel.
#[test]
fn what_was_found_is_refused_by_what_it_is() {
    let found = [
        ("components-in-components", "composed of several components"),
        ("two-components", "composed of several components"),
        ("packages-in-a-circle", "its packages need one another"),
        ("mistyped-wasi", "called create-tcp-socket by a type that is not WASI's"),
        ("many-instances", "refused: resource limit exceeded: instance count too high"),
        ("describes-at-length", "not printable or longer than 200 bytes"),
    ];
    for (name, said) in found {
        refused_agent(&kept(name), &[said]);
    }
    refused_text(
        r#"(module (import "wasi_snap\1b[2Jshot_preview1" "fd_write" (func)))"#,
        &["imports wasi_snap [2Jshot"],
    );
}

/// An action of an agent at its start is its own failure, in the units in which it occurs, and the run continues.
#[test]
fn agents_that_end_as_they_start_in_some_units() {
    for (name, said) in [
        ("mistyped-wasi-in-some-units", "load: trapped: called create-tcp-socket by a type that is not WASI's"),
        ("leaves-by-a-tail-call", "load: invalid-output: invalid expected discriminant"),
    ] {
        let file = TemporaryFile::new("agent.wasm", kept(name));
        let directory = RunDirectory::new();
        let finished = directory.run(&[file.argument(), "uniform"], "quick/t10/temp0.01/*", &["--fuel", "100000000"]);
        assert_eq!(finished.code, Some(3), "{finished:?}");
        assert!(crate::command::joined(&finished.stdout).contains(said), "{finished:?}");
        assert_eq!(directory.units().len(), 6);
    }
}

/// A description reaches the terminal as printable text.
#[test]
fn a_description_by_controls() {
    let file = TemporaryFile::new("agent.wasm", kept("describes-by-controls"));
    let said = crate::command::done(["agents", file.argument()]);
    assert!(said.contains("RED") && !said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
}

/// Returns a case of the fuzzers' corpus.
fn kept(name: &str) -> Vec<u8> {
    std::fs::read(crate::command::workspace().join("fuzz/corpus/loader").join(name)).unwrap()
}
