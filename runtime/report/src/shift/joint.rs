//! Joint predictions under shift: the negative log-likelihood of tau inputs at once, whether it ranks agents as that of
//! single inputs does, and whether the ranking is stable under shift.

use jointly_classification::shift::{Condition, ConditionScores};
use jointly_core::Score;
use jointly_core::correlations::mean_ranks;
use jointly_record::quantity::with_error;

use crate::correlation::kendall;
use crate::drawing::{Palette, Point, Style};
use crate::figure::{Figure, cells, digits};
use crate::grid::Key;
use crate::shift::measured::{Agent, Course, Measured, text};
use crate::shift::plots::{Marks, Plot, draw, range};

const HEIGHT: f64 = 150.0;
/// The vertical distance of two ranks.
const RANK: f64 = 17.0;
/// The largest tau whose likelihood is a plain mean over draws.
const MONTE_CARLO: u32 = 10;
/// The number of panels of a row, one for each tau.
const TAUS: usize = 4;
/// The smallest number of agents whose rankings are compared.
const FEWEST: usize = 3;

/// Draws likelihoods, ranks and the agreement of rankings, as far as there are enough taus and agents.
pub(super) fn figures(measured: &Measured) -> Vec<Figure> {
    let courses = measured.main_courses();
    let taus = taus(measured);
    if courses.is_empty() || taus.is_empty() {
        return Vec::new();
    }
    let mut figures = vec![likelihoods(measured, &courses, &taus)];
    if taus.len() > 1 && measured.agents.len() >= FEWEST {
        figures.push(ranks(measured, &courses, &taus));
        figures.push(agreement(measured, &courses, &taus));
    }
    figures
}

/// Returns the taus that every agent has, in ascending order; if there are many, the first and the last ones.
pub(super) fn taus(measured: &Measured) -> Vec<u32> {
    let of = |agent: &Agent| -> Vec<u32> {
        let labelled = agent.scores(&Condition::Unshifted).next().and_then(|scores| scores.labelled.as_ref());
        labelled.map(|labelled| labelled.joint.iter().map(|(tau, _)| *tau).collect()).unwrap_or_default()
    };
    let mut taus = measured.agents.first().map(of).unwrap_or_default();
    taus.retain(|tau| measured.agents.iter().all(|agent| of(agent).contains(tau)));
    taus.sort_unstable();
    if taus.len() > TAUS {
        taus.drain(1..=taus.len() - TAUS);
    }
    taus
}

/// Returns the nats per input of groups of tau inputs.
pub(super) fn nll(tau: u32) -> impl Fn(&ConditionScores) -> Option<f64> {
    move |scores| {
        let joint = &scores.labelled.as_ref()?.joint;
        let (_, score) = joint.iter().find(|(known, _)| *known == tau)?;
        Some(score.mean / f64::from(tau))
    }
}

fn likelihoods(measured: &Measured, courses: &[Course], taus: &[u32]) -> Figure {
    let plot = |course: &Course, tau: u32| Plot {
        heading: format!("NLL, tau = {tau}"),
        x_title: course.axis(),
        y_title: "nats an input".to_owned(),
        ticks: course.severities(),
        logarithmic: false,
        marks: Marks::All,
        y: None,
        ranks: false,
        lines: measured.agents.iter().map(|agent| (agent.style, agent.points(course, &nll(tau)))).collect(),
    };
    // All taus share one scale.
    let row = |course: &Course| {
        let plots: Vec<Plot> = taus.iter().map(|tau| plot(course, *tau)).collect();
        let lines: Vec<_> = plots.iter().flat_map(|plot| plot.lines.clone()).collect();
        let y = Some(range(&lines));
        plots.into_iter().map(move |plot| Plot { y, ..plot })
    };
    let plots: Vec<Plot> = courses.iter().flat_map(row).collect();
    let mut numbers = Vec::new();
    for course in courses {
        let mut head = cells([course.name.as_str(), "agent"]);
        head.extend(taus.iter().map(|tau| format!("NLL, tau = {tau}")));
        let mut rows = vec![head];
        for (severity, conditions) in &course.steps {
            for agent in &measured.agents {
                let mut row = cells([severity.to_string().as_str(), agent.label()]);
                row.extend(taus.iter().map(|tau| text(agent.mean(conditions, &nll(*tau)))));
                rows.push(row);
            }
        }
        numbers.push(rows);
    }
    let planes = if taus.iter().any(|tau| *tau > MONTE_CARLO) {
        format!(
            " Beyond tau = {MONTE_CARLO} it is estimated by random planes, as in the testbed but without clipped probits."
        )
    } else {
        String::new()
    };
    Figure {
        title: format!("Joint predictions under shift{}", measured.suffix()),
        caption: format!(
            "Negative log-likelihood of the labels of tau inputs taken jointly, over tau: nats an input, lower is better. At tau = \
             1 it is that of the mean prediction; an agent whose draws differ as functions, and not from input to input alone, has \
             less at a larger tau. The same groups of inputs are scored at every severity.{planes} {} Hollow points at an edge lie beyond \
             it; ∞ is an infinite mean.",
            measured.over()
        ),
        drawing: draw(&plots, taus.len(), HEIGHT, (Key::Both, &measured.legend())),
        table: Vec::new(),
        numbers,
    }
}

/// Returns each agent's rank at a step, from 1, by the mean over the repetitions that all agents have; equal means
/// share their mean rank. Returns `None` if an agent has no mean.
fn ranks_at(measured: &Measured, conditions: &[Condition], tau: u32) -> Option<Vec<f64>> {
    let values: Vec<Vec<(&str, f64)>> =
        measured.agents.iter().map(|agent| agent.values(conditions, &nll(tau))).collect();
    let of = |list: &[(&str, f64)], problem: &str| {
        list.iter().find(|(known, _)| *known == problem).map(|(_, value)| *value).filter(|value| !value.is_nan())
    };
    let common: Vec<&str> = values.first()?.iter().map(|(problem, _)| *problem).collect();
    let common: Vec<&str> =
        common.into_iter().filter(|problem| values.iter().all(|list| of(list, problem).is_some())).collect();
    if common.is_empty() {
        return None;
    }
    let mean = |list: &Vec<(&str, f64)>| common.iter().filter_map(|problem| of(list, problem)).sum::<f64>();
    let means: Vec<f64> = values.iter().map(mean).collect();
    Some(mean_ranks(&means).into_iter().map(|rank| rank + 1.0).collect())
}

/// The ranks of the agents at a severity, by tau.
type Ranks = (f64, Vec<Option<Vec<f64>>>);

fn ranks(measured: &Measured, courses: &[Course], taus: &[u32]) -> Figure {
    let count = measured.agents.len() as f64;
    let mut numbers = Vec::new();
    let mut plots = Vec::new();
    for course in courses {
        let mut table = vec![cells([course.name.as_str(), "agent"])];
        table[0].extend(taus.iter().map(|tau| format!("rank, tau = {tau}")));
        let at = |(severity, conditions): &(f64, Vec<Condition>)| {
            (*severity, taus.iter().map(|tau| ranks_at(measured, conditions, *tau)).collect())
        };
        let ranked: Vec<Ranks> = course.steps.iter().map(at).collect();
        for (number, tau) in taus.iter().enumerate() {
            let points = |place: usize| -> Vec<Point> {
                let point = |(severity, ranks): &Ranks| {
                    let y = ranks[number].as_ref()?[place];
                    let title = format!("{}, {} {severity}: rank {y}", measured.agents[place].label(), course.name);
                    Some(Point { x: *severity, y, stderr: f64::NAN, failed: false, title })
                };
                ranked.iter().filter_map(point).collect()
            };
            plots.push(Plot {
                heading: format!("rank by NLL, tau = {tau}"),
                x_title: course.axis(),
                y_title: "rank, 1 is best".to_owned(),
                ticks: course.severities(),
                logarithmic: false,
                marks: Marks::All,
                y: Some((0.5, count + 0.5)),
                ranks: true,
                lines: measured.agents.iter().enumerate().map(|(place, agent)| (agent.style, points(place))).collect(),
            });
        }
        for (severity, ranks) in &ranked {
            for (place, agent) in measured.agents.iter().enumerate() {
                let mut row = cells([severity.to_string().as_str(), agent.label()]);
                let rank =
                    |ranks: &Option<Vec<f64>>| ranks.as_ref().map_or("-".to_owned(), |own| own[place].to_string());
                row.extend(ranks.iter().map(rank));
                table.push(row);
            }
        }
        numbers.push(table);
    }
    Figure {
        title: format!("Ranks by marginal and by joint likelihood{}", measured.suffix()),
        caption: format!(
            "Each agent's rank among the {count} by the negative log-likelihood of the labels of tau inputs taken jointly, at each \
             severity: by the mean over the repetitions that all have, 1 is best and equals share a rank. Lines that cross are \
             agents that change places as inputs shift.",
        ),
        drawing: draw(&plots, taus.len(), HEIGHT.max(RANK * count), (Key::Both, &measured.legend())),
        table: Vec::new(),
        numbers,
    }
}

/// Two rankings compared at a severity: their taus, and whether the first is that of the unshifted inputs.
struct Comparison {
    name: String,
    unshifted: bool,
    taus: [u32; 2],
}

/// Returns the comparisons: for each tau, the unshifted ranking with the shifted one; and under shift, the ranking by
/// the smallest tau with those by the others.
fn comparisons(taus: &[u32]) -> Vec<Comparison> {
    let same = taus.iter().map(|&tau| Comparison {
        name: format!("tau = {tau}: unshifted and shifted"),
        unshifted: true,
        taus: [tau; 2],
    });
    let (first, others) = taus.split_first().map_or((1, taus), |(first, others)| (*first, others));
    let both = others.iter().map(|&tau| Comparison {
        name: format!("shifted: tau = {first} and tau = {tau}"),
        unshifted: false,
        taus: [first, tau],
    });
    same.chain(both).collect()
}

fn agreement(measured: &Measured, courses: &[Course], taus: &[u32]) -> Figure {
    let comparisons = comparisons(taus);
    let palette = Palette::new(comparisons.iter().map(|comparison| comparison.name.as_str()));
    let legend: Vec<(&str, Style)> =
        comparisons.iter().map(|comparison| (comparison.name.as_str(), palette.style(&comparison.name))).collect();
    let mut numbers = vec![cells(["shift", "severity", "rankings", "Kendall's tau", "of the means", "repetitions"])];
    let plot = |course: &Course, numbers: &mut Vec<Vec<String>>| {
        let lines = comparisons.iter().map(|comparison| {
            let mut points = Vec::new();
            for (severity, conditions) in &course.steps {
                let taus = comparison.by_repetition(measured, course, conditions);
                let Score { mean, stderr } = Score::of(&taus);
                let mut row = cells([course.name.as_str(), &severity.to_string(), &comparison.name]);
                row.push(if taus.is_empty() { "-".to_owned() } else { with_error(mean, stderr) });
                row.push(digits(comparison.of_means(measured, course, conditions).unwrap_or(f64::NAN)));
                row.push(taus.len().to_string());
                numbers.push(row);
                if !taus.is_empty() {
                    let title =
                        format!("{}, {} {severity}: {}", comparison.name, course.name, with_error(mean, stderr));
                    points.push(Point { x: *severity, y: mean, stderr, failed: false, title });
                }
            }
            (palette.style(&comparison.name), points)
        });
        Plot {
            heading: course.name.clone(),
            x_title: course.axis(),
            y_title: "Kendall's tau".to_owned(),
            ticks: course.severities(),
            logarithmic: false,
            marks: Marks::All,
            y: Some((-1.05, 1.05)),
            ranks: false,
            lines: lines.collect(),
        }
    };
    let plots: Vec<Plot> = courses.iter().map(|course| plot(course, &mut numbers)).collect();
    let answer = answer(measured, courses, &comparisons);
    Figure {
        title: format!("Whether the ranking changes under shift{}", measured.suffix()),
        caption: format!(
            "Kendall's tau-b between two rankings of the {} agents by negative log-likelihood: 1 is the same order, -1 the reverse, \
             0 no relation. Each point is the mean of Kendall's tau in each repetition by itself, where chance in training and \
             test inputs lowers it, with one standard error over repetitions; the table has that of the rankings by means over \
             repetitions too. {answer}",
            measured.agents.len()
        ),
        drawing: draw(&plots, courses.len().min(3), HEIGHT, (Key::Both, &legend)),
        table: Vec::new(),
        numbers: vec![numbers],
    }
}

/// Describes the last steps of the courses, in a sentence each.
fn answer(measured: &Measured, courses: &[Course], comparisons: &[Comparison]) -> String {
    let at_end = |course: &Course| {
        let (severity, conditions) = course.steps.last()?;
        let kendalls = |unshifted: bool| {
            let own = comparisons.iter().filter(|comparison| comparison.unshifted == unshifted);
            let told = own.map(|comparison| {
                let taus = comparison.by_repetition(measured, course, conditions);
                let Score { mean, stderr } = Score::of(&taus);
                let value = if taus.is_empty() { "-".to_owned() } else { with_error(mean, stderr) };
                format!("{value} at tau = {}", comparison.taus[1])
            });
            told.collect::<Vec<_>>().join(", ")
        };
        let end = match course.shift {
            Some(_) => format!("{} {severity}", course.name),
            None => format!("severity {severity} of {}", course.name),
        };
        Some(format!(
            "At {end} Kendall's tau with the unshifted ranking is {}; with the ranking there by tau = {} it is {}.",
            kendalls(true),
            comparisons.first()?.taus[0],
            kendalls(false)
        ))
    };
    courses.iter().filter_map(at_end).collect::<Vec<_>>().join(" ")
}

impl Comparison {
    /// Returns the conditions of the two rankings.
    fn conditions<'c>(&self, course: &'c Course, here: &'c [Condition]) -> [&'c [Condition]; 2] {
        let first = course.steps.first().map_or(here, |(_, conditions)| conditions);
        [if self.unshifted { first } else { here }, here]
    }

    /// Returns Kendall's tau in each repetition that every agent has, without those in which a ranking is all ties.
    fn by_repetition(&self, measured: &Measured, course: &Course, here: &[Condition]) -> Vec<f64> {
        let conditions = self.conditions(course, here);
        let values: Vec<[Vec<(&str, f64)>; 2]> = measured
            .agents
            .iter()
            .map(|agent| [0, 1].map(|side| agent.values(conditions[side], &nll(self.taus[side]))))
            .collect();
        let Some(problems) = values.first().map(|[own, _]| own.iter().map(|(problem, _)| *problem)) else {
            return Vec::new();
        };
        let kendall_of = |problem: &str| {
            let value =
                |list: &[(&str, f64)]| list.iter().find(|(known, _)| *known == problem).map(|(_, value)| *value);
            let pairs: Vec<(f64, f64)> =
                values.iter().map(|[a, b]| Some((value(a)?, value(b)?))).collect::<Option<_>>()?;
            let comparable = pairs.iter().all(|(a, b)| !a.is_nan() && !b.is_nan());
            Some(kendall(&pairs)).filter(|tau| comparable && !tau.is_nan())
        };
        problems.filter_map(kendall_of).collect()
    }

    /// Returns Kendall's tau of the rankings by the means over repetitions.
    fn of_means(&self, measured: &Measured, course: &Course, here: &[Condition]) -> Option<f64> {
        let [a, b] = self.conditions(course, here);
        let (a, b) = (ranks_at(measured, a, self.taus[0])?, ranks_at(measured, b, self.taus[1])?);
        Some(kendall(&a.into_iter().zip(b).collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use crate::shift::measured::Measured;
    use crate::view::View;
    use jointly_record::invented::shift::{Shifting, shift_run, shifting};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn rankings_are_compared_with_the_unshifted_one_and_with_each_other() {
        // By single inputs, the best unshifted agent loses most and ends up worst; by joint predictions it stays the
        // best.
        let jointly = |quality, loss, joint_loss| Shifting { joint_loss, ..shifting(quality, loss) };
        let agents =
            [("mlp", jointly(0.9, 0.8, -6.5)), ("knn", jointly(0.8, 0.5, 0.0)), ("uniform", jointly(0.7, 0.2, 0.0))];
        let run = shift_run(2, &["rotation/30", "rotation/60", "rotation/90"], &agents);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figures = super::figures(&Measured::all(&view)[0]);
        let kendall = |severity: &str, rankings: &str| {
            let rows = &figures[2].numbers[0];
            let row = rows.iter().find(|row| row[1] == severity && row[2] == rankings).unwrap();
            (row[4].clone(), row[5].clone())
        };
        let of = |tau: &str| (tau.to_owned(), "2".to_owned());
        assert_eq!(kendall("0", "tau = 1: unshifted and shifted"), of("1.000"));
        assert_eq!(kendall("90", "tau = 1: unshifted and shifted"), of("-1.000"));
        // mlp, knn, uniform; then uniform at 5, mlp at 9 - 6.5 = 2.5, knn at 7: mlp, uniform, knn.
        assert_eq!(kendall("90", "tau = 10: unshifted and shifted"), of("0.3333"));
        assert_eq!(kendall("90", "shifted: tau = 1 and tau = 10"), of("-0.3333"));
        let ranks = &figures[1].numbers[0];
        let row = ranks.iter().find(|row| row[0] == "90" && row[1] == "mlp").unwrap();
        assert_eq!(row[2..], ["3", "1"]);
        assert!(figures[2].caption.contains("At rotation 90 Kendall's tau with the unshifted ranking is -1.0000"));
    }

    #[test]
    fn equals_share_a_rank_and_weigh_on_kendalls_tau() {
        let agents = [("mlp", shifting(0.9, 0.2)), ("knn", shifting(0.9, 0.3)), ("uniform", shifting(0.5, 0.1))];
        let run = shift_run(2, &["rotation/30", "rotation/60", "rotation/90"], &agents);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figures = super::figures(&Measured::all(&view)[0]);
        let rank = |severity: &str, agent: &str| {
            let mut rows = figures[1].numbers[0].iter();
            rows.find(|row| row[..2] == [severity, agent]).unwrap()[2].clone()
        };
        assert_eq!(["mlp", "knn", "uniform"].map(|agent| rank("0", agent)), ["1.5", "1.5", "3"]);
        assert_eq!(["mlp", "knn", "uniform"].map(|agent| rank("90", agent)), ["1", "2", "3"]);
        let mut rows = figures[2].numbers[0].iter();
        let row = rows.find(|row| row[1] == "90" && row[2] == "tau = 1: unshifted and shifted").unwrap();
        // Two of three pairs agree and one is tied in one ranking: 2 / sqrt(2 * 3).
        assert_eq!(row[4], "0.8165");
        // The likelihood itself: one minus the accuracies 0.7 and 0.69.
        let mut rows = figures[0].numbers[0].iter();
        assert_eq!(rows.find(|row| row[..2] == ["90", "mlp"]).unwrap()[2], "0.3050 ±0.0050");
    }
}
