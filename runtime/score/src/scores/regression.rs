//! The scores of regression by their names: those of one problem, and those of all simulations of a process.

use jointly_regression::coverage::{IntervalSummary, LevelSummary};
use jointly_regression::{Absence, Coverage, CoverageSummary, RegressionUnit, Round};

use super::across::Across;
use super::agent::ScoredProblem;
use super::scored::{FUEL, Scored};

/// The names of a level's scores end in it, in percent: picp_90.
fn of_level(name: &str, level: f64) -> String {
    format!("{name}_{}", (100.0 * level).round())
}

/// A problem's scores by name.
pub(super) fn values(unit: &RegressionUnit, fuel: u64) -> Vec<(String, Scored)> {
    let scores = &unit.scores;
    let mut values: Vec<(String, Scored)> = Vec::new();
    let mut add = |name: String, value: f64| values.push((name, Scored { value, stderr: None, draws: None }));
    if let Some(correlations) = &unit.correlations {
        let named = [
            ("metacorrelation", correlations.metacorrelation),
            ("metacorrelation_ranks", correlations.metacorrelation_ranks),
            ("variance_correlation", correlations.variance_correlation),
            ("variance_correlation_ranks", correlations.variance_correlation_ranks),
            ("xll_oracle", correlations.xll_oracle),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                add(name.into(), value.0);
            }
        }
        // Losses, as everywhere else: of log-likelihoods the paper has the other sign.
        let losses = [
            ("marginal_nll", correlations.marginal),
            ("joint_nll", correlations.joint_random),
            ("group_nll", correlations.joint_correlated),
        ];
        for (name, value) in losses {
            if let Some(value) = value {
                add(name.into(), -value.0);
            }
        }
    }
    for (round, Round { rmse, nll, .. }) in unit.rounds.iter().enumerate() {
        add(format!("nll_round{round}"), nll.0);
        add(format!("rmse_round{round}"), rmse.0);
    }
    let named = [
        ("nll", scores.nll),
        ("rmse", scores.rmse),
        ("crps", scores.crps),
        ("nll_mixture", scores.nll_mixture),
        ("crps_mixture", scores.crps_mixture),
        ("interval", scores.interval),
        ("check", scores.check),
        ("calibration_mae", scores.calibration_mae),
        ("calibration_rmse", scores.calibration_rmse),
        ("miscalibration_area", scores.miscalibration_area),
        ("sharpness", scores.sharpness),
    ];
    for (name, value) in named {
        add(name.into(), value.0);
    }
    for level in &scores.levels {
        add(of_level("picp", level.level), level.picp.0);
        add(of_level("width", level.level), level.width.0);
        add(of_level("interval", level.level), level.interval.0);
    }
    for level in unit.coverage.iter().flat_map(|coverage| &coverage.levels) {
        add(of_level("cicp", level.level), level.cicp());
        add(of_level("confidence_width", level.level), level.confidence_width());
    }
    add(FUEL.into(), fuel as f64);
    values
}

/// Scores of correlations that have no value, by the names of [`values`], and why.
pub(super) fn absences(unit: &RegressionUnit) -> Vec<(String, String)> {
    let absences = unit.correlations.iter().flat_map(|correlations| &correlations.absences);
    let named = absences.flat_map(|Absence { score, reason }| {
        let names: &[&str] = match score.as_str() {
            "metacorrelation" => &["metacorrelation", "metacorrelation_ranks"],
            "variance_correlation" => &["variance_correlation", "variance_correlation_ranks"],
            "marginal" => &["marginal_nll"],
            "joint_random" => &["joint_nll"],
            "joint_correlated" => &["group_nll"],
            "xll_oracle" => &["xll_oracle"],
            _ => &[],
        };
        names.iter().map(|name| ((*name).to_owned(), reason.clone()))
    });
    named.collect()
}

/// The coverage of intervals over the simulations of each process, by the process's name. In an edited journal, a
/// simulation that does not fit the others takes no part and says so.
pub(super) fn coverage(problems: &mut [ScoredProblem]) -> Vec<(String, CoverageSummary)> {
    let mut processes: Vec<(String, Coverage)> = Vec::new();
    for problem in &mut *problems {
        let Some((process, number)) = simulation(problem.problem) else { continue };
        let Some(coverage) = problem.unit.and_then(|unit| unit.coverage.as_ref()) else { continue };
        let at = processes.iter().position(|(known, _)| known == process).unwrap_or_else(|| {
            processes.push((process.to_owned(), Coverage::default()));
            processes.len() - 1
        });
        if let Err(error) = processes[at].1.add(number, coverage.clone()) {
            problem.absences.push(("picf_brier".into(), error.to_string()));
        }
    }
    processes.into_iter().filter_map(|(name, coverage)| Some((name, coverage.summary()?))).collect()
}

/// `coverage/line` and 17, of `coverage/line/sim17`.
fn simulation(problem: &str) -> Option<(&str, u32)> {
    let (process, number) = problem.rsplit_once("/sim")?;
    Some((process, number.parse().ok()?))
}

/// Brier scores of the coverage at each test point, of all levels; the mean over processes where there are several.
pub(super) fn across(processes: &[(String, CoverageSummary)]) -> Vec<(String, Across)> {
    let Some((_, first)) = processes.first() else { return Vec::new() };
    let mut across = Vec::new();
    for level in &first.levels {
        let levels = processes.iter().flat_map(|(_, summary)| &summary.levels);
        let levels: Vec<&LevelSummary> = levels.filter(|other| other.level == level.level).collect();
        let mean = |intervals: fn(&LevelSummary) -> &IntervalSummary| {
            Across::mean(levels.iter().map(|level| (intervals(level).brier.score.0, intervals(level).brier.stderr.0)))
        };
        across.push((of_level("picf_brier", level.level), mean(|level| &level.prediction)));
        across.push((of_level("cicf_brier", level.level), mean(|level| &level.confidence)));
    }
    across
}
