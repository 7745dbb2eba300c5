//! The file of an entry, `NAME.jointly`: a tar archive, compressed by gzip, whose comment has the digest of all that
//! follows.
//!
//! The same members make the same bytes, and no byte of a pack can change unseen: its head is the one that there is,
//! and the rest has the digest that the head names, which is compared before anything is unpacked. A pack from
//! elsewhere may still say what it likes under a digest of its own, so that nothing in it is believed: names, sizes and
//! their sum are bounded.

use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom, Write, copy, sink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;
use flate2::{Compression, write::GzEncoder};
use jointly_core::digest;
use jointly_core::digest::Hasher;
use tempfile::TempDir;

use crate::directory::{JOURNAL, LEADERBOARD, PLAN, SCORES, SWEEP};
use crate::plan::is_digest;

/// What a pack's name ends in.
pub(crate) const EXTENSION: &str = "jointly";

/// A gzip file with a comment, of no time, written by no system in particular.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff];
/// The bytes of gzip's own head that the compressor writes.
const PLAIN_HEAD: usize = 10;
/// The format, in the comment, before the digest.
const FORMAT: &str = "jointly entry 1 ";
/// Of a digest as text.
const DIGEST_BYTES: usize = "sha256:".len() + 64;
const HEAD_BYTES: usize = GZIP.len() + FORMAT.len() + DIGEST_BYTES + 1;

/// The most of plan, journal, scores or leaderboard; the largest runs known have a hundredth of it.
const MOST_TEXT: u64 = 256 << 20;
/// The most of an agent, problem, table or belief.
const MOST_KEPT: u64 = 1 << 30;
/// The most of all of them, unpacked.
const MOST_BYTES: u64 = 2 << 30;
/// What helps where a pack is not whole.
const COPY: &str = "get another copy, or have it packed again";

/// A pack's bytes, of members in their order.
pub(crate) fn pack(members: impl Iterator<Item = Result<(String, Vec<u8>)>>) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    let mut total = 0;
    for member in members {
        let (name, bytes) = member?;
        let (size, most) = (bytes.len() as u64, limit(&name).unwrap_or(0));
        total += size;
        ensure!(size <= most, "{name} has {size} bytes, and a pack takes {most} of it at most");
        ensure!(
            total <= MOST_BYTES,
            "it has more than {MOST_BYTES} bytes, which no pack holds; send the directory itself"
        );
        let mut header = tar::Header::new_ustar();
        header.set_size(size);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, &name, bytes.as_slice())?;
    }
    let compressed = archive.into_inner()?.finish()?;
    let body = &compressed[PLAIN_HEAD..];
    Ok([head(&digest(body)).as_slice(), body].concat())
}

fn head(digest: &str) -> Vec<u8> {
    [&GZIP, FORMAT.as_bytes(), digest.as_bytes(), &[0]].concat()
}

/// What a pack held, in a directory that goes when this does.
pub(crate) struct Unpacked {
    pub(crate) path: PathBuf,
    /// In their order.
    pub(crate) members: Vec<String>,
    _folder: TempDir,
}

/// Unpacks the members of a file that is whole.
pub(crate) fn unpack(path: &Path) -> Result<Unpacked> {
    let shown = path.display();
    let mut file = File::open(path).with_context(|| format!("failed to read {shown}"))?;
    refuse_damaged(&mut file, path)?;
    let folder = tempfile::tempdir().context("failed to make a temporary directory; make room in $TMPDIR")?;
    // Under its own name, which messages about what it holds then show.
    let place = folder.path().join(path.file_name().unwrap_or_default());
    let members =
        members(file, &place).with_context(|| format!("{shown} is no pack that `jointly pack` made; {COPY}"))?;
    Ok(Unpacked { path: place, members, _folder: folder })
}

/// Refuses a file that is no pack, or not the one that was made. Leaves it at its beginning.
fn refuse_damaged(file: &mut File, path: &Path) -> Result<()> {
    let shown = path.display();
    let failed = || format!("failed to read {shown}");
    let mut start = Vec::new();
    file.take(HEAD_BYTES as u64).read_to_end(&mut start).with_context(failed)?;
    let named = start.get(GZIP.len() + FORMAT.len()..HEAD_BYTES.saturating_sub(1));
    let named = named.and_then(|named| std::str::from_utf8(named).ok()).unwrap_or_default();
    if !is_digest(named) || start != head(named) {
        bail!(
            "{shown} is no pack of an entry, or is damaged; give a file that `jointly pack` made, or a run's directory"
        );
    }
    let mut hash = Hasher::default();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece).with_context(failed)? {
            0 => break,
            read => hash.add(&piece[..read]),
        }
    }
    if hash.finish() != named {
        bail!("{shown} is damaged: what it holds has not the digest that it names; {COPY}");
    }
    file.seek(SeekFrom::Start(0)).with_context(failed)?;
    Ok(())
}

/// Writes a pack's members below a directory and gives their names.
fn members(file: File, place: &Path) -> Result<Vec<String>> {
    // One byte more tells a pack that holds too much.
    let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(file)).take(MOST_BYTES + 1));
    let mut names: Vec<String> = Vec::new();
    // Raw: no long names, links or holes.
    for member in archive.entries()?.raw(true) {
        let mut member = member?;
        let name = String::from_utf8_lossy(&member.path_bytes()).into_owned();
        let Some(most) = limit(&name).filter(|_| member.header().entry_type().is_file()) else {
            bail!("it holds {name:?}, which is no file of an entry")
        };
        ensure!(!names.contains(&name), "it holds {name} twice");
        let size = member.size();
        ensure!(size <= most, "its {name} has {size} bytes, more than {most}");
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes)?;
        // The reader takes the end of the archive for the end of its member.
        ensure!(bytes.len() as u64 == size, "its {name} ends too soon");
        if let Some(named) = kept_digest(&name) {
            ensure!(digest(&bytes) == named, "the digest of its {name} is not its name");
        }
        write(&place.join(&name), &bytes)?;
        names.push(name);
    }
    let mut rest = archive.into_inner();
    copy(&mut rest, &mut sink())?;
    ensure!(rest.limit() > 0, "it holds more than {MOST_BYTES} bytes");
    Ok(names)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        File::create(path)?.write_all(bytes)
    };
    write().with_context(|| format!("failed to write {}; make room in $TMPDIR", path.display()))
}

/// The most bytes of the member of that name, if a pack may have one.
fn limit(name: &str) -> Option<u64> {
    if [PLAN, JOURNAL, SCORES, LEADERBOARD, SWEEP].contains(&name) {
        return Some(MOST_TEXT);
    }
    kept_digest(name).map(|_| MOST_KEPT)
}

/// The digest that the name of an agent, problem, table or belief is made of, as [`crate::directory::Kept`] makes it.
fn kept_digest(name: &str) -> Option<String> {
    let forms =
        [("agents/", ".wasm"), ("problems/", ".npz"), ("beliefs/", ".bin"), ("tables/", ".csv"), ("tables/", ".npz")];
    let digest = |(folder, extension): &(&str, &str)| name.strip_prefix(folder)?.strip_suffix(extension);
    let digest = forms.iter().find_map(digest)?.replacen('-', ":", 1);
    is_digest(&digest).then_some(digest)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use jointly_core::digest;

    use super::{GZIP, GzEncoder, HEAD_BYTES, PLAIN_HEAD, head, pack, unpack};
    use crate::directory::{Kept, PLAN, SCORES};
    use flate2::Compression;

    fn packed(members: &[(&str, &[u8])]) -> Vec<u8> {
        pack(members.iter().map(|(name, bytes)| Ok(((*name).to_owned(), bytes.to_vec())))).unwrap()
    }

    /// What is said of a file of these bytes; its members where it is a pack.
    fn read(bytes: &[u8]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.jointly");
        fs::write(&path, bytes).unwrap();
        let unpacked = unpack(&path).map_err(|error| format!("{error:#}"))?;
        assert!(unpacked.path.ends_with("mine.jointly"));
        Ok(unpacked.members)
    }

    /// A pack of any archive, under a digest of its own.
    fn forged(archive: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        std::io::Write::write_all(&mut encoder, archive).unwrap();
        let compressed = encoder.finish().unwrap();
        [&head(&digest(&compressed[PLAIN_HEAD..]))[..], &compressed[PLAIN_HEAD..]].concat()
    }

    /// An archive of members whose names and kinds nobody has looked at.
    fn archive(members: &[Member]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, kind, bytes) in members {
            let mut header = tar::Header::new_ustar();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            builder.append(&header, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    const FILE: tar::EntryType = tar::EntryType::Regular;

    /// Name, kind and bytes of a member.
    type Member<'a> = (&'a str, tar::EntryType, &'a [u8]);

    #[test]
    fn the_same_members_make_the_same_bytes_and_come_back() {
        let agent = Kept::Agent.path(&digest(b"agent"));
        let members: [(&str, &[u8]); 3] = [(PLAN, b"{}"), (SCORES, b""), (&agent, b"agent")];
        let bytes = packed(&members);
        assert_eq!(bytes, packed(&members));
        assert_eq!(bytes[..GZIP.len()], GZIP);
        assert_eq!(read(&bytes), Ok(vec![PLAN.to_owned(), SCORES.to_owned(), agent]));
        assert_eq!(read(&forged(&archive(&[(PLAN, FILE, b"{}")]))), Ok(vec![PLAN.to_owned()]));
    }

    #[test]
    fn no_bit_flips_unseen_and_no_byte_goes_or_comes() {
        let whole = packed(&[(PLAN, b"{}"), (SCORES, b"[1, 2, 3]")]);
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                assert!(read(&bytes).is_err(), "bit {bit} of byte {at}");
            }
            assert!(read(&whole[..at]).is_err(), "{at} bytes");
        }
        assert!(read(&[&whole[..], &[0]].concat()).is_err());
        assert!(read(&whole[..HEAD_BYTES]).unwrap_err().contains("is damaged"));
    }

    #[test]
    fn what_no_pack_holds_is_refused_under_any_digest() {
        let absolute = format!("/{PLAN}");
        let outside = format!("agents/../{PLAN}");
        let misnamed = Kept::Agent.path(&digest(b"another"));
        let refused: [(&[Member], &str); 8] = [
            (&[("thesis.tex", FILE, b"")], "\"thesis.tex\", which is no file of an entry"),
            (&[(&absolute, FILE, b"")], "no file of an entry"),
            (&[(&outside, FILE, b"")], "no file of an entry"),
            (&[("agents/x.wasm", FILE, b"")], "no file of an entry"),
            (&[(PLAN, tar::EntryType::Symlink, b"")], "no file of an entry"),
            (&[(PLAN, tar::EntryType::GNULongName, b"x")], "no file of an entry"),
            (&[(PLAN, FILE, b""), (PLAN, FILE, b"")], "holds plan.json twice"),
            (&[(&misnamed, FILE, b"agent")], "is not its name"),
        ];
        for (members, said) in refused {
            let error = read(&forged(&archive(members))).unwrap_err();
            assert!(error.contains(said) && error.contains("have it packed again"), "{error}");
        }
        // A member that says it is longer than the archive, and one that says it is longer than any may be.
        let mut short = archive(&[(PLAN, FILE, &[b' '; 600])]);
        short.truncate(512 + 512);
        assert!(read(&forged(&short)).is_err());
        let mut header = tar::Header::new_ustar();
        header.set_path(PLAN).unwrap();
        header.set_size(u64::MAX >> 8);
        header.set_cksum();
        let error = read(&forged(header.as_bytes())).unwrap_err();
        assert!(error.contains("more than"), "{error}");
        assert!(read(&forged(b"no archive at all")).is_err());
    }
}
