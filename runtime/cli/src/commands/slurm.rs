//! `jointly slurm`: a run as a batch script of Slurm.

use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::agent_spec::AgentSpec;
use crate::request::{Request, usual_place};
use crate::shard::MOST;
use crate::slurm::Script;
use crate::table::counted;
use crate::{command_line, exit, output};

/// Prints a batch script that runs agents as an array of Slurm and merges the results
///
/// Takes what `jointly run` takes, and prints a script for a file that all nodes see: `sh FILE` submits an array of N tasks,
/// each a shard in a directory of its own, and a merge that waits for all of them. Tasks that are requeued go on where
/// they stopped. The merged scores are those of one machine, to the byte.
#[derive(Args)]
pub(crate) struct Slurm {
    /// A bundled name or a path to a .wasm, with settings: ensemble+:size=30,prior-scale=1. None means all bundled
    /// that learn what the suite is about
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    /// Tasks of the array, each on one node; each runs --jobs units at a time [default: 1], on as many CPUs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    nodes: u32,
    /// An option of sbatch for the array and the merge, such as --sbatch=--time=04:00:00; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    #[command(flatten)]
    request: Request,
}

/// Options of this command that are none of the tasks'.
const OWN: [&str; 3] = ["--nodes", "--sbatch", "--out"];
/// What the script settles itself.
const SETTLED: [&str; 5] = ["--array", "-a", "--dependency", "-d", "--wrap"];

impl Slurm {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        self.request.refuse_shard("every task of the array has its own; leave it out")?;
        for option in &self.sbatch {
            ensure!(
                option.starts_with('-') && !option.chars().any(char::is_control),
                "{option:?} is no option of sbatch; give one such as --sbatch=--time=04:00:00"
            );
            let name = option.split('=').next().unwrap_or(option);
            ensure!(!SETTLED.contains(&name), "the script settles {name} itself: leave out --sbatch {option}");
        }
        // What the tasks would refuse is refused here.
        let plan = self.request.workload(&self.agents)?.plan;
        let out = match self.request.out() {
            Some(out) => out.to_owned(),
            None => usual_place(&plan)?,
        };
        let path = |path: &std::path::Path| {
            let text = path.to_str().map(str::to_owned);
            text.with_context(|| format!("{} is not UTF-8, which a script is written in; rename it", path.display()))
        };
        let words = std::env::args_os().skip(2);
        let Some(mut words) = command_line::without(words, &OWN) else {
            bail!("an argument is not UTF-8, which a script is written in; rename it")
        };
        if self.request.jobs().is_none() {
            words.splice(0..0, ["--jobs", "1"].map(String::from));
        }
        let units = counted(plan.agents.len() * plan.problems.len(), "unit");
        let script = Script {
            name: format!("jointly-{}", plan.short_name()?),
            about: format!(
                "{units} of {} in {}, merged into {}",
                plan.suite,
                counted(self.nodes as usize, "task"),
                path(&out)?
            ),
            tasks: self.nodes,
            cpus: self.request.jobs().map_or(1, std::num::NonZero::get),
            options: self.sbatch,
            folder: path(&std::env::current_dir().context("failed to find the current directory")?)?,
            jointly: path(&std::env::current_exe().context("failed to find this command itself")?)?,
            out: path(&out)?,
            words,
        };
        output::print(&script.text())?;
        Ok(ExitCode::from(exit::DONE))
    }
}
