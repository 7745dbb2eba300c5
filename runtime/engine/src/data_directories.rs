//! The directories in which real data are looked for.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use jointly_classification::shift::USER_IMAGES;
use jointly_core::printable::ShowPath as _;

/// Directories with the files of datasets.
#[derive(Clone, Debug, Default)]
pub struct DataDirectories {
    /// The directories given by the user, in order; if empty, those of the environment are used.
    pub given: Vec<PathBuf>,
    /// A folder of user-supplied images.
    pub images: Option<PathBuf>,
}

impl DataDirectories {
    /// Returns the folder of user-supplied images.
    pub fn images(&self) -> Option<&Path> {
        self.images.as_deref()
    }

    /// Refuses a folder of images when the suite does not use user-supplied images.
    ///
    /// # Errors
    /// When a folder of images is given.
    pub fn refuse_images(&self, about: &str) -> Result<()> {
        if self.images.is_none() {
            return Ok(());
        }
        bail!("--images is for the suite {USER_IMAGES}, and this is about {about}: leave it out")
    }

    /// Returns the directories to search, in order.
    ///
    /// # Errors
    /// When a given directory does not exist, or there is nowhere to look.
    pub fn paths(&self) -> Result<Vec<PathBuf>> {
        if let Some(absent) = self.given.iter().find(|directory| !directory.is_dir()) {
            bail!("--data {}: there is no such directory", absent.shown());
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
