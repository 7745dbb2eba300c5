//! The key of a contest: the sealed seed that follows from its rules, its entries and all secrets.

use anyhow::{Context, Result};
use jointly_core::Seed;
use jointly_core::digest;

use crate::secret::Secret;

/// The text before everything else that is hashed.
const DOMAIN: &[u8] = b"jointly contest 1";

/// Returns the key.
///
/// # Formula
///
/// SHA-256 of the text `jointly contest 1`, the digest of `contest.json`, the digest of `closed.json`, the organiser's
/// secret and, for each entry that takes part, in the order of the list, its digest and then the entrant's secret, if the
/// entry has one. Every part but the text has 32 bytes, and an entry tells whether it has a secret, so that different
/// inputs give different texts to hash.
///
/// # Errors
/// When a text is no digest.
pub fn key(rules: &str, list: &str, organiser: &Secret, entries: &[(&str, Option<Secret>)]) -> Result<Seed> {
    let mut text = [DOMAIN, &bytes_of(rules)?, &bytes_of(list)?, organiser.bytes()].concat();
    for (entry, secret) in entries {
        text.extend(bytes_of(entry)?);
        text.extend(secret.iter().flat_map(Secret::bytes));
    }
    Ok(Seed::Sealed(bytes_of(&digest(&text))?))
}

/// Returns the 32 bytes of a digest.
fn bytes_of(digest: &str) -> Result<[u8; 32]> {
    let digits = digest.strip_prefix("sha256:").and_then(|digits| Secret::parse(digits.as_bytes()));
    digits.map(|bits| *bits.bytes()).with_context(|| format!("{digest} is not a digest"))
}

#[cfg(test)]
mod tests {
    use super::key;
    use crate::secret::Secret;
    use jointly_core::{Seed, digest};
    use sha2::{Digest, Sha256};

    fn raw(text: &[u8]) -> [u8; 32] {
        Sha256::digest(text).into()
    }

    #[test]
    fn it_is_the_hash_of_its_parts_in_order() {
        let secret = |text: &str| Secret::parse(text.repeat(64).as_bytes()).unwrap();
        let (rules, list, one, two) = (digest(b"rules"), digest(b"list"), digest(b"one"), digest(b"two"));
        let got = key(&rules, &list, &secret("a"), &[(&one, Some(secret("b"))), (&two, None)]).unwrap();
        let text = [
            b"jointly contest 1".as_slice(),
            &raw(b"rules"),
            &raw(b"list"),
            &[0xaa; 32],
            &raw(b"one"),
            &[0xbb; 32],
            &raw(b"two"),
        ];
        assert_eq!(got, Seed::Sealed(raw(&text.concat())));
        let others = [
            key(&list, &list, &secret("a"), &[(&one, Some(secret("b"))), (&two, None)]),
            key(&rules, &rules, &secret("a"), &[(&one, Some(secret("b"))), (&two, None)]),
            key(&rules, &list, &secret("c"), &[(&one, Some(secret("b"))), (&two, None)]),
            key(&rules, &list, &secret("a"), &[(&one, Some(secret("c"))), (&two, None)]),
            key(&rules, &list, &secret("a"), &[(&one, Some(secret("b")))]),
            key(&rules, &list, &secret("a"), &[(&one, None), (&two, None)]),
        ];
        for other in others {
            assert_ne!(got, other.unwrap());
        }
        assert!(key("rules", &list, &secret("a"), &[]).is_err());
    }
}
