//! The variants of an agent that its own sweeps suggest.

use anyhow::{Result, bail};
use jointly_host::{Description, Interface, Setting};
use jointly_record::guess;

use crate::agent_spec::AgentSpec;

/// Refuses names of sweeps that no agent has.
///
/// # Errors
/// When no agent has a sweep of one of the names.
pub fn refuse_unknown(descriptions: &[Description], interface: Interface, only: &[String]) -> Result<()> {
    let has = |description: &Description, name: &str| description.sweeps_of(interface).any(|sweep| sweep.name == name);
    let Some(unknown) = only.iter().find(|name| !descriptions.iter().any(|description| has(description, name))) else {
        return Ok(());
    };
    let known = descriptions.iter().flat_map(|description| description.sweeps_of(interface));
    let remedy =
        guess::remedy(unknown, known.map(|sweep| sweep.name.as_str()), "`jointly agents AGENT` describes its sweeps");
    bail!("there is no sweep {unknown}: {remedy}")
}

/// Returns the agent as requested and every variant of its sweeps, each once, in the sweeps' order.
///
/// Leaves out variants that change a setting which the user has fixed. Settings at the agent's default are not named,
/// so that a variant has the same label wherever it comes from.
pub fn of(spec: &AgentSpec, description: &Description, interface: Interface, only: &[String]) -> Vec<AgentSpec> {
    let asked = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    let is_default = |name: &str, value: &str| {
        description.parameters_of(interface).any(|known| known.name == name && known.default == value)
    };
    let settings =
        description.sweeps_of(interface).filter(|sweep| asked(&sweep.name)).flat_map(|sweep| &sweep.variants);
    let fixed = |setting: &Setting| spec.settings.get(&setting.name).is_some_and(|value| value != setting.value);
    let free = settings.filter(|variant| !variant.iter().any(fixed));
    let mut variants = Vec::new();
    for variant in std::iter::once(&Vec::new()).chain(free) {
        let settings = spec.settings.with(variant).without(is_default);
        let variant = AgentSpec { agent: spec.agent.clone(), settings };
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    variants
}

#[cfg(test)]
mod tests {
    use jointly_host::{Interface, Parameter, Sweep};

    use super::*;

    fn description() -> Description {
        let parameter = |name: &str, default: &str| Parameter {
            name: name.into(),
            default: default.into(),
            summary: String::new(),
            kind: None,
        };
        let setting = |name: &str, value: &str| Setting { name: name.into(), value: value.into() };
        let sweep = |name: &str, variants| Sweep { name: name.into(), variants, kind: None };
        Description {
            name: "mlp".into(),
            version: "1".into(),
            summary: String::new(),
            citation: String::new(),
            deterministic: false,
            tokens: false,
            unlabelled: false,
            parameters: vec![parameter("l2", "1"), parameter("size", "10")],
            sweeps: vec![
                sweep("l2", vec![vec![setting("l2", "0.1")], vec![setting("l2", "1")]]),
                sweep("size", vec![vec![setting("size", "3")], vec![setting("size", "3"), setting("l2", "0.1")]]),
            ],
        }
    }

    fn labels(spec: &str, only: &[&str]) -> Vec<String> {
        let only: Vec<String> = only.iter().map(ToString::to_string).collect();
        let variants = of(&spec.parse().unwrap(), &description(), Interface::Classification, &only);
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
        assert_eq!(labels("mlp:size=3", &["size"]), ["mlp:size=3", "mlp:l2=0.1,size=3"]);
    }

    #[test]
    fn a_sweep_that_one_agent_has_is_asked_of_all_and_one_that_none_has_is_named() {
        let none = Description { name: "uniform".into(), sweeps: Vec::new(), ..description() };
        let both = [description(), none.clone()];
        assert!(refuse_unknown(&both, Interface::Classification, &["l2".into(), "size".into()]).is_ok());
        let error =
            refuse_unknown(&both, Interface::Classification, &["l2".into(), "depth".into()]).unwrap_err().to_string();
        assert_eq!(error, "there is no sweep depth: `jointly agents AGENT` describes its sweeps");
        assert_eq!(of(&"uniform".parse().unwrap(), &none, Interface::Classification, &["l2".into()]).len(), 1);
    }
}
