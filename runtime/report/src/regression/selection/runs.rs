//! The scores of predictors after learning from the points that agents selected, in runs with different predictors.

use jointly_record::plan::PlannedProblem;
use jointly_regression::{Acquisition, Regression, Round};
use jointly_score::scores::AgentScores;

use crate::regression::family::{Family, families};
use crate::view::View;

/// A predictor's losses after the last round, by measure.
pub(super) type Losses = [f64; 2];

/// Returns the scores of the run's predictor.
const OWN: fn(&Round) -> Option<Losses> = |round| Some([round.nll.0, round.rmse.0]);
/// Returns the scores of the process that made the data, if they are synthetic.
const ORACLE: fn(&Round) -> Option<Losses> = |round| round.oracle.map(|oracle| [oracle.nll.0, oracle.rmse.0]);

/// The predictor of a run.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Predictor<'v> {
    /// The process that made the data.
    Oracle,
    Agent(&'v str),
    /// The agent that selects; such ranks do not measure selections alone.
    Itself,
}

/// The scores of one predictor on the points that agents selected.
pub(super) struct Row<'v> {
    pub(super) predictor: Predictor<'v>,
    /// The losses, by problem and agent.
    pub(super) losses: Vec<Vec<Losses>>,
}

/// Runs of active learning that differ in the predictor.
pub(super) struct Selections<'v> {
    pub(super) acquisition: Acquisition,
    /// The selecting agents, as in the first run.
    pub(super) agents: Vec<&'v AgentScores<'v>>,
    /// The problems on which all agents have a result with every predictor, with the name of the data.
    pub(super) problems: Vec<(&'v str, String)>,
    /// The number of problems left out.
    pub(super) left_out: usize,
    pub(super) rows: Vec<Row<'v>>,
    /// Whether only some problems have data with an oracle.
    pub(super) partly_oracle: bool,
}

impl<'v> Selections<'v> {
    /// Compares runs; returns `None` if fewer than two agents select in all runs, or on no common problem.
    pub(super) fn of(runs: &[&'v View<'v>]) -> Option<Self> {
        let first = *runs.first()?;
        let known: Vec<Acquisition> = families(first).iter().filter_map(|family| family.acquisition).collect();
        // Where no agent selects, there is nothing to compare.
        let selects = |acquisition: &Acquisition| acquisition.asks_agent();
        let acquisition = Acquisition::ALL.into_iter().filter(selects).find(|own| known.contains(own))?;
        let named = acquisition.to_string();
        let here = |planned: &PlannedProblem| planned.coordinates.acquisition.as_ref() == Some(&named);
        let takes_part = |agent: &&'v AgentScores<'v>| {
            let own = runs.iter().map(|run| same(run, agent));
            own.into_iter().all(|own| {
                own.is_some_and(|own| {
                    own.problems.iter().any(|problem| here(problem.planned) && problem.result::<Regression>().is_some())
                })
            })
        };
        let agents: Vec<&AgentScores> = first.agents.iter().copied().filter(takes_part).collect();
        if agents.len() < 2 {
            return None;
        }
        let planned = first.scores.plan.problems.iter().filter(|planned| here(planned));
        let mut problems: Vec<&str> = planned.map(|planned| planned.problem.as_str()).collect();
        let all = problems.len();
        problems.retain(|problem| runs.iter().all(|run| of_run(run, &agents, problem, OWN).is_some()));
        let has_oracle = |problem: &&str| of_run(first, &agents, problem, ORACLE).is_some();
        let of_oracle = problems.iter().filter(|problem| has_oracle(problem)).count();
        let whole_oracle = !problems.is_empty() && of_oracle == problems.len();

        let row = |predictor, run, losses: fn(&Round) -> Option<Losses>| Row {
            predictor,
            losses: problems.iter().filter_map(|problem| of_run(run, &agents, problem, losses)).collect(),
        };
        let mut rows: Vec<Row> = whole_oracle.then(|| row(Predictor::Oracle, first, ORACLE)).into_iter().collect();
        rows.extend(runs.iter().map(|run| row(predictor(run), run, OWN)));
        // The row that does not measure selections alone goes last.
        rows.sort_by_key(|row| row.predictor == Predictor::Itself);
        let left_out = all - problems.len();
        let problems: Vec<(&str, String)> =
            problems.into_iter().map(|problem| (problem, Family::of(first, problem).data)).collect();
        let partly_oracle = of_oracle > 0 && !whole_oracle;
        (!problems.is_empty()).then_some(Self { acquisition, agents, problems, left_out, rows, partly_oracle })
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = &'v str> {
        self.agents.iter().map(|agent| agent.planned.label.as_str())
    }

    /// Returns the names of the data, in the plan's order.
    pub(super) fn data(&self) -> Vec<&str> {
        let mut data: Vec<&str> = Vec::new();
        for (_, own) in &self.problems {
            if !data.contains(&own.as_str()) {
                data.push(own);
            }
        }
        data
    }
}

impl Predictor<'_> {
    pub(super) fn name(self) -> String {
        match self {
            Self::Oracle => "oracle".into(),
            Self::Agent(label) => label.into(),
            Self::Itself => "who selects".into(),
        }
    }
}

fn predictor<'v>(run: &View<'v>) -> Predictor<'v> {
    let planned = run.scores.plan.predictor();
    planned.map_or(Predictor::Itself, |planned| Predictor::Agent(&planned.label))
}

/// Finds the same agent in another run.
fn same<'v>(run: &View<'v>, agent: &AgentScores) -> Option<&'v AgentScores<'v>> {
    run.agents.iter().copied().find(|other| other.planned.is_same(agent.planned))
}

/// Returns the losses at the end of a problem by agent, or `None` if an agent has none that can be ranked.
fn of_run(
    run: &View,
    agents: &[&AgentScores],
    problem: &str,
    losses: fn(&Round) -> Option<Losses>,
) -> Option<Vec<Losses>> {
    let of = |agent: &&AgentScores| {
        let scored = same(run, agent)?.problems.iter().find(|scored| scored.problem == problem)?;
        losses(scored.result::<Regression>()?.rounds.last()?).filter(|losses| !losses.iter().any(|loss| loss.is_nan()))
    };
    agents.iter().map(of).collect()
}
