//! Cumulative regret against the number of actions, agent by agent.

use jointly_core::{Coordinates, Score};
use jointly_decisions::{DecisionScores, Decisions, Stage};
use jointly_record::quantity::with_error;
use jointly_score::scores::AgentScores;

use crate::drawing::{Panel, Point, Scale};
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, frame, series};
use crate::view::View;

const COLUMNS: usize = 3;
const HEIGHT: f64 = 210.0;
/// How far below the largest mean regret an axis reaches, as a factor.
const LOWEST: f64 = 1e-4;

/// Problems that differ only in their seed.
#[derive(PartialEq)]
struct Group {
    group: String,
    temperature: Option<f64>,
}

impl Group {
    fn of(place: &Coordinates) -> Self {
        Self { group: place.group.clone(), temperature: place.temperature }
    }

    fn title(&self) -> String {
        let temperature = self.temperature.map(|temperature| format!("temperature {temperature}"));
        [Some(self.group.clone()), temperature].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Draws a panel for each group of problems; returns `None` if no agent has a result.
pub(super) fn figure(view: &View) -> Option<Figure> {
    let mut groups: Vec<Group> = Vec::new();
    for place in view.places() {
        let group = Group::of(place);
        if !groups.contains(&group) && view.agents.iter().any(|agent| !courses(view, agent, &group).is_empty()) {
            groups.push(group);
        }
    }
    if groups.is_empty() {
        return None;
    }
    let (grid, mut canvas) = Grid::of(groups.len(), COLUMNS, HEIGHT, (Key::Both, &view.legend()));
    let mut numbers = vec![cells(["problems", "agent", "actions", "mean regret", "standard error", "repetitions"])];
    let mut ends = vec![cells(["problems", "uniformly random actions", "actions"])];
    let mut counts = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let lines: Vec<(&AgentScores, Vec<Point>)> =
            view.agents.iter().map(|agent| (*agent, points(view, agent, group))).collect();
        let all = || lines.iter().flat_map(|(_, points)| points);
        let panel = Panel {
            area: grid.area(number),
            x: Scale::logarithmic(ends_of(all().map(|point| point.x)), grid.area(number).across()),
            y: Scale::logarithmic(ends_of(all().map(|point| point.y)), grid.area(number).upwards()),
        };
        frame(&mut canvas, &panel, &group.title(), ("actions", "cumulative regret"));
        for (agent, points) in lines {
            let repetitions = courses(view, agent, group).len();
            counts.extend((repetitions > 0).then_some(repetitions));
            for point in &points {
                let mut row = cells([&group.title(), &agent.planned.label, &digits(point.x)]);
                row.extend([digits(point.y), digits(point.stderr), repetitions.to_string()]);
                numbers.push(row);
            }
            // Errors are in the numbers: on a logarithmic axis those of early actions would cover the panel.
            let bare = points.into_iter().map(|point| Point { stderr: f64::NAN, ..point }).collect();
            series(&mut canvas, &panel, view.style_of(agent), bare);
        }
        ends.extend(uniform(view, group));
    }
    let repetitions = match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {}", counted(*most, "problem")),
        (_, most) => counted(most.copied().unwrap_or(0), "problem"),
    };
    Some(Figure {
        title: "Regret of Thompson sampling".into(),
        caption: format!(
            "The sum over actions of the best action's expected reward less that of the action taken, against the number of \
             actions, both on logarithmic axes: a straight line at 45 degrees is an agent that goes on erring, a level line one \
             that has found the best action. A point is the mean over {repetitions}; its standard error is among the numbers. All \
             agents begin with the same random actions. The table has what uniformly random actions are expected to cost. Hollow \
             points at an edge lie beyond it; × is \
             a failure on some problem."
        ),
        drawing: canvas,
        table: ends,
        numbers: vec![numbers],
    })
}

fn courses<'v>(view: &View, agent: &AgentScores<'v>, group: &Group) -> Vec<&'v DecisionScores> {
    let here = |problem: &str| view.place(problem).is_some_and(|place| Group::of(place) == *group);
    let problems = agent.problems.iter().filter(|problem| here(problem.problem));
    problems.filter_map(|problem| problem.result::<Decisions>()).collect()
}

/// Returns the mean regret over a group's problems at each stage of the course.
fn points(view: &View, agent: &AgentScores, group: &Group) -> Vec<Point> {
    let all = courses(view, agent, group);
    let failed = view.failures(agent, |place| Group::of(place) == *group) > 0;
    let length = all.iter().map(|scores| scores.course.len()).min().unwrap_or(0);
    let point = |stage: usize| {
        let at = |scores: &&DecisionScores| scores.course[stage];
        let values: Vec<f64> = all.iter().map(|scores| at(scores).regret.0).collect();
        let Score { mean, stderr } = Score::of(&values);
        let Stage { steps, .. } = at(&all[0]);
        let title = format!(
            "{}, {}: {} over {}",
            agent.planned.label,
            counted(steps as usize, "action"),
            with_error(mean, stderr),
            counted(all.len(), "problem")
        );
        Point { x: f64::from(steps), y: mean, stderr, failed, title }
    };
    (0..length).map(point).collect()
}

/// Returns the row of what uniformly random actions are expected to cost on a group's problems.
fn uniform(view: &View, group: &Group) -> Option<Vec<String>> {
    let all = view.agents.iter().map(|agent| courses(view, agent, group)).find(|all| !all.is_empty())?;
    let steps = all[0].course.last()?.steps;
    let values: Vec<f64> = all.iter().map(|scores| scores.uniform.0 * f64::from(steps)).collect();
    let Score { mean, stderr } = Score::of(&values);
    Some(cells([group.title(), with_error(mean, stderr), steps.to_string()]))
}

/// Returns the smallest and the largest positive number, the smallest at least a ten-thousandth of the largest; or 1 and 1 if
/// there are none.
fn ends_of(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let positive = numbers.filter(|number| number.is_finite() && *number > 0.0);
    let ends =
        positive.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), number| (low.min(number), high.max(number)));
    if ends.1 > 0.0 { (ends.0.max(LOWEST * ends.1), ends.1) } else { (1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::decisions::decision_run;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn a_point_is_the_mean_regret_over_the_problems_of_a_panel() {
        let run = decision_run(&[("mlp", 2.0), ("ensemble", 1.0)], 2);
        let scores = run.scores();
        let figure = super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).unwrap();
        let row = |agent: &str, steps: &str| {
            let wanted = |row: &&Vec<String>| row[0] == "d2, temperature 0.1" && row[1] == agent && row[2] == steps;
            figure.numbers[0].iter().find(wanted).unwrap()[3..].to_vec()
        };
        // The second seed costs an agent one unit more at each stage.
        assert_eq!(row("mlp", "100.0"), ["200.5", "0.5000", "2"]);
        assert_eq!(row("ensemble", "10.00"), ["10.50", "0.5000", "2"]);
        assert!(figure.table.iter().any(|row| row[0] == "d2, temperature 0.1" && row[2] == "100"));
        assert!(figure.caption.contains("mean over 2 problems"), "{}", figure.caption);
    }

    #[test]
    fn a_run_without_results_has_no_figure() {
        let mut run = decision_run(&[("mlp", 2.0)], 2);
        run.results.clear();
        let scores = run.scores();
        assert!(super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).is_none());
    }
}
