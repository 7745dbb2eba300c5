//! The command under test, built once, with its own cache.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Returns the built command, without arguments.
pub(crate) fn jointly() -> Command {
    prepared(Command::new(executable()))
}

/// Returns the command in a process with at most `mebibytes` MiB of writable memory, including its threads' stacks.
/// When it exceeds that, allocations fail and it dies.
pub(crate) fn jointly_within(mebibytes: u64) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -d {} && exec \"$0\" \"$@\"", mebibytes << 10)]).arg(executable());
    prepared(shell)
}

fn prepared(mut command: Command) -> Command {
    command.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")).stdin(Stdio::null());
    command
}

/// Returns the path of the built command.
pub(crate) fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        // The tests' executable is TARGET/release/deps/all-....
        let own = std::env::current_exe().unwrap();
        let target = own.ancestors().nth(3).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        // Builds the whole workspace, like the tests, so that the engine is compiled only once, with the same features.
        cargo.current_dir(workspace()).args(["build", "--release", "--workspace", "--bin", "jointly", "--target-dir"]);
        cargo.arg(target);
        // Variables that cargo sets for a test are not meant for a build.
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                cargo.env_remove(&variable);
            }
        }
        let built = finish(&mut cargo);
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        target.join("release").join(format!("jointly{}", std::env::consts::EXE_SUFFIX))
    })
}

/// Returns the root of the sources.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Finished {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).expect("the command writes UTF-8");
    Finished { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Runs the built command with arguments.
pub(crate) fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Finished {
    finish(jointly().args(args))
}

/// Runs the built command, which must succeed, and returns its output.
pub(crate) fn done<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> String {
    let finished = run(args);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.stdout
}

/// Runs the built command, which must refuse its arguments with exit code 2, nothing on standard output, and one line
/// on standard error that contains every one of the texts. Returns that line.
pub(crate) fn refused<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, texts: &[&str]) -> String {
    let finished = run(args);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert_eq!(finished.stdout, "");
    is_one_line(&finished.stderr, texts);
    finished.stderr
}

/// Asserts that an error is one line that contains every one of the texts.
pub(crate) fn is_one_line(stderr: &str, texts: &[&str]) {
    assert!(stderr.starts_with("jointly: ") && stderr.trim_end().lines().count() == 1, "{stderr:?}");
    for text in texts {
        assert!(stderr.contains(text), "{text:?} is not in {stderr:?}");
    }
}

/// Reports that a test shows nothing on this machine, and why, even when the test runner hides the output of tests that
/// pass.
pub(crate) fn skipped(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped {test}: {why}");
}

/// Joins the lines of a text, for comparisons with text that may be wrapped anywhere.
pub(crate) fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asserts that no line of a text is wider than a terminal, except single words that are.
pub(crate) fn fits_a_terminal(text: &str) {
    let too_long = |line: &&str| line.chars().count() > 80 && line.trim().contains(' ');
    assert_eq!(text.lines().find(too_long), None, "{text}");
}
