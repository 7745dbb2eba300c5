//! Finds the files of a dataset, and of its out-of-distribution (OOD) inputs, in data directories.

use std::fmt;
use std::path::{Path, PathBuf};

use jointly_core::printable::ShowPath as _;

use super::super::card::Part;
use super::super::locate::{Found, find};
use super::card::{OutsiderCard, ShiftCard, ShiftContent};

/// Where the files of a dataset were found.
#[derive(Clone, Debug)]
pub struct ShiftFiles {
    /// One file for each part.
    pub parts: Vec<Found>,
    /// One file for each set of OOD inputs that exists.
    pub outsiders: Vec<(&'static OutsiderCard, Found)>,
}

/// A dataset that is in none of the data directories, and what to do about it.
#[derive(Clone, Debug)]
pub struct MissingShiftData {
    /// The dataset.
    pub card: &'static ShiftCard,
    /// The files that are missing.
    pub parts: Vec<&'static Part>,
    /// The directories that were searched.
    pub directories: Vec<PathBuf>,
}

/// Finds the files of a dataset. The directories are searched in order, and within each the places of a part in order.
///
/// # Errors
/// When a part is in none of the places. Sets of OOD inputs that are not found are left out.
pub fn locate_shift(card: &'static ShiftCard, directories: &[PathBuf]) -> Result<ShiftFiles, MissingShiftData> {
    // Newsgroups are folders of texts.
    let texts = matches!(card.content, ShiftContent::Newsgroups { .. });
    let is_there = if texts { Path::exists } else { Path::is_file };
    let (mut parts, mut missing) = (Vec::new(), Vec::new());
    for part in card.parts() {
        match find(part, directories, is_there) {
            Some(found) => parts.push(found),
            None => missing.push(part),
        }
    }
    if !missing.is_empty() {
        return Err(MissingShiftData { card, parts: missing, directories: directories.to_vec() });
    }
    let there = |outsiders: &'static OutsiderCard| Some((outsiders, locate_outsiders(outsiders, directories)?));
    Ok(ShiftFiles { parts, outsiders: card.outsiders.iter().filter_map(there).collect() })
}

/// Finds the file of a set of OOD inputs, if it is in one of the directories.
pub fn locate_outsiders(outsiders: &'static OutsiderCard, directories: &[PathBuf]) -> Option<Found> {
    find(&outsiders.part, directories, Path::is_file)
}

impl fmt::Display for MissingShiftData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { card, parts, directories } = self;
        let places: Vec<String> = directories.iter().map(|directory| directory.shown().to_string()).collect();
        let places =
            if places.is_empty() { "any data directory, since there is none".to_owned() } else { places.join(", ") };
        let part = parts[0];
        let files: Vec<String> = part.places.iter().map(ToString::to_string).collect();
        write!(
            f,
            "there are no {} of {} in {places}: get {}, and put them where {} is to be",
            part.holds,
            card.name,
            card.origin(),
            files.join(" or ")
        )
    }
}

impl std::error::Error for MissingShiftData {}
