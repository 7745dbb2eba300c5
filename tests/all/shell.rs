//! Completions for shells, and manual pages.

use std::fs;
use std::process::{Command, Stdio};

use crate::command::{done, finish, refused, skipped};

/// Returns every command that --help lists.
fn commands() -> Vec<String> {
    let help = done(["--help"]);
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let first =
        |line: &str| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()).map(str::to_owned);
    listed.lines().filter_map(first).collect()
}

#[test]
fn every_shell_gets_completions_of_all_commands() {
    let commands = commands();
    assert!(commands.len() > 19 && commands.contains(&"completions".to_owned()), "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = done(["completions", shell]);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
        assert!(script.contains("sample-seed"), "{shell} has no options");
    }
    refused(["completions", "bsh"], &["bsh", "did you mean `bash`?"]);
}

#[test]
fn bash_reads_its_completions() {
    if Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_err() {
        return skipped("bash_reads_its_completions", "there is no bash");
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("jointly.bash");
    fs::write(&script, done(["completions", "bash"])).unwrap();
    let read = finish(Command::new("bash").arg("-n").arg(&script));
    assert_eq!((read.code, read.stderr.as_str()), (Some(0), ""), "{read:?}");
    // The completions that a user sees after `jointly ver` and the tab key.
    let ask =
        "source \"$0\"; COMP_WORDS=(jointly ver); COMP_CWORD=1; _jointly jointly ver jointly; echo \"${COMPREPLY[@]}\"";
    let answer = finish(Command::new("bash").args(["-c", ask]).arg(&script));
    assert_eq!(answer.stdout.trim(), "verify", "{answer:?}");
}

#[test]
fn every_command_has_a_manual_page() {
    let page = done(["man"]);
    assert!(page.contains(".TH jointly 1") && page.contains("Exit codes"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let written = done(["man", pages.to_str().unwrap()]);
    let commands = commands();
    for command in commands.iter().filter(|command| *command != "help") {
        let path = pages.join(format!("jointly-{command}.1"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!(".TH jointly-{command} 1")), "{text}");
        assert!(written.lines().any(|line| line == path.to_str().unwrap()), "{written}");
    }
    assert_eq!(fs::read_to_string(pages.join("jointly.1")).unwrap().trim_end(), page.trim_end());
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    refused(["man", file.to_str().unwrap()], &["failed to make the directory", file.to_str().unwrap()]);
}
