//! `jointly reproduce`: lists the experiments of the papers, runs them, and sets ours beside the published numbers.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, Parser as _};
use jointly_core::counted::listed;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;
use jointly_record::directory::{self, SCORES};
use jointly_record::guess;
use jointly_record::quantity::counted;
use jointly_report::table::{render, wrap};
use jointly_reproduce::{
    Counts, Experiment, Found, Outcome, Progress, Published, Run, all, by_cause, find, find_run, keep, open, pages,
    whose,
};
use serde_json::json;

use super::{COMMIT, Jointly};
use crate::data_arguments::DataArguments;
use crate::passed_on::{PASSED_ON, PLAN_ONLY};
use crate::{exit, output};

mod list;

/// The folder of kept runs and of their pages, in a checkout of the project.
const KEPT: &str = "docs/results";
/// The remedy if it is not there.
const REMEDY: &str = "give the docs/results of a checkout of Jointly by --kept DIR";
/// The folder of new runs.
const OUT: &str = "reproduced";
/// The most experiments that a message names.
const MOST_NAMED: usize = 6;
/// The most bytes of a page.
const MOST_BYTES: u64 = 10_000_000;

/// Lists the experiments of the papers, or runs one and sets ours beside the published numbers
///
/// An experiment is one or several runs, each a command that `jointly run` or `jointly sweep` also takes, and the numbers
/// that a paper published. On directories with the same plans, it continues where it stopped. A number is reproduced if
/// ours differs from it by at most the sum of its reading error, its tolerance and the error of both at 95 %.
#[derive(Args)]
pub(crate) struct Reproduce {
    /// An experiment, by its name or as a file of your own; none lists all, and a pattern as 'coverage-*' those that match
    #[arg(value_name = "ID|FILE.toml|PATTERN", conflicts_with = "all")]
    experiment: Option<String>,
    #[command(flatten)]
    kept_runs: OfKeptRuns,
    /// Keep the finished runs of the experiment among the results, with the commit that this command was built from
    #[arg(long, conflicts_with = "all")]
    keep: bool,
    /// The folder of new runs [default: reproduced]
    #[arg(long, value_name = "DIR", conflicts_with = "all")]
    out: Option<PathBuf>,
    /// The folder of kept runs and their pages [default: docs/results; with --check and --out or a file, that of --out]
    #[arg(long, value_name = "DIR")]
    kept: Option<PathBuf>,
    /// Print JSON: of the list, or of one experiment
    #[arg(long, conflicts_with = "all")]
    json: bool,
    /// Start the native agents that a file names: it may name any command
    #[arg(long)]
    native: bool,
    #[command(flatten)]
    data: DataArguments,
    /// More options of `jointly run`, as --jobs 2, --shard 1/10 or --plan-only
    #[arg(last = true, value_name = "OPTION")]
    more: Vec<OsString>,
}

/// Actions on kept runs, which run no agent.
#[derive(Args)]
struct OfKeptRuns {
    /// All experiments of the papers, to check them or to write their pages
    #[arg(long)]
    all: bool,
    /// Run nothing, and compare the kept runs with the published numbers. With --all it also fails if a page of the
    /// results says anything else
    #[arg(long, conflicts_with_all = ["write", "keep"])]
    check: bool,
    /// Write the pages of the results anew, from the kept runs
    #[arg(long)]
    write: bool,
}

impl Reproduce {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        ensure!(self.kept_runs.all || !self.kept_runs.write, "--write needs --all: a page has several experiments");
        let runs = self.experiment.is_some() && !self.kept_runs.check;
        ensure!(self.more.is_empty() || runs, "options after -- are for runs, and nothing runs here");
        if self.kept_runs.all {
            ensure!(
                self.kept_runs.check || self.kept_runs.write,
                "--all needs --check or --write; `jointly reproduce ID` runs one experiment"
            );
            return self.every();
        }
        let Some(name) = self.experiment.as_ref().filter(|name| is_file(name) || !list::is_pattern(name)) else {
            let lists = !self.kept_runs.check && !self.keep && self.more.is_empty();
            ensure!(lists, "--check, --keep and options after -- need one experiment, or --check --all");
            return self.list(self.experiment.as_deref());
        };
        let experiment = named(name)?;
        if self.kept_runs.check {
            let kept = self.kept_of(name);
            return self.compare(&experiment, |_| kept).map(ExitCode::from);
        }
        if !self.keep {
            let runs: Vec<&Run> = experiment.manifest.runs.iter().collect();
            let ended = self.run(&experiment, &runs)?;
            return ended.map_or_else(|| self.compare(&experiment, |_| self.out()).map(ExitCode::from), Ok);
        }
        ensure!(find(name)?.is_some(), "--keep is for the project's own experiments, and {name} is a file");
        if let Some(lack) = self.lack() {
            bail!(lack);
        }
        let commit = commit()?;
        let mut missing = Vec::new();
        for run in &experiment.manifest.runs {
            let kept = self.kept().join(&run.name);
            match find_run(run, self.kept()) {
                Ok(Some(_)) => output::note(&format!("{} is kept already; to run it again, remove it", kept.shown())),
                Ok(None) => missing.push(run),
                Err(error) => {
                    output::note(&format!("{} is replaced: {error:#}", kept.shown()));
                    missing.push(run);
                }
            }
        }
        if let Some(code) = self.run(&experiment, &missing)? {
            return Ok(code);
        }
        let place = |run: &Run| {
            if missing.iter().any(|new| new.name == run.name) { self.out() } else { self.kept() }
        };
        let code = self.compare(&experiment, place)?;
        if code != exit::DONE {
            return Ok(ExitCode::from(code));
        }
        for run in &missing {
            let kept = keep(&self.out().join(&run.name), self.kept(), &run.name, commit)?;
            output::note(&format!("kept {}", kept.shown()));
        }
        Ok(ExitCode::from(code))
    }

    /// Returns the folder of new runs.
    fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(OUT))
    }

    /// Returns the folder of kept runs and their pages.
    fn kept(&self) -> &Path {
        self.kept.as_deref().unwrap_or(Path::new(KEPT))
    }

    /// Returns the folder of the runs to compare: that of --kept if it is given, else that of --out if it is given or the experiment is a
    /// file, else docs/results.
    fn kept_of(&self, experiment: &str) -> &Path {
        let new = self.kept.is_none() && (self.out.is_some() || is_file(experiment));
        if new { self.out() } else { self.kept() }
    }

    /// Says how to give the folder of kept runs if it is not there.
    fn lack(&self) -> Option<String> {
        let overview = self.kept().join("README.md");
        (!overview.is_file()).then(|| format!("there is no {}: {REMEDY}", overview.shown()))
    }

    /// Runs some of an experiment's runs. Returns an exit code if there is nothing to compare: a run was refused or ended, or a
    /// shard or a plan was asked for.
    fn run(&self, experiment: &Experiment, runs: &[&Run]) -> Result<Option<ExitCode>> {
        let directories = self.data.directories().paths()?;
        let manifest = &experiment.manifest;
        self.refuse_other_runs()?;
        self.refuse_native(experiment)?;
        let missing = Run::missing(runs.iter().copied(), &directories)?;
        if !missing.is_empty() {
            let mut others = Vec::new();
            for other in all()? {
                if !other.manifest.asks_images() && other.manifest.missing(&directories)?.is_empty() {
                    others.push((other.manifest.page != manifest.page, other.id));
                }
            }
            // Those of the same page come first.
            others.sort_by_key(|(elsewhere, _)| *elsewhere);
            let others: Vec<String> = others.into_iter().map(|(_, id)| id).collect();
            bail!(
                "{} needs data that are not there: {}; `jointly data` says how to get them; what needs none of them: {}, by \
                 `jointly reproduce`",
                experiment.id,
                missing.join(", "),
                listed(&others, MOST_NAMED)
            );
        }
        output::note(&format!("{}: {}, {}", experiment.id, manifest.subject(), manifest.cost));
        if self.json {
            output::leave_stdout_to_json();
        }
        let mut ended = None;
        let asked = runs.iter().map(|run| self.asked(run));
        let asked: Vec<(PathBuf, Vec<OsString>, Jointly)> = asked.collect::<Result<_>>()?;
        let place = |run: &Run| format!("{}, run {}", experiment.id, run.name);
        // The first may take hours, so the others' mistakes are found before it starts.
        for (run, (.., command)) in runs.iter().zip(&asked).skip(1) {
            command.load().with_context(|| place(run))?;
        }
        for (run, (out, words, command)) in runs.iter().zip(asked) {
            let shown: Vec<_> =
                words.iter().map(|word| jointly_record::shell::quoted(&word.to_string_lossy())).collect();
            output::note(&shown.join(" "));
            let code = command.execute().with_context(|| place(run))?;
            // A shard and a plan have no scores.
            if !out.join(SCORES).is_file() {
                ended = Some(code);
            }
        }
        Ok(ended)
    }

    /// Refuses words after `--` by which a run would be another than the manifest's, before it takes hours.
    fn refuse_other_runs(&self) -> Result<()> {
        let mut words = self.more.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            let name = word.split('=').next().unwrap_or_default();
            ensure!(
                PASSED_ON.contains(&name),
                "{name} after -- is none of the options that may follow, by which no score changes: {}. For anything else, copy the \
                 experiment's file from experiments/, change it and give it as FILE.toml",
                PASSED_ON.join(", ")
            );
            if name == word && name != PLAN_ONLY {
                words.next();
            }
        }
        Ok(())
    }

    /// Returns whether an option is among those after `--`.
    fn names(&self, option: &str) -> bool {
        let mut given = self.more.iter().map(|word| word.to_string_lossy());
        option.starts_with("--") && given.any(|word| word.split('=').next() == Some(option))
    }

    /// Refuses to start what a file names outside the sandbox, unless the user lets it.
    fn refuse_native(&self, experiment: &Experiment) -> Result<()> {
        match experiment.manifest.runs.iter().find_map(Run::native_agent) {
            Some(agent) if !self.native => bail!(
                "{} names the native agent {agent}, which would run outside the sandbox with your rights; give --native if you \
                 trust the file",
                experiment.id
            ),
            _ => Ok(()),
        }
    }

    /// Returns the directory of a run, the words of its command, and the command that they are read as.
    fn asked(&self, run: &Run) -> Result<(PathBuf, Vec<OsString>, Jointly)> {
        let out = self.out().join(&run.name);
        let mut words: Vec<OsString> = vec!["jointly".into()];
        let mut arguments = run.arguments.iter();
        while let Some(word) = arguments.next() {
            // An option after -- is given in place of the manifest's.
            if self.names(word) {
                arguments.next();
            } else {
                words.push(word.into());
            }
        }
        words.extend(self.data.words());
        words.extend(["--out".into(), out.clone().into_os_string()]);
        words.extend(self.more.iter().cloned());
        let command = Jointly::try_parse_from(&words).map_err(|error| {
            let text = error.to_string();
            let text = text.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned();
            anyhow!("{}: {text}", run.name)
        })?;
        Ok((out, words, command))
    }

    /// Sets the runs of an experiment, each in its folder, beside the published numbers. Returns the exit code: comparisons and
    /// tables that fail do not hide the others.
    fn compare<'f>(&self, experiment: &Experiment, folder: impl Fn(&Run) -> &'f Path) -> Result<u8> {
        let Some(outcome) = Outcome::read(experiment, &folder)? else {
            let runs = &experiment.manifest.runs;
            let name = self.experiment.as_deref().unwrap_or(&experiment.id);
            let command = match self.out.as_ref().filter(|_| self.kept.is_none()) {
                Some(out) => format!("jointly reproduce {name} --out {}", out.shown()),
                None => format!("jointly reproduce {name}"),
            };
            let folder = folder(&runs[0]);
            if let Some(progress) = Progress::read(runs, folder)? {
                bail!("{} in {}: {}; `{command}` goes on", experiment.id, folder.shown(), progress.text());
            }
            let remedy =
                if self.kept.is_none() && self.out.is_none() { format!(", or {REMEDY}") } else { String::new() };
            bail!("{} has no run in {}; `{command}` runs it{remedy}", experiment.id, folder.shown());
        };
        let mut defects = outcome.defects();
        let (text, failures) = text(&outcome);
        let failed = !outcome.failures.is_empty() || !failures.is_empty();
        defects.extend(failures);
        if self.json {
            output::print_json(&document(&outcome, &defects))?;
        } else {
            output::print(&text)?;
        }
        for defect in &defects {
            output::note(defect);
        }
        if !failed && !self.kept_runs.check {
            self.draw(&outcome)?;
        }
        let bad = failed || self.kept_runs.check && !defects.is_empty();
        Ok(if bad { exit::BAD_INPUT } else { exit::DONE })
    }

    /// Writes the pictures of an experiment beside its runs.
    fn draw(&self, outcome: &Outcome) -> Result<()> {
        let folder = self.out();
        for (number, picture) in (1..).zip(outcome.pictures()?) {
            fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.shown()))?;
            let path = folder.join(outcome.experiment.picture(number));
            directory::write_whole(&path, picture.as_bytes(), "make room, or give another place by --out")?;
            output::note(&format!("drawn: {}", path.shown()));
        }
        Ok(())
    }

    /// Checks the pages of all experiments against their kept runs, or writes them.
    fn every(&self) -> Result<ExitCode> {
        if let Some(lack) = self.lack() {
            bail!(lack);
        }
        let experiments = all()?;
        let (mut found, mut defects): (Vec<Found>, Vec<String>) = (Vec::new(), Vec::new());
        for experiment in &experiments {
            match whole(experiment, self.kept()) {
                Ok(outcome) => {
                    defects.extend(outcome.iter().flat_map(Outcome::defects));
                    found.push((experiment, outcome));
                }
                Err(error) => defects.push(format!("{error:#}")),
            }
        }
        let whole = found.len() == experiments.len();
        let pages = if whole { pages(&found)? } else { Vec::new() };
        for page in pages {
            let path = self.kept().join(&page.file);
            if self.kept_runs.write {
                fs::write(&path, &page.text).with_context(|| format!("failed to write {}", path.shown()))?;
                continue;
            }
            let held = regular_file::read(&path, MOST_BYTES);
            let held = held.with_context(|| format!("failed to read {}", path.shown()))?;
            if let Some(place) = first_difference(&String::from_utf8_lossy(&held), &page.text) {
                defects.push(format!("{}: {place}; `jointly reproduce --all --write` writes it anew", path.shown()));
            }
        }
        for defect in &defects {
            output::print_line(defect)?;
        }
        if !defects.is_empty() {
            return Ok(ExitCode::from(exit::BAD_INPUT));
        }
        let run = found.iter().filter(|(_, outcome)| outcome.is_some()).count();
        let numbers: usize =
            found.iter().filter_map(|(_, outcome)| Some(outcome.as_ref()?.counts())).map(Counts::all).sum();
        let done = if self.kept_runs.write { "are written from" } else { "say what follows from" };
        output::print(&format!(
            "the pages in {} {done} {} with {}",
            self.kept().shown(),
            counted(run, "experiment"),
            counted(numbers, "published number")
        ))?;
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Returns whether an experiment is given by its file.
fn is_file(experiment: &str) -> bool {
    Path::new(experiment).extension().is_some_and(|extension| extension == "toml")
}

/// Returns the experiment of that name or in that file.
fn named(name: &str) -> Result<Experiment> {
    if is_file(name) {
        return open(Path::new(name));
    }
    if let Some(experiment) = find(name)? {
        return Ok(experiment);
    }
    let experiments = all()?;
    if experiments.iter().any(|experiment| experiment.id.starts_with(name)) {
        bail!("there is no experiment {name}: `jointly reproduce '{name}*'` lists those whose names begin so");
    }
    let names = experiments.iter().map(|experiment| experiment.id.as_str());
    bail!("there is no experiment {name}: {}", guess::remedy(name, names, "`jointly reproduce` lists all"))
}

/// Says where two texts begin to differ.
fn first_difference(held: &str, made: &str) -> Option<String> {
    if held == made {
        return None;
    }
    let (mut held, mut made) = (held.lines(), made.lines());
    for line in 1.. {
        match (held.next(), made.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => {
                let shown = |text: Option<&str>| text.map_or("nothing".to_owned(), |text| format!("`{text}`"));
                return Some(format!("line {line} is {}, and the runs say {}", shown(a), shown(b)));
            }
        }
    }
    Some("its line ends differ".to_owned())
}

/// Returns the commit that this command was built from, without further changes.
fn commit() -> Result<&'static str> {
    ensure!(!COMMIT.is_empty(), "--keep names the commit of the build, and this command was not built from a checkout");
    ensure!(
        !COMMIT.ends_with("+changes"),
        "--keep names the commit of the build, and this command was built from {COMMIT}: commit them, and build it again"
    );
    Ok(COMMIT)
}

/// Compares the runs of an experiment in a folder with what was published, or returns `None` if some have no scores.
///
/// # Errors
/// As [`Outcome::read`], and when a comparison fails.
fn whole<'e>(experiment: &'e Experiment, folder: &Path) -> Result<Option<Outcome<'e>>> {
    let outcome = Outcome::read(experiment, |_| folder)?;
    let failures: Vec<&str> = outcome.iter().flat_map(|outcome| &outcome.failures).map(String::as_str).collect();
    ensure!(failures.is_empty(), "{}", failures.join("; "));
    Ok(outcome)
}

/// Writes the tables of an experiment for a terminal. Returns the text, and why some tables failed.
fn text(outcome: &Outcome) -> (String, Vec<String>) {
    let manifest = &outcome.experiment.manifest;
    let mut text = format!("{}\n", manifest.title);
    if let Some(paper) = &manifest.paper {
        let _ = writeln!(text, "{paper}");
    }
    for (comparison, rows) in manifest.comparisons.iter().zip(&outcome.rows) {
        if rows.is_empty() {
            continue;
        }
        let mut table = vec![["agent", "ours", "published", "verdict"].map(str::to_owned).to_vec()];
        for row in rows {
            let verdict = row.verdict.word().to_owned();
            table.push(vec![row.who().to_owned(), row.shown(), row.published.shown(), verdict]);
        }
        let heading = format!("{}{}", comparison.title, comparison.precision());
        let _ = write!(text, "\n{}\n{}", wrap(&heading, 0), render(1, &table));
        for (cause, rows) in by_cause(rows) {
            if let Some(cause) = cause {
                let _ = writeln!(text, "{}", wrap(&format!("{}: {cause}", whose(&rows)), 4));
            }
        }
    }
    let mut failures = Vec::new();
    for table in outcome.tables() {
        match table {
            Ok((title, rows)) => drop(write!(text, "\n{}\n{}", wrap(title, 0), render(1, &rows))),
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    let failed = outcome.failures.len();
    let last = match outcome.counts() {
        counts if failed == 0 => counts.text(),
        counts if counts == Counts::default() => format!("{} failed", counted(failed, "comparison")),
        counts => format!("{}; {} failed", counts.text(), counted(failed, "comparison")),
    };
    let _ = write!(text, "\n{last}");
    (text, failures)
}

/// Returns the comparisons as JSON, and what the manifest says of a number that came out otherwise.
fn document(outcome: &Outcome, defects: &[String]) -> serde_json::Value {
    let comparisons = outcome.experiment.manifest.comparisons.iter().zip(&outcome.rows);
    let each = comparisons.map(|(comparison, rows)| {
        let rows = rows.iter().map(|row| {
            let (published, stderr, resolution, side) = match row.published {
                Published::Number(number, stderr) => (number, Some(stderr), Some(comparison.resolution(number)), None),
                Published::Below(bound) => (bound, None, None, Some("below")),
                Published::Above(bound) => (bound, None, None, Some("above")),
            };
            json!({
                "agent": row.agent,
                "ours": row.ours,
                "stderr": row.stderr,
                "units": row.units,
                "published": published,
                "published_stderr": stderr,
                "side": side,
                "resolution": resolution,
                "verdict": row.verdict.word(),
                "cause": row.cause,
            })
        });
        json!({
            "title": comparison.title,
            "run": comparison.run,
            "also_runs": comparison.also_runs.iter().map(|further| &further.run).collect::<Vec<_>>(),
            "score": comparison.score,
            "statistic": comparison.statistic,
            "reading_error": comparison.reading_error,
            "tolerance": comparison.tolerance,
            "rows": rows.collect::<Vec<_>>(),
        })
    });
    json!({
        "id": outcome.experiment.id,
        "paper": outcome.experiment.manifest.paper,
        "comparisons": each.collect::<Vec<_>>(),
        "defects": defects,
    })
}
