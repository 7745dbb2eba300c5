//! `jointly new NAME --table`: the commands of the repository's workflow do their work.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{Finished, done, executable, finish, refused};
use crate::pack::packed;
use crate::run::{PROBLEM, RunDirectory};

/// Returns the commands of the workflow's step of that name.
fn step(table: &Path, name: &str) -> String {
    let workflow = fs::read_to_string(table.join(".github/workflows/table.yml")).unwrap();
    let step = workflow.split("      - ").find(|step| step.starts_with(&format!("name: {name}\n"))).unwrap();
    let commands = step.split("run: |\n").nth(1).unwrap();
    let indent = " ".repeat(10);
    let lines = commands.lines().map_while(|line| line.strip_prefix(&indent));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Runs commands as a workflow does.
fn bash(folder: &Path, commands: &str, base: &str) -> Finished {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", executable().parent().unwrap().display());
    let mut bash = Command::new("bash");
    let output = folder.parent().unwrap().join("output");
    finish(
        bash.args(["-e", "-c", commands])
            .current_dir(folder)
            .env("PATH", path)
            .env("BASE", base)
            .env("GITHUB_OUTPUT", output)
            .env("GITHUB_ENV", folder.parent().unwrap().join("environment"))
            .env("RUNNER_TEMP", folder.parent().unwrap()),
    )
}

/// Runs git, which must succeed, and returns what it prints.
fn git(folder: &Path, args: &[&str]) -> String {
    let name = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"];
    let finished = finish(Command::new("git").args(name).args(args).current_dir(folder));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.stdout.trim().to_owned()
}

#[test]
fn the_workflow_verifies_what_is_new_and_builds_the_site() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("my-table");
    let argument = table.to_str().unwrap();
    let said = done(["new", "my-table", "--table", "--out", argument]);
    assert!(said.contains("packs/*.jointly --format html --out"), "{said}");
    assert!(fs::read_to_string(table.join("README.md")).unwrap().starts_with("# my-table\n"));
    git(&table, &["init", "-q"]);
    git(&table, &["add", "."]);
    git(&table, &["commit", "-q", "-m", "begin"]);
    let base = git(&table, &["rev-parse", "HEAD"]);
    let (verify, build) = (step(&table, "Verify a sample of each pack that is new"), step(&table, "Build the site"));
    // Without a pack there is nothing to do, nothing fails, and there is nothing to publish.
    assert_eq!([&verify, &build].map(|commands| bash(&table, commands, &base).code), [Some(0); 2]);
    assert!(!folder.path().join("output").exists());
    let read = step(&table, "Read table.env");
    let unset = bash(&table, &read, "");
    assert!(unset.code == Some(1) && unset.stderr.contains("table.env names no repository and revision"), "{unset:?}");
    // A pull request's own table.env counts for nothing.
    let named = "JOINTLY_REPOSITORY=https://example.org/jointly.git\nJOINTLY_REVISION=0123abcd\n";
    fs::write(table.join("table.env"), named).unwrap();
    git(&table, &["commit", "-q", "-a", "-m", "names a command"]);
    assert_eq!(bash(&table, &read, &base).code, Some(1));
    assert_eq!(bash(&table, &read, "").code, Some(0));
    assert_eq!(fs::read_to_string(folder.path().join("environment")).unwrap(), named);
    let honest = RunDirectory::of(&["uniform", "prior"], PROBLEM);
    fs::copy(packed(&honest), table.join("packs/-- $(touch owned) '<b>.jointly")).unwrap();
    git(&table, &["add", "."]);
    git(&table, &["commit", "-q", "-m", "a pack"]);
    let verified = bash(&table, &verify, &base);
    assert!(
        verified.code == Some(0) && verified.stdout.contains(" verified: 2 units on 1 of 18 problems"),
        "{verified:?}"
    );
    let built = bash(&table, &build, &base);
    assert!(built.code == Some(0) && table.join("site/index.html").is_file(), "{built:?}");
    assert_eq!(fs::read_to_string(folder.path().join("output")).unwrap(), "built=yes\n");
    assert!(!table.join("owned").exists() && git(&table, &["status", "--porcelain"]).is_empty());
    // After the merge, and not for a base that is not there.
    assert!(bash(&table, &build, "").code == Some(0) && bash(&table, &build, "0123abcd").code == Some(128));
    // A folder or a link that is called like a pack is refused.
    let base = git(&table, &["rev-parse", "HEAD"]);
    for (make, said) in [
        ("mkdir packs/evil.jointly && echo 1 > packs/evil.jointly/plan.json", "packs/ holds packs, and no folders"),
        ("ln -s README.md packs/evil.jointly", "a pack must be a file and no link"),
        ("echo 1 > packs/evil.json", "packs/ holds nothing but .jointly files"),
    ] {
        assert_eq!(bash(&table, make, "").code, Some(0));
        git(&table, &["add", "."]);
        git(&table, &["commit", "-q", "-m", "an evil pack"]);
        let refused = bash(&table, &verify, &base);
        assert!(refused.code == Some(1) && refused.stderr.contains(said), "{refused:?}");
        let built = bash(&table, &build, &base);
        assert!(
            built.code == Some(0)
                && !String::from_utf8_lossy(&fs::read(table.join("site/index.html")).unwrap()).contains("evil")
        );
        git(&table, &["reset", "-q", "--hard", &base]);
    }
    // A pack of other problems is the one that is named, though its name comes first.
    let other = RunDirectory::of(&["uniform"], "quick/t10/temp0.1/seed1");
    fs::copy(packed(&other), table.join("packs/a.jointly")).unwrap();
    git(&table, &["add", "."]);
    git(&table, &["commit", "-q", "-m", "a pack of other problems"]);
    let base = git(&table, &["rev-parse", "HEAD~"]);
    let built = bash(&table, &build, &base);
    assert!(
        built.code == Some(2) && built.stderr.contains("packs/a.jointly cannot be compared with packs/--"),
        "{built:?}"
    );
    git(&table, &["rm", "-q", "packs/a.jointly"]);
    git(&table, &["commit", "-q", "-m", "without it"]);
    // A pack with a false result is found, and one that was there before is not run again.
    let base = git(&table, &["rev-parse", "HEAD"]);
    let forged = RunDirectory::of(&["uniform"], PROBLEM);
    let text = forged.read("results.jsonl");
    let mut unit: serde_json::Value = serde_json::from_str(&text).unwrap();
    unit["scored"]["fuel"] = 7.into();
    fs::write(forged.file("results.jsonl"), unit.to_string() + "\n").unwrap();
    assert_eq!(forged.run(&["uniform"], PROBLEM, &[]).code, Some(0));
    fs::copy(packed(&forged), table.join("packs/forged.jointly")).unwrap();
    git(&table, &["add", "."]);
    git(&table, &["commit", "-q", "-m", "a false pack"]);
    let verified = bash(&table, &verify, &base);
    assert!(verified.code == Some(2) && verified.stdout.contains("verification failed"), "{verified:?}");
    assert_eq!(verified.stdout.lines().count(), 1, "{verified:?}");
    refused(["new", "my-table", "--table", "--lang", "c"], &["--table"]);
    refused(["new", "my-table"], &["--lang"]);
}
