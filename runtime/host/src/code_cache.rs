//! Keeps compiled agents in a directory, each with the digest of its code: a damaged file is compiled again.
//!
//! A file is named by what its code was made of: the agent's digest, the engine's settings and release, and the version
//! of this command. It begins with a line of its name and the digest of the code that follows.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{Hash, Hasher as StdHasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use jointly_core::digest::Hasher;
use jointly_core::printable::ShowPath as _;
use wasmtime::Engine;

use crate::machine_code::MachineCode;

/// The form of the files, and the limits under which agents are compiled; another form has other names.
const FORM: &str = "jointly code 1";
/// The ending of the files' names.
const ENDING: &str = "code";
/// The bytes of all files together; the least recently used are removed.
const MOST_BYTES: u64 = 2 << 30;
/// The permissions that let others write.
const OTHERS_WRITE: u32 = 0o022;

/// The files that this process has begun to write, each under a name of its own.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// A directory of compiled agents.
pub(crate) struct CodeCache {
    directory: PathBuf,
    most_bytes: u64,
}

impl CodeCache {
    /// Opens or makes the directory. Returns `None` if it cannot be used, which only costs time.
    ///
    /// # Errors
    /// The reason why the directory is not trusted: others can write to it.
    pub(crate) fn open(within: &Path) -> Result<Option<Self>, String> {
        let directory = within.join("code");
        if DirBuilder::new().recursive(true).mode(0o700).create(&directory).is_err() {
            return Ok(None);
        }
        for directory in [within, &directory] {
            let Ok(metadata) = fs::metadata(directory) else { return Ok(None) };
            distrust(&metadata).map_or(Ok(()), |why| Err(format!("{} {why}", directory.shown())))?;
        }
        Ok(Some(Self { directory, most_bytes: MOST_BYTES }))
    }

    /// Returns the code of a name, or `None` if there is none, or none that can be trusted.
    pub(crate) fn get(&self, name: &str) -> Option<MachineCode> {
        let path = self.path(name);
        let file = File::open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > self.most_bytes || distrust(&metadata).is_some() {
            return None;
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.take(self.most_bytes).read_to_end(&mut bytes).ok()?;
        let start = header(name, &[]).len();
        let (header_of_file, code) = bytes.split_at_checked(start)?;
        if header_of_file != header(name, code).as_bytes() {
            return None;
        }
        // The time of its last use decides which files are removed.
        let _ = OpenOptions::new().write(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(MachineCode::from_cache(bytes, start))
    }

    /// Keeps code under a name, and removes files until the rest fits. A failure only costs time.
    pub(crate) fn put(&self, name: &str, code: &MachineCode) {
        if self.write(name, code.bytes()).is_ok() {
            self.prune();
        }
    }

    /// Writes a file whole or not at all, whatever else is written at the same time.
    fn write(&self, name: &str, code: &[u8]) -> io::Result<()> {
        let path = self.path(name);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}.{number}.new", std::process::id()));
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(true).mode(0o600);
        let written = options.open(&temporary).and_then(|mut file| {
            file.write_all(header(name, code).as_bytes())?;
            file.write_all(code)?;
            fs::rename(&temporary, &path)
        });
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Removes the least recently used files until the others have at most the bytes that the cache may have.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| {
                let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
                Some((metadata.modified().ok()?, metadata.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in files {
            if total <= self.most_bytes {
                return;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name).with_extension(ENDING)
    }
}

/// Returns the name of an agent's code: 64 hexadecimal digits.
pub(crate) fn name(engine: &Engine, digest: &str) -> String {
    let mut name = Feed(Hasher::default());
    (FORM, env!("CARGO_PKG_VERSION"), jointly_sinks::VERSION, digest).hash(&mut name);
    engine.precompile_compatibility_hash().hash(&mut name);
    hexadecimal(name.0)
}

/// Returns the lines before the code, of the same length for any code.
fn header(name: &str, code: &[u8]) -> String {
    let mut digest = Hasher::default();
    digest.add(name.as_bytes());
    digest.add(code);
    format!("{FORM}\n{name}\n{}\n", hexadecimal(digest))
}

fn hexadecimal(digest: Hasher) -> String {
    digest.finish().trim_start_matches("sha256:").to_owned()
}

/// Returns why a file or directory is not trusted, and what to do about it.
fn distrust(metadata: &Metadata) -> Option<&'static str> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Some("belongs to another user; set JOINTLY_CACHE to a directory of your own");
    }
    (metadata.mode() & OTHERS_WRITE != 0).then_some("can be written to by others; take that from them by chmod go-w")
}

/// Hashes values by SHA-256.
struct Feed(Hasher);

impl StdHasher for Feed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.add(bytes);
    }

    fn finish(&self) -> u64 {
        // Nothing asks for the short hash.
        0
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::printable::ShowPath as _;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::CodeCache;
    use crate::machine_code::MachineCode;

    const NAME: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const OTHER: &str = "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn open(within: &Path) -> CodeCache {
        CodeCache::open(within).unwrap().unwrap()
    }

    fn code(bytes: &[u8]) -> MachineCode {
        MachineCode::from_cache(bytes.to_vec(), 0)
    }

    fn bytes(cache: &CodeCache, name: &str) -> Option<Vec<u8>> {
        cache.get(name).map(|code| code.bytes().to_vec())
    }

    #[test]
    fn code_comes_back_as_it_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(&folder.path().join("made/when/it/is/needed"));
        assert_eq!(bytes(&cache, NAME), None);
        cache.put(NAME, &code(b"code"));
        cache.put(OTHER, &code(b""));
        assert_eq!(bytes(&cache, NAME).unwrap(), b"code");
        assert_eq!(bytes(&cache, OTHER).unwrap(), b"");
        cache.put(NAME, &code(b"newer code"));
        assert_eq!(bytes(&cache, NAME).unwrap(), b"newer code");
        assert_eq!(fs::metadata(cache.path(NAME)).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 2);
    }

    #[test]
    fn no_damaged_or_renamed_file_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(folder.path());
        cache.put(NAME, &code(b"thirty-two bytes of machine code"));
        let whole = fs::read(cache.path(NAME)).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(cache.path(NAME), damaged).unwrap();
            assert_eq!(bytes(&cache, NAME), None, "bit {bit}");
        }
        for length in 0..whole.len() {
            fs::write(cache.path(NAME), &whole[..length]).unwrap();
            assert_eq!(bytes(&cache, NAME), None, "{length} bytes");
        }
        fs::write(cache.path(NAME), &whole).unwrap();
        assert!(bytes(&cache, NAME).is_some());
        fs::rename(cache.path(NAME), cache.path(OTHER)).unwrap();
        assert_eq!(bytes(&cache, OTHER), None);
    }

    #[test]
    fn what_others_can_write_to_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(folder.path());
        cache.put(NAME, &code(b"code"));
        for mode in [0o620, 0o602, 0o666] {
            fs::set_permissions(cache.path(NAME), Permissions::from_mode(mode)).unwrap();
            assert_eq!(bytes(&cache, NAME), None);
        }
        for directory in [folder.path(), &cache.directory] {
            for mode in [0o770, 0o702, 0o777] {
                fs::set_permissions(directory, Permissions::from_mode(mode)).unwrap();
                let why = CodeCache::open(folder.path()).err().unwrap();
                assert_eq!(
                    why,
                    format!("{} can be written to by others; take that from them by chmod go-w", directory.shown())
                );
            }
            fs::set_permissions(directory, Permissions::from_mode(0o755)).unwrap();
            assert!(CodeCache::open(folder.path()).unwrap().is_some());
        }
    }

    #[test]
    fn a_cache_that_cannot_be_made_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(CodeCache::open(&file).unwrap().is_none());
    }

    #[test]
    fn the_least_recently_used_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CodeCache { most_bytes: 1000, ..open(folder.path()) };
        let name = |number: usize| format!("{number:064x}");
        for number in 0..3 {
            cache.put(&name(number), &code(&[0; 100]));
            let used = SystemTime::UNIX_EPOCH + Duration::from_secs(1000 + number as u64);
            fs::File::options().write(true).open(cache.path(&name(number))).unwrap().set_modified(used).unwrap();
        }
        // Taking the oldest makes it the newest.
        assert!(cache.get(&name(0)).is_some());
        cache.put(&name(3), &code(&[0; 300]));
        let kept = [0, 1, 2, 3].map(|number| cache.get(&name(number)).is_some());
        assert_eq!(kept, [true, false, true, true]);
    }
}
