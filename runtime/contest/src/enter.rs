//! Enters agents into a contest.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use jointly_core::Seed;
use jointly_engine::data_directories::DataDirectories;
use jointly_engine::kinds;
use jointly_engine::workload::Workload;
use jointly_host::Execution;
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory::{self, RunDirectory};
use jointly_record::format::Format;
use jointly_record::kept::Kept;
use jointly_record::pack;
use jointly_record::plan::{Plan, PlannedAgent};

use crate::draw;
use crate::entry::ContestEntry;
use crate::folder::ContestFolder;
use crate::secret::Secret;
use crate::time::Time;

/// Enters agents under a name; returns the digests of the entries with them. An agent is given as in `jointly run`, or as
/// the directory or the pack of a run, which stands for all components of its plan.
///
/// # Errors
/// When the contest is closed, an agent cannot take part, it was entered before, or its entrant has too many entries.
/// Then nothing is entered.
pub fn enter(
    folder: &ContestFolder,
    agents: &[AgentSpec],
    by: &str,
    secret: Option<&Secret>,
    data: &DataDirectories,
) -> Result<Vec<(String, ContestEntry)>> {
    let (rules, at) = (&folder.rules, Time::now());
    ensure!(folder.list()?.is_none(), "{} is closed: it takes no entries", rules.name);
    if let Some(until) = rules.until.filter(|until| *until < at) {
        bail!("{} took entries until {until}, and it is {at}", rules.name);
    }
    let scratch = tempfile::tempdir().context("failed to make a temporary folder")?;
    let agents = agents.iter().map(|spec| components(spec, scratch.path())).collect::<Result<Vec<_>>>()?.concat();
    let workload = load(folder, &agents, data)?;
    let mut entries = folder.entries()?;
    let before = entries.len();
    for planned in &workload.plan.agents {
        ensure!(planned.is_component(), "{} is not a component: others could not run it again", planned.label);
        let entry = ContestEntry {
            format: Format,
            rules: folder.rules_digest.clone(),
            agent: planned.agent.clone(),
            digest: planned.digest.clone(),
            settings: planned.settings.clone(),
            by: by.to_owned(),
            at,
            commitment: secret.map(Secret::commitment),
        };
        if let Some(defect) = entry.defect(rules, &folder.rules_digest) {
            bail!("{} cannot be entered: {defect}", planned.label);
        }
        if let Some((_, held)) = entries.iter().find(|(_, held)| held.planned().has_bytes_and_settings_of(planned)) {
            bail!("{} is entered already, as {}: leave it out", planned.label, held.shown());
        }
        entries.push((String::new(), entry));
    }
    draw::refuse_against(rules, at, &entries)?;
    folder.refuse_more_than(entries.len())?;
    workload.keep_files_in(folder.files())?;
    let entered = entries.drain(before..).map(|(_, entry)| entry).collect();
    folder.add(entered)
}

/// Loads agents and lets them and the suite refuse one another, as a run does.
fn load(folder: &ContestFolder, agents: &[AgentSpec], data: &DataDirectories) -> Result<Workload> {
    let Plan { limits, .. } = folder.rules.plan;
    let suite = kinds::from_plan(folder.files(), &folder.rules.plan, data)?;
    let workload = Workload::of(agents, suite, Seed::default(), limits, Execution::Compiled)?;
    match workload.plan.defect() {
        Some(defect) => bail!("this entry cannot be taken: {defect}"),
        None => Ok(workload),
    }
}

/// Returns the agents that a spec stands for: those of a run or a pack by copies of their components, any other as it is.
fn components(spec: &AgentSpec, scratch: &Path) -> Result<Vec<AgentSpec>> {
    let path = Path::new(&spec.agent);
    let run = if path.join(directory::PLAN).exists() {
        RunDirectory::existing(path)?
    } else if path.extension().is_some_and(|extension| extension == pack::EXTENSION) && path.is_file() {
        RunDirectory::packed(path, pack::unpack(path)?.members)?
    } else {
        return Ok(vec![spec.clone()]);
    };
    ensure!(
        spec.settings.names().next().is_none(),
        "{} is a run, whose agents have their settings: leave the settings out",
        spec.agent
    );
    let copy = |agent: &PlannedAgent| {
        let copy = scratch.join(Kept::Agent.path(&agent.digest).replace('/', "-"));
        fs::write(&copy, run.whole(Kept::Agent, &agent.digest)?).context("failed to copy a component")?;
        Ok(AgentSpec { agent: copy.to_string_lossy().into_owned(), settings: agent.settings.clone() })
    };
    let plan = run.plan()?;
    let copies = plan.agents.iter().filter(|agent| agent.is_component()).map(copy).collect::<Result<Vec<_>>>()?;
    ensure!(!copies.is_empty(), "{} has no component that could be entered", spec.agent);
    Ok(copies)
}
