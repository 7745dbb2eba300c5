//! Where real data are looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use jointly_core::shift::OWN_IMAGES;

/// Directories with the files of datasets.
#[derive(Args, Default)]
pub(crate) struct DataDirectories {
    /// A directory with real data, looked through before others; may be repeated [default: those of $JOINTLY_DATA,
    /// separated as in $PATH, else $XDG_DATA_HOME/jointly, else ~/.local/share/jointly]
    #[arg(long = "data", value_name = "DIR")]
    given: Vec<PathBuf>,
    /// A folder of your own images, for the suite shift/images: train/CLASS/*.png or .jpg, and, where there are such, test/CLASS
    /// and outside/SET; or CLASS folders alone
    #[arg(long, value_name = "DIR")]
    images: Option<PathBuf>,
}

impl DataDirectories {
    /// The folder of a person's own images.
    pub(crate) fn images(&self) -> Option<&Path> {
        self.images.as_deref()
    }

    /// The same as words of a command line.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let option = |(name, folder): (&str, &PathBuf)| [OsString::from(name), folder.into()];
        let data = self.given.iter().map(|folder| ("--data", folder));
        data.chain(self.images.iter().map(|folder| ("--images", folder))).flat_map(option).collect()
    }

    /// Refuses a folder of images where no suite is about such.
    pub(crate) fn refuse_images(&self, about: &str) -> Result<()> {
        if self.images.is_none() {
            return Ok(());
        }
        bail!("--images is for the suite {OWN_IMAGES}, and this is about {about}: leave it out")
    }

    /// The directories to look through, in their order.
    pub(crate) fn paths(&self) -> Result<Vec<PathBuf>> {
        if let Some(absent) = self.given.iter().find(|directory| !directory.is_dir()) {
            bail!("--data {}: there is no such directory", absent.display());
        }
        if !self.given.is_empty() {
            return Ok(self.given.clone());
        }
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(list) = variable("JOINTLY_DATA") {
            return Ok(std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect());
        }
        let data = variable("XDG_DATA_HOME").map(PathBuf::from);
        let data = data.or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".local/share")));
        match data {
            Some(data) => Ok(vec![data.join("jointly")]),
            None => bail!("there is nowhere to look for data: give --data DIR"),
        }
    }
}
