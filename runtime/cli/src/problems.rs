//! Which problems a run is about: a suite's, or files'.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use globset::Glob;
use jointly_core::{Evaluation, ImportedProblem, Partitioning, Problem, Source, Suite, digest};

use crate::data_directories::DataDirectories;
use crate::directory::{Kept, RunDirectory};
use crate::plan::{Plan, PlannedProblem};
use crate::real_data;

/// The suite of problems that are given as files.
pub(crate) const IMPORTED: &str = "imported";

/// What a person may choose of a suite's evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choices {
    pub(crate) draws: Option<u32>,
    pub(crate) partition: Option<Partitioning>,
}

impl Choices {
    /// Those that lead to this evaluation.
    fn of(evaluation: &Evaluation) -> Self {
        Self { draws: Some(evaluation.draws), partition: Some(evaluation.partition) }
    }

    fn apply(self, evaluation: &mut Evaluation) {
        evaluation.draws = self.draws.unwrap_or(evaluation.draws);
        evaluation.partition = self.partition.unwrap_or(evaluation.partition);
    }
}

/// The suite that a person asked for by name, or makes of files, less what the pattern leaves out.
pub(crate) fn requested(
    name: Option<&str>,
    files: &[PathBuf],
    pattern: Option<&str>,
    choices: Choices,
    data: &DataDirectories,
) -> Result<Suite> {
    let mut suite = match (name, files) {
        (Some(IMPORTED), []) => bail!("the suite {IMPORTED} needs --problem FILE.npz"),
        (None, []) => bail!("nothing to run: give --suite ({}) or --problem FILE.npz", names()),
        (None | Some(IMPORTED), files) => of_files(files)?,
        (Some(name), []) => named(name)?,
        (Some(name), _) => {
            bail!("--problem makes a suite of its own: leave out --suite {name}, or run it into another --out")
        }
    };
    choices.apply(&mut suite.evaluation);
    if let Some(pattern) = pattern {
        restrict(&mut suite, pattern)?;
    }
    for problem in &suite.problems {
        problem.fits(&suite.evaluation).with_context(|| format!("failed to take on {}", problem.name))?;
    }
    real_data::attach(&mut suite, data)?;
    Ok(suite)
}

/// The suite of a plan with the plan's problems: those that are files from the copies in the directory, those that are
/// made of datasets from wherever the data are.
pub(crate) fn held(directory: &RunDirectory, plan: &Plan, data: &DataDirectories) -> Result<Suite> {
    let mut suite = if plan.suite == IMPORTED {
        let problems = plan.problems.iter().map(|planned| held_file(directory, planned));
        Suite::imported(problems.collect::<Result<_>>()?)
    } else {
        let all = named(&plan.suite)?;
        let problem = |planned: &PlannedProblem| {
            let problem = all.problems.iter().find(|problem| problem.name == planned.problem).cloned();
            problem.with_context(|| format!("the suite {} has no problem {}", plan.suite, planned.problem))
        };
        let problems = plan.problems.iter().map(problem).collect::<Result<_>>()?;
        let mut suite = Suite { problems, ..all.clone() };
        real_data::attach(&mut suite, data)?;
        real_data::are_those_of(plan, &suite)?;
        suite
    };
    Choices::of(&plan.evaluation).apply(&mut suite.evaluation);
    for problem in &suite.problems {
        problem.fits(&suite.evaluation).with_context(|| format!("failed to take on {}", problem.name))?;
    }
    Ok(suite)
}

/// The evaluation that the suite of this name has of itself.
pub(crate) fn evaluation(suite: &str) -> Option<Evaluation> {
    if suite == IMPORTED {
        Some(Suite::imported(Vec::new()).evaluation)
    } else {
        named(suite).ok().map(|suite| suite.evaluation)
    }
}

/// A problem as the plan has it.
pub(crate) fn planned(problem: &Problem) -> PlannedProblem {
    let digest = match &problem.source {
        Source::Imported(imported) => Some(imported.digest.clone()),
        Source::Real(real) => real.data().map(|data| data.digest().to_owned()),
        Source::Synthetic { .. } => None,
    };
    PlannedProblem { problem: problem.name.clone(), metric: problem.metric(), digest }
}

/// Puts copies of problem files into the directory.
pub(crate) fn keep(files: &[PathBuf], directory: &RunDirectory) -> Result<()> {
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
        directory.keep(Kept::Problem, &digest(&bytes), &bytes)?;
    }
    Ok(())
}

/// The suite of that name.
pub(crate) fn named(name: &str) -> Result<Suite> {
    jointly_core::suite(name).with_context(|| format!("there is no suite {name}; there are {}", names()))
}

fn names() -> String {
    let names: Vec<String> = jointly_core::suites().into_iter().map(|suite| suite.name).collect();
    names.join(", ")
}

fn of_files(files: &[PathBuf]) -> Result<Suite> {
    let problems = files.iter().map(|file| imported(file)).collect::<Result<Vec<_>>>()?;
    let repeated = |at: &usize| problems[..*at].iter().any(|earlier| earlier.name == problems[*at].name);
    if let Some(at) = (0..problems.len()).find(repeated) {
        bail!("two problem files have the name {}; rename one", problems[at].name);
    }
    let suite = Suite::imported(problems);
    let kinds = |problem: &Problem| (problem.metric(), problem.taus(&suite.evaluation));
    if let Some(other) = suite.problems.iter().find(|problem| kinds(problem) != kinds(&suite.problems[0])) {
        bail!(
            "{} has another tau than {}, or one has no log_likelihood: no mean is taken over such; run each into its own \
             --out",
            other.name,
            suite.problems[0].name
        );
    }
    Ok(suite)
}

/// A problem named by its file.
fn imported(file: &Path) -> Result<Problem> {
    let imported = ImportedProblem::read(file)?;
    let stem = file.file_stem().map_or_else(|| "problem".into(), |stem| stem.to_string_lossy().into_owned());
    Ok(Problem { name: format!("{IMPORTED}/{stem}"), source: Source::Imported(imported.into()) })
}

fn restrict(suite: &mut Suite, pattern: &str) -> Result<()> {
    let glob = Glob::new(pattern).with_context(|| format!("failed to read the pattern {pattern}"))?.compile_matcher();
    let example = suite.problems.first().map(|problem| problem.name.clone()).unwrap_or_default();
    suite.problems.retain(|problem| glob.is_match(&problem.name));
    if suite.problems.is_empty() {
        bail!("no problem of {} matches {pattern}; a name looks like {example}", suite.name);
    }
    Ok(())
}

fn held_file(directory: &RunDirectory, planned: &PlannedProblem) -> Result<Problem> {
    let digest = planned.digest.as_ref().with_context(|| format!("the plan has no digest of {}", planned.problem))?;
    let path = directory.kept(Kept::Problem, digest);
    let imported = ImportedProblem::read(&path)?;
    if imported.digest != *digest {
        bail!("{} is not the problem that the plan names: its digest is {}", path.display(), imported.digest);
    }
    Ok(Problem { name: planned.problem.clone(), source: Source::Imported(imported.into()) })
}
