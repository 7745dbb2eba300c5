//! The README's commands do what it says they do, and its agent keeps the contract.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{executable, finish, workspace};
use crate::npz::{Archive, problem};

/// The fenced blocks of the README in a language, in their order.
pub(crate) fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let fenced = readme.split("\n```").skip(1).step_by(2);
    let block = |fenced: &str| fenced.strip_prefix(language)?.strip_prefix('\n').map(str::to_owned);
    fenced.filter_map(block).collect()
}

/// The lines of console blocks that call the command, but of those blocks that make an agent in a language: they have a test
/// of their own.
fn commands() -> Vec<String> {
    let blocks = blocks("console").into_iter().filter(|block| !block.contains(" --lang "));
    let lines = blocks.collect::<Vec<_>>().join("\n");
    let commands = lines.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.filter(|command| command.starts_with("jointly ")).map(str::to_owned).collect()
}

/// Builds one of the README's agents, that which exports itself so, as the README says: as `my_agent.wasm` in the folder where
/// the package is `my-agent`.
fn build_agent(folder: &Path, name: &str, export: &str) {
    let package = folder.join(name);
    fs::create_dir_all(package.join("src")).unwrap();
    let manifest = blocks("toml").into_iter().find(|block| block.contains("name = \"my-agent\"")).unwrap();
    let sdk = workspace().join("sdk");
    let manifest = manifest.replace("/path/to/jointly/sdk", sdk.to_str().unwrap()).replace("my-agent", name);
    assert!(manifest.contains(sdk.to_str().unwrap()), "{manifest}");
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    let source = blocks("rust").into_iter().find(|block| block.contains(export)).unwrap();
    fs::write(package.join("src/lib.rs"), source).unwrap();
    // The versions that the workspace has, which are on this machine.
    fs::copy(workspace().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();

    // The guests' build has compiled the same SDK already.
    let target = Path::new(env!("GUESTS")).ancestors().nth(3).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&package).args(["build", "--offline", "--release", "--target", "wasm32-unknown-unknown"]);
    cargo.arg("--target-dir").arg(target).env_remove("RUSTFLAGS");
    let built = finish(&mut cargo);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let module = format!("{}.wasm", name.replace('-', "_"));
    fs::copy(target.join("wasm32-unknown-unknown/release").join(&module), folder.join(module)).unwrap();
}

/// The files that the README's Python writes; not every machine has NumPy.
fn write_files(folder: &Path) {
    let (draws, samples, tau) = (50, 200, 100);
    let rows = samples * tau;
    let probs = (0..draws * rows).map(|i| (i * 7 % 10) as f32 / 10.0).flat_map(|p| [p, 1.0 - p]).collect();
    let labels = (0..rows).map(|i| (i % 2) as i64).collect();
    let predictions =
        Archive::new().array("probs", &[draws, samples, tau, 2], probs).array("labels", &[samples, tau], labels);
    fs::write(folder.join("predictions.npz"), predictions.bytes()).unwrap();
    fs::write(folder.join("problem.npz"), problem().bytes()).unwrap();
    let row = |i: u32| format!("{},{},{}", i * 13 % 17, i * 7 % 11, 2 * (i * 13 % 17) + i * 5 % 7);
    let table: Vec<String> = (0..60).map(row).collect();
    fs::write(folder.join("prices.csv"), format!("rooms,distance,price\n{}\n", table.join("\n"))).unwrap();
}

#[test]
fn every_command_of_the_readme_does_its_work() {
    let commands = commands();
    let folder = tempfile::tempdir().unwrap();
    let agents = [
        ("my-agent", "export!(classifier: "),
        ("my-regressor", "export!(regressor: "),
        ("my-centres", "export!(multimodal: "),
    ];
    for (name, export) in agents {
        let check = format!("jointly check {}.wasm", name.replace('-', "_"));
        assert!(commands.contains(&check), "{commands:?}");
        build_agent(folder.path(), name, export);
    }
    write_files(folder.path());
    let own = executable().parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    for command in commands {
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).args(["-c", &command]).env("PATH", &path);
        shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        let finished = finish(&mut shell);
        assert_eq!(finished.code, Some(0), "{command}: {finished:?}");
        assert!(!finished.stdout.is_empty(), "{command} says nothing");
    }
}
