//! Figure 2 of the paper: each agent's joint scores as bars, normalised by the baseline's.

use jointly_classification::Classification;
use jointly_record::plan::ProblemOverrides;
use jointly_score::scores::AgentScores;

use crate::figure::{Figure, cells, digits};
use crate::rows::{self, Bar, Fill, Heading, Row};
use crate::view::{Family, JointScore, View};

/// The values of Figure 2 of the paper, read off the picture: KL relative to mlp's, at tau 1 and 100.
const PUBLISHED: [(&str, [f64; 2]); 7] = [
    ("mlp", [1.0, 1.0]),
    ("ensemble", [1.0, 0.99]),
    ("dropout", [1.0, 0.98]),
    ("bbb", [1.0, 0.73]),
    ("hypermodel", [1.0, 0.64]),
    ("ensemble+", [1.0, 0.58]),
    ("sgmcmc", [0.95, 0.565]),
];
/// The suite of the published bars, the agent that normalises them, and their taus.
const PUBLISHED_SUITE: &str = "testbed";
const PUBLISHED_BASELINE: &str = "mlp";
const PUBLISHED_TAUS: [u32; 2] = [1, 100];

/// Draws a bar for each agent at each tau; returns `None` without a baseline or an agent to compare with it.
pub(crate) fn figure(view: &View) -> Option<Figure> {
    let baseline = view.baseline?;
    if view.families.len() < 2 || view.joint.is_empty() {
        return None;
    }
    let name = &baseline.planned.label;
    let comparable = is_published(view, baseline);
    let bar = |family: &Family, score: &JointScore| Bar {
        ratio: view.ratio(family.best(), baseline, &score.name),
        of: view.scores.plan.problems.len(),
        failed: family.best().failures.len(),
        published: published_value(family.best(), score.tau).filter(|_| comparable),
    };
    let row = |family: &Family| Row {
        label: family.best().planned.label.clone(),
        style: view.style(family.name),
        fill: Fill::Full,
        bars: view.joint.iter().map(|score| bar(family, score)).collect(),
    };
    let rows: Vec<Row> = view.families.iter().map(row).collect();
    let heading = |score: &JointScore| Heading {
        title: format!("tau = {}", score.tau),
        axis: format!("{} / {} of {name}", score.metric, score.metric),
        baseline: Some(1.0),
    };
    let headings: Vec<Heading> = view.joint.iter().map(heading).collect();
    let published = rows.iter().flat_map(|row| &row.bars).any(|bar| bar.published.is_some());

    let mut caption = vec![format!(
        "Mean over {} divided by the mean of {name} over the same problems: shorter is better, the dashed line is {name}. \
         Error bars are one standard error of that ratio, by the delta method, clustered by {}.",
        rows::over(&rows),
        view.scores.units().unit()
    )];
    caption.extend(rows::parts(&rows));
    caption.extend(rows::defects(view, &rows));
    caption.extend(view.baseline_choice());
    if view.has_variants() {
        caption.push("Of each agent the best variant is drawn, chosen on these same problems.".into());
    }
    if published {
        caption.push(provenance(view));
    }
    Some(Figure {
        title: "Scores over the baseline's (Figure 2)".into(),
        caption: caption.join(" "),
        drawing: rows::draw(&headings, &rows),
        table: Vec::new(),
        numbers: vec![numbers(view, &rows, published)],
    })
}

/// Returns whether the run's bars are comparable with the published ones: the unchanged testbed, over mlp at its
/// defaults.
fn is_published(view: &View, baseline: &AgentScores) -> bool {
    let plan = view.scores.plan;
    let own = jointly_classification::suite(PUBLISHED_SUITE).map(|suite| suite.evaluation);
    plan.suite == PUBLISHED_SUITE
        && own.is_some_and(|own| Some(&own) == plan.options::<Classification>())
        && plan.problem_overrides == ProblemOverrides::default()
        && baseline.planned.agent == PUBLISHED_BASELINE
        && has_defaults(baseline)
}

/// Returns whether no setting was given: the reference agents of the paper use the defaults.
fn has_defaults(agent: &AgentScores) -> bool {
    agent.planned.settings.names().next().is_none()
}

fn published_value(agent: &AgentScores, tau: u32) -> Option<f64> {
    let at = PUBLISHED_TAUS.iter().position(|known| *known == tau)?;
    let known = PUBLISHED.iter().find(|(name, _)| has_defaults(agent) && *name == agent.planned.agent);
    known.map(|(_, values)| values[at])
}

/// Describes the published values, and how the run differs from the published one.
fn provenance(view: &View) -> String {
    let run = view.scores.plan.problems.len();
    let all = jointly_classification::suite(PUBLISHED_SUITE).map_or(run, |suite| suite.problems.len());
    let part = if run == all { String::new() } else { format!("; this run has {run} of {all} problems") };
    format!(
        "Hollow diamonds are read off Figure 2 of Osband et al., published over all T, temperatures and 10 seeds, of agents \
         tuned by grid search (section 5.2 of the paper){part}."
    )
}

fn numbers(view: &View, rows: &[Row], published: bool) -> Vec<Vec<String>> {
    let mut numbers = vec![cells(["agent", "score", "ratio", "standard error", "problems", "failed"])];
    if published {
        numbers[0].push("published".into());
    }
    for (at, score) in view.joint.iter().enumerate() {
        for row in rows {
            let Bar { ratio, failed, published: expected, .. } = &row.bars[at];
            let mut line = cells([&row.label, &score.name, &ratio.cell(), &digits(ratio.stderr)]);
            line.extend([ratio.problems.to_string(), failed.to_string()]);
            if published {
                line.push(expected.map_or("-".into(), |value| value.to_string()));
            }
            numbers.push(line);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use crate::figure::Figure;
    use crate::view::View;
    use jointly_classification::Initialization;
    use jointly_record::invented::Got::{Failed, Missing, Scored};
    use jointly_record::invented::{Got, InventedRun};
    use jointly_record::plan::Terms;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    const PROBLEMS: [&str; 3] = ["testbed/t1/temp0.1/seed0", "testbed/t1/temp0.1/seed1", "testbed/t1/temp0.1/seed2"];
    const FINE: [Got; 3] = [Scored(1.0), Scored(2.0), Scored(3.0)];

    fn figure(run: &InventedRun) -> Figure {
        let scores = run.scores();
        super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).unwrap()
    }

    fn of(agents: &[(&str, &[Got])]) -> Figure {
        figure(&InventedRun::new("testbed", &PROBLEMS, agents))
    }

    /// Returns the rows of an agent's numbers, without its name.
    fn numbers(figure: &Figure, agent: &str) -> Vec<Vec<String>> {
        let rows = figure.numbers[0].iter().filter(|row| row[0] == agent);
        rows.map(|row| row[1..].to_vec()).collect()
    }

    #[test]
    fn the_ratio_is_that_of_the_means_at_each_tau() {
        let drawn = of(&[("mlp", &FINE), ("prior", &[Scored(2.0), Scored(4.0), Scored(6.0)])]);
        let rows = numbers(&drawn, "prior");
        assert_eq!(rows[0][..4], ["kl_tau1", "2.000", "0.000", "3"]);
        assert_eq!(rows[1][..4], ["kl_tau100", "2.000", "0.000", "3"]);
        assert!(drawn.caption.starts_with("Mean over 3 problems divided by the mean of mlp"), "{}", drawn.caption);
    }

    #[test]
    fn a_baseline_that_divides_nothing_is_named_in_bar_table_and_caption() {
        let infinite = [Scored(1.0), Scored(f64::INFINITY), Scored(1.0)];
        let drawn = of(&[("mlp", &infinite), ("prior", &FINE)]);
        assert_eq!(numbers(&drawn, "prior")[0][1], "baseline is infinite");
        let picture = drawn.drawing.inline("").into_string();
        // Two agents at two taus; the infinite baseline has no ratio to itself either.
        assert_eq!(picture.matches("baseline is infinite</text>").count(), 4, "{picture}");
        assert!(drawn.caption.contains("at tau = 1 the baseline is infinite"), "{}", drawn.caption);
        let negative = [Scored(-1.0), Scored(0.5), Scored(0.5)];
        let drawn = of(&[("mlp", &negative), ("prior", &FINE)]);
        assert!(drawn.caption.contains("the baseline is not above 0"), "{}", drawn.caption);
    }

    #[test]
    fn what_is_over_fewer_problems_says_so() {
        let drawn = of(&[("mlp", &FINE), ("prior", &[Scored(1.0), Missing, Scored(1.0)])]);
        let picture = drawn.drawing.inline("").into_string();
        assert_eq!(picture.matches("(2 of 3 problems)</text>").count(), 2, "{picture}");
        assert!(drawn.caption.starts_with("Mean over 2 to 3 of 3 problems divided"), "{}", drawn.caption);
        // If the baseline failed, no agent can be compared on all problems.
        let drawn = of(&[("mlp", &[Scored(1.0), Failed, Scored(1.0)]), ("prior", &FINE)]);
        assert!(drawn.caption.starts_with("Mean over 2 of 3 problems divided"), "{}", drawn.caption);
        assert!(drawn.drawing.inline("").into_string().contains("(2 of 3 problems)</text>"));
    }

    #[test]
    fn the_best_variant_as_baseline_is_named() {
        let drawn = of(&[("mlp:l2=1", &FINE), ("mlp:l2=2", &[Scored(1.0); 3]), ("prior", &FINE)]);
        assert!(drawn.caption.contains("mlp:l2=2 is the best variant of mlp, chosen on these"), "{}", drawn.caption);
        assert!(!of(&[("mlp:l2=1", &FINE), ("prior", &FINE)]).caption.contains("best variant of mlp"));
    }

    #[test]
    fn published_values_stand_beside_what_they_are_of_alone() {
        let diamonds = |figure: &Figure| figure.drawing.inline("").into_string().matches("published: ").count();
        let agents: [(&str, &[Got]); 3] = [("mlp", &FINE), ("bbb", &FINE), ("uniform", &FINE)];
        let drawn = of(&agents);
        assert_eq!(diamonds(&drawn), 4);
        let said = "published over all T, temperatures and 10 seeds, of agents tuned by grid search (section 5.2 of the \
                    paper); this run has 3 of 210 problems.";
        assert!(drawn.caption.ends_with(said), "{}", drawn.caption);
        // An agent at other settings; mlp at other settings; fewer draws; another weight distribution; another suite.
        assert_eq!(diamonds(&of(&[("mlp", &FINE), ("bbb:steps=5", &FINE)])), 2);
        let other = of(&[("mlp:steps=5", &FINE), ("bbb", &FINE)]);
        assert_eq!((diamonds(&other), other.caption.contains("Osband")), (0, false));
        let mut fewer = InventedRun::new("testbed", &PROBLEMS, &agents);
        let Terms::Evaluation(evaluation) = &mut fewer.plan.terms else { panic!("classification") };
        evaluation.draws = 100;
        assert_eq!(diamonds(&figure(&fewer)), 0);
        let mut other_law = InventedRun::new("testbed", &PROBLEMS, &agents);
        other_law.plan.problem_overrides.initialization = Some(Initialization::Glorot);
        assert_eq!(diamonds(&figure(&other_law)), 0);
        assert_eq!(diamonds(&figure(&InventedRun::new("quick", &PROBLEMS, &agents))), 0);
    }

    #[test]
    fn the_whole_testbed_is_no_part() {
        let problems = jointly_classification::suite("testbed").unwrap().problems;
        let names: Vec<&str> = problems.iter().map(|problem| problem.name.as_str()).collect();
        let losses = vec![1.0; names.len()];
        let drawn = figure(&InventedRun::scored("testbed", &names, &[("mlp", &losses), ("bbb", &losses)]));
        assert!(drawn.caption.ends_with("(section 5.2 of the paper)."), "{}", drawn.caption);
    }
}
