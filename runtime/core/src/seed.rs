//! The master seed of a run, from which its problems and the agents' seeds follow.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// The text before the digits of a sealed seed.
const SEALED: &str = "sealed:";

/// The master seed of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seed {
    /// A number that anybody can guess: an agent that contains the environments can compute the test labels.
    Public(u64),
    /// 256 bits that nobody can guess. What an agent is given as its seed reveals nothing of them.
    Sealed([u8; 32]),
}

impl Seed {
    /// Returns the key of a stream of random numbers.
    ///
    /// # Formula
    ///
    /// A public seed gives SHA-256 of a prefix, the seed and the message. A sealed seed gives HMAC-SHA-256 of a prefix
    /// and the message under the seed (RFC 2104), which is a one-way function of the seed.
    pub(crate) fn derive(&self, message: &[u8]) -> [u8; 32] {
        match self {
            Self::Public(number) => Sha256::new()
                .chain_update(b"jointly stream 1")
                .chain_update(number.to_le_bytes())
                .chain_update(message)
                .finalize()
                .into(),
            Self::Sealed(key) => {
                // HMAC pads a key with zeros to a block of the hash.
                let mut block = [0; 64];
                block[..key.len()].copy_from_slice(key);
                let hmac = Hmac::<Sha256>::new(&block.into());
                hmac.chain_update(b"jointly stream 2").chain_update(message).finalize().into_bytes().into()
            }
        }
    }
}

/// The public seed 0.
impl Default for Seed {
    fn default() -> Self {
        Self::Public(0)
    }
}

impl From<u64> for Seed {
    fn from(number: u64) -> Self {
        Self::Public(number)
    }
}

/// Hides the bits of a sealed seed.
impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Public(number) => write!(f, "Public({number})"),
            Self::Sealed(_) => f.write_str("Sealed(..)"),
        }
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Public(number) => number.fmt(f),
            Self::Sealed(key) => {
                f.write_str(SEALED)?;
                key.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

/// The error for a text that is no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a whole number from 0 to 2^64 - 1, or `sealed:` and 64 hexadecimal digits")]
pub struct SeedError;

impl FromStr for Seed {
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        let Some(digits) = text.strip_prefix(SEALED) else {
            let number: u64 = text.parse().map_err(|_| SeedError)?;
            // Neither `+7` nor `007`: a seed has one text.
            return if number.to_string() == text { Ok(Self::Public(number)) } else { Err(SeedError) };
        };
        if digits.len() != 64 || !digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(SeedError);
        }
        let mut key = [0; 32];
        for (byte, at) in key.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&digits[at..at + 2], 16).map_err(|_| SeedError)?;
        }
        Ok(Self::Sealed(key))
    }
}

/// A public seed is a number and a sealed one a text.
impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Public(number) => number.serialize(serializer),
            Self::Sealed(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Seed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or `sealed:` and 64 hexadecimal digits")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Seed, E> {
                Ok(Seed::Public(number))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Seed, E> {
                match text.parse() {
                    Ok(sealed @ Seed::Sealed(_)) => Ok(sealed),
                    // A number in quotes would be a second way to write it.
                    _ => Err(E::custom(SeedError)),
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Seed {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seed".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": "^sealed:[0-9a-f]{64}$" },
        ] })
    }
}

#[cfg(test)]
mod tests {
    use super::Seed;

    #[test]
    fn a_seed_is_read_as_it_is_written() {
        let sealed = Seed::Sealed(std::array::from_fn(|i| i as u8 * 7));
        for seed in [Seed::Public(0), Seed::Public(u64::MAX), sealed] {
            assert_eq!(seed.to_string().parse(), Ok(seed));
            let json = serde_json::to_string(&seed).unwrap();
            assert_eq!(serde_json::from_str::<Seed>(&json).unwrap(), seed, "{json}");
        }
        assert_eq!(serde_json::to_string(&Seed::Public(3)).unwrap(), "3");
        let upper = sealed.to_string().to_uppercase().replace("SEALED", "sealed");
        for text in ["-1", "+7", "007", "x", "sealed:", "sealed:00", &upper, &format!("{sealed}0")] {
            assert!(text.parse::<Seed>().is_err(), "{text}");
        }
        for json in ["\"3\"", "-1", "1.5", "null", "\"sealed:12\""] {
            assert!(serde_json::from_str::<Seed>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_sealed_seed_is_a_key_of_hmac() {
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let derived = Seed::Sealed(key).derive(b"what do ya want for nothing?");
        let expected = {
            use sha2::{Digest, Sha256};
            let pad = |byte: u8| std::array::from_fn::<u8, 64, _>(|i| key.get(i).copied().unwrap_or(0) ^ byte);
            let inner = Sha256::new()
                .chain_update(pad(0x36))
                .chain_update(b"jointly stream 2what do ya want for nothing?")
                .finalize();
            Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize()
        };
        assert_eq!(derived[..], expected[..]);
        assert_ne!(derived, Seed::Public(0).derive(b"what do ya want for nothing?"));
    }
}
