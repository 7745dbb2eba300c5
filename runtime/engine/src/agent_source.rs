//! Loads an agent's bytes from the bundle or from a file.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context, Result, bail};
use jointly_bundle::Bundled;
use jointly_data::regular_file;
use jointly_host::{Interface, Limits, Parameter, Runtime, Setting};
use jointly_native::{NativeAgent, Source};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::kept::Kept;
use jointly_record::settings::Settings;
use jointly_record::{guess, reference, shell};

use crate::agent::Agent;

/// The largest file accepted as an agent, in bytes. Agents with an interpreter compiled in take some twenty megabytes.
const MAX_BYTES: u64 = Kept::Agent.most_bytes();

/// The fuel of the check, before any unit runs, whether an agent refuses its settings.
const PREFLIGHT_FUEL: u64 = 300_000_000;

/// An agent and the bytes that it was loaded from.
pub struct LoadedAgent {
    /// The agent.
    pub agent: Agent,
    /// The bytes of a component.
    pub bytes: Option<Cow<'static, [u8]>>,
}

/// Loads the agent that a spec names, whatever interfaces it supports. Each interface is given [its own](own_settings)
/// settings.
///
/// # Errors
/// When there is no such agent, it cannot be loaded, or it refuses its settings.
pub fn load(runtime: &Runtime, spec: &AgentSpec, limits: Limits) -> Result<LoadedAgent> {
    let loaded = read(runtime, spec, limits)?;
    let supported: Vec<Interface> = Interface::ALL.into_iter().filter(|it| loaded.agent.supports(*it)).collect();
    let own = supported.iter().map(|interface| own_settings(&loaded.agent, &spec.settings, *interface));
    let own: Vec<Settings> = own.collect();
    for (interface, settings) in supported.iter().zip(&own) {
        let nobodys = |name: &str| own.iter().all(|settings| settings.get(name).is_none());
        // Includes settings that no interface knows, so that they are refused.
        let settings = spec.settings.clone().without(|name, _| settings.get(name).is_none() && !nobodys(name));
        refuse_settings(&loaded.agent, &AgentSpec { agent: spec.agent.clone(), settings }, limits, *interface)?;
    }
    Ok(loaded)
}

/// Returns the settings that an agent describes for one interface; an agent may support several.
pub fn own_settings(agent: &Agent, settings: &Settings, interface: Interface) -> Settings {
    let known = |name: &str| agent.description().parameters_of(interface).any(|known| known.name == name);
    settings.clone().without(|name, _| !known(name))
}

/// Loads the agent that a spec names for an interface, and lets it refuse the spec's settings.
///
/// # Errors
/// As [`load`], and when the agent does not support the interface.
pub fn load_for(runtime: &Runtime, spec: &AgentSpec, limits: Limits, interface: Interface) -> Result<LoadedAgent> {
    let loaded = read(runtime, spec, limits)?;
    refuse(&loaded.agent, spec, limits, interface)?;
    Ok(loaded)
}

/// Refuses an agent that does not support the interface, and lets it refuse the spec's settings.
///
/// # Errors
/// When the agent does not support the interface, or refuses the settings.
pub fn refuse(agent: &Agent, spec: &AgentSpec, limits: Limits, interface: Interface) -> Result<()> {
    if !agent.supports(interface) {
        bail!(
            "{} does not support {interface}, which the suite is about: `jointly agents` lists agents that do",
            spec.agent
        );
    }
    refuse_settings(agent, spec, limits, interface)
}

/// Loads the agent that a spec names, whatever interfaces it supports and whatever its settings.
///
/// # Errors
/// When there is no such agent, or it cannot be loaded.
pub fn read(runtime: &Runtime, spec: &AgentSpec, limits: Limits) -> Result<LoadedAgent> {
    if spec.agent == reference::NAME {
        bail!(
            "{} is the host's own reference and not a component; only `jointly run` and `jointly picture` take it",
            reference::NAME
        );
    }
    let loaded = if let Some(source) = Source::parse(&spec.agent) {
        LoadedAgent { agent: start(source, limits)?, bytes: None }
    } else {
        let bytes = bytes(&spec.agent)?;
        let agent = runtime.load(&bytes, limits).with_context(|| format!("failed to load {}", spec.agent))?;
        LoadedAgent { agent: Agent::Component(agent.into()), bytes: Some(bytes) }
    };
    if loaded.agent.description().name == reference::NAME {
        bail!(
            "{} calls itself {}, which is the host's own reference; give it another name",
            spec.agent,
            reference::NAME
        );
    }
    Ok(loaded)
}

/// Starts or reaches a native agent.
///
/// # Errors
/// When it cannot be started or reached, or does not describe itself.
pub fn start(source: Source, limits: Limits) -> Result<Agent> {
    let name = source.to_string();
    Ok(Agent::Native(NativeAgent::start(source, limits).with_context(|| format!("failed to start {name}"))?))
}

fn refuse_settings(agent: &Agent, spec: &AgentSpec, limits: Limits, interface: Interface) -> Result<()> {
    let parameters: Vec<&Parameter> = agent.description().parameters_of(interface).collect();
    if let Some(unknown) = spec.settings.names().find(|name| parameters.iter().all(|known| known.name != *name)) {
        if parameters.is_empty() {
            bail!("{} has no setting {unknown}: it has no settings", spec.agent);
        }
        let list = format!("`jointly agents {}` describes its settings", shell::quoted(&spec.agent));
        let remedy = guess::remedy(unknown, parameters.iter().map(|known| known.name.as_str()), &list);
        bail!("{} has no setting {unknown}: {remedy}", spec.agent);
    }
    let settings = spec.settings.to_list();
    if !settings.is_empty()
        && let Some(refusal) = early_refusal(agent, interface, &settings, limits)
    {
        bail!("{} refuses its settings: {refusal}", spec.agent);
    }
    Ok(())
}

/// Returns why an agent refuses settings early in its training, or `None` if it has not refused them by then.
pub(crate) fn early_refusal(
    agent: &Agent,
    interface: Interface,
    settings: &[Setting],
    limits: Limits,
) -> Option<String> {
    agent.refusal(interface, settings, Limits { fuel: limits.fuel.min(PREFLIGHT_FUEL), ..limits })
}

/// Returns every bundled agent, at its defaults.
pub fn all_bundled() -> Vec<AgentSpec> {
    jointly_bundle::all().iter().map(at_defaults).collect()
}

/// Returns every bundled agent that supports the interface, at its defaults.
pub fn all_bundled_for(interface: Interface) -> Vec<AgentSpec> {
    bundled(interface).map(at_defaults).collect()
}

/// Returns every bundled classifier that takes tokens, at its defaults.
pub fn all_bundled_with_tokens() -> Vec<AgentSpec> {
    bundled(Interface::Classification).filter(|bundled| bundled.tokens).map(at_defaults).collect()
}

fn bundled(interface: Interface) -> impl Iterator<Item = &'static Bundled> {
    jointly_bundle::all().iter().filter(move |bundled| match interface {
        Interface::Classification => bundled.classifies,
        Interface::Regression => bundled.regresses,
    })
}

fn at_defaults(bundled: &Bundled) -> AgentSpec {
    AgentSpec { agent: bundled.name.to_owned(), settings: Settings::default() }
}

fn bytes(agent: &str) -> Result<Cow<'static, [u8]>> {
    if let Some(bundled) = jointly_bundle::find(agent) {
        return Ok(Cow::Borrowed(bundled.component));
    }
    let path = Path::new(agent);
    if path.extension().is_some_and(|extension| extension == "npz") {
        bail!("{agent} is not an agent; give a problem by --problem {agent}, which may be repeated");
    }
    let looks_like_path = agent.contains(std::path::is_separator) || path.extension().is_some() || path.exists();
    if !looks_like_path {
        let known = jointly_bundle::all().iter().map(|bundled| bundled.name).chain([reference::NAME]);
        let list = "`jointly agents` lists those that are bundled; another is given as the path of its .wasm or .py";
        bail!("there is no agent {agent}: {}", guess::remedy(agent, known, list));
    }
    let metadata = std::fs::metadata(path)
        .with_context(|| format!("failed to read {agent}; give the path of a .wasm or .py, or a bundled name"))?;
    if !metadata.is_file() {
        bail!("failed to read {agent}: not a file; give the path of a .wasm");
    }
    if metadata.len() > MAX_BYTES {
        bail!(
            "failed to load {agent}: {} MiB is more than an agent may have, {}",
            metadata.len() >> 20,
            MAX_BYTES >> 20
        );
    }
    Ok(Cow::Owned(regular_file::read(path, MAX_BYTES).with_context(|| format!("failed to read {agent}"))?))
}
