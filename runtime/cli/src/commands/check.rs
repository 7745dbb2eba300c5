//! `jointly check`: checks whether an agent keeps its contract.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_core::limits::{MOST_TIMEOUT, USUAL_TIMEOUT};
use jointly_engine::conformance::{self, Subject, Verdict};
use jointly_engine::{agent_source, cache};
use jointly_host::{Execution, Interface, Limits};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::plan::MOST_MEMORY;
use jointly_report::table::described;

use crate::{exit, fuel_argument, output};

/// The default fuel limit: a few minutes of an endless loop, and ten times what `ensemble` takes on so small a problem.
const FUEL: &str = "5e11";

/// Checks that an agent keeps its contract, clause by clause
///
/// Trains it several times on a small problem. A slow agent is checked as well with cheaper settings, such as
/// `agent.wasm:steps=10`; an agent that supports classification and regression is checked for each with the settings
/// that it has for it.
#[derive(Args)]
pub(crate) struct Check {
    /// A path to a .wasm or .py, a bundled name, exec:COMMAND or socket:PATH, with settings
    #[arg(value_name = "AGENT")]
    agent: AgentSpec,
    /// The fuel limit for one training and its samples, roughly in instructions
    #[arg(long, value_name = "N", default_value = FUEL, value_parser = fuel_argument::parse)]
    fuel: u64,
    /// The memory limit of the agent, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().memory >> 20, value_parser = clap::value_parser!(u64).range(1..=MOST_MEMORY))]
    memory: u64,
    /// The time limit of a native agent for one request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = USUAL_TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=MOST_TIMEOUT))]
    request_timeout: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let limits = Limits { fuel: self.fuel, memory: self.memory << 20, timeout: self.request_timeout };
        let runtime = cache::runtime(Execution::Compiled)?;
        let agent = agent_source::load(&runtime, &self.agent, limits)?.agent;
        let mut verdicts: Vec<Verdict> = Vec::new();
        let supported: Vec<Interface> =
            Interface::ALL.into_iter().filter(|interface| agent.supports(*interface)).collect();
        for &interface in &supported {
            let settings = agent_source::own_settings(&agent, &self.agent.settings, interface);
            let subject = Subject::new(&agent, interface, &settings, limits);
            if supported.len() > 1 && !self.json {
                output::print(&format!("as an agent for {interface}:"))?;
            }
            for clause in conformance::CLAUSES.iter().filter(|clause| clause.applies(&agent, interface)) {
                let verdict = clause.hold(&subject);
                if !self.json {
                    let before = verdicts.iter().find(|earlier| earlier.broken == verdict.broken);
                    output::print(&lines(&verdict, before.map(|earlier| earlier.clause)))?;
                }
                verdicts.push(verdict);
            }
        }
        let broken = verdicts.iter().filter(|verdict| verdict.broken.is_some()).count();
        if self.json {
            output::print_json(&verdicts)?;
        } else {
            let (all, name) = (verdicts.len(), &agent.description().name);
            output::print(&match broken {
                0 => format!("{name} keeps all {all} clauses{}", within(&verdicts)),
                _ => format!("{name} breaks {broken} of {all} clauses"),
            })?;
        }
        Ok(ExitCode::from(if broken == 0 { exit::DONE } else { exit::BAD_INPUT }))
    }
}

/// Says how many clauses a native agent keeps within the tolerance only.
fn within(verdicts: &[Verdict]) -> String {
    let near = verdicts.iter().filter(|verdict| verdict.difference.is_some()).count();
    if near == 0 { String::new() } else { format!(", {near} of them within the tolerance and not to the bit") }
}

/// Formats a verdict on one line, or more if it is long. A violation that an earlier clause has shown is not repeated.
fn lines(verdict: &Verdict, broken_before: Option<&str>) -> String {
    let (outcome, text) = match (&verdict.broken, broken_before) {
        (Some(_), Some(earlier)) => ("FAIL", format!("{}: as in {earlier}", verdict.says)),
        (None, _) => match verdict.difference {
            None => ("ok", verdict.says.to_owned()),
            Some(difference) => ("near", format!("{}: within {difference:.0e}, not to the bit", verdict.says)),
        },
        (Some(broken), None) => ("FAIL", format!("{}: {broken}", verdict.says)),
    };
    described(0, &[(format!("{outcome:<4}  {:<15}", verdict.clause), text)])
}
