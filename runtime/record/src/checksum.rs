//! The checksum of a plan and of each line of a journal: the last member of its JSON object, `crc32`, over all bytes
//! before it. It finds damage by a disk or a copy, not forgery.
//!
//! Files of before there were checksums, and packs, whose digest covers every byte, have none.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// The name of the member as it stands in the text. No string in JSON contains it, because quotes are escaped there.
const MEMBER: &[u8] = br#""crc32":"#;
/// The length of the value and the end of the object, in one line.
const END: usize = r#""01234567"}"#.len();
/// The most bytes after the name, in an object of several lines.
const LONGEST_END: usize = END + 5;

/// Adds the checksum to an object in one line.
pub fn line(object: &str) -> String {
    let members = object.strip_suffix('}').unwrap_or(object);
    summed(&format!("{members},"), "", "}")
}

/// Adds the checksum to an object in indented lines, as [`to_json`](crate::directory::to_json) writes it.
pub fn document(object: &str) -> String {
    let members = object.strip_suffix("\n}\n").unwrap_or(object);
    summed(&format!("{members},\n  "), " ", "\n}\n")
}

fn summed(text: &str, blank: &str, end: &str) -> String {
    let sum = crc32fast::hash(text.as_bytes());
    format!("{text}\"crc32\":{blank}\"{sum:08x}\"{end}")
}

/// Returns whether an object has either no checksum or the right one.
pub fn is_whole(object: &[u8]) -> bool {
    // Only the last member can be the checksum: a setting of an agent may have the same name.
    let from = object.len().saturating_sub(MEMBER.len() + LONGEST_END);
    let Some(at) = object[from..].windows(MEMBER.len()).rposition(|name| name == MEMBER) else { return true };
    let (before, end) = (&object[..from + at], &object[from + at + MEMBER.len()..]);
    let end: Vec<u8> = end.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    end == format!("\"{:08x}\"}}", crc32fast::hash(before)).as_bytes()
}

/// Returns whether text without an end of line holds a complete line and more, which no interrupted writer leaves.
pub fn is_more_than_a_line(text: &[u8]) -> bool {
    let first = text.windows(MEMBER.len()).position(|name| name == MEMBER);
    first.is_some_and(|at| text.len() - at - MEMBER.len() > END)
}

/// An object that may have a checksum as its last member, for its JSON Schema.
pub struct Checked<T>(std::marker::PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Checked<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let sum = json_schema!({
            "description": "The CRC-32 of all bytes before this member, which is the last, as 8 hexadecimal digits; absent in packs.",
            "type": "string",
        });
        if let Some(members) = schema.ensure_object().get_mut("properties").and_then(Value::as_object_mut) {
            members.insert("crc32".to_owned(), sum.into());
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{document, is_more_than_a_line, is_whole, line};

    const LINE: &str = r#"{"agent":"mlp","log":["\"crc32\":"]}"#;

    #[test]
    fn the_checksum_is_that_of_every_other_crc32() {
        // Python: "%08x" % zlib.crc32(b'{"a":1,')
        assert_eq!(line(r#"{"a":1}"#), r#"{"a":1,"crc32":"4a77cdcd"}"#);
    }

    #[test]
    fn every_flipped_bit_is_found_unless_what_is_read_is_the_same() {
        let settings = "{\n  \"settings\": {\n    \"crc32\": \"01234567\"\n  }\n}\n";
        for (without, whole) in [(LINE.to_owned(), line(LINE)), (settings.to_owned(), document(settings))] {
            assert!(is_whole(without.as_bytes()) && is_whole(whole.as_bytes()), "{whole}");
            let read: Value = serde_json::from_str(&whole).unwrap();
            for bit in 0..8 * whole.len() {
                let mut flipped = whole.clone().into_bytes();
                flipped[bit / 8] ^= 1 << (bit % 8);
                let again = serde_json::from_slice::<Value>(&flipped).ok().filter(|_| is_whole(&flipped));
                if let Some(Value::Object(mut again)) = again {
                    // The name of the member, so that nothing was compared.
                    again.retain(|name, _| read.get(name).is_some() && name != "crc32");
                    assert_eq!(Value::Object(again), serde_json::from_str::<Value>(&without).unwrap(), "bit {bit}");
                }
            }
        }
    }

    #[test]
    fn a_torn_line_is_told_from_one_whose_end_was_damaged() {
        let whole = line(LINE);
        assert!((0..=whole.len()).all(|end| !is_more_than_a_line(&whole.as_bytes()[..end])));
        assert!(is_more_than_a_line(format!("{whole}\u{b}").as_bytes()));
        assert!(is_more_than_a_line(format!("{whole}J{{\"agent\"").as_bytes()));
        assert!(!is_more_than_a_line(LINE.as_bytes()));
    }
}
