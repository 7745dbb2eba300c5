//! What each score of a run means, in a sentence or two.

use crate::report::view::JointScore;
use crate::scores::{ACCURACY, ECE, FUEL, Units};

/// The run's scores that are known, each with its explanation.
pub(crate) fn entries(names: &[String], joint: &[JointScore], units: Units) -> Vec<(String, String)> {
    let named = |name: &String| Some((name.clone(), explanation(name, joint)?));
    let mut entries: Vec<(String, String)> = names.iter().filter_map(named).collect();
    entries.extend([
        (
            "±".to_owned(),
            match units {
                Units::TauSamples | Units::Problems => {
                    "One standard error, clustered by problem: problems are the independent units, however many test points \
                     each has. With a single problem, over its tau-samples."
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
    entries
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
        _ => return None,
    };
    Some(text.to_owned())
}
