//! Writes NumPy's .npz files: problems and predictions, valid or spoiled.

use std::path::{Path, PathBuf};

pub(crate) use jointly_data::import::fixture::Fixture as Archive;
use tempfile::TempDir;

/// A file with a given name in a temporary folder.
pub(crate) struct TemporaryFile {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

impl TemporaryFile {
    pub(crate) fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self { _folder: folder, path }
    }

    /// Returns the file as an argument of the command.
    pub(crate) fn argument(&self) -> &str {
        self.path.to_str().expect("a path in UTF-8")
    }

    /// Returns a path beside the file.
    pub(crate) fn sibling(&self, name: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new(".")).join(name)
    }
}

/// Returns training and test data of a problem in one dimension with two classes: 3 tau-samples of 5, all of class 1.
pub(crate) fn problem() -> Archive {
    inputs(problem_without_inputs())
}

/// Adds the training inputs.
pub(crate) fn inputs(archive: Archive) -> Archive {
    archive.array("x_train", &[4, 1], vec![-1.0_f32, -0.5, 0.5, 1.0])
}

/// Returns the problem without its training inputs.
pub(crate) fn problem_without_inputs() -> Archive {
    Archive::new()
        .array("y_train", &[4], vec![0_i64, 1, 0, 1])
        .array("x_test", &[3, 5, 1], (0..15).map(|i| i as f32 / 10.0).collect())
        .array("y_test", &[3, 5], vec![1_i64; 15])
}
