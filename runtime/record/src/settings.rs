//! The settings that an agent is given.

use std::collections::BTreeMap;
use std::str::FromStr;

use jointly_core::setting::Setting;
use schemars::JsonSchema;

use crate::place;

/// Settings by name, in an order that does not depend on how they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Returns the settings as a list, ordered by name.
    pub fn to_list(&self) -> Vec<Setting> {
        self.0.iter().map(|(name, value)| Setting { name: name.clone(), value: value.clone() }).collect()
    }

    /// Returns the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns these settings with others added, which take precedence.
    #[must_use]
    pub fn with(&self, others: &[Setting]) -> Self {
        let others = others.iter().map(|setting| (setting.name.clone(), setting.value.clone()));
        Self(self.0.clone().into_iter().chain(others).collect())
    }

    /// Returns these settings without those for which `left_out` is true.
    #[must_use]
    pub fn without(mut self, left_out: impl Fn(&str, &str) -> bool) -> Self {
        self.0.retain(|name, value| !left_out(name, value));
        self
    }

    /// Returns the value of a setting, if it was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns `name`, or `name:key=value,key=value`.
    pub fn label(&self, name: &str) -> String {
        self.joined(name, ":")
    }

    /// Returns how an agent with these settings is named on a command line: after a command or a path that may hold a
    /// colon, they follow a space and a colon.
    pub fn spec(&self, agent: &str) -> String {
        self.joined(agent, if place::has_prefix(agent) { " :" } else { ":" })
    }

    fn joined(&self, name: &str, colon: &str) -> String {
        let settings: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if settings.is_empty() { name.to_owned() } else { format!("{name}{colon}{}", settings.join(",")) }
    }
}

impl FromStr for Settings {
    type Err = String;

    /// Parses `name=value,name=value`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            match (part.split_once('='), pairs.last_mut()) {
                (Some((name, value)), _) => pairs.push((name.trim(), value.trim().to_owned())),
                // A value such as 50,50 contains commas.
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
        Ok(Self(settings))
    }
}
