//! The meaning of each score of a run, in a sentence or two.

use jointly_record::plan::Plan;
use jointly_score::scores::{ACCURACY, ECE, FUEL, Units};

use crate::shift::meanings;
use crate::view::JointScore;

/// The run's scores that are known, each with its explanation.
pub(crate) fn entries(
    names: &[String],
    joint: &[JointScore],
    units: Units,
    plan: &Plan,
    compared: bool,
) -> Vec<(String, String)> {
    let of_regression = plan.regression().is_some();
    let mut entries: Vec<(String, String)> = Vec::new();
    for name in names {
        let name = match (of_regression, plan.shift().is_some()) {
            (true, _) => numberless(name),
            (_, true) => meanings::heading(name),
            _ => name.clone(),
        };
        if !entries.iter().any(|(known, _)| *known == name) {
            let text = if plan.shift().is_some() { meanings::of(&name) } else { explanation(&name, joint) };
            entries.extend(text.map(|text| (name, text)));
        }
    }
    entries.extend([
        (
            "±".to_owned(),
            match units {
                _ if of_regression => {
                    "One standard error over problems, each a training of its own however many test points it has: over \
                     simulations of a process, or over datasets where problems share one. That of Brier scores is the jackknife's \
                     over simulations. With a single problem, or dataset, there is none."
                }
                Units::TauSamples | Units::Inputs | Units::Problems if plan.shift().is_some() => {
                    "One standard error over problems, each another split or other inputs, and another training. With a single \
                     problem, over its test inputs, and none of means over levels of shift."
                }
                Units::TauSamples | Units::Inputs | Units::Problems => {
                    "One standard error, clustered by problem: problems are the independent units, however many test points \
                     each has. With a single problem, over its tau-samples."
                }
                Units::OneProblem => {
                    "One standard error over problems; a single problem has none, because its test points share one training set."
                }
                Units::Datasets | Units::OneDataset => {
                    "One standard error, clustered by dataset: problems on one dataset share its examples, so that datasets \
                     are the independent units, however many problems each has. With a single dataset there is none."
                }
            }
            .to_owned(),
        ),
        (
            "vs".to_owned(),
            "The mean difference to the baseline on the problems that both have scored, with the standard error of the \
             paired differences: sharper than comparing two means. Below zero is better than the baseline."
                .to_owned(),
        ),
    ]);
    // Without a baseline no column is called so.
    entries.retain(|(name, _)| compared || name != "vs");
    entries
}

/// `picp_L` for `picp_90`, and `nll_roundR` for `nll_round3`: what is said of the one holds for all.
fn numberless(name: &str) -> String {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    match (name.rsplit_once("_round"), name.rsplit_once('_')) {
        (Some((stem, round)), _) if is_number(round) => format!("{stem}_roundR"),
        (_, Some((stem, level))) if is_number(level) => format!("{stem}_L"),
        _ => name.to_owned(),
    }
}

fn explanation(name: &str, joint: &[JointScore]) -> Option<String> {
    if let Some(JointScore { metric, tau, .. }) = joint.iter().find(|score| score.name == name) {
        let labels =
            if *tau == 1 { "a single test label".to_owned() } else { format!("{tau} test labels taken jointly") };
        let rest = match metric.as_str() {
            "KL" => "the environment's log-likelihood less the agent's, 0 is perfect",
            _ => "the negative log-likelihood of the agent",
        };
        return Some(format!("Loss on {labels}, in nats, lower is better: {rest}."));
    }
    let text = match name {
        ACCURACY => "Share of test inputs whose most likely class, by the mean prediction, is the label.",
        ECE => {
            "Expected calibration error of the mean prediction: how far its confidence is from its accuracy, bin by bin; \
             0 is calibrated."
        }
        FUEL => {
            "What the agent executed to train and to predict on a problem, about an instruction each: a cost that no \
             machine changes."
        }
        _ if name.ends_with("_aggregate") => {
            "The loss at tau 1 plus a hundredth of the loss at tau 100, so that both count: it ranks."
        }
        _ => return regression(name),
    };
    Some(text.to_owned())
}

/// The meaning of a score of regression.
fn regression(name: &str) -> Option<String> {
    if let Some((stem, round)) = name.split_once("_round") {
        let what = if stem == "nll" { "negative log-likelihood" } else { "root mean squared error" };
        return Some(format!("Active learning: {what} of the predicting agent on the test set after round {round}."));
    }
    let percent = name.rsplit_once('_').filter(|(_, level)| *level == "L" || level.parse::<u8>().is_ok());
    let (stem, level) = percent.map_or((name, ""), |(stem, level)| (stem, level));
    let text = match stem {
        "nll" => {
            "Negative log-likelihood of an observation under the normal distribution of the predicted mean and variance, nats."
        }
        "rmse" => "Root mean squared error of the predicted mean, in the data's units.",
        "crps" => {
            "Continuous ranked probability score of that normal distribution, in the data's units; lower is better."
        }
        "nll_mixture" => {
            "Negative log-likelihood under the mixture over draws, nats; the same as nll where moments are the agent's."
        }
        "crps_mixture" => "Continuous ranked probability score of the mixture over draws.",
        "check" => "Check (pinball) score, mean over 99 quantiles.",
        "interval" if level.is_empty() => {
            "Interval score of central intervals of the normal distribution, mean over 99 levels."
        }
        "interval" => {
            return Some(format!("Interval score of the {level} % prediction intervals: width and misses in one."));
        }
        "calibration_mae" => "Mean absolute distance of the calibration curve from the diagonal.",
        "calibration_rmse" => "Root mean squared distance of the calibration curve from the diagonal.",
        "miscalibration_area" => "Area between the calibration curve and the diagonal.",
        "sharpness" => "Root of the mean predicted variance, in the data's units.",
        "picp" => {
            return Some(format!(
                "Share of test observations in their {level} % prediction intervals; {level} % is right."
            ));
        }
        "cicp" => return Some(format!("Share of true function values in their {level} % confidence intervals.")),
        "width" => return Some(format!("Mean width of the {level} % prediction intervals, in the data's units.")),
        "confidence_width" => return Some(format!("Mean width of the {level} % confidence intervals.")),
        "picf_brier" => {
            return Some(format!(
                "Mean squared distance of the {level} % prediction intervals' coverage at each test input, over simulations, \
                 from {level} %: 0 is perfect. Its error is the jackknife's over simulations."
            ));
        }
        "cicf_brier" => return Some(format!("The same of the {level} % confidence intervals and the true function.")),
        "xll" => {
            "Cross log-likelihood: log density per point of test labels in the groups that a reference finds most correlated, \
             with the reference's marginals and the agent's correlations; mean over references. Higher is better."
        }
        "xllr" => "Mean rank of the agent's cross log-likelihood over references, 0 is best.",
        "metacorrelation" => {
            "Metacorrelation: Pearson's correlation of the agent's predictive correlations with the oracle's."
        }
        "metacorrelation_ranks" | "variance_correlation_ranks" => "The same by Spearman's rank correlation.",
        "variance_correlation" => "Pearson's correlation of the agent's variances over the pool with the oracle's.",
        "xll_oracle" => "Cross log-likelihood with the oracle as reference; higher is better.",
        "marginal_nll" => {
            "Negative log-likelihood of the test points of joint_nll one by one, nats a point: under the same moments, \
             which differ from those of nll where they are of draws."
        }
        "joint_nll" => "Negative joint log-likelihood of random groups of test points, nats a point.",
        "group_nll" => "The same of the groups that the agent itself finds most correlated.",
        _ => return None,
    };
    Some(text.to_owned())
}
