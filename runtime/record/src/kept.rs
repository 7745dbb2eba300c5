//! Bytes that a run keeps by digest, so that anybody can run it again.

use jointly_core::digest::is_digest;
use jointly_data::import::MAX_FILE_BYTES;
use jointly_data::regression::TableFormat;

/// The kinds of files that a directory keeps copies of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// An agent's component.
    Agent,
    /// An imported problem.
    Problem,
    /// An agent's predictions at a problem's test inputs, as far as scores against other agents need them.
    Belief,
    /// A user-supplied table.
    Table(TableFormat),
}

impl Kept {
    /// All kinds.
    pub(crate) const ALL: [Self; 5] =
        [Self::Agent, Self::Problem, Self::Belief, Self::Table(TableFormat::Csv), Self::Table(TableFormat::Npz)];

    /// Returns the digest under which a file is kept, if its name is one that [`path`](Self::path) makes.
    pub fn digest_in(name: &str) -> Option<String> {
        Self::of(name).map(|(_, digest)| digest)
    }

    /// Returns the kind of a file and the digest under which it is kept, if its name is one that [`path`](Self::path)
    /// makes.
    pub(crate) fn of(name: &str) -> Option<(Self, String)> {
        let (_, file) = name.split_once('/')?;
        let digest = Some(file.split('.').next()?.replacen('-', ":", 1)).filter(|digest| is_digest(digest))?;
        let kind = Self::ALL.into_iter().find(|kind| kind.path(&digest) == name)?;
        Some((kind, digest))
    }

    /// Returns the most bytes of a file of this kind.
    pub const fn most_bytes(self) -> u64 {
        match self {
            Self::Agent => 256 << 20,
            Self::Problem | Self::Table(_) => MAX_FILE_BYTES,
            Self::Belief => 16 << 20,
        }
    }

    /// Returns the path of a file below the directory.
    pub fn path(self, digest: &str) -> String {
        let (folder, extension) = self.place();
        format!("{folder}/{}.{extension}", digest.replace(':', "-"))
    }

    /// Returns a regular expression, without anchors, for the paths of files of this kind.
    pub(crate) fn pattern(self) -> String {
        let (folder, extension) = self.place();
        format!("{folder}/sha256-[0-9a-f]{{64}}\\.{extension}")
    }

    /// Returns the folder of files of this kind.
    pub fn folder(self) -> &'static str {
        self.place().0
    }

    /// Returns the folder, and the extension of its files.
    fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Agent => ("agents", "wasm"),
            Self::Problem => ("problems", "npz"),
            Self::Belief => ("beliefs", "bin"),
            Self::Table(format) => ("tables", format.extension()),
        }
    }
}
