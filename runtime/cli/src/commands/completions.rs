//! `jointly completions`: prints the script that a shell needs to complete commands and options.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Jointly;
use crate::{exit, output};

/// Prints a script that completes this command's subcommands and options in a shell
///
/// For bash: jointly completions bash > ~/.local/share/bash-completion/completions/jointly
///
/// For fish: jointly completions fish > ~/.config/fish/completions/jointly.fish
///
/// For zsh: jointly completions zsh > DIR/_jointly, where DIR is one of $fpath
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Jointly::command(), "jointly", &mut script);
        output::print(String::from_utf8_lossy(&script).trim_end())?;
        Ok(ExitCode::from(exit::DONE))
    }
}
