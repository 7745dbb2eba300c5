//! Points in time, as RFC 3339 in UTC to the second.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use humantime::{format_rfc3339_seconds, parse_rfc3339};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A point in time by somebody's clock, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(SystemTime);

impl Time {
    /// Returns the time of this machine's clock.
    pub fn now() -> Self {
        let now = SystemTime::now();
        // Whole seconds, as they are written, so that a time compares as its text does.
        format_rfc3339_seconds(now).to_string().parse().unwrap_or(Self(now))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        format_rfc3339_seconds(self.0).fmt(f)
    }
}

impl FromStr for Time {
    type Err = String;

    /// Reads `2026-12-01T18:00:00Z`, or a date, which means its beginning.
    fn from_str(text: &str) -> Result<Self, String> {
        let whole = if text.len() == "2026-12-01".len() { format!("{text}T00:00:00Z") } else { text.to_owned() };
        match parse_rfc3339(&whole) {
            Ok(time) if format_rfc3339_seconds(time).to_string() == whole => Ok(Self(time)),
            _ => Err("expected a time in UTC such as 2026-12-01T18:00:00Z, or a date".into()),
        }
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn a_time_is_read_as_it_is_written_and_a_date_is_its_beginning() {
        let time: Time = "2026-12-01T18:00:00Z".parse().unwrap();
        assert_eq!(time.to_string(), "2026-12-01T18:00:00Z");
        assert_eq!(serde_json::to_string(&time).unwrap(), "\"2026-12-01T18:00:00Z\"");
        assert_eq!(serde_json::from_str::<Time>("\"2026-12-01T18:00:00Z\"").unwrap(), time);
        assert_eq!("2026-12-01".parse::<Time>().unwrap().to_string(), "2026-12-01T00:00:00Z");
        assert!("2026-12-01".parse::<Time>().unwrap() < time && time < "2026-12-02".parse().unwrap());
        for other in
            ["", "tomorrow", "2026-13-01", "2026-12-01T18:00:00", "2026-12-01T18:00:00.5Z", "2026-12-01 18:00:00Z"]
        {
            assert!(other.parse::<Time>().is_err(), "{other}");
        }
        let now = Time::now();
        assert_eq!(now.to_string().parse(), Ok(now));
    }
}
