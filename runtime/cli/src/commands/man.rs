//! `jointly man`: prints or writes manual pages.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use jointly_core::printable::ShowPath as _;
use jointly_record::directory::write_whole;

use super::Jointly;
use crate::{exit, output};

/// Prints the manual page, or writes those of all commands into a directory
///
/// The pages are made from the text of --help: jointly.1, jointly-run.1 and so on. `man -l FILE` shows one.
#[derive(Args)]
pub(crate) struct Man {
    /// Write all pages there, such as ~/.local/share/man/man1 [default: print jointly.1]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let mut main = Jointly::command().disable_help_subcommand(true);
        main.build();
        let Some(dir) = self.dir else {
            output::print(render(main)?.trim_end())?;
            return Ok(ExitCode::from(exit::DONE));
        };
        fs::create_dir_all(&dir).with_context(|| format!("failed to make the directory {}", dir.shown()))?;
        let commands: Vec<clap::Command> = main.get_subcommands().cloned().collect();
        for command in std::iter::once(main).chain(commands) {
            // The page of `jointly run` is called jointly-run, like git-log for `git log`.
            let name = command.get_display_name().unwrap_or(command.get_name());
            let path = dir.join(format!("{name}.1"));
            write_whole(&path, render(command)?.as_bytes(), "give a directory that can be written to")?;
            output::print(&path.shown().to_string())?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

fn render(command: clap::Command) -> Result<String> {
    let mut page = Vec::new();
    let source = concat!("jointly ", env!("CARGO_PKG_VERSION"));
    Page::new(command).source(source).render(&mut page).context("failed to write a page")?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
