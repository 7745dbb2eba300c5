//! Marks on results that no honest agent has except by luck: a KL below 0, an accuracy above the environment's own.

use jointly_classification::scores::ACCURACY;
use jointly_core::{At, Partitioning, ScoreName};

use crate::leaderboard::{Leaderboard, Placed};
use crate::mark::{KLS, Mark};
use crate::scores::{AgentScores, BestAccuracies, Total};

/// The nats by which the log-likelihoods of an agent must exceed the environment's to be marked: for an honest agent, the
/// probability of so many is at most exp(-6.6) = 0.00136, that of three standard errors.
const NATS: f64 = 6.6;
/// The number of standard errors by which a mean must be better than the best possible one to be marked.
const ERRORS: f64 = 3.0;

impl Leaderboard<'_> {
    /// Returns the marks of each agent, in the order of the leaderboard. Nothing is removed and no rank changes: luck
    /// exists, and so do problems whose labels are not those of their environment.
    ///
    /// # Formula
    /// On each problem the expected KL of an agent that does not know the labels is at least 0, and its expected accuracy
    /// at most the environment's. So only the randomness of the test data counts, and not how problems differ: the
    /// variance of a mean over J problems is (1/J^2) times the sum of the squared errors within the problems, with the
    /// errors over draws. A mean is marked if it is better than the best by more than three standard errors.
    ///
    /// A KL is marked too if the sum S of the agent's log-likelihoods minus the environment's, over all tau-samples of all
    /// problems, exceeds 6.6 nats. Given the environment, exp(S) is a likelihood ratio with mean at most 1, so that by
    /// Markov's inequality P(S >= t) <= exp(-t). This needs no estimated error, which a cheat could raise by one bad
    /// prediction. It does not hold for the jackknife, whose estimates are no likelihoods: they sum to more than 1.
    pub fn marks(&self) -> &[Vec<Mark>] {
        self.marks.get_or_init(|| {
            let known = self.scores.names().iter().any(|name| KLS.contains(&name.stem()));
            let best = known.then(|| BestAccuracies::of(self.scores.plan));
            self.order.iter().map(|placed| self.of_agent(placed, best.as_ref())).collect()
        })
    }

    fn of_agent(&self, placed: &Placed, best: Option<&BestAccuracies>) -> Vec<Mark> {
        let Some(best) = best else { return Vec::new() };
        let plan = self.scores.plan;
        let normalised = plan.terms.options().estimator() != Partitioning::Jackknife;
        let samples = plan.tau_samples().filter(|_| normalised).map(f64::from);
        let of_score = |name: &ScoreName| match name.stem() {
            stem if KLS.contains(&stem) => below_zero(placed.agent, *name, samples),
            ACCURACY if !name.is_shifted() => exceeded(best, placed.agent, *name),
            _ => None,
        };
        self.names.iter().filter_map(of_score).collect()
    }

    /// Returns the note about the marks of an agent, if it has any.
    pub(crate) fn note_of_marks(&self, place: usize) -> Option<String> {
        let marks: Vec<String> = self.marks()[place].iter().map(Mark::text).collect();
        let label = &self.order[place].agent.planned.label;
        let why = "an agent that does not know the test labels has such a result by luck alone; it is marked with ! and keeps \
                   its rank";
        (!marks.is_empty()).then(|| format!("{label}: {}: {why}", marks.join(", ")))
    }
}

/// Marks a mean KL that is below 0.
fn below_zero(agent: &AgentScores, name: ScoreName, tau_samples: Option<f64>) -> Option<Mark> {
    let Total { summary, sum, squared_errors, .. } = agent.totals().get(&name)?;
    let count = summary.problems as f64;
    let (mean, stderr) = (sum / count, squared_errors.sqrt() / count);
    let nats = tau_samples.filter(|_| matches!(name.at(), At::Tau(_))).map(|samples| -sum * samples);
    let nats = nats.filter(|nats| *nats > NATS);
    (nats.is_some() || mean < -ERRORS * stderr || mean == f64::NEG_INFINITY).then_some(Mark {
        score: name,
        mean,
        best: 0.0,
        stderr,
        nats,
    })
}

/// Marks a mean accuracy that exceeds the environments'.
fn exceeded(known: &BestAccuracies, agent: &AgentScores, name: ScoreName) -> Option<Mark> {
    let (mut mine, mut best, mut variance, mut count) = (0.0, 0.0, 0.0, 0.0);
    let errors = agent.totals().column(&name)?.errors.iter();
    for ((problem, value), error) in agent.compared(&name).zip(errors) {
        let Some(own) = known.get(&problem.problem) else { continue };
        mine += value;
        best += own.mean;
        // An agent that is right everywhere has no error of its own.
        let error = error.filter(|error| error.is_finite()).unwrap_or(0.0);
        variance += own.variance.max(error * error);
        count += 1.0;
    }
    let (mean, best, stderr) = (mine / count, best / count, variance.sqrt() / count);
    (mean - best > ERRORS * stderr).then_some(Mark { score: name, mean, best, stderr, nats: None })
}

#[cfg(test)]
mod tests {
    use jointly_core::Score;
    use jointly_record::invented::InventedRun;
    use jointly_record::unit::Outcome;

    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;
    use crate::mark::Mark;

    const PROBLEMS: [&str; 4] =
        ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1", "quick/t10/temp0.1/seed2", "quick/t10/temp0.5/seed0"];

    /// Changes the results of an agent and returns its marks, each by score, and the notes that name it.
    fn marked(change: impl Fn(&mut jointly_classification::ProblemScores)) -> (Vec<String>, Vec<String>, Vec<Mark>) {
        let mut run = InventedRun::scored("quick", &PROBLEMS, &[("mlp", &[1.0; 4]), ("prior", &[2.0; 4])]);
        for result in run.results.iter_mut().filter(|result| result.agent == "prior") {
            if let Outcome::Scored { scores, .. } = &mut result.outcome {
                change(scores);
            }
        }
        let scores = run.scores();
        let board = Leaderboard::new(&scores);
        let place = board.agents().position(|agent| agent.planned.label == "prior").unwrap();
        assert!(board.marks()[1 - place].is_empty());
        let marks = board.marks()[place].clone();
        let table = board.joint_table();
        assert_eq!(table[place + 1][0].ends_with('!'), !marks.is_empty(), "{table:?}");
        let notes = board.notes().into_iter().filter(|note| note.contains("marked with !")).collect();
        (marks.iter().map(|mark| mark.score.to_string()).collect(), notes, marks)
    }

    /// Sets the KL of an agent on all four problems, each of 100 tau-samples.
    fn kl(value: f64, stderr: f64) -> impl Fn(&mut jointly_classification::ProblemScores) {
        move |scores| {
            scores.joint.iter_mut().for_each(|(_, joint)| (joint.mean, joint.stderr) = (value, stderr));
        }
    }

    /// 400 tau-samples at -0.017 are 6.8 nats, for which the odds are 1 in 898; the bound is 6.6 nats.
    #[test]
    fn a_kl_below_0_by_more_than_its_likelihood_ratio_allows_is_marked() {
        assert!(marked(kl(-0.016, 0.5)).0.is_empty() && marked(|_| ()).0.is_empty());
        let (names, notes, marks) = marked(kl(-0.017, 0.5));
        assert_eq!(names, ["kl_tau1", "kl_tau100"]);
        assert!((marks[0].nats.unwrap() - 6.8).abs() < 1e-9 && marks[0].best == 0.0, "{marks:?}");
        assert!(
            notes[0].starts_with(
                "prior: kl_tau1 -0.01700 is below 0, the environment's own, for which the odds are at most 1 in 1e2, "
            ),
            "{notes:?}"
        );
        // An error that is raised by one bad prediction, or that nobody can compute, hides nothing.
        assert_eq!(marked(kl(-0.2, 1e6)).0, ["kl_tau1", "kl_tau100"]);
        assert_eq!(marked(kl(-0.2, f64::NAN)).0, ["kl_tau1", "kl_tau100"]);
        assert_eq!(marked(kl(f64::NEG_INFINITY, 0.5)).0.len(), 3);
    }

    /// The error within a problem is 0.001, so that of a mean over four is 0.0005; the aggregate has no tau-samples.
    #[test]
    fn a_kl_below_0_by_more_than_three_errors_is_marked() {
        assert!(marked(kl(-0.0014, 0.001)).0.is_empty());
        assert_eq!(marked(kl(-0.0016, 0.001)).0, ["kl_tau1", "kl_tau100", "kl_aggregate"]);
    }

    #[test]
    fn an_accuracy_above_the_environments_own_is_marked() {
        let right = |mean: f64| {
            move |scores: &mut jointly_classification::ProblemScores| scores.accuracy = Score { mean, stderr: 0.0 }
        };
        let (names, notes, marks) = marked(right(1.0));
        assert_eq!(names, ["accuracy"]);
        assert!(marks[0].best < 0.98 && marks[0].stderr > 0.0, "{marks:?}");
        assert!(notes[0].contains("accuracy 1.000 is ") && notes[0].contains("standard errors above 0."), "{notes:?}");
        // As accurate as the environment, and a standard error more.
        let honest = marks[0].best + marks[0].stderr;
        assert!(marked(right(honest)).0.is_empty());
    }
}
