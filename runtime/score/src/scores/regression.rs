//! Regression scores beyond those of single units: the coverage of intervals over all simulations of a process.

use jointly_core::{Repetition, ScoreDef, ScoreName};
use jointly_regression::coverage::{IntervalSummary, LevelSummary};
use jointly_regression::scores::{SCORES, at_level};
use jointly_regression::{Coverage, CoverageSummary, Regression};

use super::across::Across;
use super::problem::ScoredProblem;

/// Returns the coverage of intervals over the simulations of each process, by the process's name. A simulation that
/// does not fit the others, in an edited journal, is left out and its absence noted.
pub(super) fn coverage(problems: &mut [ScoredProblem]) -> Vec<(String, CoverageSummary)> {
    let mut processes: Vec<(String, Coverage)> = Vec::new();
    for problem in &mut *problems {
        let Some(Repetition::Simulation(number)) = problem.planned.coordinates.repetition else { continue };
        let process = problem.planned.series();
        let Some(coverage) = problem.result::<Regression>().and_then(|unit| unit.coverage.as_ref()) else { continue };
        let at = processes.iter().position(|(known, _)| known == process).unwrap_or_else(|| {
            processes.push((process.to_owned(), Coverage::default()));
            processes.len() - 1
        });
        if let Err(error) = processes[at].1.add(number, coverage.clone()) {
            problem.absences.push(("picf_brier", error.to_string()));
        }
    }
    processes.into_iter().filter_map(|(name, coverage)| Some((name, coverage.summary()?))).collect()
}

/// Returns Brier scores of the coverage at each test point for all levels; means over processes if there are several.
pub(super) fn across(processes: &[(String, CoverageSummary)]) -> Vec<(ScoreName, Across)> {
    let Some((_, first)) = processes.first() else { return Vec::new() };
    let mut across = Vec::new();
    for level in &first.levels {
        let levels = processes.iter().flat_map(|(_, summary)| &summary.levels);
        let levels: Vec<&LevelSummary> = levels.filter(|other| other.level == level.level).collect();
        let mean = |intervals: fn(&LevelSummary) -> &IntervalSummary| {
            Across::mean(levels.iter().map(|level| (intervals(level).brier.score.0, intervals(level).brier.stderr.0)))
        };
        let name = |stem| ScoreDef::named(SCORES, stem, at_level(level.level));
        across.push((name("picf_brier"), mean(|level| &level.prediction)));
        across.push((name("cicf_brier"), mean(|level| &level.confidence)));
    }
    across
}
