//! Options of `run` and `sweep` other than their agents: problems, limits, and where results go.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::num::{NonZero, NonZeroU32};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr as _;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, FromArgMatches as _};
use jointly_classification::shift::DatasetShift;
use jointly_classification::{AskedDraws, Classification};
use jointly_core::estimate::MAX_PLANES;
use jointly_core::kind::Kind;
use jointly_core::limits::{MOST_TIMEOUT, USUAL_FUEL, USUAL_TIMEOUT};
use jointly_core::printable::ShowPath as _;
use jointly_core::{Seed, TaskKind};
use jointly_decisions::Decisions;
use jointly_engine::asked::Asked;
use jointly_engine::cache::Code;
use jointly_engine::deadline::Deadline;
use jointly_engine::execution::Finished;
use jointly_engine::kinds::classification::AskedClassification;
use jointly_engine::kinds::decisions;
use jointly_engine::kinds::regression::AskedRegression;
use jointly_engine::kinds::shift::AskedShift;
use jointly_engine::problem_set::Belief;
use jointly_engine::problems::Choices;
use jointly_engine::reuse::{self, Reused};
use jointly_engine::share::Share;
use jointly_engine::shift_suite::ShiftChoices;
use jointly_engine::workload::{NativeAgents, Workload};
use jointly_engine::{execution, problems, regression_suite, shift_suite, user_tables};
use jointly_host::{Interface, Limits};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory::RunDirectory;
use jointly_record::journal::Journal;
use jointly_record::kept::Kept;
use jointly_record::plan::{MOST_MEMORY, Plan};
use jointly_record::quantity::counted;
use jointly_record::shard::Shard;
use jointly_record::unit::Unit;
use jointly_record::{attachments, directory, suites};
use jointly_regression::{Regression, RegressionSuite};
use jointly_report::leaderboard_text::leaderboard_text;
use jointly_score::leaderboard::Leaderboard;
use jointly_score::run_results::RunResults;

use crate::data_arguments::DataArguments;
use crate::decision_arguments::DecisionArguments;
use crate::engine_argument::EngineArgument;
use crate::initialization_argument::InitializationArgument;
use crate::partition_argument::PartitionArgument;
use crate::planned::Planned;
use crate::progress::Display;
use crate::regression_arguments::RegressionArguments;
use crate::shard_arguments::ShardArguments;
use crate::shard_done::ShardDone;
use crate::shift_arguments::ShiftArguments;
use crate::{exit, fuel_argument, jobs, native_argument, output};

#[derive(Args)]
pub(crate) struct Request {
    /// The suite; see `jointly suites`
    #[arg(long, value_name = "S")]
    suite: Option<String>,
    /// Where plan, journal, scores and leaderboard go [default: jointly-runs/SUITE-PLAN, so that the same command
    /// continues its own run]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Master seed: problems, test inputs and the agents' seeds follow from it
    #[arg(long, value_name = "N", default_value_t)]
    seed: Seed,
    /// Threads: units that run at a time, or what one unit can share; no score depends on it [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = jobs::parse)]
    jobs: Option<NonZero<usize>>,
    /// Only problems whose name matches, such as 'quick/t10/*/*' or '*/{iris,mnist}/*'
    #[arg(long, value_name = "GLOB")]
    problems: Option<String>,
    /// A user-supplied problem, as .npz; may be repeated
    #[arg(long = "problem", value_name = "FILE.npz")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    data: DataArguments,
    /// The number of functions sampled from each agent; raise it where the report says that there are too few draws. In
    /// classification, auto doubles it until the draw error and the estimated bias of each joint score are at most 0.05 nats,
    /// up to 16384 draws, and auto:NATS:MOST sets both limits; both use --partition jackknife [default: the suite's]
    #[arg(long, value_name = "M", value_parser = AskedDraws::from_str)]
    draws: Option<AskedDraws>,
    /// The estimator of joint likelihoods: a partition of the draws above tau 10, or the jackknife at every tau [default:
    /// the suite's]
    #[arg(long, value_enum)]
    partition: Option<PartitionArgument>,
    /// Random hyperplanes D of that partition: 2^D cells, or clusters at most [default: the suite's]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_PLANES)))]
    planes: Option<u32>,
    /// The partition exactly as the paper has it, without clipped probits
    #[arg(long)]
    no_clip: bool,
    /// Anchors that the inputs of a dyadic suite's tau-samples repeat [default: 2]
    #[arg(long, value_name = "K", value_parser = parse_anchors)]
    anchors: Option<NonZeroU32>,
    /// The distribution of the weights of sampled environments [default: reference]
    #[arg(long, value_enum, value_name = "DISTRIBUTION")]
    initialization: Option<InitializationArgument>,
    /// The fuel limit of an agent on one problem, roughly in instructions [default: 2e12; for dataset shift, with its
    /// many images and conditions, 1e14; for decisions, over all trainings, 4e13]
    #[arg(long, value_name = "N", value_parser = fuel_argument::parse)]
    fuel: Option<u64>,
    /// The engine that runs agents; no score depends on it
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArgument,
    /// The memory limit of an agent, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().memory >> 20, value_parser = clap::value_parser!(u64).range(1..=MOST_MEMORY))]
    memory: u64,
    /// The time limit of a native agent for one request, in seconds [default: 3600]
    #[arg(long = "request-timeout", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=MOST_TIMEOUT))]
    patience: Option<u64>,
    /// End the run after that time, with exit code 124; what is not finished is not recorded, and the same command goes on
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=MOST_TIMEOUT))]
    timeout: Option<u64>,
    /// With --like: start the native agents that its plan names. A plan that you were sent may name any command
    #[arg(long)]
    native: bool,
    /// Run the plan of that directory, in place of agents, suite and all options that decide a score. The agents,
    /// problems and tables are the copies that it keeps; only real data must be at hand
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "suite", "seed", "problems", "files", "draws", "partition", "planes", "no_clip", "anchors", "initialization", "fuel",
        "memory", "patience", "RegressionArguments", "ShiftArguments", "DecisionArguments",
    ])]
    like: Option<PathBuf>,
    /// Reuse the finished results of another run of the same agents on the same problems; may be repeated
    #[arg(long, value_name = "DIR")]
    reuse: Vec<PathBuf>,
    #[command(flatten)]
    shard: ShardArguments,
    #[command(flatten)]
    regression: RegressionArguments,
    #[command(flatten)]
    shift: ShiftArguments,
    #[command(flatten)]
    decisions: DecisionArguments,
}

/// Makes the suite of a request, for one kind of task.
type Make = fn(&Request) -> Result<Box<dyn Asked>>;

static ASKED: [(&str, Make); 4] = [
    (Classification::NAME, Request::suite),
    (Regression::NAME, Request::regression_suite),
    (DatasetShift::NAME, Request::shift_suite),
    (Decisions::NAME, Request::decision_suite),
];

/// The outcome of a run.
pub(crate) enum CarriedOut {
    Whole(Box<Done>),
    /// A shard, which has no scores.
    Share(Box<ShardDone>),
}

/// A finished run, with its scores written and its journal still held.
pub(crate) struct Done {
    pub(crate) directory: RunDirectory,
    pub(crate) plan: Plan,
    pub(crate) journal: Journal,
    table: String,
    failed: bool,
}

impl Request {
    /// Returns the limits of every unit.
    pub(crate) fn limits(&self) -> Limits {
        let usual = self.kind().map_or(USUAL_FUEL, |kind| kind.fuel);
        let timeout = self.patience.unwrap_or(USUAL_TIMEOUT);
        Limits { fuel: self.fuel.unwrap_or(usual), memory: self.memory << 20, timeout }
    }

    /// Runs the agents on the requested problems, or the shard's share of these, continuing an earlier run of the same
    /// plan, and writes scores and leaderboard of the whole run.
    pub(crate) fn carry_out(self, agents: &[AgentSpec]) -> Result<CarriedOut> {
        let (shard, jobs) = (self.shard.shard()?, execution::jobs(self.jobs));
        let deadline = self.timeout.map(Deadline::after);
        let Planned { workload, directory, mut journal, share } = self.plan(agents)?;
        finish(&workload, &share, &mut journal, &directory, jobs, deadline)?;

        match shard {
            Some(shard) => {
                let units = (share.size(), workload.plan.agents.len() * workload.plan.problems.len());
                Ok(CarriedOut::Share(ShardDone { directory, shard, units, journal }.into()))
            }
            None => Done::of(directory, workload.plan, journal).map(|done| CarriedOut::Whole(done.into())),
        }
    }

    /// Makes or continues the directory, with everything that carrying out its units needs, and with results that other
    /// runs already have.
    pub(crate) fn plan(self, agents: &[AgentSpec]) -> Result<Planned> {
        let shard = self.shard.shard()?;
        let workload = self.workload(agents)?;
        // A plan that `verify` and `report` would refuse is not begun.
        if let Some(defect) = workload.plan.defect() {
            bail!("this run cannot start: {defect}; give it another name");
        }
        let out = match (self.out, shard) {
            (Some(out), _) => out,
            (None, None) => usual_place(&workload.plan)?,
            (None, Some(shard)) => shard.beside(&usual_place(&workload.plan)?),
        };
        // A run that cannot be reused is refused before a directory is made.
        let known = reuse::results(&workload.plan, &self.reuse)?;
        let (directory, mut journal) = RunDirectory::for_plan(&out, &workload.plan)?;
        Shard::claim(shard, &directory, journal.lines())?;
        let share = Share::of(&workload.plan, shard);
        if let Some(other) = &self.like {
            attachments::copy_kept(&workload.plan, &RunDirectory::existing(other)?, &directory)?;
        } else {
            workload.keep_files_in(&directory)?;
            problems::keep(&self.files, &directory)?;
        }
        for warning in workload.problems.warnings(&workload.plan) {
            output::note(&warning);
        }
        interruptible(&out)?;
        if !self.reuse.is_empty() {
            take_over(&workload, &share, &mut journal, &directory, known)?;
        }
        Ok(Planned { workload, directory, journal, share })
    }

    /// Loads the requested agents and problems.
    pub(crate) fn workload(&self, agents: &[AgentSpec]) -> Result<Workload> {
        if let Some(path) = &self.like {
            if let Some(agent) = agents.first() {
                bail!("--like has the agents of {}: leave {} out", path.shown(), agent.agent);
            }
            return self.workload_like(path);
        }
        let asked = self.asked()?;
        let all = asked.all_bundled();
        let agents = if agents.is_empty() { &all } else { agents };
        Workload::of(agents, asked, self.seed, self.limits(), self.engine.into())
    }

    /// Loads the workload of the run in a directory, from the files that it keeps.
    fn workload_like(&self, path: &Path) -> Result<Workload> {
        let directory = RunDirectory::existing(path)?;
        let plan = directory.plan()?;
        native_argument::refuse_unless(self.native, &plan)?;
        let data = self.data.directories();
        let workload =
            Workload::of_plan(&plan, &directory, &data, self.engine.into(), NativeAgents::Start, Code::Cached)?;
        match workload.plan.with_version_of(&plan).difference(&plan) {
            None => Ok(workload),
            Some(difference) => {
                bail!(
                    "the plan in {} is not the one that this command makes ({difference}); ask for the run anew",
                    path.shown()
                )
            }
        }
    }

    /// Returns the request that these words of `jointly run` make.
    pub(crate) fn of_words(words: Vec<OsString>) -> Result<Self> {
        let command = Self::augment_args(clap::Command::new("run").no_binary_name(true));
        Ok(Self::from_arg_matches(&command.try_get_matches_from(words)?)?)
    }

    /// Refuses options that the rules of a contest do not decide, other than those [about running](Self::refuse_running).
    pub(crate) fn refuse_for_contest(&self) -> Result<()> {
        let given = [
            ("--seed", self.seed != Seed::default()),
            ("--jobs", self.jobs.is_some()),
            ("--engine", self.engine != EngineArgument::default()),
            ("--native", self.native),
            ("--request-timeout", self.patience.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option} cannot be used here: it is no part of the rules; leave it out"),
            None => Ok(()),
        }
    }

    /// Refuses `--like` where this command makes its own plan.
    pub(crate) fn refuse_like(&self, why: &str) -> Result<()> {
        ensure!(self.like.is_none(), "--like cannot be used here: {why}");
        Ok(())
    }

    /// Returns the options that workers need too: where real data are, how code is run, and whether native agents are
    /// started.
    pub(crate) fn of_workers(&self, native: bool) -> Vec<OsString> {
        let mut words = self.data.words();
        if self.engine != EngineArgument::default() {
            words.extend(["--engine".into(), self.engine.name().into()]);
        }
        if native {
            words.push("--native".into());
        }
        words
    }

    /// Returns whether the native agents of the plan of `--like` are started.
    pub(crate) fn native(&self) -> bool {
        self.native
    }

    /// Returns the number of units that run at a time, if the user gave it.
    pub(crate) fn jobs(&self) -> Option<NonZero<usize>> {
        self.jobs
    }

    /// Refuses a time after which the run ends where nothing is run.
    pub(crate) fn refuse_timeout(&self, why: &str) -> Result<()> {
        ensure!(self.timeout.is_none(), "--timeout cannot be used here: {why}");
        Ok(())
    }

    /// Refuses a shard where only whole runs are possible.
    pub(crate) fn refuse_shard(&self, why: &str) -> Result<()> {
        ensure!(!self.shard.is_given(), "--shard cannot be used here: {why}");
        Ok(())
    }

    /// Refuses options about running and its results where nothing is run.
    pub(crate) fn refuse_running(&self, why: &str) -> Result<()> {
        self.refuse_shard(why)?;
        let given =
            [("--out", self.out.is_some()), ("--reuse", !self.reuse.is_empty()), ("--timeout", self.timeout.is_some())];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option} cannot be used here: {why}"),
            None => Ok(()),
        }
    }

    /// Returns the interface that the agents must support.
    pub(crate) fn interface(&self) -> Interface {
        let suite = self.suite.as_deref().unwrap_or_default();
        self.kind().map_or(Interface::Classification, |kind| (kind.interface)(suite))
    }

    /// Returns the kind of the suite, or `None` for an unknown suite and for imported problems.
    fn kind(&self) -> Option<&'static Kind> {
        suites::kind(self.suite.as_deref()?)
    }

    /// Makes the suite with the options that decide a score.
    pub(crate) fn asked(&self) -> Result<Box<dyn Asked>> {
        // Imported problems are of classification; the same function reports an unknown suite.
        let Some(kind) = self.kind() else { return self.suite() };
        let asked = ASKED.iter().find(|(name, _)| *name == kind.name);
        asked.with_context(|| format!("suites of {} cannot be asked for", kind.name))?.1(self)
    }

    fn regression_suite(&self) -> Result<Box<dyn Asked>> {
        let name = self.suite.as_deref().unwrap_or_default();
        self.refuse_of_classification(&format!("{name} is regression"), "give a table by --table")?;
        self.data.directories().refuse_images(name)?;
        self.shift.refuse()?;
        self.decisions.refuse()?;
        let draws = self.counted_draws(name)?;
        let choose = |suite: &mut RegressionSuite| {
            self.regression.refuse_idle(suite)?;
            suite.options.draws = draws.unwrap_or(suite.options.draws);
            self.regression.apply(&mut suite.options);
            Ok(())
        };
        let tables = user_tables::read(self.regression.tables())?;
        let pattern = self.problems.as_deref();
        let suite = regression_suite::requested(name, pattern, &tables, choose, &self.data.directories())?;
        let suite = suite.with_context(|| format!("there is no suite {name}"))?;
        Ok(Box::new(AskedRegression { suite, tables, predictor: self.regression.predictor() }))
    }

    fn shift_suite(&self) -> Result<Box<dyn Asked>> {
        let name = self.suite.as_deref().unwrap_or_default();
        self.refuse_of_classification(&format!("{name} is of dataset shift"), "leave it out")?;
        self.regression.refuse()?;
        self.decisions.refuse()?;
        let choices = ShiftChoices { draws: self.counted_draws(name)?, ..self.shift.choices() };
        let suite = shift_suite::requested(
            name,
            self.problems.as_deref(),
            &choices,
            self.seed,
            &self.data.directories(),
            &output::note,
        )?;
        let (suite, images) = suite.with_context(|| format!("there is no suite {name}"))?;
        Ok(Box::new(AskedShift { suite, images }))
    }

    fn decision_suite(&self) -> Result<Box<dyn Asked>> {
        let name = self.suite.as_deref().unwrap_or_default();
        self.refuse_of_classification(&format!("{name} is of decisions"), "leave it out")?;
        self.data.directories().refuse_images(name)?;
        self.regression.refuse()?;
        self.shift.refuse()?;
        let choices = self.decisions.choices(self.counted_draws(name)?);
        Ok(Box::new(decisions::requested(name, self.problems.as_deref(), choices)?))
    }

    /// Returns the number of draws for a suite that takes no other wish.
    fn counted_draws(&self, suite: &str) -> Result<Option<u32>> {
        match self.draws {
            None => Ok(None),
            Some(AskedDraws::Count(draws)) => Ok(Some(draws)),
            Some(AskedDraws::Until { .. }) => {
                bail!("--draws auto is for classification, and {suite} is not: give --draws a number")
            }
        }
    }

    /// Refuses options that only classification in sampled environments or on real data has.
    fn refuse_of_classification(&self, other: &str, own_data: &str) -> Result<()> {
        let idle = "leave it out";
        let given = [
            ("--problem", !self.files.is_empty(), own_data),
            ("--partition", self.partition.is_some(), idle),
            ("--planes", self.planes.is_some(), idle),
            ("--no-clip", self.no_clip, idle),
            ("--anchors", self.anchors.is_some(), idle),
            ("--initialization", self.initialization.is_some(), idle),
        ];
        match given.iter().find(|(_, given, _)| *given) {
            Some((option, _, remedy)) => bail!("{option} is for classification, and {other}: {remedy}"),
            None => Ok(()),
        }
    }

    fn suite(&self) -> Result<Box<dyn Asked>> {
        self.regression.refuse()?;
        self.shift.refuse()?;
        self.decisions.refuse()?;
        self.data.directories().refuse_images(self.suite.as_deref().unwrap_or("problems of your own"))?;
        let choices = Choices {
            draws: self.draws,
            partition: self.partition.map(Into::into),
            planes: self.planes,
            clip: self.no_clip.then_some(false),
            anchors: self.anchors,
            initialization: self.initialization.map(Into::into),
        };
        let suite = problems::requested(
            self.suite.as_deref(),
            &self.files,
            self.problems.as_deref(),
            choices,
            &self.data.directories(),
        )?;
        Ok(Box::new(AskedClassification { suite }))
    }
}

impl Done {
    /// Writes scores and leaderboard of a run's results.
    pub(crate) fn of(directory: RunDirectory, plan: Plan, journal: Journal) -> Result<Self> {
        let results = RunResults::of(&plan, &directory, journal.lines())?;
        let scores = results.scores(&plan, &directory)?;
        let leaderboard = Leaderboard::new(&scores);
        directory.write(directory::LEADERBOARD, &leaderboard.to_csv())?;
        directory.write_json(directory::SCORES, &scores)?;
        let (table, failed) = (leaderboard_text(&leaderboard, None), scores.failed());
        Ok(Self { directory, plan, journal, table, failed })
    }

    /// Prints the leaderboard, or `scores.json`, and returns the exit code.
    pub(crate) fn show(&self, json: bool) -> Result<ExitCode> {
        let (table, scores) = (&self.table, self.directory.scores());
        if json {
            let file = File::open(&scores).with_context(|| format!("failed to read {}", scores.shown()))?;
            output::print_from(file)?;
        } else {
            let files = [scores, self.directory.leaderboard(), self.directory.journal()];
            let files = files.map(|file| file.shown().to_string()).join("\n  ");
            output::print(&format!("{table}\nscores, leaderboard and journal are in\n  {files}"))?;
        }
        Ok(ExitCode::from(if self.failed { exit::SOME_FAILED } else { exit::DONE }))
    }
}

/// Returns the default directory for the results of a plan.
pub(crate) fn usual_place(plan: &Plan) -> Result<PathBuf> {
    Ok(Path::new("jointly-runs").join(plan.short_name()?))
}

fn parse_anchors(text: &str) -> std::result::Result<NonZeroU32, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".to_owned())
}

/// Adds results of other runs that the journal lacks.
fn take_over(
    workload: &Workload,
    share: &Share,
    journal: &mut Journal,
    directory: &RunDirectory,
    known: Vec<Reused>,
) -> Result<()> {
    let pending = share.pending(workload, journal.lines());
    if pending.is_empty() {
        return Ok(());
    }
    if known.is_empty() {
        output::note(
            "nothing is taken from other runs: they are of other agents, settings or problems, or had less fuel",
        );
        return Ok(());
    }
    let plan = &workload.plan;
    let name = |unit: &Unit| (&*plan.agents[unit.agent].label, &*plan.problems[unit.problem].problem);
    let lacking: HashSet<(&str, &str)> = pending.iter().map(name).collect();
    let lacks = |Reused { result, .. }: &Reused| lacking.contains(&(&*result.agent, &*result.problem));
    let taken: Vec<Reused> = known.into_iter().filter(lacks).collect();
    output::note(&format!("{} taken from other runs", of_units(taken.len(), pending.len())));
    taken.into_iter().try_for_each(|reused| keep(journal, directory, reused.finished()?))
}

/// Carries out the units that are not yet in the journal.
fn finish(
    workload: &Workload,
    share: &Share,
    journal: &mut Journal,
    directory: &RunDirectory,
    jobs: usize,
    deadline: Option<Deadline>,
) -> Result<()> {
    let pending = share.pending(workload, journal.lines());
    let total = share.size();
    let done = total - pending.len();
    if done > 0 {
        let then = if done == total { "showing them" } else { "going on" };
        output::note(&format!("{} done already; {then}", of_units(done, total)));
    }
    let mut display = Display::new(&workload.plan, &pending, done, jobs);
    display.end_at(deadline, directory.path());
    execution::execute(workload, &pending, jobs, &display, |finished| {
        keep(journal, directory, finished)?;
        display.end_if_late();
        Ok(())
    })
}

/// Records a finished unit: the file of its belief before the line that names it.
fn keep(journal: &mut Journal, directory: &RunDirectory, Finished { result, belief }: Finished) -> Result<()> {
    if let Some(Belief { digest, bytes }) = belief {
        directory.keep(Kept::Belief, &digest, &bytes)?;
    }
    journal.append(&result)
}

fn of_units(some: usize, all: usize) -> String {
    format!("{some} of {} {}", counted(all, "unit"), if all == 1 { "is" } else { "are" })
}

/// Handles Ctrl-C. At worst the process ends between two bytes of the journal, and the next run drops a torn line. Of several
/// runs in a process, the last is the one that is named.
fn interruptible(out: &Path) -> Result<()> {
    static RUN: Mutex<Option<String>> = Mutex::new(None);
    let before = RUN.lock().unwrap_or_else(PoisonError::into_inner).replace(out.shown().to_string());
    if before.is_some() {
        return Ok(());
    }
    ctrlc::set_handler(|| {
        let out = RUN.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
        output::note(&format!("interrupted; finished units are kept in {out}: the same command goes on from there"));
        exit::end(exit::INTERRUPTED);
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::ASKED;

    #[test]
    fn suites_of_every_kind_can_be_asked_for() {
        assert_eq!(ASKED.map(|(name, _)| name), jointly_record::kinds::KINDS.map(|kind| kind.name));
    }
}
