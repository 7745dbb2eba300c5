//! The 20 newsgroups, read from their folders or from an archive.

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufReader};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use jointly_core::matrix::Matrix;
use jointly_core::{Inputs, Task, TokenMatrix, Tokens};

use super::super::MAX_DATA_BYTES;
use super::super::error::DataDefect;
use super::super::locate::Found;
use super::super::{open, regular_file};
use super::examples::{Labelled, Rows};
use super::words::Vocabulary;

/// The groups, in alphabetical order; they are numbered from 0.
pub const NEWSGROUPS: [&str; 20] = [
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
];

/// The number of word ids, including padding and the unknown word.
pub const VOCABULARY: u32 = 30_000;
/// The number of words of a text that agents see; longer texts are cut off.
pub const TEXT_LENGTH: u32 = 250;
/// The name of the groups with odd numbers, which are OOD inputs.
pub(super) const ODD: &str = "odd-classes";

/// The most bytes of all texts of a part; the training texts have 22 million.
const MAX_TEXT_BYTES: u64 = 256 << 20;

/// A post: its group, its file's name, and its text after the header.
struct Post {
    group: usize,
    name: Vec<u8>,
    text: Vec<u8>,
}

/// Texts as ids.
pub(super) struct Newsgroups {
    pub(super) train: Labelled,
    pub(super) test: Labelled,
    /// The test texts of groups with odd numbers, which are OOD inputs.
    pub(super) odd: (String, Rows),
    pub(super) vocabulary: Vocabulary,
}

pub(super) fn task() -> Task {
    let tokens = Tokens::Text { vocabulary: VOCABULARY, length: TEXT_LENGTH };
    Task { tokens, ..Task::new(0, NEWSGROUPS.len() as u32 / 2) }
}

/// Reads training and test texts.
///
/// The header of each post, up to the first empty line, is left out because it names the group. Quotations and
/// signatures stay. The vocabulary is the most frequent words of all training texts, including those of odd groups, as
/// in the paper's code. Posts are ordered by group and, within each, by their files' names.
///
/// Source: Ovadia et al. (2019), appendix A.4. (Its code takes the last 250 words and pads before them; here the first
/// 250 words are taken, with padding behind them.)
///
/// # Errors
/// With the index of the refused file, and its defect.
pub(super) fn read(train: &Found, test: &Found) -> Result<Newsgroups, (usize, DataDefect)> {
    let (train, test) = (posts(train).map_err(|defect| (0, defect))?, posts(test).map_err(|defect| (1, defect))?);
    let vocabulary = Vocabulary::of(train.iter().map(|post| post.text.as_slice()), VOCABULARY);
    let encoded = |posts: &[Post], odd: usize| {
        let chosen = || posts.iter().filter(move |post| post.group % 2 == odd);
        let inputs = encode(&vocabulary, chosen().map(|post| post.text.as_slice()));
        Labelled { rows: Rows::Inputs(inputs), labels: chosen().map(|post| post.group as u32 / 2).collect() }
    };
    let odd = (ODD.to_owned(), encoded(&test, 1).rows);
    Ok(Newsgroups { train: encoded(&train, 0), test: encoded(&test, 0), odd, vocabulary })
}

/// Makes the inputs that agents see from texts.
pub(super) fn encode<'a>(vocabulary: &Vocabulary, texts: impl Iterator<Item = &'a [u8]>) -> Inputs {
    let mut ids = Vec::new();
    texts.for_each(|text| vocabulary.encode(text, TEXT_LENGTH as usize, &mut ids));
    inputs(ids)
}

/// Makes rows of [`TEXT_LENGTH`] ids.
pub(super) fn inputs(ids: Vec<u32>) -> Inputs {
    let rows = ids.len() / TEXT_LENGTH as usize;
    let tokens = TokenMatrix::new(rows, TEXT_LENGTH as usize, ids).expect("each text is as long");
    Inputs::new(Matrix::new(rows, 0, Vec::new()).expect("there are no numbers"), tokens).expect("as many rows")
}

/// Reads the posts of one part, at least one for each group.
fn posts(found: &Found) -> Result<Vec<Post>, DataDefect> {
    let mut posts = match found.member {
        None => from_folder(&found.path)?,
        Some(member) => from_archive(&found.path, member, MAX_DATA_BYTES)?,
    };
    posts.sort_by(|a, b| (a.group, &a.name).cmp(&(b.group, &b.name)));
    match (0..NEWSGROUPS.len()).find(|&group| posts.iter().all(|post| post.group != group)) {
        None => Ok(posts),
        Some(group) => {
            let within = found.member.map(|member| format!("{member}/")).unwrap_or_default();
            Err(DataDefect::Folder { what: format!("posts in {within}{}", NEWSGROUPS[group]) })
        }
    }
}

fn from_folder(path: &Path) -> Result<Vec<Post>, DataDefect> {
    let (mut posts, mut left) = (Vec::new(), MAX_TEXT_BYTES);
    for (group, name) in NEWSGROUPS.iter().enumerate() {
        let folder = path.join(name);
        if !folder.is_dir() {
            return Err(DataDefect::Folder { what: (*name).to_owned() });
        }
        for entry in fs::read_dir(&folder).map_err(DataDefect::Io)? {
            let entry = entry.map_err(DataDefect::Io)?;
            if entry.path().is_file() {
                let bytes = open::plain(&entry.path(), left)?;
                left -= bytes.len() as u64;
                let name = entry.file_name().as_encoded_bytes().to_vec();
                posts.push(Post { group, name, text: body(&bytes).to_vec() });
            }
        }
    }
    Ok(posts)
}

/// Reads the posts of an archive that unpacks to at most `most` bytes; other members are ignored.
fn from_archive(path: &Path, part: &str, most: u64) -> Result<Vec<Post>, DataDefect> {
    let file = BufReader::new(regular_file::open(path).map_err(DataDefect::Io)?);
    let mut archive = tar::Archive::new(open::Bounded::new(MultiGzDecoder::new(file), most));
    let (mut posts, mut left, mut seen) = (Vec::new(), MAX_TEXT_BYTES, HashSet::new());
    for entry in archive.entries().map_err(open::damaged)? {
        let entry = entry.map_err(open::damaged)?;
        let (name, group) = {
            let path = entry.path_bytes();
            let mut parts = path.rsplit(|&byte| byte == b'/');
            let [Some(name), Some(group), Some(within)] = [parts.next(), parts.next(), parts.next()] else { continue };
            let group = NEWSGROUPS.iter().position(|known| known.as_bytes() == group);
            let Some(group) = group.filter(|_| within == part.as_bytes() && !name.is_empty()) else { continue };
            (name.to_vec(), group)
        };
        if !seen.insert((group, name.clone())) {
            let name = String::from_utf8_lossy(&name).escape_debug().to_string();
            return Err(open::reason(&format!("two of its posts are called {}/{name}", NEWSGROUPS[group])));
        }
        let size = entry.size();
        let bytes = open::read_within(entry, left, open::damaged)?;
        // The reader takes the end of the archive for the end of its member.
        if bytes.len() as u64 != size {
            return Err(open::damaged(std::io::ErrorKind::UnexpectedEof.into()));
        }
        left -= bytes.len() as u64;
        posts.push(Post { group, name, text: body(&bytes).to_vec() });
    }
    // An archive ends before its compressed bytes do, whose checksum is at the very end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(open::damaged)?;
    Ok(posts)
}

/// Returns the text after the first empty line, or an empty text if there is none.
fn body(post: &[u8]) -> &[u8] {
    let ends = post.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at);
    for end in ends {
        let rest = &post[end + 1..];
        if rest.starts_with(b"\n") || rest.starts_with(b"\r\n") {
            return rest;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn what_an_archive_holds_besides_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("posts.tar.gz");
        let mut tar = tar::Builder::new(GzEncoder::new(File::create(&path).unwrap(), Compression::fast()));
        for (name, bytes) in [("train/sci.med/1", b"From: a\n\nDear all".to_vec()), ("strange", vec![0; 100_000])] {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap();
        assert_eq!(from_archive(&path, "train", MAX_DATA_BYTES).unwrap().len(), 1);
        let error = from_archive(&path, "train", 100_000).err().unwrap().to_string();
        assert!(error.contains("it unpacks to more than 100000 bytes): get the file again"), "{error}");
    }

    #[test]
    fn the_header_goes_up_to_the_first_empty_line() {
        let text = |post: &str| String::from_utf8(body(post.as_bytes()).to_vec()).unwrap().trim().to_owned();
        assert_eq!(text("From: a\nSubject: b\n\nDear all\n\nyours"), "Dear all\n\nyours");
        assert_eq!(text("From: a\r\n\r\nDear all\r\n"), "Dear all");
        assert_eq!(text("From: a\nSubject: b\n"), "");
        assert_eq!(text(""), "");
    }
}
