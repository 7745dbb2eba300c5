//! The file of an entry, `NAME.jointly`: a tar archive compressed by gzip, whose comment has the digest of everything
//! that follows.
//!
//! Equal members make equal bytes, and no byte of a pack can change unnoticed: only one head is accepted, and the rest
//! must have the digest that the head names, which is compared before anything is unpacked. A pack from elsewhere may
//! still hold anything under its own digest, so nothing in it is trusted: names, sizes and their sum are bounded, and
//! the reader packs the contents again, which must give the same digest. Nothing is unpacked onto the disk, where an
//! interruption would leave it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, copy, sink};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use jointly_core::digest;
use jointly_core::digest::{Hasher, is_digest};
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;

use crate::files::most_bytes;
use crate::format;
use crate::journal::PACK_AGAIN;
use crate::kept::Kept;
use crate::pack_members::{FORMAT, MAGIC, MOST_BYTES, MOST_MEMBERS};

/// The extension of a pack's file name.
pub const EXTENSION: &str = "jointly";

/// The header of a gzip file with a comment, without a time, written by an unknown system.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff];
/// The length in bytes of the gzip header that the compressor writes.
const PLAIN_HEAD: usize = 10;
/// The length of a digest as text.
const DIGEST_BYTES: usize = "sha256:".len() + 64;
const HEAD_BYTES: usize = GZIP.len() + MAGIC.len() + FORMAT.len() + DIGEST_BYTES + 1;

/// The size of a block of the archive. One stands before each member and two at the end; members are padded to a
/// multiple.
const BLOCK: u64 = 512;
/// The most bytes of a pack's file: what cannot be compressed takes a little more than it has.
const MOST_FILE: u64 = MOST_BYTES + (MOST_BYTES >> 8);
/// The remedy for a run that is larger than a pack may be.
const SEND: &str = "send the directory itself, which `jointly verify` takes too";

/// Packs members in their order.
///
/// # Errors
/// With the error of a member, or when there is more than a pack takes.
pub fn pack(members: impl Iterator<Item = Result<(String, Vec<u8>)>>) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    let mut total = 2 * BLOCK;
    for (number, member) in members.enumerate() {
        let (name, bytes) = member?;
        let (size, most) = (bytes.len() as u64, most_bytes(&name).unwrap_or(0));
        total += BLOCK + size.next_multiple_of(BLOCK);
        ensure!(size <= most, "{name} has {size} bytes, more than the {most} that a pack may have; {SEND}");
        ensure!(total <= MOST_BYTES, "it has more than {MOST_BYTES} bytes, more than a pack may have; {SEND}");
        ensure!(number < MOST_MEMBERS, "it has more than {MOST_MEMBERS} files, more than a pack may have; {SEND}");
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
    [&GZIP, MAGIC.as_bytes(), FORMAT.as_bytes(), digest.as_bytes(), &[0]].concat()
}

/// Returns the digest that the head of a pack's bytes names.
pub fn named_digest(bytes: &[u8]) -> &str {
    let named = bytes.get(GZIP.len() + MAGIC.len() + FORMAT.len()..HEAD_BYTES - 1);
    named.and_then(|named| std::str::from_utf8(named).ok()).unwrap_or_default()
}

/// The contents of a pack.
pub struct Unpacked {
    /// The members by name.
    pub members: HashMap<String, Vec<u8>>,
    /// The digest that the head names and the bytes have.
    pub digest: String,
}

/// Unpacks the members of an undamaged file.
///
/// # Errors
/// When the file cannot be read, is no pack, or is damaged.
pub fn unpack(path: &Path) -> Result<Unpacked> {
    let shown = path.shown();
    let mut file = regular_file::open(path).with_context(|| format!("failed to read {shown}"))?;
    let size = file.metadata().with_context(|| format!("failed to read {shown}"))?.len();
    ensure!(
        size <= MOST_FILE,
        "{shown} has {size} bytes, more than the {MOST_FILE} that a pack may have; {PACK_AGAIN}"
    );
    let digest = refuse_damaged(&mut file, path)?;
    let members = members(file).with_context(|| {
        format!("{shown} is not a pack that `jointly pack` made; get another copy, or {PACK_AGAIN}")
    })?;
    Ok(Unpacked { members, digest })
}

/// Refuses a file that is no pack or is damaged, and returns its digest. Rewinds the file.
fn refuse_damaged(file: &mut File, path: &Path) -> Result<String> {
    let shown = path.shown();
    let failed = || format!("failed to read {shown}");
    let mut start = Vec::new();
    file.take(HEAD_BYTES as u64).read_to_end(&mut start).with_context(failed)?;
    if let Some(format) = other_format(&start) {
        bail!("{shown} has {}", format::another(format));
    }
    let named = named_digest(&start);
    if !is_digest(named) || start != head(named) {
        bail!("{shown} is not a pack, or is damaged; give a file that `jointly pack` made, or a run's directory");
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
        bail!("{shown} is damaged: checksum mismatch; get another copy, or {PACK_AGAIN}");
    }
    file.seek(SeekFrom::Start(0)).with_context(failed)?;
    Ok(named.to_owned())
}

/// Returns the format number that a pack's head names, if this command does not make that format.
fn other_format(start: &[u8]) -> Option<u32> {
    let comment = start.strip_prefix(&GZIP)?.strip_prefix(MAGIC.as_bytes())?;
    let number = comment.split(|byte| *byte == b' ').next()?;
    let number: u32 = std::str::from_utf8(number).ok()?.parse().ok()?;
    (number != format::FORMAT).then_some(number)
}

/// Reads a pack's members by name.
fn members(file: File) -> Result<HashMap<String, Vec<u8>>> {
    // Reading one byte more than allowed reveals a pack that holds too much.
    let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(file)).take(MOST_BYTES + 1));
    let mut members = HashMap::new();
    // Raw entries: no long names, links or holes.
    for member in archive.entries()?.raw(true) {
        let mut member = member?;
        let name = String::from_utf8_lossy(&member.path_bytes()).into_owned();
        let Some(most) = most_bytes(&name).filter(|_| member.header().entry_type().is_file()) else {
            bail!("it holds {name:?}, which is not a file of a pack")
        };
        ensure!(!members.contains_key(&name), "it holds {name} twice");
        ensure!(members.len() < MOST_MEMBERS, "it holds more than {MOST_MEMBERS} files");
        let size = member.size();
        ensure!(size <= most, "its {name} has {size} bytes, more than {most}");
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes)?;
        // The reader takes the end of the archive for the end of its member.
        ensure!(bytes.len() as u64 == size, "its {name} ends too soon");
        if let Some(named) = Kept::digest_in(&name) {
            ensure!(digest(&bytes) == named, "checksum mismatch of its {name}");
        }
        members.insert(name, bytes);
    }
    let mut rest = archive.into_inner();
    copy(&mut rest, &mut sink())?;
    ensure!(rest.limit() > 0, "it holds more than {MOST_BYTES} bytes");
    Ok(members)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use flate2::Compression;
    use jointly_core::digest;

    use super::{
        FORMAT, GZIP, GzEncoder, HEAD_BYTES, MAGIC, MOST_MEMBERS, PLAIN_HEAD, head, named_digest, pack, unpack,
    };
    use crate::directory::{PLAN, SCORES};
    use crate::kept::Kept;

    fn packed(members: &[(&str, &[u8])]) -> Vec<u8> {
        pack(members.iter().map(|(name, bytes)| Ok(((*name).to_owned(), bytes.to_vec())))).unwrap()
    }

    /// Returns the error about a file with these bytes or, if it is a pack, its members' names, sorted.
    fn read(bytes: &[u8]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.jointly");
        fs::write(&path, bytes).unwrap();
        let unpacked = unpack(&path).map_err(|error| format!("{error:#}"))?;
        assert_eq!(unpacked.digest, digest(&bytes[HEAD_BYTES..]));
        let mut names: Vec<String> = unpacked.members.into_keys().collect();
        names.sort();
        Ok(names)
    }

    /// Makes a pack of any archive, with a matching digest.
    fn forged(archive: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        std::io::Write::write_all(&mut encoder, archive).unwrap();
        let compressed = encoder.finish().unwrap();
        [&head(&digest(&compressed[PLAIN_HEAD..]))[..], &compressed[PLAIN_HEAD..]].concat()
    }

    /// Makes an archive of members with unchecked names and kinds.
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

    /// The name, kind and bytes of a member.
    type Member<'a> = (&'a str, tar::EntryType, &'a [u8]);

    #[test]
    fn the_same_members_make_the_same_bytes_and_come_back() {
        let agent = Kept::Agent.path(&digest(b"agent"));
        let members: [(&str, &[u8]); 3] = [(PLAN, b"{}"), (SCORES, b""), (&agent, b"agent")];
        let bytes = packed(&members);
        assert_eq!(bytes, packed(&members));
        assert_eq!(bytes[..GZIP.len()], GZIP);
        assert_eq!(read(&bytes), Ok(vec![agent, PLAN.to_owned(), SCORES.to_owned()]));
        assert_eq!(named_digest(&bytes), digest(&bytes[HEAD_BYTES..]));
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
    fn a_pack_of_another_format_is_told_from_a_damaged_one() {
        let whole = packed(&[(PLAN, b"{}")]);
        let mut newer = whole.clone();
        newer[GZIP.len() + MAGIC.len()] = b'2';
        let error = read(&newer).unwrap_err();
        assert!(error.ends_with("has format 2; this jointly reads format 1: upgrade jointly"), "{error}");
        newer[GZIP.len() + MAGIC.len()] = b'x';
        assert!(read(&newer).unwrap_err().contains("is damaged"));
        assert_eq!(FORMAT, format!("{} ", crate::format::FORMAT));
    }

    #[test]
    fn what_no_pack_holds_is_refused_under_any_digest() {
        let absolute = format!("/{PLAN}");
        let outside = format!("agents/../{PLAN}");
        let misnamed = Kept::Agent.path(&digest(b"another"));
        let refused: [(&[Member], &str); 8] = [
            (&[("thesis.tex", FILE, b"")], "\"thesis.tex\", which is not a file of a pack"),
            (&[(&absolute, FILE, b"")], "not a file of a pack"),
            (&[(&outside, FILE, b"")], "not a file of a pack"),
            (&[("agents/x.wasm", FILE, b"")], "not a file of a pack"),
            (&[(PLAN, tar::EntryType::Symlink, b"")], "not a file of a pack"),
            (&[(PLAN, tar::EntryType::GNULongName, b"x")], "not a file of a pack"),
            (&[(PLAN, FILE, b""), (PLAN, FILE, b"")], "holds plan.json twice"),
            (&[(&misnamed, FILE, b"agent")], "checksum mismatch"),
        ];
        for (members, said) in refused {
            let error = read(&forged(&archive(members))).unwrap_err();
            assert!(error.contains(said) && error.contains("have it packed again"), "{error}");
        }
        // More members than any run has, which cost their author next to nothing.
        let many = (0..=MOST_MEMBERS).map(|i| (Kept::Belief.path(&digest(&i.to_le_bytes())), i.to_le_bytes()));
        let many: Vec<(String, [u8; 8])> = many.collect();
        let members: Vec<Member> = many.iter().map(|(name, bytes)| (name.as_str(), FILE, &bytes[..])).collect();
        assert_eq!(read(&forged(&archive(&members[1..]))).map(|names| names.len()), Ok(MOST_MEMBERS));
        let error = read(&forged(&archive(&members))).unwrap_err();
        assert!(error.contains("holds more than 100000 files"), "{error}");
        let members = members.iter().map(|(name, _, bytes)| Ok(((*name).to_owned(), bytes.to_vec())));
        assert!(
            pack(members)
                .unwrap_err()
                .to_string()
                .ends_with("send the directory itself, which `jointly verify` takes too")
        );
        // A member that claims to be longer than the archive, and one that claims to be longer than any may be.
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
