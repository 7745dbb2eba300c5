//! The commands of README.md and docs/*.md do what the pages say, and the agents in them keep the contract.
//!
//! Each page is tried in a folder of its own, from its first command to its last. A command that no test can try is in
//! a block that says why; only its options are then checked.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::command::{Finished, executable, finish, jointly, skipped, workspace};
use crate::npz::{Archive, problem};
use crate::pages::{Block, Page, blocks};
use crate::run::json;

/// Reasons for which a block of commands is not tried.
const REASONS: [&str; 4] = ["long", "data", "network", "native"];
/// The mark of a block that continues in the folder of the block before it; the tests of languages try both.
pub(crate) const SAME_FOLDER: &str = "same-folder";
/// The maximum number of lines of README.md: two screens are read, more are not.
const LONGEST_README: usize = 200;

/// Pages whose links and examples are checked, but whose commands are records of runs or meant for other environments.
const OTHERS: [&str; 10] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/results/README.md",
    "docs/results/decisions.md",
    "docs/results/regression.md",
    "docs/results/shift.md",
    "docs/results/table.md",
    "docs/results/testbed.md",
    "runtime/python/README.md",
];

macro_rules! pages {
    ($($test:ident: $path:literal,)+) => {
        /// The pages that have a test.
        const PAGES: &[&str] = &[$($path),+];

        $(#[test]
        fn $test() {
            every_command_does_its_work($path);
        })+
    };
}

pages! {
    readme: "README.md",
    index: "docs/README.md",
    agents: "docs/agents.md",
    check: "docs/check.md",
    contest: "docs/contest.md",
    decisions: "docs/decisions.md",
    estimators: "docs/estimators.md",
    formats: "docs/formats.md",
    leaderboard_and_verify: "docs/leaderboard-and-verify.md",
    native_agents: "docs/native-agents.md",
    oracle: "docs/oracle.md",
    performance: "docs/performance.md",
    real_data: "docs/real-data.md",
    recipes: "docs/recipes.md",
    regression: "docs/regression.md",
    report: "docs/report.md",
    reproduce: "docs/reproduce.md",
    run: "docs/run.md",
    scale: "docs/scale.md",
    score_predictions: "docs/score-predictions.md",
    security: "docs/security.md",
    shift: "docs/shift.md",
    sweep: "docs/sweep.md",
    wasi: "docs/wasi.md",
}

/// How a block of commands is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// Its commands run, one after another.
    Runs,
    /// The tests of languages run it.
    MakesAgent,
    /// Its words are parsed only, for the reason that it gives.
    Parses,
}

impl Trial {
    fn of(page: &Page, block: &Block) -> Self {
        if block.text.contains(" --lang ") || block.mark == SAME_FOLDER {
            return Self::MakesAgent;
        }
        let known = block.mark.is_empty() || REASONS.contains(&&*block.mark);
        assert!(known, "{}: a block is marked {:?}, known are {REASONS:?}", page.path, block.mark);
        if block.mark.is_empty() { Self::Runs } else { Self::Parses }
    }
}

/// Returns the commands of a page, each with how it is tried.
fn commands(page: &Page) -> Vec<(Trial, String)> {
    let consoles = page.blocks().into_iter().filter(|block| block.language == "console");
    let commands = consoles.flat_map(|block| {
        let trial = Trial::of(page, &block);
        let commands = block.commands();
        assert_eq!(commands.len(), block.text.lines().count(), "{}: only commands: {}", page.path, block.text);
        commands.into_iter().map(move |command| (trial, command))
    });
    commands.collect()
}

/// Tries every command of a page.
fn every_command_does_its_work(path: &str) {
    let page = Page::read(path);
    let folder = tempfile::tempdir().unwrap();
    bring_what_is_named(&page, folder.path());
    for (trial, command) in commands(&page) {
        match trial {
            Trial::Runs => {
                assert!(command.starts_with("jointly "), "{path}: {command}");
                let finished = shell(folder.path(), &command);
                assert_eq!(finished.code, Some(0), "{path}: {command}: {finished:?}");
                assert!(!finished.stdout.is_empty(), "{path}: {command} says nothing");
            }
            Trial::Parses => {
                // `--help` succeeds if the words before it are valid.
                let words = command.split([';', '|', '>', '&']).next().unwrap();
                let finished = shell(folder.path(), &format!("{words} --help"));
                assert_eq!(finished.code, Some(0), "{path}: {command}: {finished:?}");
            }
            Trial::MakesAgent => {}
        }
    }
}

/// Runs a command by the shell with the built command on the path.
fn shell(folder: &Path, command: &str) -> Finished {
    let own = executable().parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", command]).env("PATH", &path);
    // Datasets on this machine must not have an effect.
    shell.env("XDG_DATA_HOME", folder.join("data")).env_remove("JOINTLY_DATA");
    shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    finish(&mut shell)
}

/// Creates the files that a page's commands name and its reader would have made: agents from its Rust code, arrays, a
/// table.
fn bring_what_is_named(page: &Page, folder: &Path) {
    let agents = [
        ("my-agent", "export!(classifier: "),
        ("my-regressor", "export!(regressor: "),
        ("my-centres", "export!(input_classifier: "),
    ];
    let commands = commands(page);
    let named = |file: &str| commands.iter().any(|(trial, command)| *trial == Trial::Runs && command.contains(file));
    for (name, export) in agents {
        if named(&format!("jointly check {}.wasm", name.replace('-', "_"))) {
            build_agent(folder, name, export);
        }
    }
    if named("predictions.npz") {
        fs::write(folder.join("predictions.npz"), predictions([50, 200, 100], |i| i % 2).bytes()).unwrap();
    }
    if named("problem.npz") {
        fs::write(folder.join("problem.npz"), problem().bytes()).unwrap();
        fs::write(folder.join("on-problem.npz"), predictions([50, 3, 5], |_| 1).bytes()).unwrap();
    }
    if named("equal.toml") {
        let manifest = page.blocks().into_iter().find(|block| block.language == "toml").unwrap();
        fs::write(folder.join("equal.toml"), manifest.text).unwrap();
    }
    if named("prices.csv") {
        let row = |i: u32| format!("{},{},{}", i * 13 % 17, i * 7 % 11, 2 * (i * 13 % 17) + i * 5 % 7);
        let table: Vec<String> = (0..60).map(row).collect();
        fs::write(folder.join("prices.csv"), format!("rooms,distance,price\n{}\n", table.join("\n"))).unwrap();
    }
}

/// Returns predictions with the given numbers of draws, tau-samples and tau, as the pages' Python code writes them,
/// because not every machine has NumPy.
fn predictions([draws, samples, tau]: [u64; 3], label: fn(u64) -> u64) -> Archive {
    let rows = samples * tau;
    let probs = (0..draws * rows).map(|i| (i * 7 % 10) as f32 / 10.0).flat_map(|p| [p, 1.0 - p]).collect();
    let labels = (0..rows).map(|i| label(i) as i64).collect();
    Archive::new().array("probs", &[draws, samples, tau, 2], probs).array("labels", &[samples, tau], labels)
}

/// Builds the agent of the pages with that export, as the page says: as `my_agent.wasm` in the folder, for the package
/// `my-agent`.
fn build_agent(folder: &Path, name: &str, export: &str) {
    let package = folder.join(name);
    fs::create_dir_all(package.join("src")).unwrap();
    let manifest = blocks("toml").into_iter().find(|block| block.text.contains("name = \"my-agent\"")).unwrap();
    let sdk = workspace().join("sdk");
    let manifest = manifest.text.replace("/path/to/jointly/sdk", sdk.to_str().unwrap()).replace("my-agent", name);
    assert!(manifest.contains(sdk.to_str().unwrap()), "{manifest}");
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    let source = blocks("rust").into_iter().find(|block| block.text.contains(export)).unwrap();
    fs::write(package.join("src/lib.rs"), source.text).unwrap();
    // The workspace's versions, which are on this machine.
    fs::copy(workspace().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();

    // The guests' build has already compiled the same SDK.
    let target = Path::new(env!("GUESTS")).ancestors().nth(3).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&package).args(["build", "--offline", "--release", "--target", "wasm32-unknown-unknown"]);
    cargo.arg("--target-dir").arg(target).env_remove("RUSTFLAGS");
    let built = finish(&mut cargo);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let module = format!("{}.wasm", name.replace('-', "_"));
    fs::copy(target.join("wasm32-unknown-unknown/release").join(&module), folder.join(module)).unwrap();
}

#[test]
fn every_page_has_its_test() {
    let pages: Vec<String> = Page::all().into_iter().map(|page| page.path).collect();
    assert_eq!(pages, PAGES);
    let trials: Vec<Trial> = Page::all().iter().flat_map(commands).map(|(trial, _)| trial).collect();
    let count = |trial| trials.iter().filter(|other| **other == trial).count();
    let (run, parsed) = (count(Trial::Runs), count(Trial::Parses));
    // Ensures that blocks which are not found, or are marked wrongly, do not count as tried.
    assert!(run >= 60, "{run} commands of the pages run");
    assert!(parsed <= 11, "{parsed} commands of the pages are only parsed");
    skipped(&format!("{parsed} commands of the pages"), "they take long, or need data, a network or another language");
}

/// A command anywhere else would not be tried.
#[test]
fn commands_are_in_console_blocks_alone() {
    for page in Page::all() {
        let elsewhere = page.blocks().into_iter().filter(|block| block.language != "console");
        let texts: Vec<String> = elsewhere.map(|block| block.text).collect();
        let fenced = texts.iter().flat_map(|text| text.lines());
        let indented = page.prose().into_iter().filter_map(|(_, line)| line.strip_prefix("    "));
        for line in fenced.chain(indented) {
            let line = line.trim_start().trim_start_matches("$ ");
            assert!(!line.starts_with("jointly "), "{}: {line}", page.path);
        }
    }
}

#[test]
fn the_readme_stays_short() {
    let lines = Page::read("README.md").text.lines().count();
    assert!(lines <= LONGEST_README, "{lines} lines");
}

#[test]
fn links_lead_somewhere() {
    let pages: Vec<Page> = Page::all().into_iter().chain(OTHERS.map(Page::read)).collect();
    let mut links = 0;
    for page in &pages {
        for link in page.links().iter().filter(|link| !link.contains("://")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = page.target(path);
            assert!(path.is_empty() || target.exists(), "{}: {link}", page.path);
            if !heading.is_empty() {
                let text = if path.is_empty() { page.text.clone() } else { fs::read_to_string(target).unwrap() };
                let anchors = Page { path: link.clone(), text }.anchors();
                assert!(anchors.iter().any(|anchor| anchor == heading), "{}: {link}: {anchors:?}", page.path);
            }
            links += 1;
        }
    }
    assert!(links > 100, "{links} links");
}

/// Readers can find every page from the index.
#[test]
fn the_index_names_every_page() {
    let links = Page::read("docs/README.md").links();
    for page in Page::all() {
        let name = page.path.strip_prefix("docs/").unwrap_or("../README.md");
        assert!(name == "README.md" || links.iter().any(|link| link == name), "{name}");
    }
}

/// Every experiment behind a table of the pages exists as an example of a crate, under the name in the commands.
#[test]
fn examples_that_pages_name_are_there() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(workspace()).args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata = json(&finish(&mut cargo).stdout);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    let targets = packages.iter().flat_map(|package| {
        let targets = package["targets"].as_array().unwrap().iter();
        targets
            .filter(|target| target["kind"][0] == "example")
            .map(|target| (text(&package["name"]), text(&target["name"])))
    });
    let targets: Vec<(String, String)> = targets.collect();
    let mut named = 0;
    for page in Page::all().into_iter().chain(OTHERS.map(Page::read)) {
        for line in page.text.lines().filter(|line| line.contains("--example ")) {
            let after = |option: &str| {
                let words = line.split_once(option).unwrap_or_else(|| panic!("{}: {line}", page.path)).1;
                words.split([' ', '`', ')']).next().unwrap().to_owned()
            };
            let example = (after("-p "), after("--example "));
            assert!(targets.contains(&example), "{}: no crate has the example {example:?}", page.path);
            named += 1;
        }
    }
    assert!(named >= 5, "{named} examples");
}

/// Tests how parsed commands are tried: an unknown option in a block that is only parsed is found.
#[test]
fn parsing_alone_finds_a_wrong_option() {
    let finished = finish(jointly().args(["run", "mlp", "--suite", "quick", "--wrong", "--help"]));
    assert_eq!(finished.code, Some(2), "{finished:?}");
}
