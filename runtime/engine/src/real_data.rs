//! Attaches the real data that a run's problems are made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use globset::Glob;
use jointly_classification::{Problem, Source, Suite};
use jointly_core::printable::ShowPath as _;
use jointly_data::{Card, Found, Part, load, locate};
use jointly_host::Limits;
use jointly_record::plan::{Plan, PlannedProblem};

use crate::data_directories::DataDirectories;
use crate::plans;

/// The memory in bytes of the smallest agent beside its training data: code, stack and the calls' answers.
const BESIDE_DATA: u64 = 64 << 20;

/// Reads the datasets that the suite's problems are made of and attaches them. Refuses before reading anything if one
/// is missing.
///
/// # Errors
/// When data are not at hand, or cannot be read.
pub fn attach(suite: &mut Suite, data: &DataDirectories) -> Result<()> {
    let cards = cards(&suite.problems);
    if cards.is_empty() {
        return Ok(());
    }
    let directories = data.paths()?;
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    for card in cards {
        match locate(card, &directories) {
            Ok(files) => here.push((card, files)),
            Err(parts) => missing.push((card, parts)),
        }
    }
    if !missing.is_empty() {
        bail!("{}", complaint(suite, &missing, &directories));
    }
    for (card, files) in here {
        let loaded = Arc::new(load(card, &files)?);
        for problem in &mut suite.problems {
            if let Source::Real(real) = &mut problem.source
                && real.card().name == card.name
            {
                real.attach(&loaded);
            }
        }
    }
    Ok(())
}

/// Checks that the data attached to a plan's problems have the digests that the plan names.
///
/// # Errors
/// When a digest differs.
pub fn are_those_of(plan: &Plan, suite: &Suite) -> Result<()> {
    for (planned, problem) in plan.problems.iter().zip(&suite.problems) {
        if let Some(real) = problem.real() {
            let own = plans::planned(problem).digest;
            are_those_of_the_run(real.card().name, own.as_deref(), planned, ELSEWHERE)?;
        }
    }
    Ok(())
}

/// Refuses data whose digest differs from the plan's; `remedy` suggests where to find others.
///
/// # Errors
/// When the digests differ.
pub fn are_those_of_the_run(what: &str, found: Option<&str>, planned: &PlannedProblem, remedy: &str) -> Result<()> {
    let of_plan = planned.digest.as_deref();
    if found == of_plan {
        return Ok(());
    }
    bail!(
        "the data of {what} are not those of the run: their digest is {}, the plan's is {}; {remedy}",
        found.unwrap_or("none"),
        of_plan.unwrap_or("none")
    )
}

/// A remedy that suggests where other data may be.
pub const ELSEWHERE: &str = "look for them elsewhere with --data";

/// Checks that the memory limit lets agents hold their training examples.
///
/// # Errors
/// When the limit is too small.
pub fn fits(suite: &Suite, limits: Limits) -> Result<()> {
    let bytes = |problem: &Problem| problem.real().map_or(0, |real| real.train_bytes() + BESIDE_DATA);
    let Some(problem) = suite.problems.iter().max_by_key(|problem| bytes(problem)) else { return Ok(()) };
    let need = bytes(problem);
    if need <= limits.memory {
        return Ok(());
    }
    let (need, limit) = (need.div_ceil(1 << 20), limits.memory >> 20);
    bail!(
        "{} needs agents with {need} MiB of memory, to train on {} MiB of examples, and the limit is {limit} MiB: give \
         --memory {need} or more, or leave the problem out with --problems",
        problem.name,
        problem.real().map_or(0, |real| real.train_bytes() >> 20)
    )
}

/// Returns the datasets of these problems, each once, in order.
pub fn cards(problems: &[Problem]) -> Vec<&'static Card> {
    let mut cards: Vec<&'static Card> = Vec::new();
    for card in problems.iter().filter_map(|problem| problem.real().map(jointly_data::RealProblem::card)) {
        if !cards.iter().any(|known| known.name == card.name) {
            cards.push(card);
        }
    }
    cards
}

/// Returns the size in bytes of each file of a dataset; an archive with several parts counts once.
pub fn sizes(files: &[Found]) -> BTreeMap<&Path, u64> {
    files.iter().map(|found| (found.path.as_path(), found.path.metadata().map_or(0, |file| file.len()))).collect()
}

fn complaint(suite: &Suite, missing: &[(&'static Card, Vec<&'static Part>)], directories: &[PathBuf]) -> String {
    let lacks = missing.iter().map(|(card, parts)| {
        let more = if parts.len() > 1 { format!(" and {} more", parts.len() - 1) } else { String::new() };
        format!("{} (no {}{more})", card.name, parts[0].places[0])
    });
    let lacks = lacks.collect::<Vec<_>>().join(", ");
    let places = directories.iter().map(|directory| directory.shown().to_string()).collect::<Vec<_>>().join(", ");
    let fetch = match missing.iter().find(|(card, _)| !card.downloads.is_empty()) {
        Some((card, _)) => format!(", `jointly data --fetch {}` fetches it", card.name),
        None => String::new(),
    };
    let absent = |problem: &Problem| {
        problem.real().is_some_and(|real| missing.iter().any(|(card, _)| card.name == real.card().name))
    };
    let (_, rest): (Vec<_>, Vec<_>) = suite.problems.iter().partition(|problem| absent(problem));
    let leave_out = match pattern(&suite.name, &rest) {
        Some(pattern) => format!("; or leave out what is missing: --problems '{pattern}'"),
        None => String::new(),
    };
    format!(
        "there are no data of {lacks} in {places}; `jointly data` says what is looked for and where a person gets \
         it{fetch}{leave_out}"
    )
}

/// Returns the shortest pattern that matches these problems and no others of the suite, or `None` if there is none.
fn pattern(suite: &str, problems: &[&Problem]) -> Option<String> {
    if problems.is_empty() {
        return None;
    }
    let all = jointly_classification::suite(suite)?.problems;
    // Names end in dataset, training size and repetition: try whole datasets, then some of their sizes, then single
    // problems.
    (0..3).rev().map(|parts| alternatives(problems, parts)).find(|pattern| {
        Glob::new(pattern).is_ok_and(|glob| {
            let glob = glob.compile_matcher();
            let matched = all.iter().filter(|problem| glob.is_match(&problem.name)).count();
            matched == problems.len()
        })
    })
}

/// Returns a pattern of the problems' names without their last `parts` parts.
fn alternatives(problems: &[&Problem], parts: usize) -> String {
    let mut stems: Vec<String> = Vec::new();
    for problem in problems {
        let mut stem = problem.name.as_str();
        for _ in 0..parts {
            stem = stem.rsplit_once('/').map_or(stem, |(stem, _)| stem);
        }
        let stem = format!("{stem}{}", if parts == 0 { "" } else { "/*" });
        if stems.last() != Some(&stem) {
            stems.push(stem);
        }
    }
    match stems.as_slice() {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick(keep: impl Fn(&str) -> bool) -> Vec<Problem> {
        let mut problems = jointly_classification::suite("quick/real").unwrap().problems;
        problems.retain(|problem| keep(&problem.name));
        problems
    }

    fn pattern_of(problems: &[Problem]) -> Option<String> {
        pattern("quick/real", &problems.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_pattern_that_leaves_datasets_out() {
        let iris = quick(|name| name.contains("/iris/"));
        assert_eq!(pattern_of(&iris).unwrap(), "quick/real/iris/*");
        let two = quick(|name| name.contains("/iris/") || name.contains("/mnist-t10k/"));
        assert_eq!(pattern_of(&two).unwrap(), "{quick/real/iris/*,quick/real/mnist-t10k/*}");
        let sizes = quick(|name| name.contains("/iris/t1"));
        assert_eq!(pattern_of(&sizes).unwrap(), "{quick/real/iris/t1/*,quick/real/iris/t10/*,quick/real/iris/t100/*}");
        let one = quick(|name| name.ends_with("/iris/t1/seed0"));
        assert_eq!(pattern_of(&one).unwrap(), "quick/real/iris/t1/seed0");
        assert_eq!(pattern_of(&[]), None);
    }

    #[test]
    fn examples_that_agents_may_not_hold_are_refused() {
        let suite = jointly_classification::suite("testbed/real").unwrap();
        let limits = |mebibytes: u64| Limits { memory: mebibytes << 20, ..Limits::default() };
        // 240000 images of 784 pixels and a label, four bytes each.
        let error = fits(&suite, limits(512)).unwrap_err().to_string();
        assert!(error.starts_with("testbed/real/emnist-digits/tfull/seed"), "{error}");
        assert!(error.contains("give --memory 783 or more"), "{error}");
        fits(&suite, limits(783)).unwrap();
    }
}
