//! Lists with an entry for each test point, in a form compact enough for a journal to hold thousands.

use std::borrow::Cow;
use std::fmt::Write;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Hexadecimal digits of an `f32`.
const DIGITS: usize = 8;

/// One `f32` per test point. Numbers beyond the range of `f32` are infinite.
///
/// Each number is written as its bits in eight hexadecimal digits, which is shorter than decimals, exact, and covers
/// infinity. Python reads it by `struct.unpack(">%df" % (len(s) // 8), bytes.fromhex(s))`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers(pub Vec<f32>);

/// One truth value per test point, each written as "1" or "0".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub Vec<bool>);

impl Flags {
    /// Returns the share of true values; NaN for an empty list.
    pub fn share(&self) -> f64 {
        self.0.iter().filter(|flag| **flag).count() as f64 / self.0.len() as f64
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(DIGITS * self.0.len());
        for x in &self.0 {
            write!(text, "{:08x}", x.to_bits()).map_err(serde::ser::Error::custom)?;
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() % DIGITS != 0 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Error::custom("expected eight hexadecimal digits for each number"));
        }
        let number = |start| u32::from_str_radix(&text[start..start + DIGITS], 16).map(f32::from_bits);
        (0..text.len()).step_by(DIGITS).map(number).collect::<Result<_, _>>().map(Self).map_err(Error::custom)
    }
}

impl JsonSchema for Numbers {
    fn schema_name() -> Cow<'static, str> {
        "Numbers".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The bits of an f32 for each test point, in eight hexadecimal digits.",
            "type": "string"
        })
    }
}

impl JsonSchema for Flags {
    fn schema_name() -> Cow<'static, str> {
        "Flags".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "1 or 0 for each test point: whether the interval covers it.",
            "type": "string"
        })
    }
}

impl Serialize for Flags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().map(|&flag| if flag { '1' } else { '0' }).collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Flags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let flag = |digit| match digit {
            '0' => Ok(false),
            '1' => Ok(true),
            _ => Err(Error::custom("expected 0 or 1 for each test point")),
        };
        text.chars().map(flag).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_to_the_bit() {
        let numbers = Numbers(vec![0.1, -0.0, 1e-45, f32::MAX, f32::INFINITY, 0.799_999_95]);
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(text.len(), 2 + 8 * 6);
        let back: Numbers = serde_json::from_str(&text).unwrap();
        assert!(back.0.iter().zip(&numbers.0).all(|(a, b)| a.to_bits() == b.to_bits()) && back.0.len() == 6);
        for wrong in ["\"3dcccccd3\"", "\"3dccccc\u{e9}\"", "\"+dcccccd\"", "7"] {
            assert!(serde_json::from_str::<Numbers>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn flags_are_digits() {
        let flags = Flags(vec![true, false, true]);
        assert_eq!(serde_json::to_string(&flags).unwrap(), "\"101\"");
        assert_eq!(serde_json::from_str::<Flags>("\"101\"").unwrap(), flags);
        assert!(serde_json::from_str::<Flags>("\"102\"").is_err());
        assert_eq!(flags.share(), 2.0 / 3.0);
    }
}
