//! A secret of 256 bits, to which its holder is committed by its digest.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use jointly_core::Seed;
use jointly_core::digest;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;

/// The most bytes of the file of a secret.
pub(crate) const MOST_SECRET: u64 = 1 << 10;
/// The text before the digits, which is that of a sealed seed.
const PREFIX: &str = "sealed:";

/// A secret of 256 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Returns random bits of the operating system.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn random() -> Result<Self> {
        let mut bits = [0; 32];
        getrandom::fill(&mut bits).map_err(|error| anyhow!("the system gives no random bits: {error}"))?;
        Ok(Self(bits))
    }

    /// Returns the digest of the secret's 32 bytes, which reveals nothing of it and fits no other.
    pub fn commitment(&self) -> String {
        digest(&self.0)
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the secret as text: a line of 64 hexadecimal digits.
    pub fn text(&self) -> String {
        let text = Seed::Sealed(self.0).to_string();
        format!("{}\n", text.trim_start_matches(PREFIX))
    }

    /// Reads a secret from its text.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let digits = std::str::from_utf8(text).ok()?.trim_end();
        match format!("{PREFIX}{digits}").parse() {
            Ok(Seed::Sealed(bits)) => Some(Self(bits)),
            _ => None,
        }
    }

    /// Reads a secret from its holder's file.
    ///
    /// # Errors
    /// When there is no such file, or it is no secret.
    pub fn read(path: &Path) -> Result<Self> {
        let text = regular_file::read(path, MOST_SECRET);
        let text = text.with_context(|| format!("failed to read the secret {}", path.shown()))?;
        let secret = Self::parse(&text);
        secret.with_context(|| format!("{} is no secret: it is not a line of 64 hexadecimal digits", path.shown()))
    }

    /// Writes the secret to a new file that only its owner can read, and that is not in the folder of the contest.
    ///
    /// # Errors
    /// When the file exists, is in the folder, or cannot be written.
    pub fn write(&self, path: &Path, contest: &Path) -> Result<()> {
        refuse_within(path, contest)?;
        if path.exists() {
            bail!("{} exists: a secret overwrites no file; give another --secret FILE", path.shown());
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let write = || {
            options
                .open(path)
                .and_then(|mut file| file.write_all(self.text().as_bytes()).and_then(|()| file.sync_all()))
        };
        write().with_context(|| format!("failed to write {}; give another --secret FILE", path.shown()))
    }
}

/// Refuses a path within the folder of a contest.
///
/// # Errors
/// When it is in the folder.
pub(crate) fn refuse_within(path: &Path, contest: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if real(parent).starts_with(real(contest)) {
        bail!("{} is within the folder that is published; give another --secret FILE", path.shown());
    }
    Ok(())
}

/// Hides the bits.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Secret;

    #[test]
    fn a_secret_is_read_as_it_is_written_and_only_by_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.secret");
        let secret = Secret::random().unwrap();
        assert_ne!(secret, Secret::random().unwrap());
        secret.write(&path, &folder.path().join("contest")).unwrap();
        assert_eq!(Secret::read(&path).unwrap(), secret);
        let said = |path: &Path, contest: &Path| secret.write(path, contest).unwrap_err().to_string();
        assert!(said(&path, &folder.path().join("contest")).contains("overwrites no file"));
        let inside = folder.path().join("./b.secret");
        assert!(said(&inside, folder.path()).contains("is within the folder that is published"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(&path, "no digits").unwrap();
        let error = Secret::read(&path).unwrap_err().to_string();
        assert!(error.ends_with("is no secret: it is not a line of 64 hexadecimal digits"), "{error}");
    }

    #[test]
    fn its_commitment_is_the_digest_of_its_bytes() {
        let secret = Secret([7; 32]);
        // As `sha256sum` prints it.
        assert_eq!(secret.commitment(), "sha256:4bb06f8e4e3a7715d201d573d0aa423762e55dabd61a2c02278fa56cc6d294e0");
        assert_eq!(secret.text(), format!("{}\n", "07".repeat(32)));
        assert_eq!(format!("{secret:?}"), "Secret(..)");
    }
}
