//! The identity of a file: the hash of its bytes.

use std::fmt::Write;
use std::io;

use sha2::{Digest, Sha256};

/// Returns `sha256:` and the 64 hexadecimal digits of the SHA-256 of the bytes, as `sha256sum` prints them.
pub fn digest(bytes: &[u8]) -> String {
    let mut hash = Hasher::default();
    hash.add(bytes);
    hash.finish()
}

/// Returns whether a text has the form of a [digest](fn@digest). Digests become file names, so no other text may be
/// used as one.
pub fn is_digest(text: &str) -> bool {
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    text.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && digits.chars().all(hex))
}

/// Computes the [digest](fn@digest) of bytes that arrive piece by piece.
#[derive(Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of all bytes so far.
    ///
    /// # Panics
    /// Never: writing to a string succeeds.
    pub fn finish(self) -> String {
        self.0.finalize().iter().fold("sha256:".to_owned(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a String takes what is written");
            text
        })
    }
}

impl io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_sha256sum_prints() {
        assert_eq!(digest(b"abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let mut pieces = Hasher::default();
        for piece in ["a", "", "bc"] {
            pieces.add(piece.as_bytes());
        }
        assert_eq!(pieces.finish(), digest(b"abc"));
        assert_eq!(digest(b""), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
