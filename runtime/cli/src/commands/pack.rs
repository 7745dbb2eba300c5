//! `jointly pack`: packs a finished run into one file that others can verify.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use jointly_core::digest;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;
use jointly_record::{directory, pack};
use jointly_score::entry::Entry;

use crate::{exit, output};

/// Packs a finished run into one file that `jointly verify` and `jointly leaderboard` take
///
/// The file has the plan, the result of every unit, scores and leaderboard, and the bytes that running it again needs:
/// agents, user-supplied problems and tables. It has no real data and no times, so that the same results make the same
/// file. It is a compressed tar archive, which `tar -xzf` unpacks.
#[derive(Args)]
pub(crate) struct Pack {
    /// The directory that `jointly run` wrote
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Where the file goes; no other file is overwritten [default: the name of DIR and .jointly, in this directory]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Pack {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let entry = Entry::open(&self.directory)?;
        entry.refuse_defects()?;
        let bytes = entry.to_pack()?;
        let own = || PathBuf::from(format!("{}.{}", entry.name(), pack::EXTENSION));
        let path = self.output.unwrap_or_else(own);
        write(&path, &bytes)?;
        output::print(&format!("{}: {} bytes, {}", path.shown(), bytes.len(), digest(&bytes)))?;
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Writes a pack, unless another file has its path; a file with the same bytes is accepted.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let shown = path.shown();
    if path.is_dir() {
        bail!("{shown} is a directory; give a file's name by --output FILE");
    }
    if !path.exists() {
        return directory::write_whole(path, bytes, "make room, or give another place by --output FILE");
    }
    // A file of another size need not be read.
    if regular_file::read(path, bytes.len() as u64).ok().as_deref() != Some(bytes) {
        bail!("{shown} already exists with other contents; remove it, or give another --output");
    }
    Ok(())
}
