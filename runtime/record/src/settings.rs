//! The settings that an agent is given.

use std::collections::BTreeMap;
use std::str::FromStr;

use jointly_core::setting::Setting;
use schemars::JsonSchema;

/// Settings by name, in one order however they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// The settings one by one, in the order of their names.
    pub fn to_list(&self) -> Vec<Setting> {
        self.0.iter().map(|(name, value)| Setting { name: name.clone(), value: value.clone() }).collect()
    }

    /// The names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// These, and others on top.
    #[must_use]
    pub fn with(&self, others: &[Setting]) -> Self {
        let others = others.iter().map(|setting| (setting.name.clone(), setting.value.clone()));
        Self(self.0.clone().into_iter().chain(others).collect())
    }

    /// These less those of which name and value are left out.
    #[must_use]
    pub fn without(mut self, left_out: impl Fn(&str, &str) -> bool) -> Self {
        self.0.retain(|name, value| !left_out(name, value));
        self
    }

    /// The value that was given, if any was.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// `name`, or `name:key=value,key=value`.
    pub fn label(&self, name: &str) -> String {
        let settings: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if settings.is_empty() { name.to_owned() } else { format!("{name}:{}", settings.join(",")) }
    }
}

impl FromStr for Settings {
    type Err = String;

    /// Reads `name=value,name=value`.
    fn from_str(text: &str) -> Result<Self, String> {
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
        Ok(Self(settings))
    }
}
