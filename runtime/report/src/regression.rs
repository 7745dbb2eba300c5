//! Figures of the two papers on regression.

mod agreement;
mod calibration;
mod family;
mod histograms;
mod learning;
mod levels;
mod likelihood;
mod matrix;
mod page;
mod pointwise;
mod process;
mod ranks;
mod reference;
mod selection;
mod xll;

pub(crate) use page::RegressionPage;

use crate::figure::Figure;
use crate::view::View;

/// Draws the figures of the run's problems. Coverage is drawn at `level` where one level is shown. `active` are runs of
/// active learning, with which correlations are compared, and whose selections are compared across predictors.
pub(crate) fn figures(view: &View, active: &[View], level: f64) -> Vec<Figure> {
    let mut figures = Vec::new();
    for process in process::processes(view) {
        figures.extend(levels::figure(view, &process, level));
        figures.extend(histograms::figure(view, &process, level));
        figures.extend(pointwise::figures(view, &process, level));
    }
    figures.extend(learning::figures(view));
    let learns = family::families(view).iter().any(|family| family.acquisition.is_some());
    let runs: Vec<&View> = learns.then_some(view).into_iter().chain(active).collect();
    figures.extend(selection::figure(&runs));
    figures.extend(ranks::figure(view));
    figures.extend(xll::figure(view));
    figures.extend(reference::figure(view));
    figures.extend(agreement::figure(view, active));
    figures.extend(likelihood::figure(view));
    figures.extend(calibration::figures(view));
    figures
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::regression::{
        compared_run, correlated, covering, covering_run, learning, learning_run,
    };
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;
    use jointly_score::scores::Scores;

    fn titles(scores: &Scores) -> Vec<String> {
        let view = View::new(scores, &Leaderboard::new(scores), None);
        let figures = super::figures(&view, &[], 0.9);
        for figure in &figures {
            assert!(
                !figure.caption.is_empty() && figure.numbers.iter().any(|table| table.len() > 1),
                "{}",
                figure.title
            );
            let picture = figure.drawing.inline("").into_string();
            assert!(!picture.contains("NaN") && !picture.contains("inf\""), "{}", figure.title);
        }
        figures.into_iter().map(|figure| figure.title).collect()
    }

    #[test]
    fn a_run_has_the_figures_that_its_problems_make() {
        let coverage: Vec<f64> = (0..500).map(|i| f64::from(i) / 500.0).collect();
        let run = covering_run("coverage/line", 2, &[("gp", covering(&coverage))]);
        let expected = [
            "Brier scores, widths and likelihood: line",
            "Coverage over simulations and over inputs: line, 90 % (Figures 4 to 10)",
            "Coverage at each input: line, 90 % (Figures 6 and 9)",
            "Calibration curves",
            "Widths of prediction intervals",
        ];
        assert_eq!(titles(&run.scores()), expected);
        let run = learning_run(&[("gp", learning(&[1.0, 0.5]))], 1);
        let expected = [
            "Active learning by batch-mig (Figures 7 and 13)",
            "Active learning by random",
            "Acquisitions compared, gp selecting (Figures 3, 11 and 12)",
            "Calibration curves",
            "Widths of prediction intervals",
        ];
        assert_eq!(titles(&run.scores()), expected);
        let run = learning_run(&[("gp", learning(&[1.0, 0.5])), ("hmc", learning(&[1.0, 0.5]))], 1);
        assert_eq!(titles(&run.scores())[3], "Selections by batch-mig, whoever predicts (Table 4)");
        let agents = [("bbb", correlated(0.1)), ("gp", correlated(0.9)), ("hmc", correlated(0.5))];
        let run = compared_run("correlations/uci", &["boston", "yacht"], 1, &agents);
        let expected = [
            "XLLR by dataset (Table 1)",
            "XLL by dataset (Table 5)",
            "XLLR by reference (Figure 6)",
            "Whether measures of correlations agree (Figures 4, 5 and 9)",
            "Log-likelihood and error by dataset",
            "Calibration curves",
            "Widths of prediction intervals",
        ];
        assert_eq!(titles(&run.scores()), expected);
    }

    #[test]
    fn a_run_without_results_has_none() {
        let mut run = covering_run("coverage/line", 2, &[("gp", covering(&[0.9]))]);
        run.results.clear();
        assert!(titles(&run.scores()).is_empty());
    }
}
