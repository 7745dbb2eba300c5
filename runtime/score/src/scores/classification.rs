//! The scores of a problem of classification by name: joint scores by tau, their aggregate, those of single inputs, and fuel.

use jointly_core::{JointScore, Metric, ProblemScores};

use super::scored::{ACCURACY, ECE, FUEL, Scored};

/// A problem's scores by name.
pub(super) fn values(metric: Metric, scores: &ProblemScores, draws: u32, fuel: Option<u64>) -> Vec<(String, Scored)> {
    let joint = |(tau, score): &(u32, JointScore)| (format!("{metric}_tau{tau}"), Scored::joint(score, draws));
    let mut values: Vec<(String, Scored)> = scores.joint.iter().map(joint).collect();
    values.extend(aggregate(scores).map(|scored| (format!("{metric}_aggregate"), scored)));
    let plain = |value| Scored { value, stderr: None, draws: None };
    values.push((ACCURACY.into(), scores.accuracy.into()));
    values.push((ECE.into(), plain(scores.ece)));
    values.extend(fuel.map(|fuel| (FUEL.into(), plain(fuel as f64))));
    values
}

/// d1 + d100 / 100, the paper's aggregate; the two come from independent test samples.
fn aggregate(scores: &ProblemScores) -> Option<Scored> {
    let at = |tau: u32| scores.joint.iter().find(|(known, _)| *known == tau).map(|(_, score)| score);
    let (one, hundred) = (at(1)?, at(100)?);
    let stderr = libm::hypot(one.stderr, hundred.stderr / 100.0);
    Some(Scored { value: one.mean + hundred.mean / 100.0, stderr: Some(stderr), draws: None })
}
