//! A plan with everything that carrying it out needs: the loaded agents and the problems.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use globset::Glob;
use jointly_core::{ImportedProblem, Problem, Source, Suite};
use jointly_host::{Agent, Limits, Runtime};

use crate::agent_source;
use crate::agent_spec::AgentSpec;
use crate::cache;
use crate::directory::{Kept, RunDirectory};
use crate::plan::{Plan, PlannedAgent, PlannedProblem};

/// The suite of problems that are given as files.
pub(crate) const IMPORTED: &str = "imported";

/// Agents and problems, in the plan's order.
pub(crate) struct Workload {
    pub(crate) plan: Plan,
    pub(crate) agents: Vec<Agent>,
    pub(crate) problems: Vec<Problem>,
    /// The agents' files, to keep beside the scores.
    agent_files: Vec<Cow<'static, [u8]>>,
    /// The imported problems' files, by digest.
    problem_files: Vec<(String, Vec<u8>)>,
}

/// What a person asked to run.
pub(crate) struct Request<'a> {
    pub(crate) agents: Vec<AgentSpec>,
    pub(crate) suite: Option<&'a str>,
    pub(crate) pattern: Option<&'a str>,
    pub(crate) files: &'a [PathBuf],
    pub(crate) seed: u64,
    pub(crate) limits: Limits,
}

impl Workload {
    /// Loads what a person asked for.
    pub(crate) fn of(request: &Request) -> Result<Self> {
        let (mut suite, problem_files) = requested_suite(request)?;
        if let Some(pattern) = request.pattern {
            restrict(&mut suite, pattern)?;
        }
        let runtime = Runtime::new(cache::directory().as_deref())?;
        let (mut planned, mut agents, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        for spec in &request.agents {
            let loaded = agent_source::load(&runtime, spec)?;
            let entry = PlannedAgent {
                agent: loaded.agent.description().name.clone(),
                label: String::new(),
                digest: loaded.agent.digest().to_owned(),
                settings: spec.settings.clone(),
            };
            if planned.contains(&entry) {
                bail!("{} is asked for twice; name it once", spec.settings.label(&spec.agent));
            }
            planned.push(entry);
            agents.push(loaded.agent);
            bytes.push(loaded.bytes);
        }
        let problems = suite.problems.iter().map(planned_problem).collect();
        let plan = Plan::new(&suite.name, suite.evaluation, request.seed, request.limits, planned, problems);
        Ok(Self { plan, agents, problems: suite.problems, agent_files: bytes, problem_files })
    }

    /// Loads a run again from its own directory, checking every digest.
    pub(crate) fn from_directory(directory: &RunDirectory) -> Result<Self> {
        let plan = directory.plan()?;
        if plan.version != env!("CARGO_PKG_VERSION") {
            let (held, own) = (&plan.version, env!("CARGO_PKG_VERSION"));
            bail!("{} was made by version {held} and this is {own}; use that version", directory.path().display());
        }
        let runtime = Runtime::new(cache::directory().as_deref())?;
        let mut agents = Vec::new();
        for planned in &plan.agents {
            let path = directory.kept(Kept::Agent, &planned.digest);
            let file = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
            let agent = runtime.load(&file).with_context(|| format!("failed to load {}", path.display()))?;
            if agent.digest() != planned.digest {
                bail!("{} is not the agent that the plan names: its digest is {}", path.display(), agent.digest());
            }
            agents.push(agent);
        }
        let problems = plan.problems.iter().map(|problem| kept_problem(directory, &plan.suite, problem));
        let problems = problems.collect::<Result<_>>()?;
        Ok(Self { plan, agents, problems, agent_files: Vec::new(), problem_files: Vec::new() })
    }

    /// Puts copies of agents and problems into the directory, so that it can be run again anywhere.
    pub(crate) fn keep_in(&self, directory: &RunDirectory) -> Result<()> {
        for (planned, bytes) in self.plan.agents.iter().zip(&self.agent_files) {
            directory.keep(Kept::Agent, &planned.digest, bytes)?;
        }
        for (digest, bytes) in &self.problem_files {
            directory.keep(Kept::Problem, digest, bytes)?;
        }
        Ok(())
    }
}

/// A suite, and the files of its imported problems by digest.
type SuiteWithFiles = (Suite, Vec<(String, Vec<u8>)>);

fn requested_suite(request: &Request) -> Result<SuiteWithFiles> {
    match (request.suite, request.files) {
        (Some(IMPORTED), []) => bail!("the suite {IMPORTED} needs --problem FILE.npz"),
        (None, []) => bail!("nothing to run: give --suite ({}) or --problem FILE.npz", suite_names()),
        (None | Some(IMPORTED), files) => {
            let (problems, kept): (Vec<_>, Vec<_>) =
                files.iter().map(|file| imported(file)).collect::<Result<Vec<_>>>()?.into_iter().unzip();
            if let Some(twice) = first_repeated(&problems) {
                bail!("two problem files have the name {twice}; rename one");
            }
            Ok((Suite::imported(problems), kept))
        }
        (Some(name), []) => Ok((named_suite(name)?, Vec::new())),
        (Some(name), _) => {
            bail!("--problem makes a suite of its own: leave out --suite {name}, or run it into another --out")
        }
    }
}

fn named_suite(name: &str) -> Result<Suite> {
    jointly_core::suite(name).with_context(|| format!("there is no suite {name}; there are {}", suite_names()))
}

fn suite_names() -> String {
    let names: Vec<String> = jointly_core::suites().into_iter().map(|suite| suite.name).collect();
    names.join(", ")
}

/// A problem named by its file, and the file's digest and bytes.
fn imported(file: &Path) -> Result<(Problem, (String, Vec<u8>))> {
    let bytes = fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
    let imported = ImportedProblem::from_bytes(&bytes, file)?;
    let stem = file.file_stem().map_or_else(|| "problem".into(), |stem| stem.to_string_lossy().into_owned());
    let digest = imported.digest.clone();
    let problem = Problem { name: format!("{IMPORTED}/{stem}"), source: Source::Imported(imported.into()) };
    Ok((problem, (digest, bytes)))
}

fn first_repeated(problems: &[Problem]) -> Option<&str> {
    let repeated = |at: usize| problems[..at].iter().any(|earlier| earlier.name == problems[at].name);
    (0..problems.len()).find(|at| repeated(*at)).map(|at| problems[at].name.as_str())
}

fn restrict(suite: &mut Suite, pattern: &str) -> Result<()> {
    let glob = Glob::new(pattern).with_context(|| format!("failed to read the pattern {pattern}"))?.compile_matcher();
    let example = suite.problems.first().map(|problem| problem.name.clone()).unwrap_or_default();
    suite.problems.retain(|problem| glob.is_match(&problem.name));
    if suite.problems.is_empty() {
        bail!("no problem of {} matches {pattern}; a name looks like {example}", suite.name);
    }
    Ok(())
}

fn planned_problem(problem: &Problem) -> PlannedProblem {
    let digest = match &problem.source {
        Source::Imported(imported) => Some(imported.digest.clone()),
        Source::Synthetic { .. } => None,
    };
    PlannedProblem { problem: problem.name.clone(), metric: problem.metric(), digest }
}

fn kept_problem(directory: &RunDirectory, suite: &str, planned: &PlannedProblem) -> Result<Problem> {
    let Some(digest) = &planned.digest else {
        let problem = named_suite(suite)?.problems.into_iter().find(|problem| problem.name == planned.problem);
        return problem.with_context(|| format!("the suite {suite} has no problem {}", planned.problem));
    };
    let path = directory.kept(Kept::Problem, digest);
    let imported = ImportedProblem::read(&path)?;
    if imported.digest != *digest {
        bail!("{} is not the problem that the plan names: its digest is {}", path.display(), imported.digest);
    }
    Ok(Problem { name: planned.problem.clone(), source: Source::Imported(imported.into()) })
}
