//! An agent's scores summed up over all problems. Tables show these, so single results need not be held.

use jointly_classification::scores::ACCURACY;
use jointly_core::failure::Failure;
use jointly_core::{DrawsOfScore, ScoreName, Scored, Summary, summarize_clusters};
use jointly_record::plan::Plan;
use jointly_regression::scores::NLL;

use super::problem::ScoredProblem;

/// An agent's scores summed up.
pub struct Totals {
    /// The number of problems on which it has scores.
    pub scored: usize,
    /// The number of problems on which it failed.
    pub failed: usize,
    /// The first problem on which it failed, and the failure.
    pub(crate) first_failure: Option<(String, Failure)>,
    /// The number of problems on which the sample of a reference has not converged.
    pub(crate) unconverged: usize,
    /// The first of these problems.
    pub(crate) first_unconverged: Option<String>,
    /// The scores that it lacks.
    pub(crate) absences: Vec<Absent>,
    /// Whether a result names predictions by which agents are compared.
    pub(crate) has_beliefs: bool,
    /// The scores, in the order of their definitions.
    pub(super) scores: Vec<Total>,
    /// The scores problem by problem, as far as tables compare agents by them.
    columns: Vec<Column>,
}

/// A score that an agent lacks.
pub(crate) struct Absent {
    pub(crate) score: &'static str,
    /// The number of problems on which it is missing.
    pub(crate) problems: usize,
    /// The first of these problems, and the reason there.
    pub(crate) first: (String, String),
}

/// A score summed up over the problems that have it.
pub(crate) struct Total {
    pub(crate) name: ScoreName,
    pub(crate) summary: Summary,
    pub(crate) draws: Option<DrawsOfScore>,
    /// Whether some value has a standard error within its problem.
    pub(super) has_errors: bool,
    /// The sum of the values.
    pub(crate) sum: f64,
    /// The sum of the squared errors within problems; infinite if a value has none.
    pub(crate) squared_errors: f64,
}

/// A score problem by problem.
pub(crate) struct Column {
    name: ScoreName,
    /// The problems that have it, by their places in the plan.
    pub(crate) problems: Vec<u32>,
    /// The values.
    pub(crate) values: Vec<f64>,
    /// The standard errors within the problems, or nothing where no table asks for them.
    pub(crate) errors: Vec<Option<f64>>,
}

/// One score of all problems, before it is summed up.
struct Gathered {
    name: ScoreName,
    problems: Vec<u32>,
    scored: Vec<Scored>,
}

impl Totals {
    /// Sums up the problems of an agent, and its failures by the names of problems.
    pub(super) fn of(plan: &Plan, problems: &[ScoredProblem], failures: &[(&str, &Failure)]) -> Self {
        let mut absences: Vec<Absent> = Vec::new();
        for scored in problems {
            for (score, reason) in &scored.absences {
                if let Some(known) = absences.iter_mut().find(|known| known.score == *score) {
                    known.problems += 1;
                } else {
                    let first = (scored.problem.to_owned(), reason.clone());
                    absences.push(Absent { score, problems: 1, first });
                }
            }
        }
        let unconverged = |scored: &&ScoredProblem| scored.outcome.diagnosis().is_some_and(|own| !own.converged);
        let mut unconverged = problems.iter().filter(unconverged).map(|scored| scored.problem.to_owned());
        let first_unconverged = unconverged.next();
        let (mut scores, mut columns) = (Vec::new(), Vec::new());
        for gathered in gathered(problems) {
            scores.push(gathered.total(plan));
            columns.extend(is_compared(gathered.name, plan).then(|| gathered.column()));
        }
        Self {
            scored: problems.len(),
            failed: failures.len(),
            first_failure: failures.first().map(|(problem, failure)| ((*problem).to_owned(), (*failure).clone())),
            unconverged: usize::from(first_unconverged.is_some()) + unconverged.count(),
            first_unconverged,
            absences,
            has_beliefs: problems.iter().any(|problem| problem.belief().is_some()),
            scores,
            columns,
        }
    }

    /// Returns a score over all problems that have it.
    pub(crate) fn get<N: ?Sized>(&self, name: &N) -> Option<&Total>
    where
        ScoreName: PartialEq<N>,
    {
        self.scores.iter().find(|total| total.name == *name)
    }

    /// Returns a score problem by problem, if tables compare agents by it.
    pub(crate) fn column<N: ?Sized>(&self, name: &N) -> Option<&Column>
    where
        ScoreName: PartialEq<N>,
    {
        self.columns.iter().find(|column| column.name == *name)
    }

    /// Returns the number of numbers that are held.
    pub(super) fn numbers(&self) -> usize {
        let columns = self.columns.iter().map(|column| column.values.len() + 2 * column.errors.len());
        columns.sum::<usize>() + 12 * self.scores.len()
    }
}

/// Returns whether tables compare agents by a score problem by problem: one that can rank, the likelihood in its place, or
/// the accuracy, which no agent can expect to be above the environment's.
fn is_compared(name: ScoreName, plan: &Plan) -> bool {
    let ranks = || (plan.kind().layouts)().iter().any(|layout| layout.may_rank(name));
    name == *NLL || name == *ACCURACY || ranks()
}

/// Returns the scores of problems score by score, in the order of their definitions.
fn gathered(problems: &[ScoredProblem]) -> Vec<Gathered> {
    let mut all: Vec<Gathered> = Vec::new();
    for problem in problems {
        let place = problem.place as u32;
        for (nth, (name, scored)) in problem.values.iter().enumerate() {
            // Problems mostly have the same scores in the same order.
            let usual = all.get(nth).is_some_and(|known| known.name == *name).then_some(nth);
            let at = usual.or_else(|| all.iter().position(|known| known.name == *name)).unwrap_or_else(|| {
                all.push(Gathered { name: *name, problems: Vec::new(), scored: Vec::new() });
                all.len() - 1
            });
            // Of several values of one name, in an edited journal, the first counts.
            if all[at].problems.last() != Some(&place) {
                all[at].problems.push(place);
                all[at].scored.push(*scored);
            }
        }
    }
    all.sort_by_key(|gathered| gathered.name);
    all
}

impl Gathered {
    fn total(&self, plan: &Plan) -> Total {
        let values: Vec<f64> = self.scored.iter().map(|scored| scored.value).collect();
        let clusters: Vec<&str> = self.problems.iter().map(|place| plan.problems[*place as usize].cluster()).collect();
        let draws: Vec<DrawsOfScore> = self.scored.iter().filter_map(|scored| scored.draws).collect();
        let (mut sum, mut squared_errors) = (0.0, 0.0);
        for Scored { value, stderr, draws } in &self.scored {
            let of_draws = draws.map_or(0.0, |draws| draws.error);
            sum += value;
            squared_errors += stderr.unwrap_or(f64::INFINITY).powi(2) + of_draws * of_draws;
        }
        Total {
            name: self.name,
            summary: summary(&self.scored, summarize_clusters(&values, &clusters)),
            draws: DrawsOfScore::combined(&draws),
            has_errors: self.scored.iter().any(|scored| scored.stderr.is_some()),
            sum,
            squared_errors,
        }
    }

    fn column(self) -> Column {
        let values = self.scored.iter().map(|scored| scored.value).collect();
        let errors =
            if self.name == *ACCURACY { self.scored.iter().map(|scored| scored.stderr).collect() } else { vec![] };
        Column { name: self.name, problems: self.problems, values, errors }
    }
}

/// Returns a summary of scores over problems; that of a single problem has the error over its tau-samples.
pub(super) fn summary(scored: &[Scored], over_problems: Summary) -> Summary {
    match scored {
        [Scored { stderr: Some(stderr), .. }] => Summary { stderr: *stderr, ..over_problems },
        _ => over_problems,
    }
}
