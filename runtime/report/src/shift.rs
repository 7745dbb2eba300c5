//! Figures and tables of the paper on dataset shift, and of joint predictions under shift, which the paper does not
//! have.

mod confidence;
mod corruptions;
mod cost;
mod draws;
mod images;
mod joint;
mod measured;
mod outside;
mod overview;
mod page;
mod parts;
pub(crate) mod plots;
mod quartiles;
mod severity;

pub(crate) use page::ShiftPage;

use measured::Measured;

use crate::choices::Shown;
use crate::figure::Figure;
use crate::tuning::Defaults;
use crate::view::View;

/// With more groups of problems than this, all groups are drawn side by side, and none alone.
const MOST_GROUPS: usize = 3;

/// Draws the figures of each group of problems that are repetitions of one another, or of all groups together if there
/// are many.
pub(crate) fn figures(view: &View, shown: &Shown, defaults: Defaults) -> Vec<Figure> {
    let mut figures = Vec::new();
    if let Shown::Images(instance) = shown {
        figures.extend(images::figure(view, instance));
    }
    let groups = Measured::all(view);
    if groups.len() > MOST_GROUPS {
        figures.extend(overview::figures(view, &groups));
        figures.extend(cost::figure(view, &Measured::whole(view)));
        return figures;
    }
    for measured in groups {
        figures.extend(severity::figures(&measured));
        figures.extend(corruptions::figure(&measured));
        figures.extend(parts::figure(&measured));
        figures.extend(confidence::figure(&measured));
        figures.extend(outside::figures(&measured));
        figures.extend(joint::figures(&measured));
        figures.extend(draws::figures(&measured, defaults));
        figures.extend(quartiles::figure(&measured));
        figures.extend(cost::figure(view, &measured));
    }
    figures
}

#[cfg(test)]
mod tests {
    use crate::figure::Figure;
    use crate::view::View;
    use jointly_record::invented::coordinates;
    use jointly_record::invented::shift::{shift_run, shifting, with_failure};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;
    use jointly_score::scores::Scores;

    fn figures(scores: &Scores) -> Vec<Figure> {
        let view = View::new(scores, &Leaderboard::new(scores), None);
        let figures = super::figures(&view, &super::Shown::Nothing, &|_, _| None);
        for figure in &figures {
            assert!(
                !figure.caption.is_empty() && figure.numbers.iter().all(|table| table.len() > 1),
                "{}",
                figure.title
            );
            let picture = figure.drawing.inline("").into_string();
            assert!(!picture.contains("NaN") && !picture.contains("inf\""), "{}: {picture}", figure.title);
        }
        figures
    }

    fn titles(figures: &[Figure]) -> Vec<&str> {
        figures.iter().map(|figure| figure.title.as_str()).collect()
    }

    const ROTATIONS: [&str; 3] = ["rotation/30", "rotation/60", "rotation/90"];
    const CORRUPTIONS: [&str; 6] = ["fog/1", "fog/3", "fog/5", "contrast/1", "contrast/3", "contrast/5"];

    #[test]
    fn a_run_has_the_figures_that_its_shifts_make() {
        let levels = [&ROTATIONS[..], &CORRUPTIONS[..]].concat();
        let agents = [
            ("mlp", shifting(0.9, 0.8)),
            ("ensemble:size=3", shifting(0.95, 0.6)),
            ("ensemble:size=10", shifting(0.95, 0.5)),
        ];
        let run = shift_run(2, &levels, &agents);
        let scores = run.scores();
        let drawn = figures(&scores);
        let expected = [
            "Accuracy and calibration against rotation (Figure 1a-b)",
            "Brier score by corruption",
            "Scores over 2 corruptions by severity (Figures 3 and S5)",
            "Parts of the Brier score (Figures S4, S5 and S7)",
            "Confidence, accuracy and entropy (Figures 1c-f, 2 and 4)",
            "Telling letters-and-scribbles from test inputs",
            "Joint predictions under shift",
            "Ranks by marginal and by joint likelihood",
            "Whether the ranking changes under shift",
            "Brier score by the number of draws (Figure S8)",
            "Brier score by the size of an ensemble (Figure S9)",
            "Quartiles over all shifts (appendix E)",
            "Cost (Table S1)",
        ];
        assert_eq!(titles(&drawn), expected);
        assert!(drawn[0].caption.contains("Means over 2 repetitions"), "{}", drawn[0].caption);
        // The mean of two repetitions that differ by a hundredth, with its standard error.
        let row = drawn[0].numbers[0].iter().find(|row| row[..2] == ["90", "mlp"]).unwrap();
        assert_eq!(row[2], "0.0950 ±0.0050");
    }

    #[test]
    fn a_run_has_no_figure_of_what_it_lacks() {
        let run = shift_run(1, &["rotation/30", "fog/1"], &[("mlp", shifting(0.9, 0.8))]);
        let scores = run.scores();
        let expected = [
            "Confidence, accuracy and entropy (Figures 1c-f, 2 and 4)",
            "Telling letters-and-scribbles from test inputs",
            "Brier score by the number of draws (Figure S8)",
            "Quartiles over all shifts (appendix E)",
            "Cost (Table S1)",
        ];
        let drawn = figures(&scores);
        assert_eq!(titles(&drawn), expected);
        assert!(drawn[2].caption.contains("One repetition, so that there is no standard error."));
    }

    #[test]
    fn many_datasets_are_drawn_side_by_side() {
        let agents = [("mlp", shifting(0.9, 0.8)), ("knn", shifting(0.8, 0.5))];
        let mut run = shift_run(8, &ROTATIONS, &agents);
        let name = |problem: &str| {
            let number: usize = problem.rsplit_once("seed").unwrap().1.parse().unwrap();
            format!("quick/shift/{}/seed{}", ["iris", "wine", "glass", "yeast"][number / 2], number % 2)
        };
        run.plan.problems.iter_mut().for_each(|planned| planned.problem = name(&planned.problem));
        coordinates::place(&mut run.plan);
        run.results.iter_mut().for_each(|result| result.problem = name(&result.problem));
        let scores = run.scores();
        let drawn = figures(&scores);
        let expected = [
            "Accuracy by data",
            "Brier score by data",
            "ECE by data",
            "NLL, tau = 10 by data",
            "Quartiles by data (appendix E)",
            "Detection of out-of-distribution inputs by data",
            "Cost (Table S1)",
        ];
        assert_eq!(titles(&drawn), expected);
        let headings = drawn[0].drawing.inline("").into_string();
        assert_eq!(headings.matches("class=\"heading\"").count(), 4, "{headings}");
    }

    #[test]
    fn a_run_without_results_has_none() {
        let mut run = shift_run(2, &ROTATIONS, &[("mlp", shifting(0.9, 0.8))]);
        run.results.clear();
        assert!(figures(&run.scores()).is_empty());
    }

    #[test]
    fn means_leave_out_what_failed_and_say_so() {
        let agents = [("mlp", shifting(0.9, 0.8)), ("knn", shifting(0.8, 0.5))];
        let run = with_failure(shift_run(2, &ROTATIONS, &agents), "knn");
        let scores = run.scores();
        let drawn = figures(&scores);
        let caption = &drawn[0].caption;
        assert!(caption.contains("over 1 to 2 repetitions"), "{caption}");
        assert!(caption.contains("knn failed on 1 of 2: its means are over the others."), "{caption}");
    }
}
