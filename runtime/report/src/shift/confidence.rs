//! Figures 1c-f, 2 and 4 of the paper: accuracy and counts against confidence, and entropy, for unshifted, shifted and
//! out-of-distribution inputs.

use jointly_classification::shift::{Condition, ConditionScores, ENTROPY_BINS, THRESHOLDS};
use jointly_core::Score;

use crate::drawing::{Point, Style};
use crate::figure::{Figure, cells, digits};
use crate::grid::Key;
use crate::shift::measured::{Agent, Measured};
use crate::shift::plots::{Marks, Plot, draw};

const HEIGHT: f64 = 150.0;
/// The maximum number of columns of panels.
const COLUMNS: usize = 4;
/// One in this many points of a curve is marked.
const MARKED: usize = 18;
/// The thresholds in the table, as indices.
const WRITTEN: [usize; 8] = [0, 50, 60, 70, 80, 90, 95, 99];

/// A column of panels: accuracy, counts and entropy.
struct Column {
    title: String,
    /// The conditions whose pooled accuracy is drawn.
    accuracy: Vec<Condition>,
    /// The condition whose inputs are counted and whose entropy is drawn.
    counted: Condition,
    counted_title: String,
}

/// Draws rows of panels with accuracy, counts and entropies; returns `None` if nothing was scored without shift.
pub(super) fn figure(measured: &Measured) -> Option<Figure> {
    measured.conditions.iter().find(|condition| **condition == Condition::Unshifted)?;
    let middle = measured.level_of_loss(0.5);
    let columns = columns(measured, middle.as_ref());
    let accuracy = columns.iter().map(|column| {
        let lines = measured.agents.iter().map(|agent| (agent.style, accuracies(agent, &column.accuracy))).collect();
        plot((&column.title, "accuracy", "confidence, at least"), lines)
    });
    let counts = columns.iter().map(|column| {
        let lines = measured.agents.iter().map(|agent| (agent.style, counts(agent, &column.counted))).collect();
        let plot = plot((&column.counted_title, "inputs", "confidence, at least"), lines);
        Plot { y: Some((0.0, 1.05 * rows(measured, &column.counted))), ..plot }
    });
    let entropies = columns.iter().map(|column| {
        let lines = measured.agents.iter().map(|agent| (agent.style, entropies(agent, &column.counted))).collect();
        let plot = plot((&column.counted_title, "share of inputs", "entropy over ln K"), lines);
        let most = plot.lines.iter().flat_map(|(_, points)| points).map(|point| point.y).fold(0.0, f64::max);
        Plot { y: Some((0.0, if most > 0.0 { 1.05 * most } else { 1.0 })), ..plot }
    });
    let plots: Vec<Plot> = accuracy.chain(counts).chain(entropies).collect();
    let chosen = match &middle {
        Some(level) => format!(
            " The level of shift is {level}, which in the mean over agents takes the most nearly half of what the worst level \
             takes of the accuracy."
        ),
        None => String::new(),
    };
    Some(Figure {
        title: format!("Confidence, accuracy and entropy{} (Figures 1c-f, 2 and 4)", measured.suffix()),
        caption: format!(
            "Above, the accuracy among inputs whose confidence, the largest class probability, is at least what the axis says; \
             out-of-distribution inputs are in the mix with the unshifted ones and are always wrong. Below that the number of such inputs, \
             on the right of the outside inputs alone, where a low curve is right. Beneath, the share of inputs in each of {ENTROPY_BINS} \
             bins of entropy, relative to that of the uniform distribution over K classes.{chosen} Curves are over all \
             repetitions together and end where no input is left; counts are in the mean over repetitions. The table has ± as \
             one standard error over repetitions."
        ),
        drawing: draw(&plots, columns.len(), HEIGHT, (Key::Both, &measured.legend())),
        table: Vec::new(),
        numbers: vec![table(measured, &columns)],
    })
}

fn columns(measured: &Measured, middle: Option<&Condition>) -> Vec<Column> {
    let of = |condition: &Condition, title: &str| Column {
        title: title.to_owned(),
        accuracy: vec![condition.clone()],
        counted: condition.clone(),
        counted_title: title.to_owned(),
    };
    let mut columns = vec![of(&Condition::Unshifted, "unshifted")];
    columns.extend(middle.map(|level| of(level, &level.to_string())));
    columns.extend(measured.outside().map(|(name, condition)| Column {
        title: format!("with {name}"),
        accuracy: vec![Condition::Unshifted, condition.clone()],
        counted: condition.clone(),
        counted_title: name.to_owned(),
    }));
    columns.truncate(COLUMNS);
    columns
}

fn plot((heading, y_title, x_title): (&str, &str, &str), lines: Vec<(Style, Vec<Point>)>) -> Plot {
    Plot {
        heading: heading.to_owned(),
        x_title: x_title.to_owned(),
        y_title: y_title.to_owned(),
        ticks: [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].to_vec(),
        logarithmic: false,
        marks: Marks::Every(MARKED),
        y: None,
        ranks: false,
        lines,
    }
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y, stderr: f64::NAN, failed: false, title: String::new() }
}

/// Returns the number of inputs at a threshold and of the correctly classified ones, summed over conditions of one
/// repetition.
fn at(scores: &[&ConditionScores], threshold: usize) -> [f64; 2] {
    let counts = scores.iter().filter_map(|scores| scores.confident.get(threshold));
    counts.fold([0.0, 0.0], |[all, right], [count, hits]| [all + f64::from(*count), right + f64::from(*hits)])
}

/// Returns the scores of each repetition that has all the given conditions.
fn repetitions<'v>(agent: &Agent<'v>, conditions: &[Condition]) -> Vec<Vec<&'v ConditionScores>> {
    let own = |scores: &'v jointly_classification::shift::ShiftScores| {
        let find = |condition: &Condition| scores.conditions.iter().find(|scores| scores.condition == *condition);
        conditions.iter().map(find).collect::<Option<Vec<_>>>()
    };
    agent.results.iter().filter_map(|(_, scores)| own(scores)).collect()
}

fn accuracies(agent: &Agent, conditions: &[Condition]) -> Vec<Point> {
    let repetitions = repetitions(agent, conditions);
    let accuracy = |threshold: usize| {
        let sums = repetitions.iter().map(|scores| at(scores, threshold));
        let [all, right] = sums.fold([0.0, 0.0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
        (all > 0.0).then(|| point(threshold as f64 / THRESHOLDS as f64, right / all))
    };
    (0..=THRESHOLDS).filter_map(accuracy).collect()
}

fn counts(agent: &Agent, condition: &Condition) -> Vec<Point> {
    let repetitions = repetitions(agent, std::slice::from_ref(condition));
    let many = repetitions.len() as f64;
    let count = |threshold: usize| {
        let all: f64 = repetitions.iter().map(|scores| at(scores, threshold)[0]).sum();
        point(threshold as f64 / THRESHOLDS as f64, all / many)
    };
    if repetitions.is_empty() { Vec::new() } else { (0..=THRESHOLDS).map(count).collect() }
}

/// Returns the largest number of inputs of a condition.
fn rows(measured: &Measured, condition: &Condition) -> f64 {
    let rows = measured.agents.iter().flat_map(|agent| agent.scores(condition)).map(|scores| scores.rows);
    f64::from(rows.max().unwrap_or(1).max(1))
}

/// Returns the share of inputs in each bin, as steps.
fn entropies(agent: &Agent, condition: &Condition) -> Vec<Point> {
    let repetitions = repetitions(agent, std::slice::from_ref(condition));
    let all: f64 = repetitions.iter().flatten().map(|scores| f64::from(scores.rows)).sum();
    let share = |bin: usize| {
        let counts = repetitions.iter().flatten().filter_map(|scores| scores.entropies.get(bin));
        counts.map(|count| f64::from(*count)).sum::<f64>() / all
    };
    let edge = |bin: usize| bin as f64 / ENTROPY_BINS as f64;
    if all == 0.0 {
        return Vec::new();
    }
    (0..ENTROPY_BINS).flat_map(|bin| [point(edge(bin), share(bin)), point(edge(bin + 1), share(bin))]).collect()
}

/// Returns a row for each column, agent and threshold.
fn table(measured: &Measured, columns: &[Column]) -> Vec<Vec<String>> {
    let mut rows = vec![cells(["inputs", "agent", "confidence, at least", "accuracy", "±", "inputs left"])];
    for column in columns {
        for agent in &measured.agents {
            let repetitions = repetitions(agent, &column.accuracy);
            for threshold in WRITTEN {
                let counts: Vec<[f64; 2]> = repetitions.iter().map(|scores| at(scores, threshold)).collect();
                let shares: Vec<f64> =
                    counts.iter().filter(|[all, _]| *all > 0.0).map(|[all, right]| right / all).collect();
                let Score { mean, stderr } = Score::of(&shares);
                let left = counts.iter().map(|[all, _]| all).sum::<f64>() / counts.len() as f64;
                let confidence = format!("{:.2}", threshold as f64 / THRESHOLDS as f64);
                let mut row = cells([column.title.as_str(), agent.label(), &confidence]);
                row.extend([mean, stderr, left].map(digits));
                rows.push(row);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use jointly_classification::shift::{Condition, ENTROPY_BINS, THRESHOLDS};
    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    use crate::drawing::Point;
    use crate::shift::measured::Measured;
    use crate::view::View;

    #[test]
    fn inputs_of_no_class_are_wrong_in_the_mix() {
        let run = shift_run(1, &["fog/1", "fog/2"], &[("mlp", shifting(0.8, 0.4))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figure = super::figure(&Measured::all(&view)[0]).unwrap();
        let row = |inputs: &str| figure.numbers[0].iter().find(|row| row[0] == inputs).unwrap()[2..].to_vec();
        assert_eq!(row("unshifted"), ["0.00", "0.8000", "-", "100.0"]);
        assert_eq!(row("fog/1"), ["0.00", "0.6000", "-", "100.0"]);
        // 80 of 100 are right, and none of another 100.
        assert_eq!(row("with letters-and-scribbles"), ["0.00", "0.4000", "-", "200.0"]);
        assert!(figure.caption.contains("The level of shift is fog/1"), "{}", figure.caption);
    }

    /// Half of the 100 inputs have a confidence of 0.5 or more, with the same accuracy as all of them.
    #[test]
    fn curves_count_what_is_above_a_threshold_in_all_repetitions() {
        let run = shift_run(2, &["fog/1", "fog/2"], &[("mlp", shifting(0.8, 0.4))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let measured = &Measured::all(&view)[0];
        let agent = &measured.agents[0];
        let outside = Condition::Outside("letters-and-scribbles".to_owned());
        let at_half = |points: &[Point]| (points[50].x, points[50].y);
        // 40 of 50 are right in the first repetition, and 39.5, cut to 39, in the second.
        assert_eq!(at_half(&super::accuracies(agent, &[Condition::Unshifted])), (0.5, 79.0 / 100.0));
        assert_eq!(at_half(&super::accuracies(agent, &[Condition::Unshifted, outside.clone()])), (0.5, 79.0 / 200.0));
        assert_eq!(at_half(&super::counts(agent, &outside)), (0.5, 50.0));
        // No input has a confidence of 1, so there is no accuracy.
        assert_eq!(super::accuracies(agent, &[Condition::Unshifted]).len(), THRESHOLDS);
        let entropies = super::entropies(agent, &outside);
        assert_eq!((entropies[0].y, entropies[1].y, entropies[2].y), (1.0, 1.0, 0.0));
        assert_eq!(entropies.len(), 2 * ENTROPY_BINS);

        let figure = super::figure(measured).unwrap();
        let row = |inputs: &str| {
            let rows = figure.numbers[0].iter();
            rows.filter(|row| row[0] == inputs && row[2] == "0.50").map(|row| row[3..].to_vec()).next().unwrap()
        };
        // The mean of 0.8 and 0.78, and half their difference.
        assert_eq!(row("unshifted"), ["0.7900", "0.01000", "50.00"]);
        // The mean of 0.4 and 0.39, over 100 inputs.
        assert_eq!(row("with letters-and-scribbles"), ["0.3950", "0.005000", "100.0"]);
    }
}
