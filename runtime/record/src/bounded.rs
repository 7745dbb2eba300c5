//! Reads lists that have an end: a list in a file of others is refused as soon as it is longer than any can be.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a list of at most `MOST` values.
///
/// # Errors
/// When there are more, or one of them cannot be read.
pub(crate) fn list<'de, const MOST: usize, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(List::<MOST, T>(PhantomData))
}

struct List<const MOST: usize, T>(PhantomData<T>);

impl<'de, const MOST: usize, T: Deserialize<'de>> Visitor<'de> for List<MOST, T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "a list of at most {MOST}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            if list.len() == MOST {
                return Err(A::Error::custom(format!("a list has more than {MOST} values")));
            }
            list.push(value);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Three {
        #[serde(deserialize_with = "super::list::<3, _, _>")]
        values: Vec<u8>,
    }

    #[test]
    fn a_list_ends() {
        let read = |text: &str| serde_json::from_str::<Three>(text).map(|three| three.values);
        assert_eq!(read(r#"{"values": [1, 2, 3]}"#).unwrap(), [1, 2, 3]);
        let error = read(r#"{"values": [1, 2, 3, 4"#).unwrap_err().to_string();
        assert!(error.starts_with("a list has more than 3 values"), "{error}");
        assert!(read(r#"{"values": 1}"#).is_err());
    }
}
