//! Parses how a user names an agent: `ensemble+:size=30,prior-scale=1`, `path/to/agent.wasm:rate=0.1`, `agent.py:size=5` or
//! `exec:Rscript agent.R :size=5`.

use std::str::FromStr;

use crate::place;
use crate::settings::Settings;

/// A bundled agent's name, a path to a .wasm or .py, or how a native agent is reached, with settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSpec {
    /// The name, the path, `exec:COMMAND` or `socket:PATH`.
    pub agent: String,
    /// The settings that were given.
    pub settings: Settings,
}

impl AgentSpec {
    /// Returns whether it is the name of a bundled agent, and no path or place.
    pub fn is_bundled(&self) -> bool {
        !self.is_native() && !self.agent.contains(['/', '.'])
    }

    /// Returns whether it names a native agent.
    pub fn is_native(&self) -> bool {
        place::is_place(&self.agent)
    }
}

impl FromStr for AgentSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (agent, settings) = if place::has_prefix(text) {
            // A command may contain colons, and a path too.
            text.rsplit_once(" :").map_or((text, ""), |(agent, settings)| (agent.trim_end(), settings))
        } else {
            // A path may contain colons.
            let end = [".wasm", ".py"].iter().filter_map(|ending| Some(text.rfind(ending)? + ending.len())).max();
            let end = end.unwrap_or_default();
            match text[end..].find(':') {
                Some(colon) => (&text[..end + colon], &text[end + colon + 1..]),
                None => (text, ""),
            }
        };
        if agent.is_empty() {
            return Err("an agent's name is missing before the settings".into());
        }
        Ok(Self { agent: agent.to_owned(), settings: settings.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::AgentSpec;

    fn parse(text: &str) -> Result<(String, String), String> {
        text.parse::<AgentSpec>().map(|spec| (spec.agent.clone(), spec.settings.label("")))
    }

    #[test]
    fn names_and_paths_with_and_without_settings() {
        let expect = |text: &str, agent: &str, settings: &str| {
            assert_eq!(parse(text), Ok((agent.to_owned(), settings.to_owned())), "{text}");
        };
        expect("mlp", "mlp", "");
        expect("mlp:", "mlp", "");
        expect("ensemble+:size=30,prior-scale=1", "ensemble+", ":prior-scale=1,size=30");
        expect("mlp:hidden=50,50,l2=1", "mlp", ":hidden=50,50,l2=1");
        expect("a:b/c.wasm", "a:b/c.wasm", "");
        expect("./c.wasm:k=v", "./c.wasm", ":k=v");
        expect("a:b/c.py:k=v", "a:b/c.py", ":k=v");
        expect("exec:env A=1 Rscript c.R --at a:b", "exec:env A=1 Rscript c.R --at a:b", "");
        expect("exec:Rscript c.R :k=v,l=2", "exec:Rscript c.R", ":k=v,l=2");
        expect("socket:/tmp/a:b.sock :k=v", "socket:/tmp/a:b.sock", ":k=v");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        assert!(parse(":size=1").unwrap_err().contains("name is missing"));
        assert!(parse("mlp:size").unwrap_err().contains("name=value"));
        assert!(parse("mlp:l2=1,l2=2").unwrap_err().contains("twice"));
    }
}
