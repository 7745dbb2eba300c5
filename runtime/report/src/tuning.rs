//! Figure 3 of the paper: an agent's variants tuned to each setting, compared with one variant for all settings.

use std::collections::HashMap;

use jointly_core::Summary;
use jointly_record::plan::PlannedAgent;
use jointly_record::quantity;
use jointly_score::scores::AgentScores;
use jointly_score::selection::{Selection, Tune};

use crate::figure::{Figure, cells, counted, digits};
use crate::ratio::Ratio;
use crate::rows::{self, Bar, Fill, Heading, Row};
use crate::view::{Family, JointScore, Pairs, View};

/// The setting that the paper compares.
pub const PARAMETER: &str = "bootstrap";

/// The fill of bars tuned per setting, and of those chosen on other repetitions.
const TUNED: Fill = Fill::Part(0.25);
const HELD_OUT: Fill = Fill::Part(0.6);

/// Returns the default of a setting.
pub type Defaults<'d> = &'d dyn Fn(&PlannedAgent, &str) -> Option<String>;

/// Draws a figure for each agent whose variants have at least two values of the parameter.
pub(crate) fn figures(view: &View, parameter: &str, defaults: Defaults) -> Vec<Figure> {
    view.families.iter().filter_map(|family| figure(view, family, parameter, defaults)).collect()
}

/// A value of the parameter and the choice among the variants that share it.
struct Tuning<'a> {
    value: String,
    one: Selection<'a>,
    tuned: Selection<'a>,
}

/// Each problem with the variant that represents the agent on it.
type Chosen<'a> = Vec<(&'a str, &'a AgentScores<'a>)>;

impl<'a> Tuning<'a> {
    /// Returns the rows of bars, each with the variants that it shows; a single variant leaves nothing to choose.
    fn rows(&self) -> Vec<(&'static str, Fill, Chosen<'a>)> {
        if let [variant] = self.one.variants.as_slice() {
            let problems = variant.scores.problems.iter();
            let own = problems.map(|problem| (problem.problem, variant.scores)).collect();
            return vec![("one variant", Fill::Full, own)];
        }
        let chosen = |selection: &Selection<'a>| -> Chosen<'a> {
            let own = |choice: &jointly_score::selection::Choice<'a>| {
                let variant = choice.scores;
                choice.problems.iter().map(move |problem| (*problem, variant)).collect::<Vec<_>>()
            };
            selection.choices.iter().flat_map(own).collect()
        };
        let mut rows =
            vec![("one for all", Fill::Full, chosen(&self.one)), ("per setting", TUNED, chosen(&self.tuned))];
        rows.extend(self.tuned.held_out.as_ref().map(|own| ("held out", HELD_OUT, own.choices.clone())));
        rows
    }

    /// Returns the choices and their scores, on the problems of the choice and on held-out ones.
    fn choices(&self) -> Vec<Vec<String>> {
        let error = |summary: Option<Summary>| {
            summary.map_or_else(|| "-".to_owned(), |summary| quantity::with_error(summary.mean, summary.stderr))
        };
        let row = |(tuning, selection): (&str, &Selection)| {
            let choice = match (tuning, selection.choices.as_slice()) {
                ("one for all", [choice]) => choice.label().to_owned(),
                (_, choices) => counted(choices.len(), "setting"),
            };
            let held_out = selection.held_out.as_ref().map(|held_out| held_out.summary);
            cells([
                &self.value,
                &selection.variants.len().to_string(),
                tuning,
                &choice,
                &error(selection.tuned),
                &error(held_out),
            ])
        };
        [("one for all", &self.one), ("per setting", &self.tuned)].map(row).to_vec()
    }
}

fn figure(view: &View, family: &Family, parameter: &str, defaults: Defaults) -> Option<Figure> {
    let by = view.ranked_by.as_deref()?;
    let (values, left_out) = values(view, family, parameter, defaults, by);
    if values.len() < 2 {
        return None;
    }
    let mut rows = Vec::new();
    let mut bar_rows = vec![cells([parameter, "variants", "tuning", "score", "value", "standard error", "problems"])];
    for value in &values {
        for (tuning, fill, chosen) in value.rows() {
            let ratios: Vec<Ratio> = view.joint.iter().map(|score| against(view, score, &chosen)).collect();
            for (score, ratio) in view.joint.iter().zip(&ratios) {
                let variants = value.one.variants.len().to_string();
                let mut line = cells([&value.value, &variants, tuning, &score.name, &ratio.cell()]);
                line.extend([digits(ratio.stderr), ratio.problems.to_string()]);
                bar_rows.push(line);
            }
            let of = view.scores.plan.problems.len();
            rows.push(Row {
                label: format!("{}, {tuning}", value.value),
                style: view.style(family.name),
                fill,
                bars: ratios.into_iter().map(|ratio| Bar { ratio, of, failed: 0, published: None }).collect(),
            });
        }
    }
    let mut settings = vec![cells([parameter, "setting", "best", by, "standard error", "problems"])];
    for value in &values {
        settings.extend(value.tuned.choices.iter().map(|choice| {
            let Summary { mean, stderr, problems, .. } = choice.summary;
            cells([
                &value.value,
                &choice.setting,
                choice.label(),
                &digits(mean),
                &digits(stderr),
                &problems.to_string(),
            ])
        }));
    }
    let heading = |score: &JointScore| Heading {
        title: format!("tau = {}", score.tau),
        axis: match view.baseline {
            Some(baseline) => format!("{} / {} of {}", score.metric, score.metric, baseline.planned.label),
            None => format!("{} (nats)", score.metric),
        },
        baseline: view.baseline.map(|_| 1.0),
    };
    let headings: Vec<Heading> = view.joint.iter().map(heading).collect();
    let mut choices = vec![cells([parameter, "variants", "tuning", "chosen", by, "held out"])];
    choices.extend(values.iter().flat_map(Tuning::choices));
    Some(Figure {
        title: format!("Tuned per setting or one for all: {parameter} of {} (Figure 3)", family.name),
        caption: caption(view, (by, parameter), &rows, &values, left_out),
        drawing: rows::draw(&headings, &rows),
        table: choices,
        numbers: vec![bar_rows, settings],
    })
}

/// Returns the values of the parameter, each with the choice among its variants, and the number of variants that cannot
/// be chosen. Numbers are in numerical order, other values in the plan's order.
fn values<'a>(
    view: &View<'a>,
    family: &Family<'a>,
    parameter: &str,
    defaults: Defaults,
    by: &str,
) -> (Vec<Tuning<'a>>, usize) {
    let given = |agent: &AgentScores| agent.planned.settings.get(parameter).map(str::to_owned);
    if family.variants.iter().all(|agent| given(agent).is_none()) {
        return (Vec::new(), 0);
    }
    // Looking up a default loads the agent.
    let mut asked: HashMap<&str, Option<String>> = HashMap::new();
    let mut default = |agent: &'a AgentScores<'a>| {
        let PlannedAgent { digest, .. } = agent.planned;
        asked.entry(digest.as_str()).or_insert_with(|| defaults(agent.planned, parameter)).clone()
    };
    let mut known: Vec<(String, Vec<&AgentScores>)> = Vec::new();
    for agent in view.scores.agents.iter().filter(|agent| agent.planned.agent == family.name) {
        let value = given(agent).or_else(|| default(agent)).unwrap_or_else(|| "default".into());
        match known.iter_mut().find(|(known, _)| *known == value) {
            Some((_, variants)) => variants.push(agent),
            None => known.push((value, vec![agent])),
        }
    }
    let numbers: Option<Vec<f64>> = known.iter().map(|(value, _)| value.parse().ok()).collect();
    if numbers.is_some_and(|numbers| numbers.iter().all(|number| !number.is_nan())) {
        let number = |value: &str| value.parse().unwrap_or(f64::NAN);
        known.sort_by(|(a, _), (b, _)| number(a).total_cmp(&number(b)));
    }
    let select = |(value, variants): (String, Vec<&'a AgentScores<'a>>)| {
        let [one, tuned] =
            [Tune::Global, Tune::PerSetting].map(|tune| Selection::new(family.name, &variants, by, tune));
        Tuning { value, one, tuned }
    };
    let values: Vec<Tuning> = known.into_iter().map(select).collect();
    let left_out = values.iter().map(|value| value.one.incomplete.len()).sum();
    (values.into_iter().filter(|value| !value.one.variants.is_empty()).collect(), left_out)
}

/// Returns the ratio of the chosen variants' scores to the baseline's on the same problems, or the scores in nats
/// without a baseline.
fn against<'a>(view: &View<'a>, score: &JointScore, chosen: &Chosen<'a>) -> Ratio {
    let value = |problem: &str, agent: &AgentScores| {
        agent.problems.iter().find(|scored| scored.problem == problem)?.value(&score.name).map(|scored| scored.value)
    };
    let scored = chosen.iter().filter_map(|(problem, agent)| Some((*problem, value(problem, agent)?)));
    let scored: Vec<(&str, f64)> = scored.collect();
    let theirs = match view.baseline {
        Some(baseline) => view.values(baseline, &score.name, |_| true),
        None => scored.iter().map(|(problem, _)| (*problem, 1.0)).collect(),
    };
    view.ratio_of(&Pairs::of(&scored, &theirs))
}

fn caption(view: &View, (by, parameter): (&str, &str), rows: &[Row], values: &[Tuning], left_out: usize) -> String {
    let counts: Vec<String> =
        values.iter().map(|value| format!("{} ({})", value.value, value.one.variants.len())).collect();
    let over = match view.baseline {
        Some(baseline) => format!("divided by the mean of {} over the same problems", baseline.planned.label),
        None => "in nats".to_owned(),
    };
    let mut sentences = vec![format!(
        "Mean over {} {over}, for each value of {parameter} (with its number of variants): {}.",
        rows::over(rows),
        counts.join(", ")
    )];
    if values.iter().any(|value| value.one.variants.len() > 1) {
        sentences.push(format!(
            "Full bars are the one variant that has the best mean {by} over all problems; light bars take in each setting, \
             the problems that are repetitions of one another, the variant that is best there. Both are chosen on the problems \
             that they are shown on, and the light bars flatter themselves where a setting has few problems: the darker \
             outlined bars, held out, show on each problem the variant that the other repetitions of its setting choose, \
             where there are others."
        ));
    } else {
        sentences.push("Each value has a single variant, so that there is nothing to tune.".into());
    }
    let unit = view.scores.units().unit();
    sentences.push(format!("Error bars are one standard error over {unit}s and do not count the choice."));
    if left_out > 0 {
        sentences.push(format!("{} left out, for want of a score on every problem.", counted(left_out, "variant")));
    }
    sentences.extend(rows::parts(rows));
    sentences.extend(rows::defects(view, rows));
    sentences.extend(view.baseline_choice());
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use crate::figure::Figure;
    use crate::view::View;
    use jointly_record::invented::Got::{Failed, Scored};
    use jointly_record::invented::{Got, InventedRun};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    const PROBLEMS: [&str; 4] = ["quick/a/seed0", "quick/a/seed1", "quick/b/seed0", "quick/b/seed1"];
    const MLP: (&str, &[Got]) = ("mlp", &[Scored(1.0); 4]);

    fn figures(agents: &[(&str, &[Got])], default: &str) -> Vec<Figure> {
        let run = InventedRun::new("quick", &PROBLEMS, agents);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        super::figures(&view, "size", &|_, _| Some(default.to_owned()))
    }

    /// Returns the bars' values at tau 1, with the parameter's value and the kind of bar.
    fn bars(figure: &Figure) -> Vec<[&str; 3]> {
        let rows = figure.numbers[0].iter().filter(|row| row[3] == "kl_tau1");
        rows.map(|row| [row[0].as_str(), &row[2], &row[4]]).collect()
    }

    #[test]
    fn bars_are_of_what_all_problems_each_setting_and_the_other_seeds_choose() {
        // With size 3, the first variant is best over all, the second on setting b and, within it, on the problem of
        // seed 0.
        let even = [2.0, 2.0, 4.0, 4.0].map(Scored);
        let odd = [9.0, 9.0, 1.0, 6.0].map(Scored);
        let drawn = figures(&[MLP, ("prior:size=3", &even), ("prior:size=3,x=1", &odd), ("prior:size=20", &odd)], "1");
        let [figure] = drawn.as_slice() else { panic!("{} figures", drawn.len()) };
        let expected = [
            ["3", "one for all", "3.000"],
            ["3", "per setting", "2.750"],
            // Seed 0 of b is scored by the choice on seed 1, the first variant with 4; seed 1 by the second variant,
            // with 6.
            ["3", "held out", "3.500"],
            ["20", "one variant", "6.250"],
        ];
        assert_eq!(bars(figure), expected);
        assert_eq!(figure.table[1][2..5], ["one for all", "prior:size=3", "6.0 ±1.2"].map(String::from));
        let tuned = figure.table.iter().find(|row| row[2] == "per setting").unwrap();
        assert_eq!((tuned[3].as_str(), &tuned[5][..3]), ("2 settings", "7.0"));
        let best: Vec<[&str; 4]> =
            figure.numbers[1][1..].iter().map(|row| [row[0].as_str(), &row[1], &row[2], &row[3]]).collect();
        assert_eq!(
            best[..2],
            [["3", "quick/a", "prior:size=3", "4.000"], ["3", "quick/b", "prior:size=3,x=1", "7.000"]]
        );
    }

    #[test]
    fn numbers_come_in_their_order_and_words_in_the_plans() {
        let same = [Scored(1.0); 4];
        let order = |values: [&str; 3], default: &str| {
            let specs = values.map(|value| format!("prior:size={value}"));
            let agents: Vec<(&str, &[Got])> =
                specs.iter().map(|spec| (spec.as_str(), &same[..])).chain([("prior", &same[..])]).collect();
            let drawn = figures(&agents, default);
            bars(&drawn[0]).iter().map(|bar| bar[0].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(order(["10", "9", "1e2"], "3"), ["3", "9", "10", "1e2"]);
        assert_eq!(order(["10", "9", "none"], "3"), ["10", "9", "none", "3"]);
    }

    #[test]
    fn of_equals_the_first_in_the_plan_is_chosen() {
        let (one, other) = ([1.0, 1.0, 2.0, 2.0].map(Scored), [2.0, 2.0, 1.0, 1.0].map(Scored));
        let drawn = figures(&[("prior:size=1", &one), ("prior:size=1,x=1", &other), ("prior:size=2", &one)], "1");
        assert_eq!(drawn[0].table[1][3], "prior:size=1");
    }

    #[test]
    fn variants_without_every_score_are_counted() {
        let broken = [Failed, Scored(1.0), Scored(1.0), Scored(1.0)];
        let fine = [Scored(1.0); 4];
        let drawn = figures(&[("prior:size=1", &fine), ("prior:size=2", &fine), ("prior:size=3", &broken)], "1");
        assert_eq!(bars(&drawn[0]).len(), 2);
        assert!(drawn[0].caption.contains("1 variant left out, for want of a score"), "{}", drawn[0].caption);
        assert!(drawn[0].caption.contains("nothing to tune"), "{}", drawn[0].caption);
        assert!(figures(&[("prior:size=1", &fine), ("prior:size=2", &broken)], "1").is_empty());
        // A baseline that failed leaves fewer problems to compare on.
        let drawn = figures(&[("mlp", &broken), ("prior:size=1", &fine), ("prior:size=2", &fine)], "1");
        assert!(drawn[0].caption.starts_with("Mean over 3 of 4 problems"), "{}", drawn[0].caption);
    }
}
