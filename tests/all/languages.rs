//! `jointly new`: template agents in every language, built and run with exactly the commands of the documentation.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Finished, done, executable, finish, joined, jointly, refused, run, skipped, workspace};
use crate::pages::{Block, blocks};
use crate::readme::SAME_FOLDER;
use crate::run::{RunDirectory, contents, json};

/// Two problems that cost little.
const PROBLEMS: &str = "quick/t10/temp0.1/seed[01]";
/// The output of `jointly check` for a classifier of numbers that keeps its contract, in Rust and in other languages.
/// The Rust SDK also exports training in parts.
const KEEPS_ALL: [&str; 2] = ["keeps all 19 clauses", "keeps all 18 clauses"];
/// The score of three members on those problems at tau 1 in C, Python and JavaScript, which implement one agent with
/// the same random numbers. Rust uses the SDK's generator and differs.
const KL_TAU1: f64 = 0.192_890_83;
/// Far smaller than the effect of a different member, far larger than that of another order of additions.
const TOLERANCE: f64 = 1e-6;

/// Returns the documented commands that make, build, check and run an agent in a language, and those that continue from
/// there.
fn steps(language: &str) -> (Vec<String>, Vec<String>) {
    let option = format!("--lang {language}");
    let blocks = blocks("console");
    let mut makers = blocks.iter().enumerate().filter(|(_, block)| block.text.contains(&option));
    let (at, block) = makers.next().expect("a block of the language");
    assert!(makers.next().is_none(), "one block of the language");
    let steps = block.commands();
    assert_eq!(steps.len(), 5, "{steps:?}");
    let next = blocks.get(at + 1).filter(|block| block.mark == SAME_FOLDER);
    (steps, next.map(Block::commands).unwrap_or_default())
}

/// Returns the environment of the shell: where `make toolchains` has put packages, and settings that forbid network
/// access.
fn environment(language: &str) -> Vec<(&'static str, OsString)> {
    let kept = workspace().join("target/toolchains");
    match language {
        // Crates that the guests' build has already compiled are reused.
        "rust" => {
            let shared = Path::new(env!("GUESTS")).ancestors().nth(3).unwrap();
            vec![("CARGO_NET_OFFLINE", "true".into()), ("CARGO_BUILD_BUILD_DIR", shared.into())]
        }
        "python" => vec![("PIP_NO_INDEX", "1".into()), ("PIP_FIND_LINKS", kept.join("python/wheels").into())],
        "javascript" => {
            vec![("npm_config_offline", "true".into()), ("npm_config_cache", kept.join("javascript/cache").into())]
        }
        _ => Vec::new(),
    }
}

/// Returns why an agent in a language cannot be built here, if it cannot: tools that `jointly new` reports as missing,
/// or packages that `make toolchains` has not installed.
fn obstacle(language: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let said = made(folder.path(), "probe", language);
    let missing = said.split_once("missing on this machine: ").map(|(_, missing)| missing.to_owned());
    let pins = match language {
        "python" => Some("requirements.txt"),
        "javascript" => Some("package-lock.json"),
        _ => None,
    };
    let stamp = workspace().join("target/toolchains").join(language).with_extension("done");
    let got =
        |pins| std::fs::read(stamp).ok() == std::fs::read(workspace().join("templates").join(language).join(pins)).ok();
    missing.or_else(|| (!pins.is_none_or(got)).then(|| "its packages are not there; run `make toolchains`".into()))
}

/// Returns the output of `jointly new`.
fn made(folder: &Path, name: &str, language: &str) -> String {
    let finished = finish(jointly().current_dir(folder).args(["new", name, "--lang", language]));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.stderr, "");
    finished.stdout
}

/// Follows all documented steps for a language, then checks that the agent gives the same bits and is ranked beside
/// another.
fn from_nothing_to_the_leaderboard(language: &str) {
    if let Some(obstacle) = obstacle(language) {
        // Everything here is built with Rust, so it must be there; continuous integration has all languages where
        // .ci/run says so.
        let must = language == "rust" || std::env::var_os("JOINTLY_CI").is_some_and(|ci| ci == "1");
        assert!(!must, "an agent in {language} cannot be built: {obstacle}");
        skipped(&format!("an agent in {language}"), &joined(&obstacle));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (steps, more) = steps(language);
    let finished = shell(folder.path(), language, &[&*steps, &*more].concat().join("\n"));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stdout.contains(KEEPS_ALL[usize::from(language != "rust")]), "{}", finished.stdout);

    let name = steps[0].split(' ').nth(2).expect("jointly new NAME");
    let built = steps[3].strip_prefix("jointly check ").expect("the fourth command checks");
    let built = folder.path().join(name).join(built);
    // The output of `jointly new` agrees with the documentation.
    let printed = made(&folder.path().join(name), name, language);
    for step in &steps[2..] {
        assert!(step.split(" && ").all(|command| printed.contains(&format!("\n    {command}\n"))), "{step}: {printed}");
    }
    let kl = gives_the_same_bits_twice(name, &built);
    assert!(language == "rust" || (kl - KL_TAU1).abs() < TOLERANCE, "{kl}");
}

fn shell(folder: &Path, language: &str, script: &str) -> Finished {
    let own = executable().parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-e", "-c", script]).env("PATH", path);
    shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    // Settings of this build are not meant for the agent's.
    for variable in ["RUSTFLAGS", "CARGO_TARGET_DIR", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
        shell.env_remove(variable);
    }
    finish(shell.envs(environment(language)))
}

/// Asserts that two runs, with one unit at a time and with two, have the same scores byte for byte, and that the agent
/// is ranked beside a bundled one. Returns its score at tau 1.
fn gives_the_same_bits_twice(name: &str, agent: &Path) -> f64 {
    let agent = format!("{}:size=3", agent.display());
    let scores = ["1", "2"].map(|jobs| {
        let directory = RunDirectory::new();
        let finished = directory.run(&[&agent, "logistic-regression"], PROBLEMS, &["--jobs", jobs]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for ranked in [format!("{name}:size=3"), "logistic-regression".to_owned()] {
            let row = |line: &str| line.split_whitespace().nth(1) == Some(&ranked);
            assert!(finished.stdout.lines().any(row), "{}", finished.stdout);
        }
        directory.read("scores.json")
    });
    assert_eq!(scores[0], scores[1]);
    json(&scores[0])["agents"][0]["scores"]["kl_tau1"]["mean"].as_f64().expect("a score")
}

#[test]
fn rust() {
    from_nothing_to_the_leaderboard("rust");
}

#[test]
fn c() {
    from_nothing_to_the_leaderboard("c");
}

#[test]
fn python() {
    from_nothing_to_the_leaderboard("python");
}

#[test]
fn javascript() {
    from_nothing_to_the_leaderboard("javascript");
}

#[test]
fn what_is_missing_is_said_and_how_to_get_it() {
    let wit = "wit/worlds.wit";
    let expected = [
        ("rust", ["cargo", "rustup target add wasm32-unknown-unknown"], "jointly-sdk/src/bindings/agent.rs"),
        ("c", ["clang", "sudo apt-get install make clang lld wasi-libc libclang-rt-dev-wasm32"], wit),
        ("python", ["Python's venv", "sudo apt-get install make python3 python3-venv"], wit),
        ("javascript", ["node 20 or later", "sudo apt-get install nodejs npm"], wit),
    ];
    for (language, texts, interface) in expected {
        let folder = tempfile::tempdir().unwrap();
        let mut command = jointly();
        command.current_dir(folder.path()).env("PATH", "").args(["new", "my-agent", "--lang", language]);
        let finished = finish(&mut command);
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{finished:?}");
        let (_, missing) = finished.stdout.split_once("missing on this machine: ").expect("something is missing");
        assert!(texts.iter().all(|text| missing.contains(text)), "{missing}");
        // Even when tools are missing, the folder is complete.
        assert!(folder.path().join("my-agent").join(interface).is_file());
    }
}

#[test]
fn a_name_that_is_no_plain_name() {
    for name in ["..", "a/b", "My-Agent", "2fast", "", "jointly-sdk"] {
        refused(["new", name, "--lang", "c"], &["'<NAME>'", "give"]);
    }
    refused(["new", "my-agent", "--lang", "fortran"], &["fortran"]);
    refused(["new", "my-agent"], &["--lang"]);
}

#[test]
fn a_directory_that_holds_anything_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("my-agent");
    let out: PathBuf = agent.join("deeper");
    let arguments = ["new", "my-agent", "--lang", "c", "--out", out.to_str().unwrap()];
    done(arguments);
    let before = contents(folder.path());
    refused(arguments, &["deeper holds files already", "--out DIR"]);
    assert_eq!(before, contents(folder.path()));
    let file = out.join("Makefile");
    refused(["new", "my-agent", "--lang", "c", "--out", file.to_str().unwrap()], &["Makefile", "give another --out"]);
}

#[test]
fn languages_are_explained() {
    let help = run(["new", "--help"]).stdout;
    for language in ["rust", "c", "python", "javascript"] {
        assert!(help.contains(&format!("- {language}:")), "{help}");
    }
}
