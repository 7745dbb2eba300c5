//! Where an agent's bytes come from: the bundle, or a file.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context, Result, bail};
use jointly_host::{Agent, Limits, Runtime};

use crate::agent_spec::{AgentSpec, Settings};
use crate::oracle;

/// A file larger than this is no agent: interpreters compiled in come to some twenty megabytes.
const MAX_BYTES: u64 = 256 << 20;

/// What an agent may use to refuse its settings, before any unit is paid for.
const PREFLIGHT_FUEL: u64 = 100_000_000;

/// An agent and the bytes that it was loaded from.
pub(crate) struct LoadedAgent {
    pub(crate) agent: Agent,
    pub(crate) bytes: Cow<'static, [u8]>,
}

/// Loads what a spec names, and lets the agent refuse the spec's settings.
pub(crate) fn load(runtime: &Runtime, spec: &AgentSpec, limits: Limits) -> Result<LoadedAgent> {
    if spec.agent == oracle::NAME {
        bail!(
            "{} is no component but the host's own reference; `jointly run` and `jointly picture` take it",
            oracle::NAME
        );
    }
    let bytes = bytes(&spec.agent)?;
    let agent = runtime.load(&bytes, limits).with_context(|| format!("failed to load {}", spec.agent))?;
    if agent.description().name == oracle::NAME {
        bail!("{} calls itself {}, which is the host's own reference; give it another name", spec.agent, oracle::NAME);
    }
    let parameters = &agent.description().parameters;
    if let Some(unknown) = spec.settings.names().find(|name| parameters.iter().all(|known| known.name != *name)) {
        let known: Vec<String> = parameters.iter().map(|known| format!("{}={}", known.name, known.default)).collect();
        let known = if known.is_empty() { "it has none".into() } else { format!("known: {}", known.join(", ")) };
        bail!("{} has no setting {unknown}; {known}", spec.agent);
    }
    let settings = spec.settings.to_list();
    if !settings.is_empty()
        && let Some(refusal) = agent.refusal(&settings, Limits { fuel: limits.fuel.min(PREFLIGHT_FUEL), ..limits })
    {
        bail!("{} refuses its settings: {refusal}", spec.agent);
    }
    Ok(LoadedAgent { agent, bytes })
}

/// Every bundled agent, at its defaults.
pub(crate) fn all_bundled() -> Vec<AgentSpec> {
    let spec = |name: &str| AgentSpec { agent: name.to_owned(), settings: Settings::default() };
    jointly_bundle::all().iter().map(|bundled| spec(bundled.name)).collect()
}

fn bytes(agent: &str) -> Result<Cow<'static, [u8]>> {
    if let Some(bundled) = jointly_bundle::find(agent) {
        return Ok(Cow::Borrowed(bundled.component));
    }
    let path = Path::new(agent);
    if path.extension().is_some_and(|extension| extension == "npz") {
        bail!("{agent} is no agent; a problem is given by --problem {agent}, which may be repeated");
    }
    let looks_like_path = agent.contains(std::path::is_separator) || path.extension().is_some() || path.exists();
    if !looks_like_path {
        let known: Vec<&str> = jointly_bundle::all().iter().map(|bundled| bundled.name).collect();
        bail!("there is no agent {agent}; bundled are {}; another is given as a path to its .wasm", known.join(", "));
    }
    let metadata = std::fs::metadata(path)
        .with_context(|| format!("failed to read {agent}; give the path of a .wasm or a bundled name"))?;
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
    Ok(Cow::Owned(std::fs::read(path).with_context(|| format!("failed to read {agent}"))?))
}
