//! The scores of regression: of observations, of intervals by level, of correlations, of rounds of active learning, and fuel.

use jointly_core::{At, Better, FUEL, Layout, Pick, Real, ScoreDef, ScoreInfo, Scored, Unit};

use crate::coverage::LevelCoverage;
use crate::problem::{CorrelationScores, RegressionUnit, Round};
use crate::score::LevelScores;

/// The stem of the negative log-likelihood of an observation, which every problem has.
pub const NLL: &str = "nll";

/// All scores, in the order in which they are listed everywhere. The first four are of no single unit: agents have them among
/// each other, or over all simulations of a process.
pub const SCORES: &[ScoreDef<RegressionUnit>] = &[
    ScoreDef {
        about: ScoreInfo {
            stem: "xllr",
            better: Better::Lower,
            unit: Unit::One,
            meaning: |_| "Mean rank of the agent's cross log-likelihood over references, 0 is best.".into(),
        },
        values: |_, _| Vec::new(),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "xll",
            better: Better::Higher,
            unit: Unit::Nats,
            meaning: |_| {
                "Cross log-likelihood: log density per point of test labels in the groups that a reference finds most \
                     correlated, with the reference's marginals and the agent's correlations; mean over references. \
                     Higher is better."
                    .into()
            },
        },
        values: |_, _| Vec::new(),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "picf_brier",
            better: Better::Lower,
            unit: Unit::One,
            meaning: |_| {
                "Mean squared distance of the L % prediction intervals' coverage at each test input, over \
                     simulations, from L %: 0 is perfect. Its error is the jackknife's over simulations."
                    .into()
            },
        },
        values: |_, _| Vec::new(),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "cicf_brier",
            better: Better::Lower,
            unit: Unit::One,
            meaning: |_| "The same of the L % confidence intervals and the true function.".into(),
        },
        values: |_, _| Vec::new(),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "metacorrelation",
            better: Better::Higher,
            unit: Unit::One,
            meaning: |_| {
                "Metacorrelation: Pearson's correlation of the agent's predictive correlations with the oracle's."
                    .into()
            },
        },
        values: |unit, _| correlated(unit, |scores| scores.metacorrelation.map(|value| value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "metacorrelation_ranks",
            better: Better::Higher,
            unit: Unit::One,
            meaning: |_| "The same by Spearman's rank correlation.".into(),
        },
        values: |unit, _| correlated(unit, |scores| scores.metacorrelation_ranks.map(|value| value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "variance_correlation",
            better: Better::Higher,
            unit: Unit::One,
            meaning: |_| "Pearson's correlation of the agent's variances over the pool with the oracle's.".into(),
        },
        values: |unit, _| correlated(unit, |scores| scores.variance_correlation.map(|value| value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "variance_correlation_ranks",
            better: Better::Higher,
            unit: Unit::One,
            meaning: |_| "The same by Spearman's rank correlation.".into(),
        },
        values: |unit, _| correlated(unit, |scores| scores.variance_correlation_ranks.map(|value| value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "xll_oracle",
            better: Better::Higher,
            unit: Unit::Nats,
            meaning: |_| "Cross log-likelihood with the oracle as reference; higher is better.".into(),
        },
        values: |unit, _| correlated(unit, |scores| scores.xll_oracle.map(|value| value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "marginal_nll",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: |_| {
                "Negative log-likelihood of the test points of joint_nll one by one, nats a point: under the same \
                     moments, which differ from those of nll where they are of draws."
                    .into()
            },
        },
        values: |unit, _| correlated(unit, |scores| scores.marginal.map(|value| -value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "joint_nll",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: |_| "Negative joint log-likelihood of random groups of test points, nats a point.".into(),
        },
        values: |unit, _| correlated(unit, |scores| scores.joint_random.map(|value| -value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "group_nll",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: |_| "The same of the groups that the agent itself finds most correlated.".into(),
        },
        values: |unit, _| correlated(unit, |scores| scores.joint_correlated.map(|value| -value.0)),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "nll",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: |_| {
                "Active learning: negative log-likelihood of the predicting agent on the test set after round R.".into()
            },
        },
        values: |unit, _| by_round(unit, |round| round.nll.0),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "rmse",
            better: Better::Lower,
            unit: Unit::Target,
            meaning: |_| {
                "Active learning: root mean squared error of the predicting agent on the test set after round R.".into()
            },
        },
        values: |unit, _| by_round(unit, |round| round.rmse.0),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "nll",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: |_| {
                "Negative log-likelihood of an observation under the normal distribution of the predicted mean and \
                     variance, nats."
                    .into()
            },
        },
        values: |unit, _| once(unit.scores.nll),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "rmse",
            better: Better::Lower,
            unit: Unit::Target,
            meaning: |_| "Root mean squared error of the predicted mean, in the data's units.".into(),
        },
        values: |unit, _| once(unit.scores.rmse),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "crps",
            better: Better::Lower,
            unit: Unit::Target,
            meaning: |_| {
                "Continuous ranked probability score of that normal distribution, in the data's units; lower is \
                     better."
                    .into()
            },
        },
        values: |unit, _| once(unit.scores.crps),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "nll_mixture",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: |_| {
                "Negative log-likelihood under the mixture over draws, nats; the same as nll where moments are the \
                     agent's."
                    .into()
            },
        },
        values: |unit, _| once(unit.scores.nll_mixture),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "crps_mixture",
            better: Better::Lower,
            unit: Unit::Target,
            meaning: |_| "Continuous ranked probability score of the mixture over draws.".into(),
        },
        values: |unit, _| once(unit.scores.crps_mixture),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "interval",
            better: Better::Lower,
            unit: Unit::Target,
            meaning: |_| "Interval score of central intervals of the normal distribution, mean over 99 levels.".into(),
        },
        values: |unit, _| once(unit.scores.interval),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "check",
            better: Better::Lower,
            unit: Unit::Target,
            meaning: |_| "Check (pinball) score, mean over 99 quantiles.".into(),
        },
        values: |unit, _| once(unit.scores.check),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "calibration_mae",
            better: Better::Lower,
            unit: Unit::One,
            meaning: |_| "Mean absolute distance of the calibration curve from the diagonal.".into(),
        },
        values: |unit, _| once(unit.scores.calibration_mae),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "calibration_rmse",
            better: Better::Lower,
            unit: Unit::One,
            meaning: |_| "Root mean squared distance of the calibration curve from the diagonal.".into(),
        },
        values: |unit, _| once(unit.scores.calibration_rmse),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "miscalibration_area",
            better: Better::Lower,
            unit: Unit::One,
            meaning: |_| "Area between the calibration curve and the diagonal.".into(),
        },
        values: |unit, _| once(unit.scores.miscalibration_area),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "sharpness",
            better: Better::Neither,
            unit: Unit::Target,
            meaning: |_| "Root of the mean predicted variance, in the data's units.".into(),
        },
        values: |unit, _| once(unit.scores.sharpness),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "picp",
            better: Better::Near,
            unit: Unit::One,
            meaning: |_| "Share of test observations in their L % prediction intervals; L % is right.".into(),
        },
        values: |unit, _| by_level(unit, |level| level.picp.0),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "width",
            better: Better::Neither,
            unit: Unit::Target,
            meaning: |_| "Mean width of the L % prediction intervals, in the data's units.".into(),
        },
        values: |unit, _| by_level(unit, |level| level.width.0),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "interval",
            better: Better::Lower,
            unit: Unit::Target,
            meaning: |_| "Interval score of the L % prediction intervals: width and misses in one.".into(),
        },
        values: |unit, _| by_level(unit, |level| level.interval.0),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "cicp",
            better: Better::Near,
            unit: Unit::One,
            meaning: |_| "Share of true function values in their L % confidence intervals.".into(),
        },
        values: |unit, _| by_covered_level(unit, LevelCoverage::cicp),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "confidence_width",
            better: Better::Neither,
            unit: Unit::Target,
            meaning: |_| "Mean width of the L % confidence intervals.".into(),
        },
        values: |unit, _| by_covered_level(unit, LevelCoverage::confidence_width),
    },
    ScoreDef::fuel(),
];

/// What the problems are about ranks: active learning by the log-likelihood at its end, simulations by how far coverage is from
/// its level at each input, correlations by rank against other agents, and observations by log-likelihood.
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

/// The place of a score at a level, which its name has in percent.
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

fn by_round(unit: &RegressionUnit, value: fn(&Round) -> f64) -> Vec<(At, Scored)> {
    let rounds = unit.rounds.iter().enumerate();
    rounds.map(|(round, scores)| (At::Round(round as u32), Scored::plain(value(scores)))).collect()
}

fn by_level(unit: &RegressionUnit, value: fn(&LevelScores) -> f64) -> Vec<(At, Scored)> {
    let levels = unit.scores.levels.iter();
    levels.map(|scores| (at_level(scores.level), Scored::plain(value(scores)))).collect()
}

fn by_covered_level(unit: &RegressionUnit, value: fn(&LevelCoverage) -> f64) -> Vec<(At, Scored)> {
    let levels = unit.coverage.iter().flat_map(|coverage| &coverage.levels);
    levels.map(|covered| (at_level(covered.level), Scored::plain(value(covered)))).collect()
}
