//! Cards of datasets: everything known before any of their bytes are read.

/// The card of a dataset: its contents, where its files are looked for, and where to get them.
#[derive(Debug)]
pub struct Card {
    /// The name that problems and the command use.
    pub name: &'static str,
    /// One line that describes the dataset.
    pub summary: &'static str,
    /// The kind of inputs, which decides how they are normalised.
    pub kind: Kind,
    /// Number of classes.
    pub num_classes: u32,
    /// Number of features of an input.
    pub input_dim: u32,
    /// Number of training examples.
    pub train_size: u32,
    /// Number of test examples.
    pub test_size: u32,
    /// Whether the dataset is one of the paper's ten (Table 2).
    pub in_paper: bool,
    /// How its files are read.
    pub format: Format,
    /// Its files, in the order that the format names.
    pub parts: &'static [Part],
    /// The files that can be downloaded; either all files of the dataset or none.
    pub downloads: &'static [Download],
    /// Where to get the files.
    pub origin: &'static str,
}

/// The kind of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Rows of numbers, each feature normalised by its mean and standard deviation over the training set.
    Table,
    /// Pixels, each image normalised by its own mean and standard deviation.
    Image,
}

/// How a dataset's files are read.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// One table of numbers, the class in the last column; split into training and test rows by a fixed permutation.
    Table(Labels),
    /// idx files: training images, training labels, test images, test labels. More examples than the card has are left
    /// out.
    Idx,
    /// idx files: images and labels; the first examples are for training, the last for testing.
    IdxCut,
    /// NumPy's .npy: training images, training labels, test images, test labels.
    Npy,
    /// NumPy's .npz with arrays `images` and `labels`: training file, test file.
    Npz,
    /// CIFAR-10's binary records: training files one after another, then the test file.
    Cifar,
}

/// How a table writes classes.
#[derive(Clone, Copy, Debug)]
pub enum Labels {
    /// Consecutive whole numbers, starting at this one.
    From(u32),
    /// Names: the known spellings of each class.
    Names(&'static [&'static [&'static str]]),
}

/// One of a dataset's files, or a member of an archive instead.
#[derive(Debug)]
pub struct Part {
    /// Its contents, in a word or two.
    pub holds: &'static str,
    /// The places under a data directory where it may be; the first that exists is used.
    pub places: &'static [Place],
}

/// A file under a data directory, or a member of an archive there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's path, relative to a data directory.
    pub path: &'static str,
    /// The member's path within the archive, .zip or .tar.gz.
    pub member: Option<&'static str>,
}

impl Place {
    /// A file that is not in an archive.
    pub(crate) const fn file(path: &'static str) -> Self {
        Self { path, member: None }
    }
}

/// A file with a stable public address and a published digest.
#[derive(Debug)]
pub struct Download {
    /// The path that it is saved to, relative to a data directory.
    pub path: &'static str,
    /// Its URL.
    pub url: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its [digest](fn@jointly_core::digest).
    pub digest: &'static str,
}

impl Format {
    /// Describes the format in a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Table(_) => "table (csv or whitespace, header or none, gzip or not)",
            Self::Idx | Self::IdxCut => "idx (gzip or not)",
            Self::Npy => "NumPy .npy (plain or in its .zip)",
            Self::Npz => "NumPy .npz",
            Self::Cifar => "CIFAR binary (plain or in its .tar.gz)",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Table => "table",
            Self::Image => "image",
        })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.member {
            None => f.write_str(self.path),
            Some(member) => write!(f, "{} (in it {member})", self.path),
        }
    }
}
