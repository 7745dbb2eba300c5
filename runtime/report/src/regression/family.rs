//! The family that a problem of regression belongs to: simulations of a process, splits of a table, datasets of one
//! dimension; and the acquisition function of its points.

use jointly_core::Coordinates;
use jointly_regression::Acquisition;
use jointly_score::scores::AgentScores;

use crate::view::View;

/// The coordinates over which problems are not averaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Family {
    /// `boston`, `d5` or `heteroscedastic`.
    pub(super) data: String,
    /// The acquisition function of active learning.
    pub(super) acquisition: Option<Acquisition>,
}

impl Family {
    /// Returns the family of a problem of the run.
    pub(super) fn of(view: &View, problem: &str) -> Self {
        view.place(problem).map_or_else(|| Self { data: problem.to_owned(), acquisition: None }, Self::at)
    }

    fn at(place: &Coordinates) -> Self {
        let named = |own: &Acquisition| place.acquisition.as_ref() == Some(&own.to_string());
        Self { data: place.group.clone(), acquisition: Acquisition::ALL.into_iter().find(named) }
    }
}

/// Returns the families of a run's problems, in the plan's order.
pub(super) fn families(view: &View) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for family in view.places().map(Family::at) {
        if !families.contains(&family) {
            families.push(family);
        }
    }
    families
}

/// Returns the names of the data, in the plan's order.
pub(super) fn datasets(view: &View) -> Vec<String> {
    let mut datasets: Vec<String> = Vec::new();
    for Family { data, .. } in families(view) {
        if !datasets.contains(&data) {
            datasets.push(data);
        }
    }
    datasets
}

/// Returns an agent's scores on the problems of some data, as far as it has them.
pub(super) fn values_on<'v>(agent: &'v AgentScores, score: &'v str, data: &str) -> Vec<(&'v str, f64)> {
    let here = agent.by_problem(score).filter(|(problem, _)| problem.planned.coordinates.group == *data);
    here.map(|(problem, scored)| (problem.problem, scored.value)).collect()
}

/// Returns the number of problems of a family on which an agent failed.
pub(super) fn failures(view: &View, agent: &AgentScores, wanted: impl Fn(&Family) -> bool) -> usize {
    view.failures(agent, |place| wanted(&Family::at(place)))
}
