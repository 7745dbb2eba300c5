//! The options that name the places of real data.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use jointly_engine::data_directories::DataDirectories;

/// Directories with the files of datasets.
#[derive(Args)]
pub(crate) struct DataArguments {
    /// A directory with real data, searched in the given order; may be repeated [default: those of $JOINTLY_DATA,
    /// separated as in $PATH, else $XDG_DATA_HOME/jointly, else ~/.local/share/jointly]
    #[arg(long = "data", value_name = "DIR")]
    given: Vec<PathBuf>,
    /// A folder of user-supplied images, for the suite shift/images: train/CLASS/*.png or .jpg, and optionally
    /// test/CLASS and outside/SET; or CLASS folders only
    #[arg(long, value_name = "DIR")]
    images: Option<PathBuf>,
}

impl DataArguments {
    /// Returns the directories that the options name.
    pub(crate) fn directories(&self) -> DataDirectories {
        DataDirectories { given: self.given.clone(), images: self.images.clone() }
    }

    /// Returns these options as words of a command line.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let option = |(name, folder): (&str, &PathBuf)| [OsString::from(name), folder.into()];
        let data = self.given.iter().map(|folder| ("--data", folder));
        data.chain(self.images.iter().map(|folder| ("--images", folder))).flat_map(option).collect()
    }
}
