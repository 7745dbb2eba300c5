//! The variants of an agent that its own sweeps suggest.

use anyhow::{Result, bail};
use jointly_host::Description;

use crate::agent_spec::AgentSpec;

/// The agent as it was asked for and every variant of its sweeps, each once, in the sweeps' order.
///
/// What was asked for is kept: a sweep over a setting that a person has fixed is left out. A setting that is the
/// agent's default is not named, so that the same variant has the same label wherever it comes from.
pub(crate) fn of(spec: &AgentSpec, description: &Description, only: &[String]) -> Result<Vec<AgentSpec>> {
    let known = || description.sweeps.iter().map(|sweep| sweep.name.as_str());
    if let Some(unknown) = only.iter().find(|name| !known().any(|known| known == **name)) {
        let known: Vec<&str> = known().collect();
        let known = if known.is_empty() { "it has none".into() } else { format!("there are {}", known.join(", ")) };
        bail!("{} has no sweep {unknown}; {known}", spec.agent);
    }
    let asked = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    let is_default = |name: &str, value: &str| {
        description.parameters.iter().any(|known| known.name == name && known.default == value)
    };
    let settings = description.sweeps.iter().filter(|sweep| asked(&sweep.name)).flat_map(|sweep| &sweep.variants);
    let free = settings.filter(|variant| !variant.iter().any(|setting| spec.settings.has(&setting.name)));
    let mut variants = Vec::new();
    for variant in std::iter::once(&Vec::new()).chain(free) {
        let settings = spec.settings.with(variant).without(is_default);
        let variant = AgentSpec { agent: spec.agent.clone(), settings };
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    Ok(variants)
}

#[cfg(test)]
mod tests {
    use jointly_host::{Parameter, Setting, Sweep};

    use super::*;

    fn description() -> Description {
        let parameter = |name: &str, default: &str| Parameter {
            name: name.into(),
            default: default.into(),
            summary: String::new(),
        };
        let setting = |name: &str, value: &str| Setting { name: name.into(), value: value.into() };
        let sweep = |name: &str, variants| Sweep { name: name.into(), variants };
        Description {
            name: "mlp".into(),
            version: "1".into(),
            summary: String::new(),
            citation: String::new(),
            deterministic: false,
            parameters: vec![parameter("l2", "1"), parameter("size", "10")],
            sweeps: vec![
                sweep("l2", vec![vec![setting("l2", "0.1")], vec![setting("l2", "1")]]),
                sweep("size", vec![vec![setting("size", "3")], vec![setting("size", "3"), setting("l2", "0.1")]]),
            ],
        }
    }

    fn labels(spec: &str, only: &[&str]) -> Vec<String> {
        let only: Vec<String> = only.iter().map(ToString::to_string).collect();
        let variants = of(&spec.parse().unwrap(), &description(), &only).unwrap();
        variants.iter().map(|variant| variant.settings.label(&variant.agent)).collect()
    }

    #[test]
    fn every_variant_once_and_the_default_by_its_plain_name() {
        assert_eq!(labels("mlp", &[]), ["mlp", "mlp:l2=0.1", "mlp:size=3", "mlp:l2=0.1,size=3"]);
        assert_eq!(labels("mlp", &["l2"]), ["mlp", "mlp:l2=0.1"]);
    }

    #[test]
    fn what_a_person_fixed_stays() {
        assert_eq!(labels("mlp:size=5", &[]), ["mlp:size=5", "mlp:l2=0.1,size=5"]);
        assert_eq!(labels("mlp:size=10", &[]), ["mlp", "mlp:l2=0.1"]);
    }

    #[test]
    fn an_unknown_sweep_is_named() {
        let error = of(&"mlp".parse().unwrap(), &description(), &["depth".into()]).unwrap_err().to_string();
        assert_eq!(error, "mlp has no sweep depth; there are l2, size");
    }
}
