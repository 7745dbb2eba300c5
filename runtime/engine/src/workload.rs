//! A plan with everything that carrying it out needs: the loaded agents and the problems.

use std::borrow::Cow;
use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use jointly_classification::oracle::Settings as Sampling;
use jointly_classification::shift::{ShiftProblem, ShiftSuite};
use jointly_classification::{Problem, Suite};
use jointly_core::Tokens;
use jointly_host::{Agent, Execution, Interface, Limits, Runtime};
use jointly_record::directory::RunDirectory;
use jointly_record::kept::Kept;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::planned_images::PlannedImages;
use jointly_record::reference;
use jointly_regression::{RegressionProblem, RegressionSuite, TableFile};

use crate::agent_source::{self, LoadedAgent};
use crate::agent_spec::AgentSpec;
use crate::data_directories::DataDirectories;
use crate::{cache, oracle, plans, problems, real_data, regression_suite, shift_suite, user_tables};

/// A participant of a run.
pub enum Contestant {
    /// A component.
    Agent(Box<Agent>),
    /// The host's own reference.
    Oracle(Sampling),
}

/// The problems of a run, in the plan's order.
pub enum Problems {
    /// Classification.
    Classification(Vec<Problem>),
    /// Regression.
    Regression(Vec<RegressionProblem>),
    /// Dataset shift.
    Shift(Vec<ShiftProblem>),
}

/// A suite as a person asked for it.
pub enum Asked {
    /// A suite of classification.
    Classification(Suite),
    /// A suite of regression.
    Regression {
        /// The suite.
        suite: RegressionSuite,
        /// User-supplied tables, in the place of the suite's.
        tables: Vec<TableFile>,
        /// Who predicts in active learning, where it is not the agent that selects.
        predictor: Option<AgentSpec>,
    },
    /// A suite of dataset shift.
    Shift {
        /// The suite.
        suite: ShiftSuite,
        /// How agents see user-supplied images, where the suite is about such.
        images: Option<PlannedImages>,
    },
}

impl Asked {
    /// The interface that its agents must support.
    pub fn interface(&self) -> Interface {
        match self {
            Self::Classification(_) | Self::Shift { .. } => Interface::Classification,
            Self::Regression { .. } => Interface::Regression,
        }
    }

    /// Every bundled agent that can take part in all of its problems, at its defaults.
    pub fn all_bundled(&self) -> Vec<AgentSpec> {
        match self {
            Self::Shift { suite, .. } if problem_with_tokens(suite).is_some() => {
                agent_source::all_bundled_with_tokens()
            }
            _ => agent_source::all_bundled_for(self.interface()),
        }
    }
}

/// Agents and problems, in the plan's order.
pub struct Workload {
    /// The plan.
    pub plan: Plan,
    /// The plan's agents.
    pub agents: Vec<Contestant>,
    /// The plan's problems.
    pub problems: Problems,
    /// Who predicts in active learning, where it is not the agent that selects.
    pub predictor: Option<Box<Agent>>,
    /// The agents' files, to keep beside the scores, under their digests.
    agent_files: Vec<(String, Cow<'static, [u8]>)>,
    /// User-supplied tables, to keep beside the agents.
    table_files: Vec<TableFile>,
}

impl Workload {
    /// Loads what a person asked for.
    ///
    /// # Errors
    /// When an agent cannot be loaded, refuses its settings, or cannot take part in the suite.
    pub fn of(specs: &[AgentSpec], asked: Asked, seed: u64, limits: Limits, execution: Execution) -> Result<Self> {
        let mut loader = Loader {
            runtime: cache::runtime(execution)?,
            interface: asked.interface(),
            limits,
            loaded: HashMap::new(),
        };
        let (mut planned, mut agents) = (Vec::new(), Vec::new());
        for spec in specs {
            let (entry, contestant) = match &asked {
                Asked::Classification(suite) if spec.agent == reference::NAME => {
                    oracle::refuse_unknown_laws(&suite.problems)?;
                    let sampling = oracle::sampling(&spec.settings, &suite.evaluation)?;
                    (planned_oracle(spec), Contestant::Oracle(sampling))
                }
                Asked::Regression { suite, .. } if spec.agent == reference::NAME => {
                    bail!(
                        "the {} takes part in classification only: {} is a suite of regression, whose problems have \
                         oracles of their own; leave it out",
                        reference::NAME,
                        suite.name
                    )
                }
                Asked::Shift { suite, .. } if spec.agent == reference::NAME => {
                    bail!(
                        "the {} takes part in suites of sampled environments only: the truth of {} is not known; leave \
                         it out",
                        reference::NAME,
                        suite.name
                    )
                }
                _ => {
                    let (entry, agent) = loader.load(spec)?;
                    (entry, Contestant::Agent(agent))
                }
            };
            if planned.contains(&entry) {
                bail!("{} is given twice, perhaps under another name; give it once", spec.settings.label(&spec.agent));
            }
            planned.push(entry);
            agents.push(contestant);
        }
        match asked {
            Asked::Classification(suite) => {
                real_data::fits(&suite, limits)?;
                let plan = plans::of_classification(&suite, seed, limits, planned);
                let problems = Problems::Classification(suite.problems);
                Ok(Self {
                    plan,
                    agents,
                    problems,
                    predictor: None,
                    agent_files: loader.files(),
                    table_files: Vec::new(),
                })
            }
            Asked::Regression { suite, tables, predictor } => {
                let loaded = predictor.map(|spec| loader.load(&spec)).transpose()?;
                let (entry, predictor) = loaded.map_or((None, None), |(entry, agent)| {
                    let label = entry.settings.label(&entry.agent);
                    (Some(PlannedAgent { label, ..entry }), Some(agent))
                });
                let plan = on_tables(plans::of_regression(&suite, seed, limits, planned, entry), &tables);
                let problems = Problems::Regression(suite.problems);
                Ok(Self { plan, agents, problems, predictor, agent_files: loader.files(), table_files: tables })
            }
            Asked::Shift { suite, images } => {
                refuse_without_tokens(&suite, &planned, &agents)?;
                let plan = Plan { images, ..plans::of_shift(&suite, seed, limits, planned) };
                let problems = Problems::Shift(suite.problems);
                Ok(Self {
                    plan,
                    agents,
                    problems,
                    predictor: None,
                    agent_files: loader.files(),
                    table_files: Vec::new(),
                })
            }
        }
    }

    /// Makes anew what a plan asks for, of the bytes that a directory keeps. Nothing that the plan says is believed: the
    /// workload's is the one that this version makes of the same agents, suite and problems, and whether it is the same plan
    /// is for the caller to see.
    ///
    /// # Errors
    /// When bytes or data that the plan names are missing or have another digest.
    pub fn of_plan(
        held: &Plan,
        directory: &RunDirectory,
        data: &DataDirectories,
        execution: Execution,
    ) -> Result<Self> {
        if held.images.is_none() {
            data.refuse_images(&held.suite)?;
        }
        let asked = if held.regression().is_some() {
            let tables = user_tables::held(directory, held)?;
            Asked::Regression { suite: regression_suite::held(held, &tables, data)?, tables, predictor: None }
        } else if held.shift().is_some() {
            Asked::Shift { suite: shift_suite::held(held, data)?, images: held.images }
        } else {
            Asked::Classification(problems::held(directory, held, data)?)
        };
        let runtime = cache::runtime(execution)?;
        let mut loaded: HashMap<String, Agent> = HashMap::new();
        let mut reload = |entry: &PlannedAgent| -> Result<Box<Agent>> {
            if let Some(agent) = loaded.get(&entry.digest) {
                return Ok(agent.clone().into());
            }
            let name = Kept::Agent.path(&entry.digest);
            let shown = directory.shown(&name);
            let file = directory.read(&name)?;
            let agent = runtime.load(&file, held.limits).with_context(|| format!("failed to load {shown}"))?;
            if agent.digest() != entry.digest {
                bail!("{shown} is not the agent that the plan names: its digest is {}", agent.digest());
            }
            loaded.insert(entry.digest.clone(), agent.clone());
            Ok(agent.into())
        };
        let (mut planned, mut agents) = (Vec::new(), Vec::new());
        for entry in &held.agents {
            match &asked {
                Asked::Classification(suite) if entry.is_reference() => {
                    oracle::refuse_unknown_laws(&suite.problems)?;
                    agents.push(Contestant::Oracle(oracle::sampling(&entry.settings, &suite.evaluation)?));
                    planned.push(PlannedAgent {
                        agent: reference::NAME.into(),
                        digest: reference::digest(),
                        ..entry.clone()
                    });
                }
                _ => {
                    let agent = reload(entry)?;
                    planned.push(PlannedAgent { agent: agent.description().name.clone(), ..entry.clone() });
                    agents.push(Contestant::Agent(agent));
                }
            }
        }
        let (plan, problems, predictor) = match asked {
            Asked::Classification(suite) => (
                plans::of_classification(&suite, held.seed, held.limits, planned),
                Problems::Classification(suite.problems),
                None,
            ),
            Asked::Regression { suite, tables, .. } => {
                let entry = held.predictor();
                let predictor = entry.map(&mut reload).transpose()?;
                let entry = entry.zip(predictor.as_ref()).map(|(entry, agent)| {
                    let agent = agent.description().name.clone();
                    PlannedAgent { label: entry.settings.label(&agent), agent, ..entry.clone() }
                });
                let plan = on_tables(plans::of_regression(&suite, held.seed, held.limits, planned, entry), &tables);
                (plan, Problems::Regression(suite.problems), predictor)
            }
            Asked::Shift { suite, images } => {
                let plan = Plan { images, ..plans::of_shift(&suite, held.seed, held.limits, planned) };
                (plan, Problems::Shift(suite.problems), None)
            }
        };
        Ok(Self { plan, agents, problems, predictor, agent_files: Vec::new(), table_files: Vec::new() })
    }

    /// Puts copies of the agents and of user-supplied tables into the directory, so that it can be run again anywhere.
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

/// The plan on user-supplied tables.
fn on_tables(plan: Plan, tables: &[TableFile]) -> Plan {
    Plan { tables: tables.iter().map(plans::planned_table).collect(), ..plan }
}

/// The first problem of a suite whose inputs have tokens.
fn problem_with_tokens(suite: &ShiftSuite) -> Option<&ShiftProblem> {
    suite.problems.iter().find(|problem| problem.task().tokens != Tokens::Absent)
}

/// Refuses agents without tokens where a problem's inputs have some, before any unit is paid for: an agent that cannot take part
/// in every problem would have no rank.
fn refuse_without_tokens(suite: &ShiftSuite, planned: &[PlannedAgent], agents: &[Contestant]) -> Result<()> {
    let Some(problem) = problem_with_tokens(suite) else { return Ok(()) };
    let takes = |agent: &Contestant| matches!(agent, Contestant::Agent(agent) if agent.description().tokens);
    let Some((planned, _)) = planned.iter().zip(agents).find(|(_, agent)| !takes(agent)) else { return Ok(()) };
    let others = suite.problems.iter().any(|problem| problem.task().tokens == Tokens::Absent);
    let leave_out = if others { ", or leave out such problems by --problems" } else { "" };
    let able: Vec<String> = agent_source::all_bundled_with_tokens().into_iter().map(|spec| spec.agent).collect();
    bail!(
        "{} takes no tokens, and inputs of {} in {} are words or categories: give agents that take tokens (bundled: {}){leave_out}",
        planned.agent,
        problem.name,
        suite.name,
        able.join(", ")
    )
}

/// Loads each agent once, however many variants of it take part.
struct Loader {
    runtime: Runtime,
    interface: Interface,
    limits: Limits,
    /// By what specs call them.
    loaded: HashMap<String, LoadedAgent>,
}

impl Loader {
    /// An agent as the plan has it, and itself.
    fn load(&mut self, spec: &AgentSpec) -> Result<(PlannedAgent, Box<Agent>)> {
        if !self.loaded.contains_key(&spec.agent) {
            self.loaded.insert(spec.agent.clone(), agent_source::read(&self.runtime, spec, self.limits)?);
        }
        let agent = &self.loaded[&spec.agent].agent;
        agent_source::refuse(agent, spec, self.limits, self.interface)?;
        let (name, digest) = (agent.description().name.clone(), agent.digest().to_owned());
        let entry = PlannedAgent { agent: name, label: String::new(), digest, settings: spec.settings.clone() };
        Ok((entry, agent.clone().into()))
    }

    /// The agents' files under their digests.
    fn files(self) -> Vec<(String, Cow<'static, [u8]>)> {
        self.loaded.into_values().map(|loaded| (loaded.agent.digest().to_owned(), loaded.bytes)).collect()
    }
}

fn planned_oracle(spec: &AgentSpec) -> PlannedAgent {
    PlannedAgent {
        agent: reference::NAME.to_owned(),
        label: String::new(),
        digest: reference::digest(),
        settings: spec.settings.clone(),
    }
}
