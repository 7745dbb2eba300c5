//! Untrusted entries: their claims beside the journal, and their packs.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use jointly_core::digest;
use jointly_record::directory::{JOURNAL, LEADERBOARD, RunDirectory, SCORES, SWEEP, to_json};
use jointly_record::pack::{named_digest, unpack};
use jointly_record::shard::{self, Shard};
use jointly_score::entry::Entry;
use jointly_score::held_scores::HeldScores;

use crate::Ending;
use crate::kept::kept;
use crate::record::refused;

/// The bytes with which every pack begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The length of a gzip header without optional fields.
const PLAIN_HEAD: usize = 10;
/// The size of a block of a tar archive, and the places of name, size, checksum and kind in a header.
const BLOCK: usize = 512;
const NAME: usize = 100;
const SIZE: std::ops::Range<usize> = 124..136;
const SUM: std::ops::Range<usize> = 148..156;
/// The number of digits of a digest.
const DIGITS: usize = 64;

/// Returns whether the claims of an entry follow from its journal.
fn judged(entry: &Entry) -> Ending {
    match entry.defect() {
        Ok(None) => Ending::Accepted,
        Ok(Some(place)) => {
            assert!(!place.is_empty());
            Ending::Unfounded
        }
        Err(error) => refused(&error),
    }
}

/// Replaces one derived file of a valid entry by the bytes and opens the entry. The first byte chooses the file: the
/// scores, the leaderboard, the choices of a sweep, or `shard.json`, which a valid entry does not have.
///
/// # Panics
/// When scores or a leaderboard are accepted that differ from the entry's own in any byte, a shard is accepted as an entry, or
/// accepted scores do not hold without the journal.
pub fn scores(bytes: &[u8]) -> Ending {
    static HONEST: OnceLock<HashMap<String, Vec<u8>>> = OnceLock::new();
    let honest = HONEST.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (path, archive) = (folder.path().join("honest.jointly"), kept("pack", "classification"));
        fs::write(&path, packed(&archive)).expect("a file can be written");
        unpack(&path).expect("a kept pack is one").members
    });
    let (first, claim) = bytes.split_first().unwrap_or((&b'0', &[]));
    let name = [SCORES, LEADERBOARD, SWEEP, shard::FILE][usize::from(*first) % 4];
    let folder = tempfile::tempdir().expect("a folder can be made");
    let files = honest.iter().filter(|(file, _)| *file != name).map(|(file, bytes)| (file.as_str(), bytes.as_slice()));
    for (file, bytes) in files.chain([(name, claim)]) {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, bytes).expect("a file can be written");
    }
    if name == shard::FILE {
        is_a_share(folder.path());
    }
    let ending = opened(folder.path(), name, claim, honest);
    if name == SCORES {
        fs::remove_file(folder.path().join(JOURNAL)).expect("it has a journal");
        let founded = HeldScores::open(folder.path()).is_ok_and(|held| held.defect().is_none());
        assert!(founded || ending != Ending::Accepted, "scores that follow from a journal follow from one another");
    }
    ending
}

/// Opens an entry of which one file is a claim, and judges it.
fn opened(folder: &Path, name: &str, claim: &[u8], honest: &HashMap<String, Vec<u8>>) -> Ending {
    match Entry::open(folder) {
        Err(error) => refused(&error),
        Ok(entry) => {
            assert_ne!(name, shard::FILE, "a shard is no entry");
            let ending = judged(&entry);
            assert!(ending != Ending::Accepted || name == SWEEP || honest[name] == claim);
            ending
        }
    }
}

fn is_a_share(folder: &Path) {
    let directory = RunDirectory::existing(folder).expect("it has a plan");
    let Ok(held) = Shard::held(&directory) else { return };
    let held = held.expect("the file is there");
    assert!((1..=held.of).contains(&held.shard) && held.of <= shard::MOST);
    directory.write(shard::FILE, &to_json(&held).expect("a share can be written")).expect("a file can be written");
    assert_eq!(Shard::held(&directory).ok(), Some(Some(held)));
}

/// Reads the bytes as a pack. If they do not begin like one, packs them as its archive, with matching digests, as the
/// author of a malicious pack would.
///
/// # Panics
/// When a damaged pack is read, or an accepted pack does not pack to the same bytes.
pub fn pack(bytes: &[u8]) -> Ending {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("case.jointly");
    let bytes = if bytes.starts_with(&GZIP) {
        let mended = named(bytes);
        fs::write(&path, bytes).expect("a file can be written");
        assert!(mended == bytes || unpack(&path).is_err(), "a pack is read although its checksum does not match");
        mended
    } else {
        packed(bytes)
    };
    fs::write(&path, &bytes).expect("a file can be written");
    match Entry::open(&path) {
        Err(error) => refused(&error),
        Ok(entry) => {
            assert!(entry.to_pack().expect("an entry is packed") == bytes, "an entry has another pack");
            judged(&entry)
        }
    }
}

/// Returns the head of packs, up to the digest.
fn head() -> &'static [u8] {
    static HEAD: OnceLock<Vec<u8>> = OnceLock::new();
    HEAD.get_or_init(|| {
        let empty = jointly_record::pack::pack(std::iter::empty()).expect("a pack of nothing");
        let named = named_digest(&empty);
        let at = empty.windows(named.len()).position(|bytes| bytes == named.as_bytes()).expect("its head has it");
        empty[..at].to_vec()
    })
}

/// Returns a pack of compressed bytes with a matching digest.
fn under_digest(compressed: &[u8]) -> Vec<u8> {
    [head(), digest(compressed).as_bytes(), &[0], compressed].concat()
}

/// Returns the pack with a matching digest.
fn named(bytes: &[u8]) -> Vec<u8> {
    match bytes.get(head().len() + digest(&[]).len() + 1..) {
        Some(compressed) => under_digest(compressed),
        None => bytes.to_vec(),
    }
}

/// Returns the pack of an archive whose members are named by their actual digests.
fn packed(archive: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&summed(renamed(archive.to_vec()))).expect("memory takes all");
    under_digest(&encoder.finish().expect("memory takes all")[PLAIN_HEAD..])
}

/// Returns the offsets of an archive's headers, and the range of bytes that follows each.
fn members(archive: &[u8]) -> Vec<(usize, std::ops::Range<usize>)> {
    let (mut at, mut members) = (0, Vec::new());
    while let Some(header) = archive.get(at..at + BLOCK) {
        let digits = String::from_utf8_lossy(&header[SIZE]).into_owned();
        let size = usize::from_str_radix(digits.trim_matches(['\0', ' ']), 8).unwrap_or(0);
        let start = at + BLOCK;
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        members.push((at, start..archive.len().min(start.saturating_add(size))));
        at = start.saturating_add(size).next_multiple_of(BLOCK);
    }
    members
}

/// Replaces each digest in a member's name by the member's actual digest.
fn renamed(mut archive: Vec<u8>) -> Vec<u8> {
    for (header, content) in members(&archive) {
        let name = String::from_utf8_lossy(&archive[header..header + NAME]).into_owned();
        let Some(old) = name.split_once("/sha256-").and_then(|(_, rest)| rest.get(..DIGITS)) else { continue };
        let new = digest(&archive[content]).split_off("sha256:".len());
        let places: Vec<usize> =
            archive.windows(DIGITS).enumerate().filter(|(_, at)| *at == old.as_bytes()).map(|(at, _)| at).collect();
        for place in places {
            archive[place..place + DIGITS].copy_from_slice(new.as_bytes());
        }
    }
    archive
}

/// Sets the correct checksum in each header of the archive.
fn summed(mut archive: Vec<u8>) -> Vec<u8> {
    for (header, _) in members(&archive) {
        let header = &mut archive[header..header + BLOCK];
        header[SUM].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[SUM].copy_from_slice(format!("{sum:07o}\0").as_bytes());
    }
    archive
}
