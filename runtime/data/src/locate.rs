//! Finds a dataset's files in data directories.

use std::path::{Path, PathBuf};

use super::card::{Card, Part, Place};

/// Where a part of a dataset was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// The member within the file, where the file is an archive.
    pub member: Option<&'static str>,
}

/// Finds the files of a dataset, one for each of its parts. The directories are searched in their order, and in each directory
/// the places of the part in theirs.
///
/// # Errors
/// The parts that are in none of the places.
pub fn locate(card: &'static Card, directories: &[PathBuf]) -> Result<Vec<Found>, Vec<&'static Part>> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for part in card.parts {
        match find(part, directories, Path::is_file) {
            Some(file) => found.push(file),
            None => missing.push(part),
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(missing) }
}

/// Returns the first of a part's places that exists, as a file or a folder.
pub(super) fn find(part: &Part, directories: &[PathBuf], is_there: fn(&Path) -> bool) -> Option<Found> {
    let at = |directory: &Path, place: &Place| Found { path: directory.join(place.path), member: place.member };
    let places = directories.iter().flat_map(|directory| part.places.iter().map(move |place| at(directory, place)));
    places.into_iter().find(|found| is_there(&found.path))
}
