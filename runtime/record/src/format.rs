//! The format number of the files that this command writes: plan, journal, scores and packs.
//!
//! Every version from 0.2.0 on reads format 1. The plan also names the version that wrote it, which decides nothing.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::printable::clean;

/// The format that this command writes and reads.
pub const FORMAT: u32 = 1;

/// The first field of a file, [`FORMAT`]; a file of another format is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format;

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(FORMAT)
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let format = u64::deserialize(deserializer)?;
        if format == u64::from(FORMAT) { Ok(Self) } else { Err(D::Error::custom(another(format))) }
    }
}

impl JsonSchema for Format {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "The number of the file's format.", "const": FORMAT })
    }
}

/// The fields that are read before the format is known.
#[derive(Deserialize)]
struct Head {
    format: Option<Claimed>,
    version: Option<String>,
}

/// The format that a file claims, as a number or as text. Lists and objects are not read.
struct Claimed(String);

impl<'de> Deserialize<'de> for Claimed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ClaimedVisitor)
    }
}

struct ClaimedVisitor;

impl Visitor<'_> for ClaimedVisitor {
    type Value = Claimed;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("the number of a format")
    }

    fn visit_u64<E: Error>(self, format: u64) -> Result<Claimed, E> {
        Ok(Claimed(format.to_string()))
    }

    fn visit_i64<E: Error>(self, format: i64) -> Result<Claimed, E> {
        Ok(Claimed(format.to_string()))
    }

    fn visit_f64<E: Error>(self, format: f64) -> Result<Claimed, E> {
        Ok(Claimed(format.to_string()))
    }

    fn visit_str<E: Error>(self, format: &str) -> Result<Claimed, E> {
        Ok(Claimed(format!("{format:?}")))
    }
}

/// Returns why the plan in a file cannot be read, if its format is another one. `shown` is the name of the file.
pub fn refusal(bytes: &[u8], shown: &str) -> Option<String> {
    // A text that is no plan at all is reported by whoever reads the rest.
    let Head { format, version } = serde_json::from_slice(bytes).ok()?;
    match (format, version) {
        (Some(Claimed(format)), _) if format == FORMAT.to_string() => None,
        (Some(Claimed(format)), _) => Some(format!("{shown} has {}", another(format))),
        (None, Some(version)) => {
            let version = clean(&version);
            Some(format!(
                "{shown} was written by jointly {version}, which alone reads it; install that version, or run the suite again"
            ))
        }
        (None, None) => None,
    }
}

/// Returns the message about another format.
pub(crate) fn another(format: impl std::fmt::Display) -> String {
    format!("format {}; this jointly reads format {FORMAT}: upgrade jointly", clean(&format.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{Format, refusal};

    #[test]
    fn a_format_is_its_number() {
        assert_eq!(serde_json::to_string(&Format).unwrap(), "1");
        assert_eq!(serde_json::from_str::<Format>("1").unwrap(), Format);
        let error = serde_json::from_str::<Format>("2").unwrap_err().to_string();
        assert!(error.starts_with("format 2; this jointly reads format 1: upgrade jointly"), "{error}");
        assert!(serde_json::from_str::<Format>("\"1\"").is_err());
    }

    #[test]
    fn the_version_that_reads_a_plan_is_named() {
        let said = |text: &str| refusal(text.as_bytes(), "a/plan.json");
        assert_eq!(said(r#"{"format": 1, "version": "9.9.9"}"#), None);
        let old = "a/plan.json was written by jointly 0.1.0, which alone reads it; install that version, or run the suite \
                   again";
        assert_eq!(said(r#"{"version": "0.1.0", "agents": []}"#).as_deref(), Some(old));
        let new = "a/plan.json has format 2; this jointly reads format 1: upgrade jointly";
        assert_eq!(said(r#"{"format": 2, "version": "0.9.0"}"#).as_deref(), Some(new));
        let odd = said("{\"format\": \"\\u001b[31m\"}").unwrap();
        assert!(!odd.contains('\x1b'), "{odd:?}");
        assert_eq!((said("{}"), said("garbage"), said("[1]")), (None, None, None));
    }
}
