//! Regret against the number of actions, or KL against that of labels, agent by agent.

use std::collections::{BTreeMap, HashMap};

use jointly_core::{Coordinates, Score};
use jointly_decisions::{DecisionScores, Decisions, Lesson, Stage};
use jointly_record::quantity::with_error;

use super::rules;
use crate::drawing::{Panel, Point, Scale};
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, frame, series};
use crate::view::View;

const COLUMNS: usize = 3;
const HEIGHT: f64 = 210.0;
/// How far below the largest mean regret an axis reaches, as a factor.
const LOWEST: f64 = 1e-4;

/// The most panels; groups of problems beyond it are in no figure.
const MOST_PANELS: usize = 30;

/// A number that is drawn against the number of actions.
struct Curve {
    title: &'static str,
    /// The name of the vertical axis.
    axis: &'static str,
    caption: &'static str,
    /// The unit of the horizontal axis.
    unit: &'static str,
    /// The points of a course: the number of actions or labels, and the value after them. None if the course has no such curve.
    points: fn(&DecisionScores) -> Vec<(u32, f64)>,
    /// Whether random actions have it in proportion to their number.
    adds_up: bool,
}

const CUMULATIVE: Curve = Curve {
    title: "Regret",
    axis: "cumulative regret",
    caption: "The sum over actions of the best action's expected reward less that of the action taken, against the number of \
              actions, both on logarithmic axes: a straight line at 45 degrees is an agent that goes on erring, a level line one \
              that has found the best action.",
    unit: "action",
    points: |scores| of_stages(scores, |stage| Some(stage.regret.0)),
    adds_up: true,
};

const SIMPLE: Curve = Curve {
    title: "Simple regret",
    axis: "simple regret",
    caption: "The largest value of the function less the largest at an action taken so far, in standard deviations of the \
              function over all actions, against the number of actions, both on logarithmic axes. An agent that has found the \
              largest value on all problems has no point.",
    unit: "action",
    points: |scores| of_stages(scores, |stage| stage.simple.map(|simple| simple.0)),
    adds_up: false,
};

const JOINT: Curve = Curve {
    title: "Joint KL by labels",
    axis: "KL at tau 10",
    caption: "The joint KL at new inputs, at tau 10, against the number of labels bought, both on logarithmic axes.",
    unit: "label",
    points: |scores| of_lessons(scores, |lesson| lesson.joint.mean),
    adds_up: false,
};

const MARGINAL: Curve = Curve {
    title: "Marginal KL by labels",
    axis: "KL at tau 1",
    caption: "The same at tau 1.",
    unit: "label",
    points: |scores| of_lessons(scores, |lesson| lesson.marginal.mean),
    adds_up: false,
};

fn of_stages(scores: &DecisionScores, value: impl Fn(&Stage) -> Option<f64>) -> Vec<(u32, f64)> {
    scores.course.iter().filter_map(|stage| Some((stage.steps, value(stage)?))).collect()
}

fn of_lessons(scores: &DecisionScores, value: impl Fn(&Lesson) -> f64) -> Vec<(u32, f64)> {
    scores.lessons.iter().map(|lesson| (lesson.labels, value(lesson))).collect()
}

/// Problems that differ only in their seed, with each agent's results on them.
struct Group<'v> {
    name: &'v str,
    temperature: Option<f64>,
    /// The rule that chooses actions, where a run has several.
    rule: Option<&'v str>,
    /// The results of each agent, in the order of the leaderboard.
    courses: Vec<Vec<&'v DecisionScores>>,
    /// The number of problems on which each agent failed.
    failures: Vec<usize>,
    /// The expected regret of a random action on each problem that has a result.
    uniform: BTreeMap<&'v str, f64>,
}

impl<'v> Group<'v> {
    /// Files the results of all agents by group, in the order in which the plan first has a problem of each.
    fn all(view: &'v View) -> Vec<Self> {
        let count = view.agents.len();
        let mut groups: Vec<Self> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut known: HashMap<(&str, Option<u64>, Option<&str>), usize> = HashMap::new();
        for problem in &view.scores.plan.problems {
            let Coordinates { group, temperature, acquisition, .. } = &problem.coordinates;
            let rule = acquisition.as_deref();
            let place = *known.entry((group, temperature.map(f64::to_bits), rule)).or_insert_with(|| {
                groups.push(Self {
                    name: group,
                    temperature: *temperature,
                    rule,
                    courses: vec![Vec::new(); count],
                    failures: vec![0; count],
                    uniform: BTreeMap::new(),
                });
                groups.len() - 1
            });
            places.insert(&problem.problem, place);
        }
        for (place, agent) in view.agents.iter().enumerate() {
            for problem in &agent.problems {
                let Some(scores) = problem.result::<Decisions>() else { continue };
                let group = &mut groups[places[problem.problem]];
                group.courses[place].push(scores);
                group.uniform.extend(scores.uniform.map(|uniform| (problem.problem, uniform.0)));
            }
            for (problem, _) in &agent.failures {
                groups[places[*problem]].failures[place] += 1;
            }
        }
        groups.retain(|group| group.courses.iter().any(|courses| !courses.is_empty()));
        groups.truncate(MOST_PANELS);
        groups
    }

    fn title(&self) -> String {
        // Suites with several rules have one temperature, and panels no room for both.
        let temperature = || self.temperature.map(|temperature| format!("temperature {temperature}"));
        let rule = self.rule.map(str::to_owned).or_else(temperature);
        [Some(self.name.to_owned()), rule].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns an agent's mean over the group's problems at each point of the curve.
    fn points(&self, place: usize, label: &str, curve: &Curve) -> Vec<Point> {
        let all: Vec<Vec<(u32, f64)>> = self.courses[place].iter().map(|scores| (curve.points)(scores)).collect();
        let length = all.iter().map(Vec::len).min().unwrap_or(0);
        let point = |at: usize| {
            let values: Vec<f64> = all.iter().map(|points| points[at].1).collect();
            let Score { mean, stderr } = Score::of(&values);
            let steps = all[0][at].0;
            let (actions, problems) = (counted(steps as usize, curve.unit), counted(all.len(), "problem"));
            let title = format!("{label}, {actions}: {} over {problems}", with_error(mean, stderr));
            Point { x: f64::from(steps), y: mean, stderr, failed: self.failures[place] > 0, title }
        };
        (0..length).map(point).collect()
    }
}

/// Draws the curves that the run's problems have; there is no figure if no agent has a result.
pub(super) fn figures(view: &View) -> Vec<Figure> {
    let groups = Group::all(view);
    let mut figures: Vec<Figure> =
        [CUMULATIVE, SIMPLE, JOINT, MARGINAL].iter().filter_map(|curve| figure(view, &groups, curve)).collect();
    let compared = rules::table(view);
    if let Some(first) = figures.first_mut().filter(|_| !compared.is_empty()) {
        first.caption += " The table has the mean difference of each rule to the first, in the score that ranks, paired by the \
                          function or environment and its seed: below zero is better than the first rule.";
        // What random actions cost stands among the numbers.
        let random = std::mem::replace(&mut first.table, compared);
        first.numbers.extend((!random.is_empty()).then_some(random));
    }
    figures
}

/// Draws a panel for each group of problems; returns `None` if no problem has the curve.
fn figure(view: &View, groups: &[Group], curve: &Curve) -> Option<Figure> {
    let steps = view.scores.plan.options::<Decisions>()?.steps;
    if !groups.iter().flat_map(|group| group.courses.iter().flatten()).any(|scores| !(curve.points)(scores).is_empty())
    {
        return None;
    }
    let (grid, mut canvas) = Grid::of(groups.len(), COLUMNS, HEIGHT, (Key::Both, &view.legend()));
    let mut numbers = vec![cells(["problems", "agent", &plural(curve), "mean", "standard error", "repetitions"])];
    let mut counts = Vec::new();
    let lines = |group: &Group| -> Vec<Vec<Point>> {
        (0..view.agents.len()).map(|place| group.points(place, &view.agents[place].planned.label, curve)).collect()
    };
    // KLs of one environment by several priorities are to be compared; regrets of several functions are not.
    let shared = (curve.unit == "label").then(|| {
        let all: Vec<f64> = groups.iter().flat_map(lines).flatten().map(|point| point.y).collect();
        ends(all.into_iter())
    });
    for (number, group) in groups.iter().enumerate() {
        let title = group.title();
        let lines = lines(group);
        let area = grid.area(number);
        let panel = Panel {
            area,
            x: Scale::logarithmic(ends(lines.iter().flatten().map(|point| point.x)), area.across()),
            y: Scale::logarithmic(
                shared.unwrap_or_else(|| ends(lines.iter().flatten().map(|point| point.y))),
                area.upwards(),
            ),
        };
        frame(&mut canvas, &panel, &title, (&plural(curve), curve.axis));
        for (place, points) in lines.into_iter().enumerate() {
            let (agent, repetitions) = (view.agents[place], group.courses[place].len());
            counts.extend((repetitions > 0).then_some(repetitions));
            for point in &points {
                let mut row = cells([&title, &agent.planned.label, &digits(point.x)]);
                row.extend([digits(point.y), digits(point.stderr), repetitions.to_string()]);
                numbers.push(row);
            }
            // Errors are in the numbers: on a logarithmic axis those of early actions would cover the panel.
            let bare = points.into_iter().map(|point| Point { stderr: f64::NAN, ..point }).collect();
            series(&mut canvas, &panel, view.style_of(agent), bare);
        }
    }
    let random =
        if curve.adds_up { " Another table has what uniformly random actions are expected to cost." } else { "" };
    Some(Figure {
        title: curve.title.into(),
        caption: format!(
            "{} {} All agents begin with the same random actions.{random} Hollow points at an edge lie beyond it; × is a \
             failure on some problem.",
            curve.caption,
            point_of(&counts)
        ),
        drawing: canvas,
        table: if curve.adds_up { random_actions(groups, steps) } else { Vec::new() },
        numbers: vec![numbers],
    })
}

/// Returns a table of the regret that uniformly random actions are expected to have in each group.
fn random_actions(groups: &[Group], steps: u32) -> Vec<Vec<String>> {
    let row = |group: &Group| {
        let uniform: Vec<f64> = group.uniform.values().map(|regret| regret * f64::from(steps)).collect();
        let Score { mean, stderr } = Score::of(&uniform);
        cells([group.title(), with_error(mean, stderr), steps.to_string()])
    };
    let heading = cells(["problems", "uniformly random actions", "actions"]);
    std::iter::once(heading).chain(groups.iter().map(row)).collect()
}

fn plural(curve: &Curve) -> String {
    format!("{}s", curve.unit)
}

/// Says what a point is, by the number of problems that each agent has in each panel.
fn point_of(counts: &[usize]) -> String {
    let over = match (counts.iter().min(), counts.iter().max()) {
        (_, Some(1)) => return "A point is the value on a single problem, and has no standard error.".to_owned(),
        (Some(least), Some(most)) if least < most => format!("{least} to {}", counted(*most, "problem")),
        (_, most) => counted(most.copied().unwrap_or(0), "problem"),
    };
    format!("A point is the mean over {over}; its standard error is among the numbers.")
}

/// Returns the smallest and the largest positive number, the smallest at least a ten-thousandth of the largest; or 1 and 1 if
/// there are none.
fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let positive = numbers.filter(|number| number.is_finite() && *number > 0.0);
    let both =
        positive.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), number| (low.min(number), high.max(number)));
    if both.1 > 0.0 { (both.0.max(LOWEST * both.1), both.1) } else { (1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::decisions::decision_run;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn a_point_is_the_mean_regret_over_the_problems_of_a_panel() {
        let run = decision_run(&[("mlp", 0.2), ("ensemble", 0.1)], 2);
        let scores = run.scores();
        let figure = super::figures(&View::new(&scores, &Leaderboard::new(&scores), None)).remove(0);
        let row = |agent: &str, steps: &str| {
            let wanted = |row: &&Vec<String>| row[0] == "d2, temperature 0.1" && row[1] == agent && row[2] == steps;
            figure.numbers[0].iter().find(wanted).unwrap()[3..].to_vec()
        };
        // The second seed costs an agent one half more at each stage.
        assert_eq!(row("mlp", "100.0"), ["20.25", "0.2500", "2"]);
        assert_eq!(row("ensemble", "10.00"), ["1.250", "0.2500", "2"]);
        assert!(figure.table.iter().any(|row| row[0] == "d2, temperature 0.1" && row[2] == "300"));
        assert!(figure.caption.contains("mean over 2 problems; its standard error is"), "{}", figure.caption);
    }

    #[test]
    fn one_problem_has_no_standard_error() {
        let run = decision_run(&[("mlp", 0.2)], 1);
        let scores = run.scores();
        let figure = super::figures(&View::new(&scores, &Leaderboard::new(&scores), None)).remove(0);
        assert!(figure.caption.contains("on a single problem, and has no standard error."), "{}", figure.caption);
        assert!(!figure.caption.contains("mean"), "{}", figure.caption);
        assert_eq!(
            super::point_of(&[1, 3]),
            "A point is the mean over 1 to 3 problems; its standard error is among the numbers."
        );
    }

    #[test]
    fn a_run_without_results_has_no_figure() {
        let mut run = decision_run(&[("mlp", 0.2)], 2);
        run.results.clear();
        let scores = run.scores();
        assert!(super::figures(&View::new(&scores, &Leaderboard::new(&scores), None)).is_empty());
    }
}
