//! Means of the scores of dataset shift over problems that are repetitions of one another, condition by
//! condition.

use std::fmt::Write as _;

use jointly_classification::shift::{
    Condition, ConditionScores, DatasetShift, LabelledScores, Shift, ShiftLevel, ShiftScores,
};
use jointly_core::{Coordinates, Score};
use jointly_record::plan::PlannedAgent;
use jointly_record::quantity::with_error;

use crate::drawing::{Point, Style};
use crate::figure::counted;
use crate::view::View;

/// The smallest number of severities of a curve.
const FEWEST: usize = 3;

/// Repetitions of one problem, and the agents' results on them.
pub(super) struct Measured<'v> {
    /// The name that tells them from the run's other problems; empty if there are no others.
    pub(super) group: String,
    /// The number of repetitions in the plan.
    pub(super) repetitions: usize,
    /// The agents with a result, in the order of the leaderboard.
    pub(super) agents: Vec<Agent<'v>>,
    /// The conditions in the suite's order: unshifted, shifted, out of distribution.
    pub(super) conditions: Vec<Condition>,
}

/// An agent's results on the repetitions.
pub(super) struct Agent<'v> {
    pub(super) planned: &'v PlannedAgent,
    pub(super) style: Style,
    /// The results, each with its problem's name.
    pub(super) results: Vec<(&'v str, &'v ShiftScores)>,
    /// The number of repetitions on which it failed.
    pub(super) failed: usize,
}

/// A score of a condition.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    pub(super) title: &'static str,
    pub(super) of: fn(&LabelledScores) -> Option<f64>,
}

pub(super) const ACCURACY: Measure = Measure { title: "accuracy", of: |scores| Some(scores.accuracy.mean) };
pub(super) const AUC: Measure = Measure { title: "AUC", of: |scores| scores.auc.map(|auc| auc.0) };
pub(super) const BRIER: Measure = Measure { title: "Brier score", of: |scores| Some(scores.brier.mean) };
pub(super) const ECE: Measure = Measure { title: "ECE", of: |scores| Some(scores.ece.0) };
pub(super) const NLL: Measure = Measure { title: "NLL", of: |scores| Some(scores.nll.mean) };

/// A sequence of conditions from the unshifted inputs to the most severe shift.
pub(super) struct Course {
    /// The name, such as `rotation` or `17 corruptions`.
    pub(super) name: String,
    /// The unit of the severities.
    pub(super) unit: &'static str,
    /// The shift, or `None` for a mean over corruptions.
    pub(super) shift: Option<Shift>,
    /// Severities in ascending order, each with the conditions that are averaged.
    pub(super) steps: Vec<(f64, Vec<Condition>)>,
}

impl Course {
    pub(super) fn severities(&self) -> Vec<f64> {
        self.steps.iter().map(|(severity, _)| *severity).collect()
    }

    /// Returns the title of its axis.
    pub(super) fn axis(&self) -> String {
        match self.shift {
            Some(shift) if !shift.is_corruption() => format!("{}, {}", self.name, self.unit),
            Some(_) => "severity".to_owned(),
            None => format!("severity, mean over {}", self.name),
        }
    }
}

/// Returns the unit of a shift's severities.
fn unit(shift: Shift) -> &'static str {
    match shift {
        Shift::Rotation => "degrees",
        Shift::Translation => "pixels",
        Shift::GaussianFeatures | Shift::FeatureScale | Shift::FeatureOffset => "standard deviations",
        Shift::Reassign => "probability",
        _ => "severity",
    }
}

impl<'v> Measured<'v> {
    /// Returns the scores of every group of problems on which any agent has a result, in the plan's order.
    pub(super) fn all(view: &'v View<'v>) -> Vec<Self> {
        let groups = view.groups().into_iter().map(|group| Self::of(view, group));
        groups.filter(|measured| !measured.agents.is_empty()).collect()
    }

    /// Returns the scores of all problems of the run as one group.
    pub(super) fn whole(view: &'v View<'v>) -> Self {
        Self::among(view, String::new(), &|_| true)
    }

    fn of(view: &'v View<'v>, group: String) -> Self {
        let wanted = group.clone();
        Self::among(view, group, &|place| place.group == wanted)
    }

    fn among(view: &'v View<'v>, group: String, here: &dyn Fn(&Coordinates) -> bool) -> Self {
        let agent = |agent: &&'v jointly_score::scores::AgentScores<'v>| {
            let own = agent.problems.iter().filter(|problem| here(&problem.planned.coordinates));
            let results: Vec<_> =
                own.filter_map(|problem| Some((problem.problem, problem.result::<DatasetShift>()?))).collect();
            let failed = view.failures(agent, |place| here(place));
            let (planned, style) = (agent.planned, view.style_of(agent));
            (!results.is_empty()).then_some(Agent { planned, style, results, failed })
        };
        let agents: Vec<Agent> = view.agents.iter().filter_map(agent).collect();
        let mut conditions: Vec<Condition> = Vec::new();
        for (_, scores) in agents.iter().flat_map(|agent| &agent.results) {
            let new = scores.conditions.iter().map(|scores| &scores.condition);
            let new: Vec<_> = new.filter(|condition| !conditions.contains(condition)).cloned().collect();
            conditions.extend(new);
        }
        let repetitions = view.scores.plan.problems.iter().filter(|planned| here(&planned.coordinates)).count();
        Self { group, repetitions, agents, conditions }
    }

    /// Returns ` of wine` for a group of that name, or an empty text if there are no other groups.
    pub(super) fn suffix(&self) -> String {
        if self.group.is_empty() { String::new() } else { format!(" of {}", self.group) }
    }

    /// Returns all agents by label and style.
    pub(super) fn legend(&self) -> Vec<(&'v str, Style)> {
        self.agents.iter().map(|agent| (agent.label(), agent.style)).collect()
    }

    /// Returns the levels of shift, in the suite's order.
    pub(super) fn levels(&self) -> impl Iterator<Item = ShiftLevel> {
        self.conditions.iter().filter_map(|condition| match condition {
            Condition::Shifted(level) => Some(*level),
            Condition::Unshifted | Condition::Outside(_) => None,
        })
    }

    /// Returns the sets of out-of-distribution inputs.
    pub(super) fn outside(&self) -> impl Iterator<Item = (&str, &Condition)> {
        self.conditions.iter().filter_map(|condition| match condition {
            Condition::Outside(name) => Some((name.as_str(), condition)),
            Condition::Unshifted | Condition::Shifted(_) => None,
        })
    }

    /// Returns each shift with its severities in ascending order, in the suite's order.
    fn shifts(&self) -> Vec<(Shift, Vec<f64>)> {
        let mut shifts: Vec<(Shift, Vec<f64>)> = Vec::new();
        for level in self.levels() {
            match shifts.iter_mut().find(|(shift, _)| *shift == level.shift()) {
                Some((_, severities)) => severities.push(level.severity()),
                None => shifts.push((level.shift(), vec![level.severity()])),
            }
        }
        for (_, severities) in &mut shifts {
            severities.sort_by(f64::total_cmp);
        }
        shifts
    }

    /// Returns the course of each shift that has enough severities: of corruptions, or else of all other shifts.
    pub(super) fn courses(&self, corruptions: bool) -> Vec<Course> {
        let wanted = |(shift, severities): &(Shift, Vec<f64>)| {
            shift.is_corruption() == corruptions && severities.len() >= FEWEST
        };
        let course = |(shift, severities): (Shift, Vec<f64>)| {
            let step = |severity: f64| {
                let level = shift.at(severity).expect("a severity that was scored is one");
                (severity, vec![Condition::Shifted(level)])
            };
            let steps = self.unshifted().into_iter().chain(severities.into_iter().map(step)).collect();
            Course { name: shift.name().to_owned(), unit: unit(shift), shift: Some(shift), steps }
        };
        self.shifts().into_iter().filter(wanted).map(course).collect()
    }

    /// Returns the mean course over the corruptions that share the most common list of severities.
    pub(super) fn corruptions(&self) -> Option<Course> {
        let corruptions: Vec<(Shift, Vec<f64>)> =
            self.shifts().into_iter().filter(|(shift, _)| shift.is_corruption()).collect();
        let alike = |severities: &[f64]| corruptions.iter().filter(|(_, own)| *own == severities).count();
        let lists = corruptions.iter().map(|(_, severities)| severities);
        // Among equally common lists, the first wins.
        let (_, _, severities) = lists
            .map(|severities| (alike(severities), severities.len(), severities))
            .filter(|(_, length, _)| *length >= FEWEST)
            .reduce(|best, other| if (other.0, other.1) > (best.0, best.1) { other } else { best })?;
        let shifts: Vec<Shift> =
            corruptions.iter().filter(|(_, own)| own == severities).map(|(shift, _)| *shift).collect();
        let at = |severity: f64| {
            let level = |shift: &Shift| shift.at(severity).expect("a severity that was scored is one");
            (severity, shifts.iter().map(|shift| Condition::Shifted(level(shift))).collect())
        };
        let steps = self.unshifted().into_iter().chain(severities.iter().map(|severity| at(*severity))).collect();
        // A single corruption is its own course.
        (shifts.len() > 1).then(|| Course {
            name: counted(shifts.len(), "corruption"),
            unit: "severity",
            shift: None,
            steps,
        })
    }

    /// Returns all courses except those of single corruptions, if these have a mean course.
    pub(super) fn main_courses(&self) -> Vec<Course> {
        let mut courses = self.courses(false);
        match self.corruptions() {
            Some(corruptions) => courses.push(corruptions),
            None => courses.extend(self.courses(true)),
        }
        courses
    }

    /// Returns the step of severity 0, if the unshifted inputs were scored.
    fn unshifted(&self) -> Option<(f64, Vec<Condition>)> {
        self.conditions.contains(&Condition::Unshifted).then(|| (0.0, vec![Condition::Unshifted]))
    }

    /// Returns the area under the curve for problems with two classes, else the accuracy.
    pub(super) fn accuracy(&self) -> Measure {
        let any = |measure: Measure| {
            self.agents.iter().any(|agent| agent.mean(&[Condition::Unshifted], &|scores| measure.get(scores)).is_some())
        };
        if any(AUC) { AUC } else { ACCURACY }
    }

    /// Says what the means are over, in a sentence or two.
    pub(super) fn over(&self) -> String {
        let counts = || self.agents.iter().map(|agent| agent.results.len());
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let mut text = match (least, most) {
            (_, 1) => "One repetition, so that there is no standard error.".to_owned(),
            (least, most) if least < most => format!(
                "Means over {least} to {}, each another split or other inputs, and another training; error bars and ± are one \
                 standard error over them.",
                counted(most, "repetition")
            ),
            (_, most) => format!(
                "Means over {}, each another split or other inputs, and another training; error bars and ± are one standard \
                 error over them.",
                counted(most, "repetition")
            ),
        };
        for agent in self.agents.iter().filter(|agent| agent.failed > 0) {
            let _ = write!(
                text,
                " {} failed on {} of {}: its means are over the others.",
                agent.label(),
                agent.failed,
                self.repetitions
            );
        }
        text
    }

    /// Returns the mean over agents of a measure in a condition.
    pub(super) fn mean_over_agents(&self, condition: &Condition, measure: Measure) -> Option<f64> {
        let condition = [condition.clone()];
        let means: Vec<f64> = self
            .agents
            .iter()
            .filter_map(|agent| Some(agent.mean(&condition, &|scores| measure.get(scores))?.mean))
            .collect();
        (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64)
    }

    /// Returns the level of shift whose loss of accuracy, in the mean over agents, is nearest to the fraction `part` of
    /// the worst level's; among equals, the first.
    pub(super) fn level_of_loss(&self, part: f64) -> Option<Condition> {
        let measure = self.accuracy();
        let unshifted = self.mean_over_agents(&Condition::Unshifted, measure)?;
        let levels: Vec<(Condition, f64)> = self
            .levels()
            .map(Condition::Shifted)
            .filter_map(|condition| {
                let mean = self.mean_over_agents(&condition, measure)?;
                Some((condition, mean))
            })
            .collect();
        let worst = levels.iter().map(|(_, mean)| *mean).fold(f64::INFINITY, f64::min);
        let wanted = unshifted - part * (unshifted - worst);
        let off = |mean: f64| (mean - wanted).abs();
        levels
            .into_iter()
            .reduce(|best, other| if off(other.1) < off(best.1) { other } else { best })
            .map(|(condition, _)| condition)
    }
}

impl Measure {
    /// Returns the measure in a condition, if its inputs belong to classes.
    pub(super) fn get(&self, scores: &ConditionScores) -> Option<f64> {
        (self.of)(scores.labelled.as_ref()?)
    }
}

impl<'v> Agent<'v> {
    pub(super) fn label(&self) -> &'v str {
        &self.planned.label
    }

    /// Returns the mean over the given conditions for each repetition that has values in all of them.
    pub(super) fn values(
        &self,
        conditions: &[Condition],
        of: &dyn Fn(&ConditionScores) -> Option<f64>,
    ) -> Vec<(&'v str, f64)> {
        let value = |(problem, scores): &(&'v str, &'v ShiftScores)| {
            let one = |condition: &Condition| of(find(scores, condition)?);
            let values: Vec<f64> = conditions.iter().map(one).collect::<Option<_>>()?;
            (!values.is_empty()).then(|| (*problem, values.iter().sum::<f64>() / values.len() as f64))
        };
        self.results.iter().filter_map(value).collect()
    }

    /// Returns the mean of these values over repetitions, or `None` if no repetition has one.
    pub(super) fn mean(&self, conditions: &[Condition], of: &dyn Fn(&ConditionScores) -> Option<f64>) -> Option<Score> {
        let values: Vec<f64> = self.values(conditions, of).into_iter().map(|(_, value)| value).collect();
        (!values.is_empty()).then(|| Score::of(&values))
    }

    /// Returns the scores in a condition of each repetition that has it.
    pub(super) fn scores<'a>(&'a self, condition: &'a Condition) -> impl Iterator<Item = &'v ConditionScores> + 'a {
        self.results.iter().filter_map(move |(_, scores)| find(scores, condition))
    }

    /// Returns a point for each step of a course for which the agent has a value.
    pub(super) fn points(&self, course: &Course, of: &dyn Fn(&ConditionScores) -> Option<f64>) -> Vec<Point> {
        let point = |(severity, conditions): &(f64, Vec<Condition>)| {
            let Score { mean, stderr } = self.mean(conditions, of)?;
            let title = format!("{}, {} {severity}: {}", self.label(), course.name, with_error(mean, stderr));
            Some(Point { x: *severity, y: mean, stderr, failed: false, title })
        };
        course.steps.iter().filter_map(point).collect()
    }
}

fn find<'s>(scores: &'s ShiftScores, condition: &Condition) -> Option<&'s ConditionScores> {
    scores.conditions.iter().find(|scores| scores.condition == *condition)
}

/// Formats a mean with its error for a table, or a dash if there is none.
pub(super) fn text(score: Option<Score>) -> String {
    score.map_or_else(|| "-".to_owned(), |score| with_error(score.mean, score.stderr))
}

#[cfg(test)]
mod tests {
    use super::Measured;
    use crate::view::View;
    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn the_mean_over_corruptions_is_of_those_with_the_same_severities() {
        let levels = ["rotation/30", "fog/1", "fog/3", "fog/5", "snow/1", "snow/3", "snow/5", "contrast/3", "jpeg/1"];
        let run = shift_run(1, &levels, &[("mlp", shifting(0.9, 0.8))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let measured = &Measured::all(&view)[0];
        let course = measured.corruptions().unwrap();
        assert_eq!((course.name.as_str(), course.severities()), ("2 corruptions", vec![0.0, 1.0, 3.0, 5.0]));
        // A single rotation makes no course.
        assert_eq!(measured.main_courses().len(), 1);
        assert_eq!(measured.courses(true).len(), 2);
    }

    #[test]
    fn the_level_of_half_the_loss_is_half_way_to_the_worst() {
        let run = shift_run(2, &["fog/1", "fog/2", "fog/3", "fog/4"], &[("mlp", shifting(0.9, 0.8))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let measured = &Measured::all(&view)[0];
        let level = |part| measured.level_of_loss(part).unwrap().to_string();
        assert_eq!([0.25, 0.5, 1.0].map(level), ["fog/1", "fog/2", "fog/4"]);
    }
}
