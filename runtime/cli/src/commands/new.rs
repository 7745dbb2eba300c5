//! `jointly new`: makes an agent to start from, or a repository that keeps a table.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use jointly_core::printable::ShowPath as _;
use jointly_host::LONGEST_NAME;
use jointly_record::directory;
use jointly_record::shell::quoted;
use jointly_report::table::wrap;
use jointly_templates::TABLE;

use crate::language::Language;
use crate::{exit, output, toolchain};

/// Makes a folder with an agent to start from, or with --table a repository that keeps a table
///
/// The agent is Bayesian logistic regression, in a language of your choice by --lang.
/// The folder has the whole agent and the interface that it implements, without the language's own tools. The command names the
/// tools that are missing on this machine, and how to get them.
#[derive(Args)]
pub(crate) struct New {
    /// The agent's name: lower-case letters, digits, hyphens and underscores
    #[arg(value_name = "NAME", value_parser = plain_name)]
    name: String,
    /// The language
    #[arg(long, value_enum, value_name = "LANGUAGE", required_unless_present = "table")]
    lang: Option<Language>,
    /// Make a repository that keeps a table in place of an agent: packs, and a workflow that verifies them and builds
    /// the site
    #[arg(long, conflicts_with = "lang")]
    table: bool,
    /// The folder, new or empty [default: the name, in this directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Crates that the Rust agent is built with, whose names it cannot take.
const TAKEN: [&str; 5] = ["jointly-sdk", "jointly_sdk", "std", "core", "alloc"];

/// Parses a name that cargo, npm, a path and the leaderboard all accept unchanged.
fn plain_name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !text.starts_with(|c: char| c.is_ascii_lowercase()) || !text.chars().all(plain) {
        return Err("give a lower-case letter, then lower-case letters, digits, hyphens and underscores".into());
    }
    if text.len() > LONGEST_NAME {
        return Err(format!("give at most {LONGEST_NAME} characters"));
    }
    if TAKEN.contains(&text) {
        return Err("a library has that name already; give another".into());
    }
    Ok(text.to_owned())
}

impl New {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let folder = self.out.clone().unwrap_or_else(|| PathBuf::from(&self.name));
        make_empty(&folder)?;
        for file in self.lang.map_or(TABLE, Language::template).files(&self.name) {
            let path = folder.join(file.path);
            let parent = path.parent().unwrap_or(&folder);
            fs::create_dir_all(parent).with_context(|| format!("failed to make {}", parent.shown()))?;
            directory::write_whole(&path, &file.bytes, "make room, delete the folder, and run the same command again")?;
        }
        let next = self.lang.map_or_else(|| what_next_of_table(&folder), |lang| self.what_next(lang, &folder));
        output::print(&next)?;
        Ok(ExitCode::from(exit::DONE))
    }

    /// Describes what was written, how to build and run it, and which tools that takes.
    fn what_next(&self, lang: Language, folder: &Path) -> String {
        let shown = quoted(&folder.shown().to_string());
        let built = lang.built(&self.name);
        let mut text = format!(
            "{shown} holds {}, an agent in {}; build it, see that it keeps the contract, and rank it:\n",
            self.name,
            lang.title()
        );
        let _ = writeln!(text, "    cd {shown}");
        for command in lang.build() {
            let _ = writeln!(text, "    {command}");
        }
        let _ = writeln!(text, "    jointly check {built}");
        let mut text = wrap(&text, 0);
        // The command stays on one line.
        let _ = write!(
            text,
            "\n    jointly run {built} logistic-regression mlp --suite quick --problems 'quick/t10/temp0.1/*'\n"
        );
        let missing = toolchain::missing(lang);
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|tool| tool.name).collect();
            text += &wrap(&format!("missing on this machine: {}; get it by", names.join(", ")), 4);
            for command in toolchain::commands(&missing) {
                let _ = write!(text, "\n    {command}");
            }
        }
        text
    }
}

fn what_next_of_table(folder: &Path) -> String {
    let shown = quoted(&folder.shown().to_string());
    format!(
        "{shown} holds the files of a table: fill in table.env, and push it as a repository\n\
         README.md says what entrants and the keeper do; with packs in it, its site is made by\n    \
         jointly leaderboard {shown}/packs/*.jointly --format html --out {shown}/site"
    )
}

/// Makes a directory; refuses one that is not empty.
fn make_empty(folder: &Path) -> Result<()> {
    let shown = folder.shown();
    fs::create_dir_all(folder).with_context(|| format!("failed to make the directory {shown}; give another --out"))?;
    let mut entries = fs::read_dir(folder).with_context(|| format!("failed to list {shown}"))?;
    if entries.next().is_some() {
        bail!("{shown} holds files already; give another NAME, or a new or empty directory by --out DIR");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn names_are_plain() {
        for name in ["a", "my-agent", "my_agent2"] {
            assert_eq!(plain_name(name).as_deref(), Ok(name));
        }
        let long = "a".repeat(41);
        for name in ["", "..", "a/b", "My-agent", "2fast", "-x", "a b", "a.b", "jointly-sdk", "core", "é", &long] {
            assert!(plain_name(name).is_err(), "{name}");
        }
    }
}
