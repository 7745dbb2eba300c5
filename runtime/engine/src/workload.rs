//! A plan with everything needed to carry it out: the loaded agents and the problems.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use jointly_bundle::Bundled;
use jointly_core::{Seed, digest};
use jointly_host::{Execution, Interface, Limits, Runtime};
use jointly_native::Source;
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory::RunDirectory;
use jointly_record::kept::Kept;
use jointly_record::place::PREDICTIONS;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::reference;
use jointly_regression::TableFile;

use crate::agent::Agent;
use crate::agent_source::{self, LoadedAgent};
use crate::asked::Asked;
use crate::cache::Code;
use crate::contestant::Contestant;
use crate::data_directories::DataDirectories;
use crate::problem_set::{Participants, ProblemSet};
use crate::{cache, kinds, user_tables};

/// Whether to start the native agents of a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NativeAgents {
    /// Starts them.
    Start,
    /// Does not start them; their units cannot be carried out.
    Leave,
}

/// Agents and problems, in the plan's order.
pub struct Workload {
    /// The plan.
    pub plan: Plan,
    /// The plan's agents.
    pub agents: Vec<Contestant>,
    /// The plan's problems.
    pub problems: Box<dyn ProblemSet>,
    /// The agent that predicts in active learning, if it is not the agent that selects.
    pub predictor: Option<Box<Agent>>,
    /// The agents' files under their digests, to keep beside the scores.
    agent_files: Vec<(String, Cow<'static, [u8]>)>,
    /// User-supplied tables, to keep beside the agents.
    table_files: Vec<TableFile>,
}

impl Workload {
    /// Loads what the user requested.
    ///
    /// # Errors
    /// When an agent cannot be loaded, refuses its settings, or cannot take part in the suite.
    pub fn of(
        specs: &[AgentSpec],
        asked: Box<dyn Asked>,
        seed: Seed,
        limits: Limits,
        execution: Execution,
    ) -> Result<Self> {
        let mut loader = Loader {
            runtime: cache::runtime(execution)?,
            interface: asked.interface(),
            limits,
            loaded: HashMap::new(),
        };
        let (mut planned, mut agents) = (Vec::new(), Vec::new());
        for spec in specs {
            let (entry, contestant) = if spec.agent == reference::NAME {
                (planned_reference(spec), asked.reference(&spec.settings)?)
            } else if let Some(folder) = spec.agent.strip_prefix(PREDICTIONS) {
                let predictions = asked.predictions(Path::new(folder))?;
                (predictions.planned(&spec.settings)?, Contestant::Predictions(predictions))
            } else {
                let (entry, agent) = loader.load(spec)?;
                (entry, Contestant::Agent(agent))
            };
            if planned.contains(&entry) {
                bail!("{} is given twice, perhaps under another name; give it once", spec.settings.label(&spec.agent));
            }
            planned.push(entry);
            agents.push(contestant);
        }
        asked.check(&planned, &agents, limits)?;
        let loaded = asked.predictor().map(|spec| loader.load(spec)).transpose()?;
        let (entry, predictor) = loaded.map_or((None, None), |(entry, agent)| {
            let label = entry.settings.label(&entry.agent);
            (Some(PlannedAgent { label, ..entry }), Some(agent))
        });
        let table_files = asked.tables().to_vec();
        let (plan, problems) = asked.into_plan(seed, limits, planned, entry);
        Ok(Self { plan, agents, problems, predictor, agent_files: loader.files(), table_files })
    }

    /// Refuses a plan that names other agents than this command has under the same names, unless the directory keeps theirs.
    ///
    /// # Errors
    /// When there is such an agent.
    pub fn refuse_other_agents(held: &Plan, directory: &RunDirectory) -> Result<()> {
        let components = held.agents.iter().chain(held.predictor());
        let mut own: HashMap<&str, String> = HashMap::new();
        for entry in components.filter(|entry| !entry.is_reference() && entry.reported.is_none()) {
            let Some(bundled) = bundled(entry, directory) else { continue };
            let own = own.entry(bundled.name).or_insert_with(|| digest(bundled.component));
            if *own != entry.digest {
                return Err(another(bundled, own, &entry.digest));
            }
        }
        Ok(())
    }

    /// Makes the workload of a plan anew from the bytes that a directory keeps. The given plan is not trusted: the
    /// workload has the plan that this version makes of the same agents, suite and problems, and the caller compares
    /// the two.
    ///
    /// # Errors
    /// When bytes or data that the plan names are missing or have another digest.
    pub fn of_plan(
        held: &Plan,
        directory: &RunDirectory,
        data: &DataDirectories,
        execution: Execution,
        native: NativeAgents,
        code: Code,
    ) -> Result<Self> {
        if held.images.is_none() {
            data.refuse_images(&held.suite)?;
        }
        let asked = kinds::from_plan(directory, held, data)?;
        let runtime = cache::runtime_with(execution, code)?;
        // An entry without `reported` must have a component, whatever digest it states.
        let mut loaded: HashMap<(bool, String), Agent> = HashMap::new();
        // Returns None for a native agent that is left alone: nothing else may start one.
        let mut reload = |entry: &PlannedAgent| -> Result<Option<Box<Agent>>> {
            if entry.reported.is_some() && native == NativeAgents::Leave {
                return Ok(None);
            }
            let key = (entry.reported.is_some(), entry.digest.clone());
            if let Some(agent) = loaded.get(&key) {
                return Ok(Some(agent.clone().into()));
            }
            if let Some(reached) = &entry.reported {
                let source = Source::parse(reached).with_context(|| format!("{reached} is no native agent"))?;
                let agent = agent_source::start(source, held.limits)?;
                if agent.digest() != entry.digest {
                    bail!("{reached} is not the agent that the plan names: it describes itself in another way");
                }
                loaded.insert(key, agent.clone());
                return Ok(Some(agent.into()));
            }
            let name = Kept::Agent.path(&entry.digest);
            let bundled = bundled(entry, directory);
            let (file, shown) = match bundled {
                Some(bundled) => (Cow::Borrowed(bundled.component), format!("the bundled {}", bundled.name)),
                None => (directory.read(&name)?, directory.shown(&name)),
            };
            let agent = runtime.load(&file, held.limits).with_context(|| format!("failed to load {shown}"))?;
            let agent = Agent::Component(agent.into());
            if agent.digest() != entry.digest {
                return Err(match bundled {
                    Some(bundled) => another(bundled, agent.digest(), &entry.digest),
                    None => anyhow!("{shown} is not the agent that the plan names: its digest is {}", agent.digest()),
                });
            }
            loaded.insert(key, agent.clone());
            Ok(Some(agent.into()))
        };
        let (mut planned, mut agents) = (Vec::new(), Vec::new());
        for entry in &held.agents {
            if entry.is_reference() {
                agents.push(asked.reference(&entry.settings)?);
                let (agent, digest) = (reference::NAME.into(), reference::digest());
                planned.push(PlannedAgent { agent, digest, ..entry.clone() });
            } else if let Some(folder) = entry.reported.as_ref().and_then(|reached| reached.strip_prefix(PREDICTIONS))
                && native == NativeAgents::Start
            {
                let predictions = asked.predictions(Path::new(folder))?;
                let again = predictions.planned(&entry.settings)?;
                planned.push(PlannedAgent { label: entry.label.clone(), ..again });
                agents.push(Contestant::Predictions(predictions));
            } else if let Some(agent) = reload(entry)? {
                planned.push(PlannedAgent { agent: agent.description().name.clone(), ..entry.clone() });
                agents.push(Contestant::Agent(agent));
            } else {
                planned.push(entry.clone());
                agents.push(Contestant::Absent);
            }
        }
        let entry = held.predictor();
        let predictor = entry.map(&mut reload).transpose()?.flatten();
        let entry = entry.map(|entry| {
            let agent = predictor.as_ref().map_or(&entry.agent, |agent| &agent.description().name).clone();
            PlannedAgent { label: entry.settings.label(&agent), agent, ..entry.clone() }
        });
        let (plan, problems) = asked.into_plan(held.seed, held.limits, planned, entry);
        Ok(Self { plan, agents, problems, predictor, agent_files: Vec::new(), table_files: Vec::new() })
    }

    /// Returns the participants and the plan.
    pub fn participants(&self) -> Participants<'_> {
        Participants { plan: &self.plan, agents: &self.agents, predictor: self.predictor.as_deref() }
    }

    /// Returns the problems, if they are of this type: `Vec<Problem>` for classification.
    pub fn problems_as<P: ProblemSet>(&self) -> Option<&P> {
        let problems: &dyn Any = self.problems.as_ref();
        problems.downcast_ref()
    }

    /// Copies the agents and the user-supplied tables into the directory, so that it can be run again anywhere.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn keep_files_in(&self, directory: &RunDirectory) -> Result<()> {
        for (digest, bytes) in &self.agent_files {
            directory.keep(Kept::Agent, digest, bytes)?;
        }
        user_tables::keep(&self.table_files, directory)
    }
}

/// Loads each agent once, however many of its variants take part.
struct Loader {
    runtime: Runtime,
    interface: Interface,
    limits: Limits,
    /// The loaded agents, by their names in specs.
    loaded: HashMap<String, LoadedAgent>,
}

impl Loader {
    /// Returns an agent as it stands in the plan, and the agent itself.
    fn load(&mut self, spec: &AgentSpec) -> Result<(PlannedAgent, Box<Agent>)> {
        if !self.loaded.contains_key(&spec.agent) {
            self.loaded.insert(spec.agent.clone(), agent_source::read(&self.runtime, spec, self.limits)?);
        }
        let agent = &self.loaded[&spec.agent].agent;
        agent_source::refuse(agent, spec, self.limits, self.interface)?;
        let (name, digest) = (agent.description().name.clone(), agent.digest().to_owned());
        let (settings, reported) = (spec.settings.clone(), agent.reported());
        let entry = PlannedAgent { agent: name, label: String::new(), digest, reported, settings };
        Ok((entry, agent.clone().into()))
    }

    /// Returns the agents' files under their digests.
    fn files(self) -> Vec<(String, Cow<'static, [u8]>)> {
        let file = |LoadedAgent { agent, bytes }: LoadedAgent| Some((agent.digest().to_owned(), bytes?));
        self.loaded.into_values().filter_map(file).collect()
    }
}

/// Says that a bundled agent has other bytes than the plan names.
fn another(bundled: &Bundled, own: &str, planned: &str) -> anyhow::Error {
    anyhow!(
        "the bundled {} is not the agent that the plan names: its digest is {own}, and the plan has {planned}; use the build that made \
         the run, for a run in docs/results that of the commit in its origin.json",
        bundled.name
    )
}

/// Returns the bundled agent of an entry's name, unless the directory keeps the entry's own. Published results keep no bytes of agents
/// that this command has, too.
fn bundled(entry: &PlannedAgent, directory: &RunDirectory) -> Option<&'static Bundled> {
    jointly_bundle::find(&entry.agent).filter(|_| !directory.has(&Kept::Agent.path(&entry.digest)))
}

fn planned_reference(spec: &AgentSpec) -> PlannedAgent {
    PlannedAgent {
        agent: reference::NAME.to_owned(),
        label: String::new(),
        digest: reference::digest(),
        reported: None,
        settings: spec.settings.clone(),
    }
}
