//! Notes below a leaderboard about failures, gaps and biases of its numbers.

use jointly_core::{At, ScoreName};
use jointly_record::quantity::{self, counted};
use jointly_record::reference;

use crate::leaderboard::{Leaderboard, Placed};
use crate::scores::{Absent, AgentScores};

impl Leaderboard<'_> {
    /// Notes the Brier score that perfect intervals have by chance, if it exceeds a thousandth.
    fn chance(&self) -> Option<String> {
        let coverage = self.scores.agents.iter().flat_map(|agent| &agent.coverage);
        let simulations = coverage.map(|(_, summary)| summary.simulations).min()?;
        let (name, level) = self.columns.first.iter().find_map(|name| match name.at() {
            At::Level(percent) if name.stem() == "cicf_brier" => Some((name, f64::from(percent) / 100.0)),
            _ => None,
        })?;
        let chance = level * (1.0 - level) / f64::from(simulations);
        (chance > 0.001).then(|| {
            format!(
                "with {simulations} simulations chance alone gives perfect intervals a {name} of {}: run more to tell agents \
                 apart by it",
                quantity::number(chance)
            )
        })
    }

    /// Lists failures, gaps, doubtful floors, biased estimates and means that are not finite.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.chance().into_iter().chain(self.partly()).collect();
        if self.columns.first.iter().all(|name| name.stem() != "xllr") && self.compares_beliefs() {
            notes.push(
                "xll and xllr compare agents with one another: give two that have a result on every problem".into(),
            );
        }
        let reported: Vec<&str> = self.scores.plan.native_agents().map(|agent| &*agent.label).collect();
        if !reported.is_empty() {
            let timed = self.scores.agents.iter().any(|agent| agent.seconds.is_some());
            let seconds = if timed { "; seconds stand in its place" } else { "" };
            notes.push(format!(
                "reported: {} ran outside the sandbox; nobody can replay the results, and fuel is not counted{seconds}",
                reported.join(", ")
            ));
        }
        notes.extend(self.at_chance());
        notes.extend((0..self.order.len()).filter_map(|place| self.note_of_marks(place)));
        for Placed { agent, .. } in &self.order {
            let label = &agent.planned.label;
            let totals = agent.totals();
            if let Some((problem, failure)) = &totals.first_failure {
                let (failed, all) = (totals.failed, counted(self.scores.plan.problems.len(), "problem"));
                let means = if totals.scored == 0 { "" } else { "; its means are over the others" };
                notes.push(format!(
                    "{label} failed on {failed} of {all} and has no rank{means}; first, {problem}: {failure}"
                ));
            }
            if agent.missing > 0 {
                notes.push(format!("{label} has no result yet on {}", counted(agent.missing, "problem")));
            }
            notes.extend(self.absences(agent));
            if let Some(first) = &totals.first_unconverged {
                let (some, all) = (totals.unconverged, counted(totals.scored, "problem"));
                notes.push(format!(
                    "{label} has not converged on {some} of {all} and may be off there, first on {first}; raise its \
                     rounds, warmup or thin, as {}",
                    reference::MORE_WORK
                ));
            }
            for name in &self.names {
                if let Some(summary) = agent.summary(name).filter(|summary| summary.non_finite > 0) {
                    let problems = counted(summary.non_finite, "problem");
                    notes.push(format!("{name} of {label} is not finite on {problems}"));
                }
            }
        }
        notes.extend(self.names.iter().filter_map(|name| self.few_draws(name)));
        notes
    }

    /// Notes the agents of which a score is biased because too few draws count.
    fn few_draws(&self, name: &ScoreName) -> Option<String> {
        let agents = self.order.iter().filter_map(|Placed { agent, .. }| {
            let draws = agent.draws(name).filter(|draws| draws.few > 0)?;
            let of = counted(agent.totals().scored, "problem");
            Some(format!("{} on {} of {of}", agent.planned.label, draws.few))
        });
        let agents: Vec<String> = agents.collect();
        let options = self.scores.plan.terms.options();
        if let Some(precision) = options.precision().filter(|_| !agents.is_empty()) {
            return Some(format!(
                "{name} has not reached a precision of {precision} nats with {} draws: {}; raise MOST in --draws \
                 auto:{precision}:MOST",
                options.draws(),
                agents.join(", ")
            ));
        }
        let (estimator, draws) = (options.estimator(), self.scores.plan.draws());
        let least = estimator.least_effective_draws_of(draws);
        (!agents.is_empty()).then(|| {
            format!(
                "{name} {} where fewer than about {least:.0} of {draws} draws count: {}; raise --draws, and the number of \
                 functions of an agent that has fewer",
                estimator.bias_of_few_draws(),
                agents.join(", ")
            )
        })
    }

    /// Notes scores that only some of the problems can have.
    fn partly(&self) -> Option<String> {
        if !self.scores.plan.kind().may_lack_scores {
            return None;
        }
        let totals = self.scores.agents.iter().map(AgentScores::totals).find(|totals| totals.scored > 0)?;
        let shown = self.columns.first.iter().chain(&self.columns.second);
        let count = |name| totals.get(name).map_or(0, |total| total.summary.problems);
        let counts: Vec<(&ScoreName, usize)> = shown.map(|name| (name, count(name))).collect();
        let fewest = counts.iter().map(|(_, count)| *count).filter(|count| (1..totals.scored).contains(count)).min()?;
        let names: Vec<String> =
            counts.iter().filter(|(_, count)| *count == fewest).map(|(name, _)| name.to_string()).collect();
        let (are, all) = (if names.len() == 1 { "is" } else { "are" }, counted(totals.scored, "problem"));
        Some(format!("{} {are} over {fewest} of {all}: the others can have no such score", names.join(", ")))
    }

    /// Returns whether any result names predictions by which agents are compared.
    fn compares_beliefs(&self) -> bool {
        self.scores.agents.iter().any(|agent| agent.totals().has_beliefs)
    }

    /// Notes scores that an agent lacks, grouped by score.
    fn absences(&self, agent: &AgentScores) -> Vec<String> {
        let absent = agent.totals().absences.iter().map(|absent| {
            let Absent { score, problems, first: (problem, reason) } = absent;
            (*score, *problems, (problem.as_str(), reason.as_str()))
        });
        let mut absent: Vec<(&str, usize, (&str, &str))> = absent.collect();
        let mut notes = Vec::new();
        while let Some(&(_, count, first @ (problem, reason))) = absent.first() {
            let (alike, others): (Vec<_>, Vec<_>) =
                absent.into_iter().partition(|&(_, known, other)| (known, other) == (count, first));
            absent = others;
            let names: Vec<&str> = alike.iter().map(|(score, ..)| *score).collect();
            let ranks = self.ranked_by().is_some_and(|by| names.iter().any(|name| by == **name));
            let (label, problems) = (&agent.planned.label, counted(count, "problem"));
            let rank = if ranks { " and has no rank" } else { "" };
            notes.push(format!("{label} has no {} on {problems}{rank}; first, {problem}: {reason}", names.join(", ")));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::Partitioning;
    use jointly_record::invented::InventedRun;
    use jointly_record::plan::Terms;
    use jointly_record::unit::Outcome;

    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;

    /// Returns the note about the draws of `kl_tau100`, or an empty text.
    fn few_draws(partition: Partitioning, effective: f64) -> String {
        let mut run = InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp", &[1.0])]);
        if let Terms::Evaluation(evaluation) = &mut run.plan.terms {
            evaluation.partition = partition;
        }
        for result in &mut run.results {
            if let Outcome::Scored { scores, .. } = &mut result.outcome {
                scores.joint.iter_mut().for_each(|(_, score)| score.effective_draws = effective);
            }
        }
        let scores = run.scores();
        let notes = Leaderboard::new(&scores).notes();
        notes.into_iter().find(|note| note.starts_with("kl_tau100 ")).unwrap_or_default()
    }

    #[test]
    fn the_estimator_decides_how_many_draws_are_too_few() {
        let planes = few_draws(Partitioning::Planes, 10.0);
        assert!(planes.starts_with("kl_tau100 is biased upwards where fewer than about 19 of 250 draws "), "{planes}");
        assert!(planes.contains(" draws count: mlp on 1 of 1 problem;"), "{planes}");
        assert_eq!(few_draws(Partitioning::Planes, 21.0), "");
        assert_eq!(few_draws(Partitioning::Jackknife, 10.0), "");
        let jackknife = few_draws(Partitioning::Jackknife, 5.0);
        assert!(
            jackknife.starts_with("kl_tau100 may be biased either way where fewer than about 7 of 250 draws "),
            "{jackknife}"
        );
    }
}
