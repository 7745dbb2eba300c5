//! `jointly worker`: reads units and writes results, for schedulers that spread a run over machines.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use jointly_engine::activity::Activity;
use jointly_engine::cache::Code;
use jointly_engine::execution::{self, Finished};
use jointly_engine::problem_set::Belief;
use jointly_engine::workload::{NativeAgents, Workload};
use jointly_record::directory::RunDirectory;
use jointly_record::journal;
use jointly_record::plan::Plan;
use jointly_record::suites;
use jointly_record::unit::Unit;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data_arguments::DataArguments;
use crate::engine_argument::EngineArgument;
use crate::{exit, native_argument};

/// The longest line accepted, in bytes. A plan of a million units takes a fraction of that.
const MAX_LINE: u64 = 256 << 20;

/// Runs units for another process that keeps the run: reads a message a line from standard input, and answers on
/// standard output
///
/// The first line in is {"plan": P, "files": DIR}: plan.json, as `jointly run --plan-only` writes it, and a folder with
/// the agents, problems and tables that it names, by their digests, as the directory of the run has them. The first
/// line out is {"version": V, "engine": E, "plan": D}, with the digest of the plan that this command makes of the same
/// agents and problems; another plan is refused.
///
/// From there on a line in is a unit, {"agent": LABEL, "problem": NAME}, and the line out, in the same order, is
/// exactly its line of the journal; for correlations, {"belief": DIGEST, "base64": BYTES} comes before it. {"unrun":
/// WHY} stands in its place where the machine could not run the unit, which says nothing about the agent. The worker
/// ends at the end of its input.
#[derive(Args)]
pub(crate) struct Worker {
    /// The engine that runs agents; no score depends on it
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArgument,
    /// Start the native agents that the plan names
    #[arg(long)]
    native: bool,
    #[command(flatten)]
    data: DataArguments,
}

/// The first message to a worker.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hello {
    /// The plan, not yet parsed, because one of another version may not be readable.
    plan: Value,
    files: PathBuf,
}

/// The answer to the first message.
#[derive(Serialize)]
struct Answer<'a> {
    version: &'a str,
    engine: &'a str,
    plan: String,
}

/// A unit, named as in the plan.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    agent: String,
    problem: String,
}

impl Worker {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let served = execution::with_room(|| self.serve(&mut io::stdin().lock(), &mut io::stdout()));
        match served {
            // The scheduler has gone away, so there is no more work.
            Err(error) if is_broken_pipe(&error) => Ok(ExitCode::from(exit::DONE)),
            served => served.map(|()| ExitCode::from(exit::DONE)),
        }
    }

    fn serve(&self, messages: &mut impl BufRead, answers: &mut impl Write) -> Result<()> {
        let Some(line) = next(messages, 1)? else { bail!("no input: the first line must have the plan; see --help") };
        let hello: Hello = serde_json::from_slice(&line)
            .context("failed to read line 1: expected {\"plan\": the text of plan.json, \"files\": a folder}")?;
        let workload = self.workload(hello)?;
        let plan = &workload.plan;
        let answer = Answer { version: &plan.version, engine: &plan.engine, plan: plan.digest()? };
        say(answers, &serde_json::to_vec(&answer)?)?;

        let places = |names: Vec<&str>| -> HashMap<String, usize> {
            names.iter().enumerate().map(|(at, name)| ((*name).to_owned(), at)).collect()
        };
        let agents = places(plan.agents.iter().map(|agent| agent.label.as_str()).collect());
        let problems = places(plan.problems.iter().map(|problem| problem.problem.as_str()).collect());
        for number in 2.. {
            let Some(line) = next(messages, number)? else { break };
            let Asked { agent, problem } = serde_json::from_slice(&line).with_context(|| {
                format!("failed to read line {number}: expected {{\"agent\": a label, \"problem\": a name}}")
            })?;
            let (Some(&agent), Some(&problem)) = (agents.get(&agent), problems.get(&problem)) else {
                bail!("line {number} asks for {agent} on {problem}, which is not a unit of the plan")
            };
            let finished = execution::carry_out(&workload, Unit { agent, problem }, &Activity::default());
            answer_with(answers, finished)?;
        }
        Ok(())
    }

    /// Makes the workload of the plan.
    fn workload(&self, Hello { plan, files }: Hello) -> Result<Workload> {
        let (own, theirs) = (env!("CARGO_PKG_VERSION"), plan["version"].as_str().unwrap_or("no version"));
        ensure!(theirs == own, "the plan was made by version {theirs} and this is {own}; use one version everywhere");
        let mut plan: Plan = serde_json::from_value(plan).context("failed to read the plan of line 1")?;
        // Digests in the plan name files below the folder, so the plan is checked first.
        if let Some(defect) = plan.defect() {
            bail!("the plan of line 1 is not one that this command made: {defect}");
        }
        suites::place(&mut plan);
        let files = RunDirectory::of_kept_files(files);
        native_argument::refuse_unless(self.native, &plan)?;
        let data = self.data.directories();
        let workload = Workload::of_plan(&plan, &files, &data, self.engine.into(), NativeAgents::Start, Code::Cached)?;
        match workload.plan.difference(&plan) {
            None => Ok(workload),
            Some(difference) => bail!("the plan of line 1 is not the one that this command makes ({difference})"),
        }
    }
}

/// Reads the next line, without its end, or `None` at the end of the input.
fn next(messages: &mut impl BufRead, number: u64) -> Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    messages.take(MAX_LINE).read_until(b'\n', &mut line).context("failed to read standard input")?;
    ensure!((line.len() as u64) < MAX_LINE, "line {number} is longer than any message");
    let ended = line.last() == Some(&b'\n');
    if ended {
        line.pop();
    }
    Ok((ended || !line.is_empty()).then_some(line))
}

/// Writes a unit's result; a belief comes before the line that names it, as in a directory.
fn answer_with(answers: &mut impl Write, Finished { result, belief }: Finished) -> Result<()> {
    if let Err(error) = execution::recordable(&result) {
        return say(answers, &serde_json::to_vec(&json!({ "unrun": format!("{error:#}") }))?);
    }
    if let Some(Belief { digest, bytes }) = belief {
        say(answers, &serde_json::to_vec(&json!({ "belief": digest, "base64": STANDARD.encode(bytes) }))?)?;
    }
    say(answers, journal::line(&result)?.as_bytes())
}

fn say(answers: &mut impl Write, line: &[u8]) -> Result<()> {
    let line = [line, b"\n"].concat();
    answers.write_all(&line).and_then(|()| answers.flush()).context("failed to write to standard output")
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(kind))
}
