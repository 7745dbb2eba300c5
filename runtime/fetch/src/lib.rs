//! Fetches a dataset's files, and keeps only those that have the published digest.
#![deny(missing_docs)]

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use jointly_core::digest::Hasher;
use jointly_core::printable::ShowPath as _;
use jointly_data::{Download, regular_file};
use jointly_record::directory::PART;

/// How long a server may be silent, before it answers and between any two pieces of its answer. The whole transfer has
/// no time limit.
const PATIENCE: Duration = Duration::from_mins(1);
/// The number of bytes that are passed on at a time.
const PIECE: usize = 1 << 16;
/// The remedy if an address gives no file.
const REMEDY: &str = "try again, or give --from URL of a mirror that has the same files";

/// Is told how a transfer goes.
pub trait TransferWatcher {
    /// Is told in a sentence what happens to a file.
    fn note(&mut self, text: &str);

    /// Is told how many bytes have arrived.
    fn reached(&mut self, bytes: u64);
}

/// Fetches a file into a data directory, from its own address or the same path below `mirror`. Returns its path.
///
/// It is written under another name, and renamed when its digest is the published one.
///
/// # Errors
/// When no server gives the file, its digest is not the published one, or it cannot be written.
pub fn fetch(
    download: &Download,
    mirror: Option<&str>,
    into: &Path,
    watcher: &mut dyn TransferWatcher,
) -> Result<PathBuf> {
    fetch_within(PATIENCE, download, mirror, into, watcher)
}

fn fetch_within(
    patience: Duration,
    download: &Download,
    mirror: Option<&str>,
    into: &Path,
    watcher: &mut dyn TransferWatcher,
) -> Result<PathBuf> {
    let target = into.join(download.path);
    if target.exists() {
        let read = || -> io::Result<String> {
            Ok(copy(&mut regular_file::open(&target)?, &mut io::sink(), &mut |_| ()).map_err(Interrupted::cause)?.0)
        };
        let held = read().with_context(|| {
            format!("failed to read {}, which already exists; move it away, or make it readable", target.shown())
        })?;
        if held == download.digest {
            watcher.note(&format!("{} is there already", target.shown()));
            return Ok(target);
        }
        bail!("{} already exists with other contents: its digest is {held}; move it away", target.shown());
    }
    let url = match mirror {
        Some(mirror) => format!("{}/{}", mirror.trim_end_matches('/'), download.path),
        None => download.url.to_owned(),
    };
    watcher.note(&format!("fetching {url} ({} bytes)", download.bytes));
    let mut part = Part::beside(&target)?;
    // Reading one byte more than expected reveals a file that is too long.
    let mut body = get(&url, patience)?.take(download.bytes + 1);
    let copied = copy(&mut body, &mut part.file, &mut |bytes| watcher.reached(bytes));
    let (found, bytes) = match copied {
        Ok(copied) => copied,
        Err(Interrupted::Reading(error)) => {
            return Err(error).with_context(|| format!("failed to fetch {url}; {REMEDY}"));
        }
        Err(Interrupted::Writing(error)) => return Err(error).with_context(|| part.unwritten()),
    };
    if found != download.digest {
        bail!(
            "{url} is not what was published: {bytes} bytes with the digest {found}, expected {} with {}; nothing is kept",
            download.bytes,
            download.digest
        );
    }
    part.become_file(&target)?;
    Ok(target)
}

/// A file while it is being fetched: it has a temporary name, is held by one process, and is removed unless it was
/// fetched completely.
struct Part {
    file: File,
    path: PathBuf,
    fetched: bool,
}

impl Part {
    fn beside(target: &Path) -> Result<Self> {
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)
            .with_context(|| format!("failed to make {}; give another place by --into DIR", folder.shown()))?;
        sweep(folder);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = folder.join(format!("{PART}{name}"));
        let context = || format!("failed to make {}; give another place by --into DIR", path.shown());
        // The user's mask decides who may read the file, as for any other new file.
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = regular_file::open_with(&mut options, &path).with_context(context)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{} is being fetched by another process; wait for it", target.shown())
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        file.set_len(0).with_context(context)?;
        Ok(Self { file, path, fetched: false })
    }

    fn become_file(mut self, target: &Path) -> Result<()> {
        self.file.sync_all().with_context(|| self.unwritten())?;
        fs::rename(&self.path, target)
            .with_context(|| format!("failed to write {}; give another place by --into DIR", target.shown()))?;
        self.fetched = true;
        Ok(())
    }

    fn unwritten(&self) -> String {
        format!("failed to write {}; make room, or give another place by --into DIR", self.path.shown())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.fetched {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes files that killed processes left half fetched, but not those that another process holds.
fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PART)) {
        if regular_file::open(&entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn get(url: &str, patience: Duration) -> Result<impl Read> {
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(patience))
        .timeout_recv_response(Some(patience))
        .timeout_per_read(Some(patience))
        .timeout_per_write(Some(patience));
    let agent = ureq::Agent::new_with_config(config.build());
    let response = agent.get(url).call().with_context(|| format!("failed to fetch {url}; {REMEDY}"))?;
    Ok(response.into_body().into_reader())
}

/// The side of a copy that failed.
enum Interrupted {
    Reading(io::Error),
    Writing(io::Error),
}

impl Interrupted {
    fn cause(self) -> io::Error {
        match self {
            Self::Reading(error) | Self::Writing(error) => error,
        }
    }
}

/// Copies, reports the progress, and returns the digest and the number of bytes.
fn copy(from: &mut impl Read, to: &mut impl Write, reached: &mut dyn FnMut(u64)) -> Result<(String, u64), Interrupted> {
    let (mut hasher, mut bytes, mut piece) = (Hasher::default(), 0, vec![0; PIECE]);
    loop {
        let now = match from.read(&mut piece) {
            Ok(0) => return Ok((hasher.finish(), bytes)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            now => now.map_err(Interrupted::Reading)?,
        };
        hasher.add(&piece[..now]);
        to.write_all(&piece[..now]).map_err(Interrupted::Writing)?;
        bytes += now as u64;
        reached(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    struct Unwatched;

    impl TransferWatcher for Unwatched {
        fn note(&mut self, _: &str) {}

        fn reached(&mut self, _: u64) {}
    }

    /// Starts a server that answers one request with these bytes; returns its address and a handle that gives the
    /// request.
    fn serve(body: &'static [u8]) -> (String, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/mirror/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let request = lines.next().unwrap().unwrap();
            while !lines.next().unwrap().unwrap().is_empty() {}
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len()).unwrap();
            stream.write_all(body).unwrap();
            request
        });
        (address, server)
    }

    /// A file with the three bytes "abc".
    const DOWNLOAD: Download = Download {
        path: "letters/abc.txt",
        url: "http://127.0.0.1:9/never-asked",
        bytes: 3,
        digest: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };

    #[test]
    fn what_was_published_is_kept_under_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (mirror, server) = serve(b"abc");
        let target = fetch(&DOWNLOAD, Some(&mirror), folder.path(), &mut Unwatched).unwrap();
        assert_eq!(server.join().unwrap(), "GET /mirror/letters/abc.txt HTTP/1.1");
        assert_eq!(target, folder.path().join("letters/abc.txt"));
        assert_eq!(fs::read(&target).unwrap(), b"abc");
        // No server answers any more, so the existing file was not fetched again.
        assert_eq!(fetch(&DOWNLOAD, Some(&mirror), folder.path(), &mut Unwatched).unwrap(), target);
    }

    #[test]
    fn other_bytes_are_refused_with_both_digests_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        for other in [b"abd".as_slice(), b"", b"abcd"] {
            let (mirror, server) = serve(other);
            let error = format!("{:#}", fetch(&DOWNLOAD, Some(&mirror), folder.path(), &mut Unwatched).unwrap_err());
            server.join().unwrap();
            assert!(error.contains(&jointly_core::digest(other)) && error.contains(DOWNLOAD.digest), "{error}");
            assert_eq!(fs::read_dir(folder.path().join("letters")).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_server_that_falls_silent_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mirror = format!("http://{}", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                reader.read_line(&mut line).unwrap();
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na").unwrap();
            // Sends nothing more until the other side hangs up.
            let _ = reader.read_line(&mut line);
        });
        let folder = tempfile::tempdir().unwrap();
        let patience = Duration::from_millis(300);
        let error = fetch_within(patience, &DOWNLOAD, Some(&mirror), folder.path(), &mut Unwatched).unwrap_err();
        let error = format!("{error:#}");
        server.join().unwrap();
        assert!(error.contains(&format!("{mirror}/letters/abc.txt; try again")) && error.contains("imeout"), "{error}");
        assert_eq!(fs::read_dir(folder.path().join("letters")).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_fetched_is_as_readable_as_any_new_file() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "").unwrap();
        let (mirror, server) = serve(b"abc");
        let target = fetch(&DOWNLOAD, Some(&mirror), folder.path(), &mut Unwatched).unwrap();
        server.join().unwrap();
        assert_eq!(target.metadata().unwrap().mode(), other.metadata().unwrap().mode());
    }

    #[test]
    fn what_a_killed_process_left_is_removed_but_nothing_that_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let letters = folder.path().join("letters");
        fs::create_dir(&letters).unwrap();
        for name in ["x1y2", "abc.txt", "held"] {
            fs::write(letters.join(format!("{PART}{name}")), "half of something, longer than the whole").unwrap();
        }
        let held = File::open(letters.join(format!("{PART}held"))).unwrap();
        held.try_lock().unwrap();
        let (mirror, server) = serve(b"abc");
        fetch(&DOWNLOAD, Some(&mirror), folder.path(), &mut Unwatched).unwrap();
        server.join().unwrap();
        let mut left: Vec<_> = fs::read_dir(&letters).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".part-held", "abc.txt"]);

        fs::remove_file(letters.join("abc.txt")).unwrap();
        let other = File::create(letters.join(format!("{PART}abc.txt"))).unwrap();
        other.try_lock().unwrap();
        let error = fetch(&DOWNLOAD, None, folder.path(), &mut Unwatched).unwrap_err().to_string();
        assert!(error.ends_with("letters/abc.txt is being fetched by another process; wait for it"), "{error}");
    }

    #[test]
    fn what_cannot_be_read_or_made_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(DOWNLOAD.path)).unwrap();
        let error = fetch(&DOWNLOAD, None, folder.path(), &mut Unwatched).unwrap_err().to_string();
        assert!(error.contains("letters/abc.txt, which already exists; move it away"), "{error}");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = fetch(&DOWNLOAD, None, &file, &mut Unwatched).unwrap_err().to_string();
        assert!(error.contains("failed to make") && error.contains("--into DIR"), "{error}");
    }

    #[test]
    fn a_file_of_that_name_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("letters")).unwrap();
        fs::write(folder.path().join(DOWNLOAD.path), "mine").unwrap();
        let error = fetch(&DOWNLOAD, None, folder.path(), &mut Unwatched).unwrap_err().to_string();
        assert!(error.contains("already exists with other contents"), "{error}");
    }

    #[test]
    fn where_nobody_answers_the_address_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = format!("{:#}", fetch(&DOWNLOAD, None, folder.path(), &mut Unwatched).unwrap_err());
        assert!(error.contains(DOWNLOAD.url) && error.contains("--from URL"), "{error}");
    }
}
