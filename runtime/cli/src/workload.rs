//! A plan with everything that carrying it out needs: the loaded agents and the problems.

use std::borrow::Cow;
use std::fs;

use anyhow::{Context, Result, bail};
use jointly_core::oracle::Settings as Sampling;
use jointly_core::{Problem, Suite};
use jointly_host::{Agent, Limits, Runtime};

use crate::agent_source::LoadedAgent;
use crate::agent_spec::AgentSpec;
use crate::data_directories::DataDirectories;
use crate::directory::{Kept, RunDirectory};
use crate::plan::{Plan, PlannedAgent};
use crate::{agent_source, cache, oracle, problems, real_data};

/// What takes part in a run.
pub(crate) enum Contestant {
    /// A component.
    Agent(Box<Agent>),
    /// The host's own reference.
    Oracle(Sampling),
}

/// Agents and problems, in the plan's order.
pub(crate) struct Workload {
    pub(crate) plan: Plan,
    pub(crate) agents: Vec<Contestant>,
    pub(crate) problems: Vec<Problem>,
    /// The agents' files, to keep beside the scores, under their digests.
    agent_files: Vec<(String, Cow<'static, [u8]>)>,
}

impl Workload {
    /// Loads what a person asked for.
    pub(crate) fn of(specs: &[AgentSpec], suite: Suite, seed: u64, limits: Limits) -> Result<Self> {
        real_data::fits(&suite, limits)?;
        let runtime = Runtime::new(cache::directory().as_deref())?;
        let (mut planned, mut agents, mut agent_files) = (Vec::new(), Vec::new(), Vec::new());
        for spec in specs {
            let (name, digest) = if spec.agent == oracle::NAME {
                oracle::refuse_unknown_laws(&suite.problems)?;
                agents.push(Contestant::Oracle(oracle::sampling(&spec.settings, &suite.evaluation)?));
                (oracle::NAME.to_owned(), oracle::digest())
            } else {
                let LoadedAgent { agent, bytes } = agent_source::load(&runtime, spec, limits)?;
                let (name, digest) = (agent.description().name.clone(), agent.digest().to_owned());
                agents.push(Contestant::Agent(agent.into()));
                agent_files.push((digest.clone(), bytes));
                (name, digest)
            };
            let entry = PlannedAgent { agent: name, label: String::new(), digest, settings: spec.settings.clone() };
            if planned.contains(&entry) {
                bail!(
                    "{} is asked for twice, maybe under another name; name it once",
                    spec.settings.label(&spec.agent)
                );
            }
            planned.push(entry);
        }
        let plan = Plan::new(&suite, seed, limits, planned);
        Ok(Self { plan, agents, problems: suite.problems, agent_files })
    }

    /// Loads a run again from its own directory. Nothing that the plan says is believed: it must be the plan that this
    /// command makes of the same agents, suite and problems.
    pub(crate) fn from_directory(directory: &RunDirectory, data: &DataDirectories) -> Result<Self> {
        let held = directory.plan()?;
        let place = directory.path().display();
        if held.version != env!("CARGO_PKG_VERSION") {
            let (version, own) = (&held.version, env!("CARGO_PKG_VERSION"));
            bail!("{place} was made by version {version} and this is {own}; use that version");
        }
        let suite = problems::held(directory, &held, data)?;
        let runtime = Runtime::new(cache::directory().as_deref())?;
        let (mut planned, mut agents) = (Vec::new(), Vec::new());
        for entry in &held.agents {
            if entry.is_reference() {
                oracle::refuse_unknown_laws(&suite.problems)?;
                agents.push(Contestant::Oracle(oracle::sampling(&entry.settings, &suite.evaluation)?));
                planned.push(PlannedAgent { agent: oracle::NAME.into(), digest: oracle::digest(), ..entry.clone() });
                continue;
            }
            let path = directory.kept(Kept::Agent, &entry.digest);
            let file = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
            let agent =
                runtime.load(&file, held.limits).with_context(|| format!("failed to load {}", path.display()))?;
            if agent.digest() != entry.digest {
                bail!("{} is not the agent that the plan names: its digest is {}", path.display(), agent.digest());
            }
            planned.push(PlannedAgent { agent: agent.description().name.clone(), ..entry.clone() });
            agents.push(Contestant::Agent(agent.into()));
        }
        let plan = Plan::new(&suite, held.seed, held.limits, planned);
        match plan.difference(&held) {
            None => Ok(Self { plan, agents, problems: suite.problems, agent_files: Vec::new() }),
            Some(difference) => bail!("{place} does not hold: its plan is not this command's ({difference})"),
        }
    }

    /// Puts copies of the agents into the directory, so that they can be run again anywhere.
    pub(crate) fn keep_agents_in(&self, directory: &RunDirectory) -> Result<()> {
        for (digest, bytes) in &self.agent_files {
            directory.keep(Kept::Agent, digest, bytes)?;
        }
        Ok(())
    }
}
