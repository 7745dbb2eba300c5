//! The scores of regression: of observations, of intervals by level, of correlations, of rounds of active learning, and
//! fuel.

use jointly_core::{At, Better, FUEL, Layout, Pick, Real, ScoreDef, Scored, Unit};

use crate::coverage::LevelCoverage;
use crate::problem::{CorrelationScores, RegressionUnit, Round};
use crate::score::LevelScores;

/// The stem of the negative log-likelihood of an observation, which every problem has.
pub const NLL: &str = "nll";

/// All scores, in the order in which they are listed everywhere. The first four do not belong to a single unit: they
/// compare agents with each other, or combine all simulations of a process.
pub const SCORES: &[ScoreDef<RegressionUnit>] = &[
    ScoreDef::new(
        "xllr",
        Better::Lower,
        Unit::One,
        "Mean rank of the agent's cross log-likelihood over references, 0 is best.",
        |_, _| Vec::new(),
    ),
    ScoreDef::new(
        "xll",
        Better::Higher,
        Unit::Nats,
        "Cross log-likelihood: log density per point of test labels in the groups that a reference finds most \
         correlated, with the reference's marginals and the agent's correlations; mean over references. \
         Higher is better.",
        |_, _| Vec::new(),
    ),
    ScoreDef::new(
        "picf_brier",
        Better::Lower,
        Unit::One,
        "Mean squared distance of the L % prediction intervals' coverage at each test input, over \
         simulations, from L %: 0 is perfect. Its error is the jackknife's over simulations.",
        |_, _| Vec::new(),
    ),
    ScoreDef::new(
        "cicf_brier",
        Better::Lower,
        Unit::One,
        "The same of the L % confidence intervals and the true function.",
        |_, _| Vec::new(),
    ),
    ScoreDef::new(
        "metacorrelation",
        Better::Higher,
        Unit::One,
        "Metacorrelation: Pearson's correlation of the agent's predictive correlations with the oracle's.",
        |unit, _| correlated(unit, |scores| scores.metacorrelation.map(|value| value.0)),
    ),
    ScoreDef::new(
        "metacorrelation_ranks",
        Better::Higher,
        Unit::One,
        "The same by Spearman's rank correlation.",
        |unit, _| correlated(unit, |scores| scores.metacorrelation_ranks.map(|value| value.0)),
    ),
    ScoreDef::new(
        "variance_correlation",
        Better::Higher,
        Unit::One,
        "Pearson's correlation of the agent's variances over the pool with the oracle's.",
        |unit, _| correlated(unit, |scores| scores.variance_correlation.map(|value| value.0)),
    ),
    ScoreDef::new(
        "variance_correlation_ranks",
        Better::Higher,
        Unit::One,
        "The same by Spearman's rank correlation.",
        |unit, _| correlated(unit, |scores| scores.variance_correlation_ranks.map(|value| value.0)),
    ),
    ScoreDef::new(
        "xll_oracle",
        Better::Higher,
        Unit::Nats,
        "Cross log-likelihood with the oracle as reference; higher is better.",
        |unit, _| correlated(unit, |scores| scores.xll_oracle.map(|value| value.0)),
    ),
    ScoreDef::new(
        "marginal_nll",
        Better::Lower,
        Unit::Nats,
        "Negative log-likelihood of the test points of joint_nll one by one, nats a point: under the same \
         moments, which differ from those of nll where they are of draws.",
        |unit, _| correlated(unit, |scores| scores.marginal.map(|value| -value.0)),
    ),
    ScoreDef::new(
        "joint_nll",
        Better::Lower,
        Unit::Nats,
        "Negative joint log-likelihood of random groups of test points, nats a point.",
        |unit, _| correlated(unit, |scores| scores.joint_random.map(|value| -value.0)),
    ),
    ScoreDef::new(
        "group_nll",
        Better::Lower,
        Unit::Nats,
        "The same of the groups that the agent itself finds most correlated.",
        |unit, _| correlated(unit, |scores| scores.joint_correlated.map(|value| -value.0)),
    ),
    ScoreDef::new(
        "nll",
        Better::Lower,
        Unit::Nats,
        "Active learning: negative log-likelihood of the predicting agent on the test set after round R.",
        |unit, _| by_round(unit, |round| Some(round.nll.0)),
    ),
    ScoreDef::new(
        "rmse",
        Better::Lower,
        Unit::Target,
        "Active learning: root mean squared error of the predicting agent on the test set after round R.",
        |unit, _| by_round(unit, |round| Some(round.rmse.0)),
    ),
    ScoreDef::new(
        "oracle_nll",
        Better::Lower,
        Unit::Nats,
        "Active learning on data with an oracle: negative log-likelihood of the oracle on the test set after the points \
         selected until round R. It tells the value of the selection, whoever predicts.",
        |unit, _| by_round(unit, |round| round.oracle.map(|oracle| oracle.nll.0)),
    ),
    ScoreDef::new(
        "oracle_rmse",
        Better::Lower,
        Unit::Target,
        "The same of the root mean squared error of the oracle's mean.",
        |unit, _| by_round(unit, |round| round.oracle.map(|oracle| oracle.rmse.0)),
    ),
    ScoreDef::new(
        "nll",
        Better::Lower,
        Unit::Nats,
        "Negative log-likelihood of an observation under the normal distribution of the predicted mean and \
         variance, nats.",
        |unit, _| once(unit.scores.nll),
    ),
    ScoreDef::new(
        "rmse",
        Better::Lower,
        Unit::Target,
        "Root mean squared error of the predicted mean, in the data's units.",
        |unit, _| once(unit.scores.rmse),
    ),
    ScoreDef::new(
        "crps",
        Better::Lower,
        Unit::Target,
        "Continuous ranked probability score of that normal distribution, in the data's units; lower is \
         better.",
        |unit, _| once(unit.scores.crps),
    ),
    ScoreDef::new(
        "nll_mixture",
        Better::Lower,
        Unit::Nats,
        "Negative log-likelihood under the mixture over draws, nats; the same as nll where moments are the \
         agent's.",
        |unit, _| once(unit.scores.nll_mixture),
    ),
    ScoreDef::new(
        "crps_mixture",
        Better::Lower,
        Unit::Target,
        "Continuous ranked probability score of the mixture over draws.",
        |unit, _| once(unit.scores.crps_mixture),
    ),
    ScoreDef::new(
        "interval",
        Better::Lower,
        Unit::Target,
        "Interval score of central intervals of the normal distribution, mean over 99 levels.",
        |unit, _| once(unit.scores.interval),
    ),
    ScoreDef::new("check", Better::Lower, Unit::Target, "Check (pinball) score, mean over 99 quantiles.", |unit, _| {
        once(unit.scores.check)
    }),
    ScoreDef::new(
        "calibration_mae",
        Better::Lower,
        Unit::One,
        "Mean absolute distance of the calibration curve from the diagonal.",
        |unit, _| once(unit.scores.calibration_mae),
    ),
    ScoreDef::new(
        "calibration_rmse",
        Better::Lower,
        Unit::One,
        "Root mean squared distance of the calibration curve from the diagonal.",
        |unit, _| once(unit.scores.calibration_rmse),
    ),
    ScoreDef::new(
        "miscalibration_area",
        Better::Lower,
        Unit::One,
        "Area between the calibration curve and the diagonal.",
        |unit, _| once(unit.scores.miscalibration_area),
    ),
    ScoreDef::new(
        "sharpness",
        Better::Neither,
        Unit::Target,
        "Root of the mean predicted variance, in the data's units.",
        |unit, _| once(unit.scores.sharpness),
    ),
    ScoreDef::new(
        "picp",
        Better::Near,
        Unit::Share,
        "Share of test observations in their L % prediction intervals; L % is right.",
        |unit, _| by_level(unit, |level| level.picp.0),
    ),
    ScoreDef::new(
        "width",
        Better::Neither,
        Unit::Target,
        "Mean width of the L % prediction intervals, in the data's units.",
        |unit, _| by_level(unit, |level| level.width.0),
    ),
    ScoreDef::new(
        "interval",
        Better::Lower,
        Unit::Target,
        "Interval score of the L % prediction intervals: width and misses in one.",
        |unit, _| by_level(unit, |level| level.interval.0),
    ),
    ScoreDef::new(
        "cicp",
        Better::Near,
        Unit::Share,
        "Share of true function values in their L % confidence intervals.",
        |unit, _| by_covered_level(unit, LevelCoverage::cicp),
    ),
    ScoreDef::new(
        "confidence_width",
        Better::Neither,
        Unit::Target,
        "Mean width of the L % confidence intervals.",
        |unit, _| by_covered_level(unit, LevelCoverage::confidence_width),
    ),
    ScoreDef::fuel(),
];

/// The columns of a leaderboard, and the scores that rank it. Active learning is ranked by the negative log-likelihood
/// after the last round, simulations by the distance of the coverage from its level at each input, correlations by rank
/// against other agents, and other problems by the negative log-likelihood of observations.
pub const LAYOUTS: &[Layout] = &[
    Layout {
        when: Some(Pick::LastRound(NLL)),
        by: &[Pick::LastRound(NLL)],
        first: &[Pick::FirstRound(NLL), Pick::LastRound(NLL), Pick::FirstRound("rmse"), Pick::LastRound("rmse")],
        second: &[Pick::Once("crps"), Pick::Level("picp"), Pick::Once(FUEL)],
    },
    Layout {
        when: Some(Pick::Level("picf_brier")),
        by: &[Pick::Level("picf_brier")],
        first: &[Pick::Level("picf_brier"), Pick::Level("cicf_brier"), Pick::Level("picp")],
        second: &[Pick::Level("cicp"), Pick::Once(NLL), Pick::Once("rmse"), Pick::Once(FUEL)],
    },
    Layout {
        when: Some(Pick::Once("joint_nll")),
        by: &[Pick::Once("xllr"), Pick::Once("joint_nll")],
        first: &[Pick::Once("xllr"), Pick::Once("xll"), Pick::Once("metacorrelation")],
        second: &[Pick::Once("joint_nll"), Pick::Once(NLL), Pick::Once("rmse"), Pick::Once(FUEL)],
    },
    Layout {
        when: None,
        by: &[Pick::Once(NLL)],
        first: &[Pick::Once(NLL), Pick::Once("rmse"), Pick::Once("crps"), Pick::Level("picp")],
        second: &[Pick::Level("interval"), Pick::Once("calibration_mae"), Pick::Once("sharpness"), Pick::Once(FUEL)],
    },
];

/// Returns the place of a score at a level; the score's name contains the level in percent.
pub fn at_level(level: f64) -> At {
    At::Level((100.0 * level).round() as u32)
}

fn once(value: Real) -> Vec<(At, Scored)> {
    vec![(At::Once, Scored::plain(value.0))]
}

fn correlated(unit: &RegressionUnit, value: fn(&CorrelationScores) -> Option<f64>) -> Vec<(At, Scored)> {
    let value = unit.correlations.as_ref().and_then(value);
    value.map(|value| (At::Once, Scored::plain(value))).into_iter().collect()
}

fn by_round(unit: &RegressionUnit, value: fn(&Round) -> Option<f64>) -> Vec<(At, Scored)> {
    let rounds = unit.rounds.iter().enumerate();
    let at = |(round, scores)| Some((At::Round(round as u32), Scored::plain(value(scores)?)));
    rounds.filter_map(at).collect()
}

fn by_level(unit: &RegressionUnit, value: fn(&LevelScores) -> f64) -> Vec<(At, Scored)> {
    let levels = unit.scores.levels.iter();
    levels.map(|scores| (at_level(scores.level), Scored::plain(value(scores)))).collect()
}

fn by_covered_level(unit: &RegressionUnit, value: fn(&LevelCoverage) -> f64) -> Vec<(At, Scored)> {
    let levels = unit.coverage.iter().flat_map(|coverage| &coverage.levels);
    levels.map(|covered| (at_level(covered.level), Scored::plain(value(covered)))).collect()
}
