//! How a person names an agent: `ensemble+:size=30,prior-scale=1` or `path/to/agent.wasm:rate=0.1`.

use std::collections::BTreeMap;
use std::str::FromStr;

use jointly_host::Setting;

/// A bundled agent's name or a path to a .wasm, with settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentSpec {
    pub(crate) agent: String,
    pub(crate) settings: Settings,
}

/// Settings by name, in one order however they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Settings(BTreeMap<String, String>);

impl Settings {
    pub(crate) fn to_list(&self) -> Vec<Setting> {
        self.0.iter().map(|(name, value)| Setting { name: name.clone(), value: value.clone() }).collect()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// These, and others on top.
    pub(crate) fn with(&self, others: &[Setting]) -> Self {
        let others = others.iter().map(|setting| (setting.name.clone(), setting.value.clone()));
        Self(self.0.clone().into_iter().chain(others).collect())
    }

    /// These less those of which name and value are left out.
    pub(crate) fn without(mut self, left_out: impl Fn(&str, &str) -> bool) -> Self {
        self.0.retain(|name, value| !left_out(name, value));
        self
    }

    /// The value that was given, if any was.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// `name`, or `name:key=value,key=value`.
    pub(crate) fn label(&self, name: &str) -> String {
        let settings: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if settings.is_empty() { name.to_owned() } else { format!("{name}:{}", settings.join(",")) }
    }
}

impl FromStr for AgentSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A path may hold colons of its own.
        let end = text.rfind(".wasm").map_or(0, |at| at + ".wasm".len());
        let (agent, settings) = match text[end..].find(':') {
            Some(colon) => (&text[..end + colon], &text[end + colon + 1..]),
            None => (text, ""),
        };
        if agent.is_empty() {
            return Err("an agent's name is missing before the settings".into());
        }
        Ok(Self { agent: agent.to_owned(), settings: parse_settings(settings)? })
    }
}

fn parse_settings(text: &str) -> Result<Settings, String> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for part in text.split(',').filter(|_| !text.is_empty()) {
        match (part.split_once('='), pairs.last_mut()) {
            (Some((name, value)), _) => pairs.push((name.trim(), value.trim().to_owned())),
            // A value such as 50,50 holds commas itself.
            (None, Some((_, value))) => *value = format!("{value},{}", part.trim()),
            (None, None) => return Err(format!("{part:?} is not a setting; write name=value,name=value")),
        }
    }
    let mut settings = BTreeMap::new();
    for (name, value) in pairs {
        if settings.insert(name.to_owned(), value).is_some() {
            return Err(format!("the setting {name} is given twice"));
        }
    }
    Ok(Settings(settings))
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
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        assert!(parse(":size=1").unwrap_err().contains("name is missing"));
        assert!(parse("mlp:size").unwrap_err().contains("name=value"));
        assert!(parse("mlp:l2=1,l2=2").unwrap_err().contains("twice"));
    }
}
