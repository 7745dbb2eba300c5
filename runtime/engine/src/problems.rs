//! Selects the problems of a run: those of a suite, or of files.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jointly_classification::{AskedDraws, Classification, Evaluation, Initialization, Problem, Suite};
use jointly_core::printable::ShowPath as _;
use jointly_core::{Partitioning, digest};
use jointly_data::import::MAX_FILE_BYTES;
use jointly_data::{ImportedProblem, regular_file};
use jointly_record::directory::RunDirectory;
use jointly_record::kept::Kept;
use jointly_record::plan::{Plan, PlannedProblem, ProblemOverrides};
use jointly_record::suites;
use jointly_record::suites::IMPORTED;

use crate::data_directories::DataDirectories;
use crate::plans::{anchors, initialization};
use crate::{real_data, selection};

/// The user's overrides of a suite's evaluation and problems.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// The functions sampled from each agent.
    pub draws: Option<AskedDraws>,
    /// The partition of the draws.
    pub partition: Option<Partitioning>,
    /// The number of random hyperplanes of the partition.
    pub planes: Option<u32>,
    /// Whether probits are clipped.
    pub clip: Option<bool>,
    /// The number of anchors that dyadic test inputs repeat.
    pub anchors: Option<NonZeroU32>,
    /// The distribution of the environments' weights.
    pub initialization: Option<Initialization>,
}

impl Choices {
    /// Returns the overrides that lead to this plan.
    fn of(plan: &Plan) -> Self {
        let ProblemOverrides { anchors, initialization } = plan.problem_overrides;
        let Some(evaluation) = plan.options::<Classification>() else { return Self::default() };
        let Evaluation { partition, planes, clip, .. } = *evaluation;
        Self {
            draws: Some(AskedDraws::of(evaluation)),
            partition: Some(partition),
            planes: Some(planes),
            clip: Some(clip),
            anchors,
            initialization,
        }
    }

    /// Applies the overrides to the suite. Refuses those that do not apply to its problems.
    fn apply(self, suite: &mut Suite) -> Result<()> {
        let Suite { name, evaluation, problems, .. } = suite;
        if let Some(draws) = self.draws {
            draws.apply(evaluation);
        }
        evaluation.partition = self.partition.unwrap_or(evaluation.partition);
        evaluation.planes = self.planes.unwrap_or(evaluation.planes);
        evaluation.clip = self.clip.unwrap_or(evaluation.clip);
        for problem in problems {
            if let Some(chosen) = self.anchors {
                let Some(anchors) = anchors(problem) else {
                    bail!(
                        "--anchors is for test inputs that repeat some, and those of {name} do not: leave it out, or give \
                         --suite {}",
                        alternatives(|problem| anchors(problem).is_some())
                    )
                };
                *anchors = chosen;
            }
            if let Some(chosen) = self.initialization {
                let Some(own) = initialization(problem) else {
                    bail!(
                        "--initialization is for environments that are sampled, and {name} has none: leave it out, or give \
                         --suite {}",
                        alternatives(|problem| initialization(problem).is_some())
                    )
                };
                *own = chosen;
            }
        }
        Ok(())
    }
}

/// Lists the suites in which every problem satisfies `has`.
fn alternatives(has: impl Fn(&mut Problem) -> bool) -> String {
    let suites = jointly_classification::suites().into_iter();
    let suites = suites.filter_map(|mut suite| suite.problems.iter_mut().all(&has).then_some(suite.name));
    suites.collect::<Vec<_>>().join(" or ")
}

/// Returns the suite that the user requested by name, or makes one of files, without the problems that the pattern
/// excludes.
///
/// # Errors
/// When there is no such suite or problem, a choice does not fit, or data are not at hand.
pub fn requested(
    name: Option<&str>,
    files: &[PathBuf],
    pattern: Option<&str>,
    choices: Choices,
    data: &DataDirectories,
) -> Result<Suite> {
    let mut suite = match (name, files) {
        (Some(IMPORTED), []) => bail!("the suite {IMPORTED} needs --problem FILE.npz"),
        (None, []) => bail!("nothing to run: give --suite NAME (`jointly suites` lists all) or --problem FILE.npz"),
        (None | Some(IMPORTED), files) => of_files(files)?,
        (Some(name), []) => suites::named(name)?,
        (Some(name), _) => {
            bail!("--problem makes a suite of its own: leave out --suite {name}, or run it into another --out")
        }
    };
    if let Some(AskedDraws::Until { .. }) = choices.draws {
        let given = [("--planes", choices.planes.is_some()), ("--no-clip", choices.clip.is_some())];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            bail!("{option} is for a partition into cells, and --draws auto has none: leave it out");
        }
    }
    choices.apply(&mut suite)?;
    if let Some(pattern) = pattern {
        selection::restrict(&suite.name, &mut suite.problems, pattern, |problem| &problem.name)?;
    }
    for problem in &suite.problems {
        problem.fits(&suite.evaluation).with_context(|| format!("failed to take on {}", problem.name))?;
    }
    real_data::attach(&mut suite, data)?;
    Ok(suite)
}

/// Returns the suite of a plan with the plan's problems. Problem files are read from the copies in the directory,
/// datasets from the data directories.
///
/// # Errors
/// When the plan names an unknown problem, or data that are not at hand.
pub fn held(directory: &RunDirectory, plan: &Plan, data: &DataDirectories) -> Result<Suite> {
    let mut suite = if plan.suite == IMPORTED {
        let problems = plan.problems.iter().map(|planned| held_file(directory, planned));
        Suite::imported(problems.collect::<Result<_>>()?)
    } else {
        let all = suites::named(&plan.suite)?;
        let problems = selection::of_plan(plan, &all.problems, |problem| &problem.name)?;
        let mut suite = Suite { problems, ..all };
        real_data::attach(&mut suite, data)?;
        real_data::are_those_of(plan, &suite)?;
        suite
    };
    Choices::of(plan).apply(&mut suite)?;
    for problem in &suite.problems {
        problem.fits(&suite.evaluation).with_context(|| format!("failed to take on {}", problem.name))?;
    }
    Ok(suite)
}

/// Copies problem files into the directory.
///
/// # Errors
/// When a file cannot be read or written.
pub fn keep(files: &[PathBuf], directory: &RunDirectory) -> Result<()> {
    for file in files {
        let bytes =
            regular_file::read(file, MAX_FILE_BYTES).with_context(|| format!("failed to read {}", file.shown()))?;
        directory.keep(Kept::Problem, &digest(&bytes), &bytes)?;
    }
    Ok(())
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
            "{} has another tau than {}, or one has no log_likelihood, so that a mean over them has no meaning; run each \
             into its own --out",
            other.name,
            suite.problems[0].name
        );
    }
    Ok(suite)
}

/// Reads a problem and names it by its file.
fn imported(file: &Path) -> Result<Problem> {
    let imported = ImportedProblem::read(file)?;
    let stem = file.file_stem().map_or_else(|| "problem".into(), |stem| stem.to_string_lossy().into_owned());
    Ok(Problem::imported(format!("{IMPORTED}/{stem}"), imported))
}

fn held_file(directory: &RunDirectory, planned: &PlannedProblem) -> Result<Problem> {
    let digest = planned.digest.as_ref().with_context(|| format!("the plan has no digest of {}", planned.problem))?;
    let name = Kept::Problem.path(digest);
    let shown = directory.shown(&name);
    let imported = ImportedProblem::from_bytes(directory.read(&name)?, Path::new(&shown))?;
    if imported.digest != *digest {
        bail!("{shown} is not the problem that the plan names: its digest is {}", imported.digest);
    }
    Ok(Problem::imported(planned.problem.clone(), imported))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jointly_host::Limits;
    use jointly_record::invented::planned_agent;

    use super::*;
    use crate::plans::of_classification;

    fn anchored(anchors: u32) -> Choices {
        Choices { anchors: NonZeroU32::new(anchors), ..Choices::default() }
    }

    fn ask(suite: &str, pattern: &str, choices: Choices) -> Result<Suite> {
        requested(Some(suite), &[], Some(pattern), choices, &DataDirectories::default())
    }

    fn plan(suite: &Suite) -> Plan {
        of_classification(suite, 0.into(), Limits::default(), vec![planned_agent()])
    }

    #[test]
    fn anchors_are_chosen_of_dyadic_suites_alone() {
        let suite = ask("quick/dyadic", "*", anchored(5)).unwrap();
        for problem in suite.problems.iter().step_by(5) {
            let inputs = problem.instance(0.into()).test(10, 0..30).inputs;
            let bits = |row: usize| inputs.numbers().row(row).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let distinct = |n: usize| (0..10).map(|t| bits(10 * n + t)).collect::<HashSet<_>>().len();
            assert_eq!((0..30).map(distinct).max(), Some(5), "{}", problem.name);
        }
        assert_eq!(plan(&suite).problem_overrides.anchors, NonZeroU32::new(5));
        for other in ["quick", "quick/real"] {
            let error = ask(other, "*", anchored(5)).unwrap_err().to_string();
            assert!(
                error.ends_with("leave it out, or give --suite quick/dyadic or testbed/dyadic or testbed/classes"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_law_of_weights_is_chosen_of_sampled_environments_alone() {
        let glorot = Choices { initialization: Some(Initialization::Glorot), ..Choices::default() };
        let (own, other) =
            (ask("quick", "*/seed0", Choices::default()).unwrap(), ask("quick", "*/seed0", glorot).unwrap());
        for (own, other) in own.problems.iter().zip(&other.problems) {
            let probs = |problem: &Problem| {
                let instance = problem.instance(0.into());
                instance.environment().unwrap().class_probs(instance.train().inputs().numbers())
            };
            assert_ne!(probs(own), probs(other), "{}", own.name);
        }
        assert_eq!(plan(&other).problem_overrides.initialization, Some(Initialization::Glorot));
        let error = ask("quick/real", "*", glorot).unwrap_err().to_string();
        let suites = "--suite quick or testbed or quick/dyadic or testbed/dyadic or testbed/classes";
        assert!(error.contains("quick/real has none: leave it out") && error.ends_with(suites), "{error}");
    }

    #[test]
    fn what_is_chosen_is_held_to() {
        let choices = Choices {
            draws: Some(AskedDraws::Count(50)),
            partition: Some(Partitioning::KMeans),
            planes: Some(3),
            clip: Some(false),
            initialization: Some(Initialization::Glorot),
            ..anchored(3)
        };
        let asked = plan(&ask("quick/dyadic", "*/seed1", choices).unwrap());
        assert_eq!(
            asked.overrides(),
            ", 50 draws, partitioned by k-means, 3 planes, probits not clipped, 3 anchors, glorot weights"
        );
        assert_eq!(
            asked.override_options().join(" "),
            "--draws 50 --partition k-means --planes 3 --no-clip --anchors 3 --initialization glorot"
        );
        // `verify` makes the plan anew in this way, from the directory alone.
        let folder = tempfile::tempdir().unwrap();
        let (directory, _journal) = RunDirectory::for_plan(folder.path(), &asked).unwrap();
        let read = directory.plan().unwrap();
        assert_eq!(read, asked);
        let again = held(&directory, &read, &DataDirectories::default()).unwrap();
        assert_eq!(plan(&again), asked);
        for (own, other) in [
            (Choices { anchors: None, ..choices }, "anchors of the suite, not 3"),
            (Choices { initialization: None, ..choices }, "initialization of the suite, not glorot"),
            (Choices { planes: None, ..choices }, "planes 5, not 3"),
            (Choices { clip: None, ..choices }, "clip true, not false"),
        ] {
            let plan = plan(&ask("quick/dyadic", "*/seed1", own).unwrap());
            // `--reuse` compares these conditions.
            assert_eq!(plan.other_conditions(&asked).as_deref(), Some(other));
        }
    }

    #[test]
    fn the_suites_own_is_no_choice_and_old_plans_are_read() {
        let own = Choices { initialization: Some(Initialization::Testbed), ..anchored(2) };
        let (plain, chosen) = (ask("quick/dyadic", "*", Choices::default()), ask("quick/dyadic", "*", own));
        let (plain, chosen) = (plan(&plain.unwrap()), plan(&chosen.unwrap()));
        assert_eq!((&chosen, chosen.overrides().as_str()), (&plain, ""));
        let text = serde_json::to_string(&plain).unwrap();
        assert!(!text.contains("anchors") && !text.contains("initialization"), "{text}");
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plain);
    }
}
