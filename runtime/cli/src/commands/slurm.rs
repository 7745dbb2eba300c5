//! `jointly slurm`: makes a batch script of Slurm for a run.

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use jointly_core::printable::ShowPath as _;
use jointly_engine::slurm::Script;
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory::RunDirectory;
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use jointly_record::shard::{self, MOST, Shard};

use crate::request::Request;
use crate::{exit, output};

/// Plans a run and prints a batch script that carries it out as an array of Slurm and merges the results
///
/// It takes the options of `jointly run`. The run is planned in DIR, with copies of the agents, so that all tasks run
/// the same plan whatever changes meanwhile. `sh FILE` submits an array of N tasks, each a shard in a directory of its
/// own, and a merge into DIR that waits for all of them. All nodes must see FILE, DIR and this folder. Requeued tasks
/// continue where they stopped. The merged scores are those of one machine, to the byte.
#[derive(Args)]
#[command(mut_arg("shard", |it| it.hide(true)), mut_arg("shards", |it| it.hide(true)), mut_arg("timeout", |it| it.hide(true)))]
pub(crate) struct Slurm {
    /// A bundled name, a path to a .wasm or .py, exec:COMMAND or socket:PATH, with settings:
    /// ensemble+:size=30,prior-scale=1, agent.py:size=5, 'exec:Rscript agent.R :size=5'. None means all bundled agents that
    /// support the suite
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    /// The number of tasks of the array; Slurm takes a thousand by default. Each runs --jobs units at a time [default:
    /// 1], on as many CPUs of a node
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    nodes: u32,
    /// An option of sbatch for the array and the merge, such as --sbatch=--time=04:00:00; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    #[command(flatten)]
    request: Request,
}

/// The options that the script sets itself, with an explanation for each.
const SETTLED: [(&str, &str, &str); 9] = [
    ("--array", "-a", "give --nodes"),
    ("--dependency", "-d", "the merge waits for the array"),
    ("--cpus-per-task", "-c", "give --jobs"),
    ("--ntasks", "-n", "a task of the array is one process"),
    ("--requeue", "--requeue", "it always is"),
    ("--no-requeue", "--no-requeue", "a task that is requeued goes on where it stopped"),
    ("--open-mode", "--open-mode", "so that a requeued task keeps what it said before"),
    ("--wrap", "--wrap", "the script is what is run"),
    ("--parsable", "--parsable", "it reads what sbatch answers"),
];

impl Slurm {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        self.request.refuse_shard("every task of the array has its own; leave it out")?;
        self.request.refuse_timeout("Slurm ends what takes too long; give --sbatch=--time=HH:MM:SS")?;
        self.sbatch.iter().try_for_each(|option| refuse_settled(option))?;
        let jobs = self.request.jobs().map_or(1, NonZero::get);
        let native = self.agents.iter().any(AgentSpec::is_native) || self.request.native();
        let words = self.request.of_workers(native);
        let planned = self.request.plan(&self.agents)?;
        let (plan, out) = (&planned.workload.plan, planned.directory.path());
        ensure!(out.file_name().is_some(), "--out {} has no name of its own; name a directory", out.shown());
        let mut options = vec!["--jobs".to_owned(), jobs.to_string()];
        options.extend(words.iter().map(|word| text(word)).collect::<Result<Vec<_>>>()?);
        if !planned.journal.lines().is_empty() {
            options.extend(["--reuse".to_owned(), text(out.as_os_str())?]);
        }
        let count = planned.share.size();
        let units = counted(count, "unit");
        ensure!(
            self.nodes as usize <= count,
            "{} would leave some without a unit, because there are {units}: give --nodes {count} or less",
            counted(self.nodes as usize, "task")
        );
        let shards = shard::beside(out, ".shards");
        refuse_other_shards(&shards, self.nodes, plan)?;
        let script = Script {
            name: format!("jointly-{}", plan.short_name()?),
            about: format!("{units} of {} in {}", plan.suite, counted(self.nodes as usize, "task")),
            tasks: self.nodes,
            cpus: jobs,
            options: self.sbatch,
            folder: text(std::env::current_dir().context("failed to find the current directory")?.as_os_str())?,
            jointly: text(std::env::current_exe().context("failed to find this command itself")?.as_os_str())?,
            out: text(out.as_os_str())?,
            shards: text(shards.as_os_str())?,
            words: options,
        };
        output::note(&planned.summary());
        output::print(&script.text())?;
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Refuses a folder with directories of an earlier array that had another plan or number of tasks, whose results would
/// be in the way or be ignored.
fn refuse_other_shards(folder: &Path, tasks: u32, plan: &Plan) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let Ok(directory) = RunDirectory::existing(&path) else { continue };
        let Some(held) = Shard::held(&directory)? else { continue };
        if let Some(difference) = directory.plan()?.difference(plan) {
            bail!(
                "{} is of another plan (it has {difference}): delete {}, or give another --out",
                path.shown(),
                folder.shown()
            );
        }
        if held.of != tasks {
            bail!(
                "{} is of {} tasks: give --nodes {} to go on with them, delete {}, or give another --out",
                path.shown(),
                held.of,
                held.of,
                folder.shown()
            );
        }
    }
    Ok(())
}

/// Refuses a text that is no option, and options that the script sets itself.
fn refuse_settled(option: &str) -> Result<()> {
    ensure!(
        option.starts_with('-') && !option.chars().any(char::is_control),
        "{option:?} is not an option of sbatch; give one such as --sbatch=--time=04:00:00"
    );
    let name = option.split('=').next().unwrap_or(option);
    ensure!(!name.contains(' '), "{option:?} is not an option of sbatch: put = between an option and its value");
    // sbatch accepts prefixes of long options, and values right after short ones.
    let settles = |long: &str, short: &str| {
        let begins = name.starts_with("--") && name.len() > 3 && long.starts_with(name);
        begins || (!option.starts_with("--") && option.starts_with(short))
    };
    let settled = SETTLED.iter().find(|(long, short, _)| settles(long, short));
    if let Some((long, _, how)) = settled {
        bail!("the script sets {long} itself ({how}): leave out --sbatch={option}");
    }
    Ok(())
}

fn text(word: &OsStr) -> Result<String> {
    let text = word.to_str().map(str::to_owned);
    text.with_context(|| format!("{} is not UTF-8, which a script is written in; rename it", Path::new(word).shown()))
}
