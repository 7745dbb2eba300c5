//! `jointly verify`: runs an entry again, all of it or a sample, and compares bit for bit.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use jointly_core::counted::listed;
use jointly_engine::cache::Code;
use jointly_engine::execution::{self, Finished};
use jointly_engine::oracle;
use jointly_engine::replay;
use jointly_engine::workload::{NativeAgents, Workload};
use jointly_record::directory::{RunDirectory, SCORES};
use jointly_record::lines::Lines;
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use jointly_record::suites;
use jointly_record::unit::Unit;
use jointly_score::entry::Entry;
use jointly_score::held_scores::HeldScores;

use crate::data_arguments::DataArguments;
use crate::engine_argument::EngineArgument;
use crate::progress::Display;
use crate::{exit, fuel_argument, jobs, output};

/// The most scores that a note names.
const MOST_NAMED: usize = 8;

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
    /// The run's journal was not kept: check that the means in scores.json follow from its problems, and compare the scores of units
    /// that are run again with it; where agents are scored against each other, all of them are run on the problems of a sample. The
    /// leaderboard, the choice of a sweep and scores over all problems together, such as PICF, are not checked
    #[arg(long)]
    scores: bool,
    #[command(flatten)]
    options: VerifyOptions,
}

/// How an entry is verified.
#[derive(Args)]
pub(crate) struct VerifyOptions {
    /// Run only N units again, chosen at random: where a share f of the entry's results is false, a sample of N misses
    /// all of them with probability (1 - f)^N at most; 0 runs none
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
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

/// A run to verify, with its journal or with its scores alone.
struct Run<'r> {
    shown: String,
    plan: &'r Plan,
    directory: &'r RunDirectory,
    /// Reads the text that, with the seed, determines the choice of a sample.
    claim: &'r dyn Fn() -> Result<String>,
    /// Adds the units without which those of a sample cannot be compared.
    complete: &'r dyn Fn(Vec<Unit>) -> Vec<Unit>,
    /// Returns the first place in which a unit's result is another.
    other: &'r dyn Fn(Unit, Finished) -> Result<Option<String>>,
}

/// Units that were run again, and were the same.
struct Again {
    workload: Workload,
    units: Vec<Unit>,
    /// The number of the run's units that can be run again.
    all: usize,
    /// How many were chosen, in words.
    what: String,
    /// How they were chosen, if not all were.
    how: Option<String>,
}

impl Verify {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        if self.scores {
            return self.options.verify_scores(&HeldScores::open(&self.entry)?);
        }
        self.options.verify(&Entry::open(&self.entry)?)
    }
}

impl VerifyOptions {
    /// Verifies an entry, says how it went, and returns the exit code.
    pub(crate) fn verify(&self, entry: &Entry) -> Result<ExitCode> {
        // Cheap checks come before data and agents are loaded.
        if let Some(place) = entry.defect()? {
            say(&entry.shown().to_string(), &place)?;
            return Ok(ExitCode::from(exit::BAD_INPUT));
        }
        if self.sample == Some(0) {
            output::print(&format!("{}: its scores follow from its journal; no unit was run again", entry.shown()))?;
            return Ok(ExitCode::from(exit::DONE));
        }
        let run = Run {
            shown: entry.shown().to_string(),
            plan: &entry.plan,
            directory: &entry.directory,
            claim: &|| entry.claim(),
            complete: &|units| units,
            other: &|unit, Finished { result, .. }| match entry.result(unit)? {
                Some(held) => replay::other_result(&held, &result),
                None => Ok(None),
            },
        };
        let Some(Again { workload, all, what, how, .. }) = self.run_again(&run)? else {
            return Ok(ExitCode::from(exit::BAD_INPUT));
        };
        let how = how.map(|how| format!("{how}, and its scores follow from its journal")).unwrap_or_default();
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
            tiers(&workload.plan, "the scores of reported agents follow from the journal, and ")
        ))?;
        Ok(ExitCode::from(exit::DONE))
    }

    /// Verifies the scores of a run without a journal, says how it went, and returns the exit code.
    fn verify_scores(&self, held: &HeldScores) -> Result<ExitCode> {
        if let Some(place) = held.defect() {
            say(&held.shown().to_string(), &place)?;
            return Ok(ExitCode::from(exit::BAD_INPUT));
        }
        if self.sample == Some(0) {
            output::print(&format!("{}: its means follow from its problems; no unit was run again", held.shown()))?;
            return Ok(ExitCode::from(exit::DONE));
        }
        let run = Run {
            shown: held.shown().to_string(),
            plan: &held.plan,
            directory: &held.directory,
            claim: &|| held.claim(),
            complete: &|units| held.with_opponents(&units),
            other: &|unit, Finished { result, belief }| {
                held.other_score(unit, result, belief.map(|belief| belief.bytes))
            },
        };
        let Some(Again { workload, units, what, how, .. }) = self.run_again(&run)? else {
            return Ok(ExitCode::from(exit::BAD_INPUT));
        };
        held.end()?;
        let (suite, how) = (&workload.plan.suite, how.map(|how| format!("{how},")).unwrap_or_default());
        let same = match held.comparisons(&units) {
            _ if units.is_empty() => "all its results are reported: nothing can be replayed".to_owned(),
            0 => format!("the scores of {what} of {suite}{how} are the same"),
            problems => format!(
                "the scores of {what} of {suite}{how} and those of all agents against each other on {} are the same",
                counted(problems, "problem")
            ),
        };
        let lacking = held.lacking();
        if !lacking.is_empty() {
            let names = listed(&lacking, MOST_NAMED);
            output::note(&format!("{} has no {names}, which this version gives", run.directory.shown(SCORES)));
        }
        output::print(&format!(
            "{} partly verified, without a journal: {same}; its means follow from its problems; {} are as it states them{}",
            run.shown,
            held.unchecked(),
            tiers(&workload.plan, "")
        ))?;
        Ok(ExitCode::from(exit::DONE))
    }

    /// Runs a run's units again, or a sample of them. Returns `None` if one differs, which it says.
    fn run_again(&self, run: &Run) -> Result<Option<Again>> {
        // No data and no limit can mend this.
        Workload::refuse_other_agents(run.plan, run.directory)?;
        self.refuse_fuel(run)?;
        let data = self.data.directories();
        let (engine, natives) = (self.engine.into(), NativeAgents::Leave);
        let workload = Workload::of_plan(run.plan, run.directory, &data, engine, natives, Code::Fresh)?;
        if let Some(difference) = workload.plan.with_version_of(run.plan).difference(run.plan) {
            say(&run.shown, &format!("its plan is not the one that this command makes ({difference})"))?;
            return Ok(None);
        }
        let mut units = execution::pending(&workload, &Lines::default());
        units.retain(|unit| !workload.plan.reports(&workload.plan.agents[unit.agent]));
        let all = units.len();
        let mut what = counted(all, "unit");
        let mut how = None;
        if let Some(sample) = self.sample.filter(|sample| *sample < all) {
            let seed = self.sample_seed.unwrap_or_else(unforeseen);
            units = (run.complete)(replay::choose(units, sample, seed, &(run.claim)()?));
            what = format!("{sample} of {what}");
            how = Some(format!(", chosen by --sample-seed {seed}"));
        }
        compare(run, &workload, &units, execution::jobs(self.jobs))?;
        Ok(Some(Again { workload, units, all, what, how }))
    }

    /// Refuses a plan whose fuel limit exceeds what the user accepts, because the limits were chosen by the entry's
    /// author.
    fn refuse_fuel(&self, run: &Run) -> Result<()> {
        let most = self.fuel.unwrap_or_else(|| run.plan.kind().fuel);
        let fuel = run.plan.limits.fuel;
        if fuel > most {
            bail!(
                "{} lets its agents use {fuel} fuel on a problem, more than {most}; give --fuel {fuel} to let them",
                run.shown
            );
        }
        if let Some((times, most)) = oracle::beyond_usual(run.plan)? {
            bail!(
                "{} asks the oracle for {times:.0} times the work of its usual settings, more than {most}: its results \
                 are not verified",
                run.shown
            );
        }
        Ok(())
    }
}

/// Counts the agents whose results were not replayed; `follow` says what else holds of them.
fn tiers(plan: &Plan, follow: &str) -> String {
    let reported = plan.agents.iter().filter(|agent| plan.reports(agent)).count();
    if reported == 0 {
        return String::new();
    }
    let replayed = counted(plan.agents.len() - reported, "agent");
    format!("; {replayed} replayed, {reported} reported: {follow}nothing of what they did can be replayed")
}

/// Prints in one line where a verification failed.
fn say(shown: &str, place: &str) -> Result<()> {
    output::print_line(&format!("{shown}: verification failed: {place}"))
}

/// Returns an unpredictable seed: the keys of the standard library's hashes are the system's random numbers.
fn unforeseen() -> u64 {
    RandomState::new().hash_one("sample")
}

/// Runs units until one differs, which ends the process: units that still run may take long, and change nothing.
fn compare(run: &Run, workload: &Workload, units: &[Unit], jobs: usize) -> Result<()> {
    let display = Display::new(&workload.plan, units, 0, jobs);
    execution::execute(workload, units, jobs, &display, |finished| {
        let result = &finished.result;
        let agent = run.plan.agents.iter().position(|agent| agent.label == result.agent);
        let problem = run.plan.problems.iter().position(|planned| planned.problem == result.problem);
        let unit = agent.zip(problem).map(|(agent, problem)| Unit { agent, problem });
        let other = unit.map(|unit| (run.other)(unit, finished)).transpose()?;
        if let Some(place) = other.flatten() {
            display.clear();
            say(&run.shown, &place)?;
            exit::end(exit::BAD_INPUT);
        }
        Ok(())
    })
}
