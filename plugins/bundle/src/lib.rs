//! The reference agents, built to components and embedded.
#![deny(missing_docs)]

/// A reference agent.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// The name by which users run it.
    pub name: &'static str,
    /// The component's bytes.
    pub component: &'static [u8],
    /// Whether it supports classification.
    pub classifies: bool,
    /// Whether it supports regression.
    pub regresses: bool,
    /// Whether it takes tokens, that is, texts and categories, in classification.
    pub tokens: bool,
}

static BUNDLED: &[Bundled] = &include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Returns every reference agent, baselines first.
pub fn all() -> &'static [Bundled] {
    BUNDLED
}

/// Returns the reference agent of that name.
pub fn find(name: &str) -> Option<&'static Bundled> {
    BUNDLED.iter().find(|bundled| bundled.name == name)
}

#[cfg(test)]
mod tests {
    use super::{all, find};

    /// The first bytes of every component: the magic number, the version and the layer.
    const PREAMBLE: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn every_agent_is_a_component() {
        for bundled in all() {
            assert!(bundled.component.starts_with(PREAMBLE), "{}", bundled.name);
        }
    }

    /// An agent that the pass does not understand runs too, but slower.
    #[test]
    fn every_agent_has_its_nans_made_canonical_where_they_are_observed() {
        for bundled in all() {
            let with_sinks = jointly_sinks::with_sinks(bundled.component);
            assert!(with_sinks.is_ok(), "{}: {:?}", bundled.name, with_sinks.err());
        }
    }

    #[test]
    fn agents_are_found_by_name() {
        assert_eq!(find("ensemble+").unwrap().name, "ensemble+");
        assert!(find("ensemble-plus").is_none());
    }

    #[test]
    fn no_component_names_a_directory_of_this_machine() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let root = root.to_str().unwrap().as_bytes();
        for bundled in all() {
            assert!(!bundled.component.windows(root.len()).any(|part| part == root), "{}", bundled.name);
        }
    }
}
