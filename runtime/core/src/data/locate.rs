//! Finds a dataset's files in data directories.

use std::path::{Path, PathBuf};

use super::card::{Card, Part, Place};
use super::error::DataError;

/// A part of a dataset, found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// The member of it, where it is an archive.
    pub member: Option<&'static str>,
}

/// The files of a dataset, one for each of its parts. Directories are looked through in their order, and in each the
/// part's places in theirs.
///
/// # Errors
/// When a part is in none of the places.
pub fn locate(card: &'static Card, directories: &[PathBuf]) -> Result<Vec<Found>, DataError> {
    let found: Vec<_> = card.parts.iter().map(|part| find(part, directories)).collect();
    if let Some(all) = found.iter().cloned().collect() {
        return Ok(all);
    }
    let missing = card.parts.iter().zip(&found).filter(|(_, found)| found.is_none());
    let missing = missing.map(|(part, _)| part.to_string()).collect();
    Err(DataError::Missing { dataset: card.name, missing, directories: directories.to_vec(), origin: card.origin })
}

fn find(part: &Part, directories: &[PathBuf]) -> Option<Found> {
    let at = |directory: &Path, place: &Place| Found { path: directory.join(place.path), member: place.member };
    let places = directories.iter().flat_map(|directory| part.places.iter().map(move |place| at(directory, place)));
    places.into_iter().find(|found| found.path.is_file())
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let places: Vec<String> = self.places.iter().map(Place::to_string).collect();
        write!(f, "{}", places.join(" or "))
    }
}
