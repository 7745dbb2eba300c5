//! `jointly verify`: runs an entry again, all of it or a sample, and compares bit for bit.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use jointly_engine::cache::Code;
use jointly_engine::execution::{self, Finished};
use jointly_engine::oracle;
use jointly_engine::replay;
use jointly_engine::workload::{NativeAgents, Workload};
use jointly_record::lines::Lines;
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use jointly_record::suites;
use jointly_record::unit::Unit;
use jointly_score::entry::Entry;

use crate::data_arguments::DataArguments;
use crate::engine_argument::EngineArgument;
use crate::progress::Display;
use crate::{exit, fuel_argument, jobs, output};

/// Runs an entry again, a finished run or its pack, and compares bit for bit
///
/// It first checks what costs next to nothing: digests, whether this command makes the same plan, and whether scores,
/// leaderboard and the choice of a sweep follow from the journal. Then it runs units again: each must give the result
/// in its line of the journal, and the first that does not ends the verification. It trusts only the bytes of agents
/// and problems, and writes nothing. Real data are no part of an entry: they are looked for as `jointly run` does, and
/// must be those of the run.
#[derive(Args)]
pub(crate) struct Verify {
    /// The directory that `jointly run` wrote, or the file that `jointly pack` made of it
    #[arg(value_name = "DIR|FILE")]
    entry: PathBuf,
    #[command(flatten)]
    options: VerifyOptions,
}

/// How an entry is verified.
#[derive(Args)]
pub(crate) struct VerifyOptions {
    /// Run only N units again, chosen at random: where a share f of the entry's results is false, a sample of N misses
    /// all of them with probability (1 - f)^N at most
    #[arg(long, value_name = "N")]
    sample: Option<NonZero<usize>>,
    /// The seed of the sample, to choose the same one again; entrants who foresee it can falsify the other units
    /// [default: a new one each time, which is printed]
    #[arg(long, value_name = "S", requires = "sample")]
    sample_seed: Option<u64>,
    /// The number of units that run at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = jobs::parse)]
    jobs: Option<NonZero<usize>>,
    /// The largest fuel limit that the entry's plan may have [default: that of `jointly run`]
    #[arg(long, value_name = "N", value_parser = fuel_argument::parse)]
    fuel: Option<u64>,
    /// The engine that runs agents: the interpreter is a second opinion that shares no machine code with the compiled
    /// engine
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArgument,
    #[command(flatten)]
    data: DataArguments,
}

impl Verify {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        self.options.verify(&Entry::open(&self.entry)?)
    }
}

impl VerifyOptions {
    /// Verifies an entry, says how it went, and returns the exit code.
    pub(crate) fn verify(&self, entry: &Entry) -> Result<ExitCode> {
        // Cheap checks come before data and agents are loaded.
        if let Some(place) = entry.defect()? {
            return failed(entry, &place);
        }
        self.refuse_fuel(entry)?;
        let data = self.data.directories();
        let workload = Workload::of_plan(
            &entry.plan,
            &entry.directory,
            &data,
            self.engine.into(),
            NativeAgents::Leave,
            Code::Fresh,
        )?;
        if let Some(difference) = workload.plan.with_version_of(&entry.plan).difference(&entry.plan) {
            return failed(entry, &format!("its plan is not the one that this command makes ({difference})"));
        }
        let mut units = execution::pending(&workload, &Lines::default());
        units.retain(|unit| !workload.plan.reports(&workload.plan.agents[unit.agent]));
        let all = units.len();
        let mut what = counted(all, "unit");
        let mut how = String::new();
        if let Some(sample) = self.sample.filter(|sample| sample.get() < all) {
            let seed = self.sample_seed.unwrap_or_else(unforeseen);
            units = replay::choose(units, sample.get(), seed, &entry.claim()?);
            what = format!("{sample} of {what}");
            how = format!(", chosen by --sample-seed {seed}, and its scores follow from its journal");
        }
        run_again(entry, &workload, &units, execution::jobs(self.jobs))?;
        let (suite, problems) = (&workload.plan.suite, workload.plan.problems.len());
        if all == 0 {
            let text = "its scores follow from its journal, and all its results are reported: nothing can be replayed";
            output::print(&format!("{} verified as far as it can be: {text}", entry.shown()))?;
            return Ok(ExitCode::from(exit::DONE));
        }
        let of_suite = suites::size_of(&workload.plan).unwrap_or(problems);
        output::print(&format!(
            "{} verified: {what} on {problems} of {} of {suite}, the same to the bit{how}{}",
            entry.shown(),
            counted(of_suite, "problem"),
            tiers(&workload.plan)
        ))?;
        Ok(ExitCode::from(exit::DONE))
    }

    /// Refuses a plan whose fuel limit exceeds what the user accepts, because the limits were chosen by the entry's
    /// author.
    fn refuse_fuel(&self, entry: &Entry) -> Result<()> {
        let most = self.fuel.unwrap_or_else(|| entry.plan.kind().fuel);
        let fuel = entry.plan.limits.fuel;
        if fuel > most {
            bail!(
                "{} lets its agents use {fuel} fuel on a problem, more than {most}; give --fuel {fuel} to let them",
                entry.shown()
            );
        }
        if let Some((times, most)) = oracle::beyond_usual(&entry.plan)? {
            bail!(
                "{} asks the oracle for {times:.0} times the work of its usual settings, more than {most}: its results \
                 are not verified",
                entry.shown()
            );
        }
        Ok(())
    }
}

/// Counts the agents whose results were not replayed.
fn tiers(plan: &Plan) -> String {
    let reported = plan.agents.iter().filter(|agent| plan.reports(agent)).count();
    if reported == 0 {
        return String::new();
    }
    let replayed = counted(plan.agents.len() - reported, "agent");
    format!(
        "; {replayed} replayed, {reported} reported: the scores of reported agents follow from the journal, and nothing of \
         what they did can be replayed"
    )
}

fn failed(entry: &Entry, place: &str) -> Result<ExitCode> {
    say(entry, place)?;
    Ok(ExitCode::from(exit::BAD_INPUT))
}

/// Prints in one line where the verification of an entry failed.
fn say(entry: &Entry, place: &str) -> Result<()> {
    output::print_line(&format!("{}: verification failed: {place}", entry.shown()))
}

/// Returns an unpredictable seed: the keys of the standard library's hashes are the system's random numbers.
fn unforeseen() -> u64 {
    RandomState::new().hash_one("sample")
}

/// Runs units until one differs from the journal, which ends the process: units that still run may take long, and
/// change nothing.
fn run_again(entry: &Entry, workload: &Workload, units: &[Unit], jobs: usize) -> Result<()> {
    let plan = &entry.plan;
    let display = Display::new(&workload.plan, units, 0, jobs);
    execution::execute(workload, units, jobs, &display, |Finished { result, .. }| {
        let agent = plan.agents.iter().position(|agent| agent.label == result.agent);
        let problem = plan.problems.iter().position(|planned| planned.problem == result.problem);
        let unit = agent.zip(problem).map(|(agent, problem)| Unit { agent, problem });
        let held = unit.map(|unit| entry.result(unit)).transpose()?.flatten();
        let other = held.map(|held| replay::other_result(&held, &result)).transpose()?;
        if let Some(place) = other.flatten() {
            display.clear();
            say(entry, &place)?;
            exit::end(exit::BAD_INPUT);
        }
        Ok(())
    })
}
