//! The names of a site's files: a readable part, which is no more than that, and a part that tells them apart.

use jointly_core::digest;
use jointly_record::plan::PlannedAgent;

/// The folder of agents' pages.
pub(super) const AGENTS: &str = "agents";
/// The folder of entries' pages.
pub(super) const ENTRIES: &str = "entries";
/// The folder of packs.
pub(super) const PACKS: &str = "packs";

/// The most characters of the readable part.
const READABLE: usize = 40;
/// The number of hexadecimal digits of the other part: 128 bits, which nobody can make collide.
const DIGITS: usize = 32;

/// Returns a text's lower-case letters and digits of ASCII, with a hyphen for each run of other characters.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() == READABLE {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "unnamed".to_owned() } else { slug.to_owned() }
}

/// Returns a file's name: a readable part from `text`, and a part from the digest of what the file is about.
fn name(text: &str, digest: &str, extension: &str) -> String {
    let digits = digest.trim_start_matches("sha256:");
    format!("{}-{}.{extension}", slug(text), &digits[..DIGITS.min(digits.len())])
}

/// Returns the path of an agent's page, which is the same for the same bytes, settings and tier.
pub(super) fn agent(planned: &PlannedAgent) -> String {
    let settings = serde_json::to_string(&planned.settings).unwrap_or_default();
    let identity = format!("{}\n{}\n{settings}", planned.digest, planned.reported.is_some());
    format!("{AGENTS}/{}", name(&planned.settings.label(&planned.agent), &digest(identity.as_bytes()), "html"))
}

/// Returns the paths of an entry's page and of its pack with that digest.
pub(super) fn entry(text: &str, digest: &str) -> (String, String) {
    let extension = jointly_record::pack::EXTENSION;
    (format!("{ENTRIES}/{}", name(text, digest, "html")), format!("{PACKS}/{}", name(text, digest, extension)))
}

/// Returns whether a file's name is one that [`agent`] or [`entry`] makes.
pub(super) fn is_own(file: &str) -> bool {
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let plain = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || c == '-';
    let parts = file.split_once('.').and_then(|(stem, extension)| Some((stem.rsplit_once('-')?, extension)));
    parts.is_some_and(|((readable, digits), extension)| {
        let extensions = ["html", jointly_record::pack::EXTENSION];
        readable.chars().all(plain)
            && digits.len() == DIGITS
            && digits.chars().all(hex)
            && extensions.contains(&extension)
    })
}

#[cfg(test)]
mod tests {
    use jointly_core::digest;
    use jointly_record::invented::agent as planned;

    use super::{agent, entry, is_own, slug};

    #[test]
    fn a_name_neither_leaves_its_folder_nor_collides() {
        for (text, expected) in [
            ("ensemble:size=3", "ensemble-size-3"),
            ("../../etc/passwd", "etc-passwd"),
            ("..", "unnamed"),
            ("<script>", "script"),
            ("größe \u{202e}X", "gr-e-x"),
            (&"a/".repeat(60), "a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a"),
        ] {
            assert_eq!(slug(text), expected);
            let (page, pack) = entry(text, &digest(text.as_bytes()));
            for path in [page, pack] {
                assert!(path.matches('/').count() == 1 && is_own(path.split_once('/').unwrap().1), "{path}");
            }
        }
        // The same readable part, and other agents.
        let names = ["mlp:x=1", "mlp:x=1,y=2", "mlp-x:a=1", "mlp"].map(|spec| agent(&planned(spec)));
        assert!((1..4).all(|place| !names[..place].contains(&names[place])), "{names:?}");
        let mut native = planned("mlp");
        native.reported = Some("mlp.py".into());
        assert!(agent(&native) != names[3] && agent(&planned("mlp")) == names[3]);
        for other in ["index.html", "mine.html", "a-00.html", "../a-00000000000000000000000000000000.html", "x"] {
            assert!(!is_own(other), "{other}");
        }
    }
}
