//! Writes NumPy's .npz files: problems and predictions, whole or spoiled.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use npyz::npz::NpzWriter;
use npyz::{AutoSerialize, WriterBuilder};
use tempfile::TempDir;

/// An archive under construction.
pub(crate) struct Archive(NpzWriter<Cursor<Vec<u8>>>);

impl Archive {
    pub(crate) fn new() -> Self {
        Self(NpzWriter::new(Cursor::new(Vec::new())))
    }

    /// Adds an array in C order.
    pub(crate) fn array<T: AutoSerialize>(mut self, key: &str, shape: &[u64], values: Vec<T>) -> Self {
        let builder = self.0.array(key, defaults()).unwrap();
        let mut writer = builder.default_dtype().shape(shape).begin_nd().unwrap();
        writer.extend(values).unwrap();
        writer.finish().unwrap();
        self
    }

    /// The bytes of the file.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        self.0.zip_writer().finish().unwrap().into_inner()
    }
}

/// The zip crate's own defaults, whose type has no name here.
fn defaults<T: Default>() -> T {
    T::default()
}

/// A file of its own name in a folder of its own.
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

    /// The file as an argument of the command.
    pub(crate) fn argument(&self) -> &str {
        self.path.to_str().expect("a path in UTF-8")
    }

    /// A place beside the file.
    pub(crate) fn sibling(&self, name: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new(".")).join(name)
    }
}

/// Training and test data of a problem in one dimension with two classes: 3 tau-samples of 5, all of class 1.
pub(crate) fn problem() -> Archive {
    inputs(problem_without_inputs())
}

/// The training inputs.
pub(crate) fn inputs(archive: Archive) -> Archive {
    archive.array("x_train", &[4, 1], vec![-1.0_f32, -0.5, 0.5, 1.0])
}

/// The rest of the problem.
pub(crate) fn problem_without_inputs() -> Archive {
    Archive::new()
        .array("y_train", &[4], vec![0_i64, 1, 0, 1])
        .array("x_test", &[3, 5, 1], (0..15).map(|i| i as f32 / 10.0).collect())
        .array("y_test", &[3, 5], vec![1_i64; 15])
}
