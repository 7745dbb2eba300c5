//! Formats a leaderboard as tables that fit a terminal.

use std::fmt::Write as _;

use jointly_core::Summary;
use jointly_record::quantity;
use jointly_score::boards::Boards;
use jointly_score::leaderboard::Leaderboard;
use jointly_score::overfit::overfit;
use jointly_score::rank_interval::{COVERAGE, RankIntervals};

use crate::table::{render, wrap};

/// The indent of a line that continues the one above.
const INDENT: usize = 2;

/// Formats tables that fit in 80 columns if names have ordinary lengths.
pub fn leaderboard_text(leaderboard: &Leaderboard, baseline: Option<&str>) -> String {
    let mut text = wrap(&leaderboard.heading(baseline), INDENT) + "\n\n";
    text += &render(2, &leaderboard.joint_table());
    let other = leaderboard.other_table(baseline);
    // Names alone stand above already, where no agent has a score.
    if other.first().is_some_and(|heading| heading.len() > 1) {
        text.push('\n');
        text += &render(1, &other);
    }
    let notes = leaderboard.notes();
    if !notes.is_empty() {
        let _ = writeln!(text, "\n{}", wrap(&notes.join("\n"), INDENT));
    }
    text
}

/// Formats the leaderboard of several entries: its tables, the ranks in resamples of the problems, the scores under a
/// public seed beside these, and which entry has which agents.
pub fn entries_text(
    leaderboard: &Leaderboard,
    baseline: Option<&str>,
    boards: &Boards,
    public: Option<&Leaderboard>,
) -> String {
    let mut text = leaderboard_text(leaderboard, baseline);
    for part in [ranks_text(leaderboard), public.map(|public| public_text(leaderboard, public))].into_iter().flatten() {
        text.extend(["\n", &part]);
    }
    let mut sources = Vec::new();
    for merged in boards.all() {
        let shown = |label: &String| match merged.entrants.get(label) {
            Some(entrant) => format!("{label} by {entrant}"),
            None => label.clone(),
        };
        let line = |(name, labels): &(String, Vec<String>)| {
            format!("{name} has {}", labels.iter().map(shown).collect::<Vec<_>>().join("; "))
        };
        sources.extend(merged.entries.iter().map(line));
    }
    let sources = sources.join("\n");
    let _ = write!(text, "\n{}", wrap(&sources, INDENT));
    text
}

/// Formats the ranks of agents in resamples of the problems, if they can be resampled.
fn ranks_text(leaderboard: &Leaderboard) -> Option<String> {
    let intervals = leaderboard.rank_intervals()?;
    let percent = 100.0 * COVERAGE;
    let mut rows = vec![["agent", "rank", &format!("{percent} % of ranks"), "first in"].map(str::to_owned).to_vec()];
    for ((agent, rank), interval) in leaderboard.agents().zip(leaderboard.ranks()).zip(&intervals.agents) {
        if let Some(interval) = interval {
            let ranks = format!("{} to {}", interval.low, interval.high);
            rows.push(vec![agent.planned.label.clone(), rank, ranks, share(interval.first)]);
        }
    }
    let (resamples, unit) = (intervals.resamples, leaderboard.unit());
    let RankIntervals { units, .. } = intervals;
    let few = if intervals.are_few() { ", which are few: the ranges are too narrow" } else { "" };
    let about = format!("ranks in {resamples} resamples of the {units} {unit}s, with replacement{few}:");
    Some(format!("{}\n{}", wrap(&about, INDENT), render(1, &rows)))
}

/// Formats a share as a percentage.
pub(crate) fn share(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Formats the scores under a public seed beside those under a sealed one.
fn public_text(sealed: &Leaderboard, public: &Leaderboard) -> String {
    let both = overfit(sealed, public);
    let Some(first) = both.first() else {
        return "no agent has results under a public seed and under the sealed one\n".to_owned();
    };
    let score = first.score;
    let mut rows = vec![["agent", "public", "sealed", "sealed - public", "above others"].map(str::to_owned).to_vec()];
    for it in &both {
        let [public, sealed] = [it.public, it.sealed].map(|agent| {
            agent.summary(&score).map_or("-".into(), |summary| quantity::with_error(summary.mean, summary.stderr))
        });
        let shown = |summary: Summary| quantity::with_error(summary.mean, summary.stderr);
        let above = it.above_others.map_or_else(|| "-".to_owned(), shown);
        rows.push(vec![it.sealed.planned.label.clone(), public, sealed, shown(it.difference), above]);
    }
    let about = format!(
        "{score} under a public seed and under the sealed one, paired by the names of problems; above others is the \
         agent's difference minus the mean difference of the other agents:"
    );
    format!("{}\n{}", wrap(&about, INDENT), render(1, &rows))
}

#[cfg(test)]
mod tests {
    use jointly_core::Partitioning;
    use jointly_record::invented::Got::{self, Failed, Missing, Scored};
    use jointly_record::invented::InventedRun;
    use jointly_record::plan::Terms;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    use super::leaderboard_text;

    const PROBLEMS: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];
    const FINE: [Got; 2] = [Scored(1.0), Scored(2.0)];

    #[test]
    fn agents_without_a_score_are_listed_once() {
        let run = InventedRun::new("quick", &PROBLEMS, &[("mlp", &[Failed, Failed])]);
        let text = leaderboard_text(&Leaderboard::new(&run.scores()), None);
        assert_eq!(text.lines().filter(|line| line.ends_with("mlp")).count(), 1, "{text}");
    }

    #[test]
    fn headings_and_notes_fit_a_terminal_and_one_is_no_plural() {
        let agents: [(&str, &[Got]); 5] = [
            ("mlp", &FINE),
            ("oracle", &FINE),
            ("prior", &[Failed, Scored(1.0)]),
            ("uniform", &[Missing, Scored(1.0)]),
            ("ensemble", &[Scored(f64::INFINITY), Scored(1.0)]),
        ];
        let mut run = InventedRun::new("quick", &PROBLEMS, &agents);
        run.plan.agents[1].digest = jointly_record::reference::digest();
        let Terms::Evaluation(evaluation) = &mut run.plan.terms else { panic!("classification") };
        (evaluation.draws, evaluation.partition) = (1_000_000, Partitioning::KMeans);
        let text = leaderboard_text(&Leaderboard::new(&run.scores()), None);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = [
            "seed 0, 1000000 draws, partitioned by k-means; ranked by kl_aggregate, lower is better",
            "above floor is",
            "prior failed on 1 of 2 problems and has no rank; its means are over the others; first, quick/t10",
            "uniform has no result yet on 1 problem",
            "kl_tau1 of ensemble is not finite on 1 problem kl_tau100 of ensemble",
            "where fewer than about 20 of 1000000 draws count: ",
        ];
        for expected in expected {
            assert!(joined.contains(expected), "{expected:?} is not in {text}");
        }
        assert!(!joined.contains(" 1 problems"), "{text}");
    }

    #[test]
    fn the_heading_says_what_errors_are_over_and_the_tables_show_them() {
        let text = |suite: &str, problems: &[&str]| {
            let losses: Vec<f64> = (0..problems.len()).map(|j| 1.0 + 2.0 * j as f64).collect();
            let run = InventedRun::scored(suite, problems, &[("mlp", &losses), ("prior", &losses)]);
            leaderboard_text(&Leaderboard::new(&run.scores()), None)
        };
        let iris = ["quick/real/iris/t1/seed0", "quick/real/iris/t10/seed0"];
        let both = [iris[0], iris[1], "quick/real/mnist-t10k/t1/seed0", "quick/real/mnist-t10k/t10/seed0"];
        let of_both = text("quick/real", &both);
        assert!(
            of_both.contains("\n± is the standard error over datasets; vs is") && of_both.contains("4.0 ±2.0"),
            "{of_both}"
        );
        let of_iris = text("quick/real", &iris);
        assert!(of_iris.contains("\nno ±, because all problems share one dataset; vs is"), "{of_iris}");
        assert_eq!(of_iris.matches('±').count(), 1, "{of_iris}");
        let of_one = text("quick/real", &iris[..1]);
        assert!(of_one.contains("\n± is the standard error over the tau-samples of the problem"), "{of_one}");
        let sampled = text("quick", &["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"]);
        assert!(sampled.contains("\n± is the standard error over problems; vs is"), "{sampled}");
    }
}
