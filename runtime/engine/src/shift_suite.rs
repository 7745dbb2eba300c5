//! Prepares the problems of a run under dataset shift: the user's selection from a suite, its data, and its plan.

use anyhow::{Context, Result, anyhow, bail};
use jointly_classification::shift::{
    DatasetShift, Shift, ShiftDataError, ShiftDataset, ShiftInstance, ShiftLevel, ShiftProblem, ShiftSuite,
    USER_IMAGES, attach_datasets, shift_suite,
};
use jointly_core::Seed;
use jointly_data::shift::{ShiftCard, locate_outsiders, locate_shift};
use jointly_record::plan::{Plan, PlannedProblem};
use jointly_record::planned_images::PlannedImages;
use jointly_record::quantity::counted;
use jointly_record::{pattern, suites};

use crate::data_directories::DataDirectories;
use crate::{real_data, selection, user_images};

/// The user's overrides of a suite.
#[derive(Clone, Debug, Default)]
pub struct ShiftChoices {
    /// The number of functions sampled from each agent.
    pub draws: Option<u32>,
    /// The orders of the joint predictions.
    pub taus: Option<Vec<u32>>,
    /// Patterns of levels, such as `rotation/*`.
    pub shifts: Option<Vec<String>>,
    /// The side length of user-supplied images, in pixels.
    pub side: Option<u32>,
    /// Whether agents see user-supplied images in greyscale.
    pub grey: bool,
}

impl ShiftChoices {
    /// Returns the format in which agents see user-supplied images, if the suite uses them.
    fn images(&self, suite: &str, data: &DataDirectories) -> Result<Option<PlannedImages>> {
        let own = PlannedImages::default();
        let view = PlannedImages { side: self.side.unwrap_or(own.side), grey: self.grey };
        if suite == USER_IMAGES {
            return Ok(Some(view));
        }
        if self.side.is_some() || self.grey {
            bail!("--side and --grey are for user-supplied images: leave them out, or give --suite {USER_IMAGES}");
        }
        data.refuse_images(suite)?;
        Ok(None)
    }
}

/// Returns the suite of that name without the problems that the pattern excludes and with the user's overrides, or
/// `None` if it is no suite of dataset shift.
///
/// # Errors
/// When no problem matches, an override does not fit, or data are not at hand.
pub fn requested(
    name: &str,
    pattern: Option<&str>,
    choices: &ShiftChoices,
    seed: Seed,
    data: &DataDirectories,
    note: &dyn Fn(&str),
) -> Result<Option<(ShiftSuite, Option<PlannedImages>)>> {
    let Some(mut suite) = shift_suite(name) else { return Ok(None) };
    let images = choices.images(name, data)?;
    if let Some(pattern) = pattern {
        selection::restrict(name, &mut suite.problems, pattern, |problem| &problem.name)?;
    }
    if suite.alternatives {
        keep_first_at_hand(&mut suite.problems, data, note)?;
    }
    attach(&mut suite.problems, images, data)?;
    suite.options.draws = choices.draws.unwrap_or(suite.options.draws);
    if let Some(taus) = &choices.taus {
        suite.options.taus.clone_from(taus);
    }
    suite.options.levels = match &choices.shifts {
        Some(shifts) => levels(&suite, shifts)?,
        None => taken(&suite.options.levels, &suite.problems),
    };
    suite.options.check().with_context(|| format!("failed to take on {name}"))?;
    for problem in &suite.problems {
        suite
            .options
            .fits(problem.task().num_classes)
            .with_context(|| format!("failed to take on {}", problem.name))?;
    }
    if let Some(taus) = &choices.taus {
        refuse_idle(taus, &suite.problems, seed)?;
    }
    note_absent(&suite.problems, data, note)?;
    Ok(Some((suite, images)))
}

/// Notes the missing sets of out-of-distribution inputs; their scores will be missing too.
fn note_absent(problems: &[ShiftProblem], data: &DataDirectories, note: &dyn Fn(&str)) -> Result<()> {
    let mut cards: Vec<&'static ShiftCard> = Vec::new();
    for card in problems.iter().filter_map(|problem| problem.dataset()?.card()) {
        if !cards.iter().any(|known| known.name == card.name) {
            cards.push(card);
        }
    }
    if cards.is_empty() {
        return Ok(());
    }
    let directories = data.paths()?;
    for outsiders in cards.iter().flat_map(|card| card.outsiders) {
        if locate_outsiders(outsiders, &directories).is_none() {
            note(&format!(
                "there is no {}, a set of out-of-distribution inputs: its scores are left out; `jointly data` says where \
                 they are looked for",
                outsiders.name
            ));
        }
    }
    Ok(())
}

/// Returns the levels by which some problem's inputs can be shifted.
fn taken(levels: &[ShiftLevel], problems: &[ShiftProblem]) -> Vec<ShiftLevel> {
    let takes = |level: &&ShiftLevel| problems.iter().any(|problem| problem.takes(level.shift()));
    levels.iter().filter(takes).copied().collect()
}

/// Refuses orders that exceed the number of test inputs of every problem.
fn refuse_idle(taus: &[u32], problems: &[ShiftProblem], seed: Seed) -> Result<()> {
    let most = problems.iter().map(|problem| problem.test_size(seed)).max().unwrap_or(0);
    match taus.iter().find(|&&tau| tau as usize > most) {
        Some(tau) => bail!("--taus {tau}: no problem has more than {most} test inputs; give at most that"),
        None => Ok(()),
    }
}

/// Returns the levels that patterns name: matching levels of the suite; else matching levels of all shifts at their
/// usual severities; else a single level that is written out in full.
fn levels(suite: &ShiftSuite, patterns: &[String]) -> Result<Vec<ShiftLevel>> {
    let mut levels: Vec<ShiftLevel> = Vec::new();
    for pattern in patterns {
        let glob = pattern::matcher(pattern)?;
        let usual =
            Shift::ALL.into_iter().flat_map(|shift| shift.severities().iter().filter_map(move |s| shift.at(*s).ok()));
        let usual: Vec<ShiftLevel> = usual.collect();
        let matching = |levels: &[ShiftLevel]| {
            let matching = levels.iter().filter(|level| glob.is_match(level.to_string())).copied();
            taken(&matching.collect::<Vec<_>>(), &suite.problems)
        };
        let mut found = matching(&suite.options.levels);
        if found.is_empty() {
            found = matching(&usual);
        }
        if found.is_empty() {
            match pattern.parse::<ShiftLevel>() {
                Ok(level) if suite.problems.iter().any(|problem| problem.takes(level.shift())) => found.push(level),
                Ok(level) => bail!("inputs of {} cannot be shifted by {}", suite.name, level.shift()),
                Err(error) => {
                    bail!(
                        "no shift that {name} can have matches {pattern} ({error}); `jointly suites {name}` lists its own",
                        name = suite.name
                    )
                }
            }
        }
        levels.extend(found.into_iter().filter(|level| !levels.contains(level)).collect::<Vec<_>>());
    }
    Ok(levels)
}

/// Returns the suite of a plan with the plan's problems and options.
///
/// # Errors
/// When the plan names an unknown problem, or data that are not at hand.
pub fn held(plan: &Plan, data: &DataDirectories) -> Result<ShiftSuite> {
    let options = plan.options::<DatasetShift>().context("the plan is not one of dataset shift")?;
    let all = shift_suite(&plan.suite).with_context(|| suites::unknown(&plan.suite))?;
    let mut own = selection::of_plan(plan, &all.problems, |problem| &problem.name)?;
    attach(&mut own, plan.images, data)?;
    for (planned, problem) in plan.problems.iter().zip(&own) {
        let remedy = match plan.images {
            Some(_) => "give the run's own folder by --images".to_owned(),
            None => format!("out-of-distribution inputs are part of them; {}", real_data::ELSEWHERE),
        };
        real_data::are_those_of_the_run(&problem.name, problem.digest().as_deref(), planned, &remedy)?;
    }
    for problem in &own {
        options.fits(problem.task().num_classes).with_context(|| format!("failed to take on {}", problem.name))?;
    }
    Ok(ShiftSuite { problems: own, options: options.clone(), ..all })
}

/// Keeps, of several datasets, the problems of the first that is in a data directory; if none is, those of the last,
/// which needs the least.
fn keep_first_at_hand(problems: &mut Vec<ShiftProblem>, data: &DataDirectories, note: &dyn Fn(&str)) -> Result<()> {
    let directories = data.paths()?;
    let card = |problem: &ShiftProblem| problem.dataset().and_then(ShiftDataset::card);
    let is_there = |card: &'static ShiftCard| locate_shift(card, &directories).is_ok();
    let first = problems.iter().filter_map(card).find(|card| is_there(card));
    let Some(meant) = first.or_else(|| problems.iter().rev().find_map(card)) else { return Ok(()) };
    let (kept, others): (Vec<_>, Vec<_>) =
        problems.drain(..).partition(|problem| card(problem).is_some_and(|own| own.name == meant.name));
    // Without a note two users would compare different problems under the suite's name.
    if let (Some(like), Some(other)) = (kept.first(), others.first()) {
        let why = match other.dataset().and_then(ShiftDataset::card) {
            Some(other) if !is_there(other) => format!("there is no {}", other.name),
            _ => format!("{} is there, which asks for more", meant.name),
        };
        note(&format!(
            "{why}: {} like {} left out, and {} like {} run; --problems chooses others",
            counted(others.len(), "problem"),
            other.name,
            counted(kept.len(), "problem"),
            like.name
        ));
    }
    *problems = kept;
    Ok(())
}

/// Returns the data of the plan's first problem, with only the first of the test inputs, or `None` if they are not
/// images.
///
/// # Errors
/// When the problem's data are not found.
pub fn pictured(plan: &Plan, data: &DataDirectories) -> Result<Option<ShiftInstance>> {
    let first = Plan { problems: plan.problems.iter().take(1).cloned().collect(), ..plan.clone() };
    let known = shift_suite(&plan.suite);
    // The format of user-supplied images is known once they are read.
    let is_of_images = |problem: &ShiftProblem| plan.images.is_some() || problem.task().image.is_some();
    let has_images = |planned: &PlannedProblem| {
        let mut problems = known.iter().flat_map(|suite| &suite.problems);
        problems.any(|problem| problem.name == planned.problem && is_of_images(problem))
    };
    if !first.problems.iter().any(has_images) {
        return Ok(None);
    }
    let suite = held(&first, data)?;
    Ok(suite.problems.first().map(|problem| {
        let mut instance = problem.instance(plan.seed);
        instance.test = instance.test.select(&[0]);
        instance
    }))
}

/// Reads the data that the problems are made of, each once, and attaches them.
fn attach(problems: &mut [ShiftProblem], images: Option<PlannedImages>, data: &DataDirectories) -> Result<()> {
    if let Some(view) = images {
        return user_images::attach(problems, view, data);
    }
    let of_files = |problem: &ShiftProblem| problem.dataset().is_some_and(|dataset| dataset.data().is_none());
    if !problems.iter().any(of_files) {
        return Ok(());
    }
    attach_datasets(problems, &data.paths()?).map_err(|error| match error {
        ShiftDataError::Missing(missing) => {
            anyhow!(
                "{missing}; a data directory is given by --data or JOINTLY_DATA, and --problems of `jointly run` leaves problems out"
            )
        }
        ShiftDataError::Data(error) => error.into(),
    })
}
