//! The members of a pack: their names, limits and contents, and the JSON Schema that describes them.

use std::borrow::Cow;

use jointly_data::regression::TableFormat;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::files::{JOURNAL, LEADERBOARD, PLAN, SCORES, SWEEP, most_bytes};
use crate::kept::Kept;

/// The beginning of the comment in the gzip header; the format number and the digest follow.
pub(crate) const MAGIC: &str = "jointly entry ";
/// The format number as it stands in the comment.
pub(crate) const FORMAT: &str = "1 ";

/// The largest size of the whole archive, unpacked, in bytes.
pub const MOST_BYTES: u64 = 2 << 30;
/// The largest number of members; the most numerous are beliefs, one a unit.
pub(crate) const MOST_MEMBERS: usize = 100_000;

/// A member with a fixed name.
struct Member {
    name: &'static str,
    required: bool,
    media_type: &'static str,
    contents: &'static str,
}

const NAMED: [Member; 5] = [
    Member {
        name: PLAN,
        required: true,
        media_type: "application/json",
        contents: "The plan: everything that decides the scores. `jointly schema plan` describes it.",
    },
    Member {
        name: JOURNAL,
        required: true,
        media_type: "application/jsonl",
        contents: "The journal: one line for each unit, in the plan's order and without `seconds`. `jointly schema unit` describes a \
                   line.",
    },
    Member {
        name: SCORES,
        required: true,
        media_type: "application/json",
        contents: "The scores, computed from plan and journal. `jointly schema scores` describes them.",
    },
    Member {
        name: LEADERBOARD,
        required: true,
        media_type: "text/csv",
        contents: "The leaderboard: a header and one row for each agent. `jointly schema leaderboard` describes a row.",
    },
    Member {
        name: SWEEP,
        required: false,
        media_type: "application/json",
        contents: "The choice of a sweep, where the run is one.",
    },
];

/// The members of a pack by name, for their JSON Schema.
pub struct PackMembers;

impl JsonSchema for PackMembers {
    fn schema_name() -> Cow<'static, str> {
        "Pack".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let named = |Member { name, media_type, contents, .. }: &Member| {
            ((*name).to_owned(), member(contents, media_type, most_bytes(name).unwrap_or_default()))
        };
        let kept = |kind: &Kept| {
            let (contents, media_type) = kind.contents();
            (format!("^{}$", kind.pattern()), member(contents, media_type, kind.most_bytes()))
        };
        let required: Vec<&str> = NAMED.iter().filter(|member| member.required).map(|member| member.name).collect();
        json_schema!({
            "description": format!(
                "The members of a pack by name, each as its bytes. A pack is a tar archive of plain files, compressed with gzip; it has \
                 at most {MOST_BYTES} bytes unpacked. The comment of the gzip header is `{MAGIC}{FORMAT}` and the digest of all \
                 bytes that follow the comment. `maxBytes` is the limit of a member. A member named by a digest has that digest."
            ),
            "type": "object",
            "properties": NAMED.iter().map(named).collect::<Map<String, Value>>(),
            "patternProperties": Kept::ALL.iter().map(kept).collect::<Map<String, Value>>(),
            "required": required,
            "maxProperties": MOST_MEMBERS,
        })
    }
}

/// Returns the schema of a member.
fn member(contents: &str, media_type: &str, most: u64) -> Value {
    json!({ "description": contents, "type": "string", "contentMediaType": media_type, "maxBytes": most })
}

impl Kept {
    /// Describes the contents of a file of this kind, and gives its media type.
    fn contents(self) -> (&'static str, &'static str) {
        match self {
            Self::Agent => ("The component of an agent of the plan.", "application/wasm"),
            Self::Problem => ("An imported problem of the plan, as a NumPy archive.", "application/zip"),
            Self::Belief => {
                ("For correlations: the predictive moments of an agent at the test inputs.", "application/octet-stream")
            }
            Self::Table(TableFormat::Csv) => ("A user-supplied table of the plan.", "text/csv"),
            Self::Table(TableFormat::Npz) => {
                ("A user-supplied table of the plan, as a NumPy archive.", "application/zip")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::digest;

    use super::*;
    use crate::schema::schema;

    #[test]
    fn a_name_is_taken_exactly_where_the_schema_has_it() {
        let pack: Value = schema::<PackMembers>().into();
        assert_eq!(pack["additionalProperties"], false);
        let (named, patterns) =
            (pack["properties"].as_object().unwrap(), pack["patternProperties"].as_object().unwrap());
        for name in [PLAN, JOURNAL, SCORES, LEADERBOARD, SWEEP] {
            assert_eq!(named[name]["maxBytes"], most_bytes(name).unwrap(), "{name}");
        }
        assert_eq!((named.len(), patterns.len()), (NAMED.len(), Kept::ALL.len()));
        let digest = digest(b"agent");
        for kind in Kept::ALL {
            let path = kind.path(&digest);
            // Each path, with its digest generalised, is one of the patterns.
            let hexadecimal = digest.strip_prefix("sha256:").unwrap();
            let pattern = format!("^{}$", path.replace('.', "\\.").replace(hexadecimal, "[0-9a-f]{64}"));
            assert_eq!(patterns[&pattern]["maxBytes"], most_bytes(&path).unwrap(), "{path}");
        }
        for other in ["thesis.tex", "shard.json", "agents/x.wasm", "report.html"] {
            assert!(most_bytes(other).is_none() && !named.contains_key(other), "{other}");
        }
        assert_eq!(pack["maxProperties"], MOST_MEMBERS);
        assert!(pack["description"].as_str().unwrap().contains("jointly entry 1 "), "{pack}");
    }
}
