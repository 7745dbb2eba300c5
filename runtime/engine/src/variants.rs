//! The variants of an agent that its own sweeps suggest.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};
use jointly_host::{Description, Interface, Setting};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::guess;

/// The most combinations of an agent's sweeps.
pub const MOST_COMBINATIONS: usize = 10_000;

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
    let sweeps = free(spec, description, interface, only);
    named(spec, description, interface, std::iter::once(Vec::new()).chain(sweeps.into_iter().flatten()))
}

/// Returns every combination of the variants of an agent's sweeps, one of each sweep or none, each once. Combinations in which
/// two sweeps give a setting different values are left out.
///
/// # Errors
/// When there are more than [`MOST_COMBINATIONS`].
pub fn joint(
    spec: &AgentSpec,
    description: &Description,
    interface: Interface,
    only: &[String],
) -> Result<Vec<AgentSpec>> {
    let sweeps = free(spec, description, interface, only);
    let count = sweeps.iter().try_fold(1_usize, |count, sweep| count.checked_mul(sweep.len() + 1));
    let names: Vec<&str> = description.sweeps_of(interface).map(|sweep| sweep.name.as_str()).collect();
    ensure!(
        count.is_some_and(|count| count <= MOST_COMBINATIONS),
        "the sweeps of {} have more than {MOST_COMBINATIONS} combinations; choose some of them with --only: {}",
        description.name,
        names.join(", ")
    );
    let mut combinations: Vec<Vec<Setting>> = vec![Vec::new()];
    for sweep in &sweeps {
        let one_more = |combination: &Vec<Setting>| {
            let fits = |variant: &&Vec<Setting>| {
                let other = |setting: &Setting| {
                    combination.iter().any(|known| known.name == setting.name && known.value != setting.value)
                };
                !variant.iter().any(other)
            };
            let with: Vec<_> = sweep.iter().filter(fits).map(|variant| [&combination[..], variant].concat()).collect();
            std::iter::once(combination.clone()).chain(with).collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(one_more).collect();
    }
    Ok(named(spec, description, interface, combinations.into_iter()))
}

/// Returns the variants of each sweep that was asked for, without those that change a setting which the user has fixed.
fn free(spec: &AgentSpec, description: &Description, interface: Interface, only: &[String]) -> Vec<Vec<Vec<Setting>>> {
    let asked = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    let fixed = |setting: &Setting| spec.settings.get(&setting.name).is_some_and(|value| value != setting.value);
    let sweeps = description.sweeps_of(interface).filter(|sweep| asked(&sweep.name));
    let of = |variants: &[Vec<Setting>]| variants.iter().filter(|it| !it.iter().any(fixed)).cloned().collect();
    sweeps.map(|sweep| of(&sweep.variants)).collect()
}

/// Returns the agent with each list of settings, once, without those at its defaults.
fn named(
    spec: &AgentSpec,
    description: &Description,
    interface: Interface,
    lists: impl Iterator<Item = Vec<Setting>>,
) -> Vec<AgentSpec> {
    let is_default = |name: &str, value: &str| {
        description.parameters_of(interface).any(|known| known.name == name && known.default == value)
    };
    let mut known = HashSet::new();
    let settings = lists.map(|list| spec.settings.with(&list).without(is_default));
    let fresh = settings.filter(|settings| known.insert(settings.clone()));
    fresh.map(|settings| AgentSpec { agent: spec.agent.clone(), settings }).collect()
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

    /// The sweep `l2` has .1 and the default, and `size` has 3, and 3 with an l2 of .1: of 3 x 3 combinations four are different,
    /// and none has two values of l2.
    #[test]
    fn combinations_are_those_on_paper() {
        let labels = |spec: &str, only: &[&str]| -> Vec<String> {
            let only: Vec<String> = only.iter().map(ToString::to_string).collect();
            let variants = joint(&spec.parse().unwrap(), &description(), Interface::Classification, &only).unwrap();
            variants.iter().map(|variant| variant.settings.label(&variant.agent)).collect()
        };
        assert_eq!(labels("mlp", &[]), ["mlp", "mlp:size=3", "mlp:l2=0.1,size=3", "mlp:l2=0.1"]);
        assert_eq!(labels("mlp", &["l2"]), ["mlp", "mlp:l2=0.1"]);
        assert_eq!(labels("mlp:size=5", &[]), ["mlp:size=5", "mlp:l2=0.1,size=5"]);
        let many: Vec<Vec<Setting>> =
            (0..100).map(|value| vec![Setting { name: "l2".into(), value: value.to_string() }]).collect();
        let sweep = |name: &str| Sweep { name: name.into(), variants: many.clone(), kind: None };
        let wide = Description { sweeps: vec![sweep("a"), sweep("b")], ..description() };
        let error = joint(&"mlp".parse().unwrap(), &wide, Interface::Classification, &[]).unwrap_err().to_string();
        assert!(error.contains("more than 10000 combinations") && error.contains("--only: a, b"), "{error}");
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
