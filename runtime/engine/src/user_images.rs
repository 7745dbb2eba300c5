//! User-supplied images of the suite shift/images: finds them in a folder, puts them into the plan, and finds them
//! again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use jointly_classification::shift::{ShiftProblem, USER_IMAGES};
use jointly_core::printable::ShowPath as _;
use jointly_data::shift::ImageFolder;
use jointly_record::planned_images::PlannedImages;

use crate::data_directories::DataDirectories;

/// Reads the folder and gives the problems their images.
///
/// # Errors
/// When no folder is given, or it cannot be read as a folder of images.
pub fn attach(problems: &mut [ShiftProblem], view: PlannedImages, data: &DataDirectories) -> Result<()> {
    let Some(folder) = data.images() else {
        bail!("{USER_IMAGES} is about user-supplied images: give their folder by --images DIR")
    };
    let Some(name) = problems.iter().find_map(|problem| Some(problem.dataset()?.name().to_owned())) else {
        return Ok(());
    };
    let images = Arc::new(described(folder, view)?.load(&name)?);
    for problem in problems {
        problem.attach(&images);
    }
    Ok(())
}

/// Describes the sets of images in a folder by the names of its subfolders.
fn described(folder: &Path, PlannedImages { side, grey }: PlannedImages) -> Result<ImageFolder> {
    if !folder.is_dir() {
        bail!("--images {}: there is no such folder", folder.shown());
    }
    let within = |name: &str| Some(folder.join(name)).filter(|path| path.is_dir());
    let outsiders = within("outside").map_or_else(|| Ok(Vec::new()), |outside| sets(&outside))?;
    let Some(train) = within("train") else {
        if let Some(stray) = ["test", "outside"].into_iter().find_map(within) {
            bail!("{} has {} and no train beside it", folder.shown(), stray.shown());
        }
        return Ok(ImageFolder { train: folder.to_owned(), test: None, outsiders, side, grey });
    };
    Ok(ImageFolder { train, test: within("test"), outsiders, side, grey })
}

/// Returns the subfolders of a folder with their names, ordered by name.
fn sets(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let failed = || format!("failed to read {}", folder.shown());
    let mut sets = Vec::new();
    for entry in fs::read_dir(folder).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        if path.is_dir() {
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            sets.push((name, path));
        }
    }
    sets.sort();
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{PlannedImages, described};

    #[test]
    fn folders_say_what_they_hold() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let describe = || described(folder.path(), PlannedImages::default()).map_err(|error| error.to_string());
        for class in ["cats", "dogs"] {
            fs::create_dir_all(at(class)).unwrap();
        }
        assert_eq!(describe().unwrap().train, folder.path());
        fs::create_dir_all(at("test/cats")).unwrap();
        assert!(describe().unwrap_err().contains("no train beside it"));
        for class in ["train/cats", "train/dogs", "outside/paintings", "outside/noise"] {
            fs::create_dir_all(at(class)).unwrap();
        }
        let found = describe().unwrap();
        assert_eq!((found.train, found.test), (at("train"), Some(at("test"))));
        let names: Vec<&str> = found.outsiders.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["noise", "paintings"]);
        assert!(described(&at("nowhere"), PlannedImages::default()).is_err());
    }
}
