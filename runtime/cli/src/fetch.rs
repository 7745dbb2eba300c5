//! Fetches a dataset's files, and keeps none whose digest is not the published one.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use jointly_core::data::Download;
use jointly_core::digest::Hasher;

use crate::directory::PART;
use crate::output;

/// How long a server may take to answer; how long it takes to send what it has is its own affair.
const PATIENCE: Duration = Duration::from_mins(1);
/// Bytes that are passed on at a time.
const PIECE: usize = 1 << 16;

/// Fetches a file into a data directory, from its own address or the same path below `mirror`. Gives where it lies.
///
/// It is written under another name, and gets its own when its digest is the published one.
pub(crate) fn fetch(download: &Download, mirror: Option<&str>, into: &Path) -> Result<PathBuf> {
    let target = into.join(download.path);
    if target.exists() {
        let held = digest(&mut fs::File::open(&target)?, &mut std::io::sink())?;
        if held.0 == download.digest {
            output::note(&format!("{} is there already", target.display()));
            return Ok(target);
        }
        bail!("{} is there already and another file: its digest is {}; move it away", target.display(), held.0);
    }
    let url = match mirror {
        Some(mirror) => format!("{}/{}", mirror.trim_end_matches('/'), download.path),
        None => download.url.to_owned(),
    };
    output::note(&format!("fetching {url} ({} bytes)", download.bytes));
    let folder = target.parent().unwrap_or(into);
    fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
    let mut file = tempfile::Builder::new().prefix(PART).tempfile_in(folder).context("failed to make a file")?;
    // One byte more than there should be tells a file that is too long.
    let mut body = get(&url)?.take(download.bytes + 1);
    let (found, bytes) = digest(&mut body, &mut file).with_context(|| format!("failed to fetch {url}"))?;
    if found != download.digest {
        bail!(
            "{url} is not what was published: {bytes} bytes with the digest {found}, expected {} with {}; nothing is kept",
            download.bytes,
            download.digest
        );
    }
    file.as_file().sync_all()?;
    file.persist(&target).with_context(|| format!("failed to write {}", target.display()))?;
    Ok(target)
}

fn get(url: &str) -> Result<impl Read> {
    let config = ureq::Agent::config_builder().timeout_connect(Some(PATIENCE)).timeout_recv_response(Some(PATIENCE));
    let agent = ureq::Agent::new_with_config(config.build());
    let response = agent.get(url).call().with_context(|| {
        format!("failed to fetch {url}; try again, or give --from URL of a mirror that has the same files")
    })?;
    Ok(response.into_body().into_reader())
}

/// Copies, and gives the digest and the number of bytes.
fn digest(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<(String, u64)> {
    let (mut hasher, mut bytes, mut piece) = (Hasher::default(), 0, vec![0; PIECE]);
    loop {
        let now = from.read(&mut piece)?;
        if now == 0 {
            return Ok((hasher.finish(), bytes));
        }
        hasher.add(&piece[..now]);
        to.write_all(&piece[..now])?;
        bytes += now as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// A server that answers one request with these bytes; gives its address and, in the end, what it was asked for.
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

    /// The three bytes "abc".
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
        let target = fetch(&DOWNLOAD, Some(&mirror), folder.path()).unwrap();
        assert_eq!(server.join().unwrap(), "GET /mirror/letters/abc.txt HTTP/1.1");
        assert_eq!(target, folder.path().join("letters/abc.txt"));
        assert_eq!(fs::read(&target).unwrap(), b"abc");
        // No server answers any more: what is there is not fetched again.
        assert_eq!(fetch(&DOWNLOAD, Some(&mirror), folder.path()).unwrap(), target);
    }

    #[test]
    fn other_bytes_are_refused_with_both_digests_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        for other in [b"abd".as_slice(), b"", b"abcd"] {
            let (mirror, server) = serve(other);
            let error = format!("{:#}", fetch(&DOWNLOAD, Some(&mirror), folder.path()).unwrap_err());
            server.join().unwrap();
            assert!(error.contains(&jointly_core::digest(other)) && error.contains(DOWNLOAD.digest), "{error}");
            assert_eq!(fs::read_dir(folder.path().join("letters")).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_file_of_that_name_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("letters")).unwrap();
        fs::write(folder.path().join(DOWNLOAD.path), "mine").unwrap();
        let error = fetch(&DOWNLOAD, None, folder.path()).unwrap_err().to_string();
        assert!(error.contains("is there already and another file"), "{error}");
    }

    #[test]
    fn where_nobody_answers_the_address_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = format!("{:#}", fetch(&DOWNLOAD, None, folder.path()).unwrap_err());
        assert!(error.contains(DOWNLOAD.url) && error.contains("--from URL"), "{error}");
    }
}
