//! `jointly verify`: runs an entry again, all of it or a sample, and compares bit for bit.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_core::{digest, stream};

use crate::data_directories::DataDirectories;
use crate::difference::difference;
use crate::directory::JOURNAL;
use crate::engine_argument::EngineArgument;
use crate::entry::Entry;
use crate::execution::{self, Finished, Unit};
use crate::progress::Display;
use crate::table::counted;
use crate::unit::UnitResult;
use crate::workload::Workload;
use crate::{exit, output, problems};

/// Runs an entry again, a finished run or its pack, and compares bit for bit
///
/// First everything that costs next to nothing: digests, versions, whether the plan is one that this command makes, and
/// whether scores, leaderboard and what a sweep chose follow from the journal. Then units are run again, and each must
/// come out as its line of the journal says. Nothing is believed but the agents' and problems' own bytes, and nothing
/// is written. Real data are no part of an entry: they are looked for as `jointly run` does, and must be those of the
/// run.
#[derive(Args)]
pub(crate) struct Verify {
    /// The directory that `jointly run` wrote, or the file that `jointly pack` made of it
    #[arg(value_name = "DIR|FILE")]
    entry: PathBuf,
    /// Run only so many units again, chosen at random: where a share f of the entry's results is false, a sample of N
    /// misses all of them with probability (1 - f)^N at most
    #[arg(long, value_name = "N")]
    sample: Option<NonZero<usize>>,
    /// What the sample is chosen by, to choose the same one again; a seed that entrants foresee lets them be false
    /// elsewhere [default: another each time, which is printed]
    #[arg(long, value_name = "S", requires = "sample")]
    sample_seed: Option<u64>,
    /// Units at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = execution::parse_jobs)]
    jobs: Option<NonZero<usize>>,
    /// How agents' code is run: the interpreter gives a second opinion that shares no machine code with the first
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArgument,
    #[command(flatten)]
    data: DataDirectories,
}

impl Verify {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let entry = Entry::open(&self.entry)?;
        let workload = Workload::of_entry(&entry, &self.data, self.engine.into())?;
        let mut units = execution::pending(&workload, &[]);
        let all = units.len();
        let mut what = counted(all, "unit");
        let mut how = String::new();
        if let Some(sample) = self.sample.filter(|sample| sample.get() < all) {
            let seed = self.sample_seed.unwrap_or_else(unforeseen);
            units = choose(units, sample.get(), seed, &entry);
            what = format!("{sample} of {what}");
            how = format!(", chosen by --sample-seed {seed}, and its scores follow from its journal");
        }
        let defect = match entry.defect()? {
            None => run_again(&entry, &workload, &units, execution::jobs(self.jobs))?,
            defect => defect,
        };
        let name = entry.shown();
        let Some(place) = defect else {
            let (suite, problems) = (&workload.plan.suite, workload.plan.problems.len());
            let of_suite = problems::size_of(&workload.plan).unwrap_or(problems);
            output::print(&format!(
                "{name} holds: {what} on {problems} of {} of {suite}, the same to the bit{how}",
                counted(of_suite, "problem")
            ))?;
            return Ok(ExitCode::from(exit::DONE));
        };
        output::print(&format!("{name} does not hold: {place}"))?;
        Ok(ExitCode::from(exit::BAD_INPUT))
    }
}

/// A seed that nobody knew before: the keys of the standard library's hashes are the system's random numbers.
fn unforeseen() -> u64 {
    RandomState::new().hash_one("sample")
}

/// So many units, each as likely as another, in their order. They depend on what the entry claims too, so that a seed
/// that is known does not by itself say which they are.
fn choose(mut units: Vec<Unit>, sample: usize, seed: u64, entry: &Entry) -> Vec<Unit> {
    let mut stream = stream(seed, "units to verify", &digest(entry.claim().as_bytes()), 0);
    let mut chosen = Vec::new();
    while chosen.len() < sample && !units.is_empty() {
        // Of 64 bits a remainder favours none by more than a part in 10^12.
        let at = stream.next_u64() % units.len() as u64;
        chosen.push(units.swap_remove(at as usize));
    }
    chosen.sort_by_key(|unit| (unit.problem, unit.agent));
    chosen
}

/// The first unit, in the plan's order, that does not come out as the journal says.
fn run_again(entry: &Entry, workload: &Workload, units: &[Unit], jobs: usize) -> Result<Option<String>> {
    fn key(result: &UnitResult) -> (&str, &str) {
        (&result.problem, &result.agent)
    }
    let display = Display::new(units.len(), 0);
    let mut again = Vec::new();
    execution::execute(workload, units, jobs, &display, |Finished { result, .. }| {
        again.push(result);
        Ok(())
    })?;
    let again: HashMap<_, _> = again.iter().map(|result| (key(result), result)).collect();
    for held in &entry.results {
        let Some(again) = again.get(&key(held)) else { continue };
        if (&held.outcome, &held.log) != (&again.outcome, &again.log) {
            let line = |result: &UnitResult| serde_json::to_value(UnitResult { seconds: None, ..result.clone() });
            let place = difference(&line(held)?, &line(again)?, "line");
            return Ok(Some(format!("{JOURNAL} has another result for {} on {}: {place}", held.agent, held.problem)));
        }
    }
    Ok(None)
}
