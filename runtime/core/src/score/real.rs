//! A real number as serde sees it: a number where it is finite, else one of "inf", "-inf" and "nan".

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
pub(super) fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if x.is_finite() {
        serializer.serialize_f64(*x)
    } else if x.is_nan() {
        serializer.serialize_str("nan")
    } else if *x > 0.0 {
        serializer.serialize_str("inf")
    } else {
        serializer.serialize_str("-inf")
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserializer.deserialize_any(Real)
}

struct Real;

impl Visitor<'_> for Real {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\", \"-inf\" or \"nan\"")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<f64, E> {
        Ok(x)
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<f64, E> {
        Ok(x as f64)
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<f64, E> {
        Ok(x as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        match text {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "nan" => Ok(f64::NAN),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
        }
    }
}
