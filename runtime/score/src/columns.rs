//! Which scores a table shows, and which of them ranks.

use jointly_record::plan::{Plan, Terms};

use crate::scores::{ACCURACY, ECE, FUEL};

/// Names of scores, as a leaderboard shows them.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The score that ranks, where there is one.
    pub by: Option<String>,
    /// In the first table.
    pub first: Vec<String>,
    /// In the second.
    pub second: Vec<String>,
}

/// The level whose intervals a table shows, in percent, where there are such: those of the paper's discussion.
const LEVEL: &str = "_90";

/// The order of the joint predictions under shift that a table shows.
const TAU: u32 = 10;

impl Columns {
    /// The columns of a run that has scores of those names.
    pub fn of(plan: &Plan, names: &[String]) -> Self {
        match &plan.terms {
            Terms::Evaluation(_) => Self::of_classification(names),
            Terms::Regression(_) => Self::of_regression(names),
            Terms::Shift(_) => Self::of_shift(names),
        }
    }

    /// The aggregate ranks where the suite has one, that is taus 1 and 100, else the joint score of the largest tau, to
    /// which the marginals of each of its inputs belong already: no other aggregate is made up.
    fn of_classification(names: &[String]) -> Self {
        let marginal = [ACCURACY, ECE, FUEL];
        let joint = |name: &&String| name.contains("_tau") || name.ends_with("_aggregate");
        Self {
            by: names.iter().rfind(joint).cloned(),
            first: names.iter().filter(|name| !marginal.contains(&name.as_str())).cloned().collect(),
            second: marginal.map(String::from).to_vec(),
        }
    }

    /// The subject of the problems ranks: correlations by rank against other agents, active learning by the
    /// log-likelihood at its end, simulations by how far coverage is from its level at each input, and observations by
    /// log-likelihood.
    fn of_regression(names: &[String]) -> Self {
        let known = |name: &str| names.iter().find(|known| *known == name).cloned();
        let level = |name: &str| {
            known(&format!("{name}{LEVEL}")).or_else(|| {
                names.iter().find(|known| known.rsplit_once('_').is_some_and(|(stem, _)| stem == name)).cloned()
            })
        };
        let last = names.iter().filter_map(|name| name.strip_prefix("nll_round")?.parse::<usize>().ok()).max();
        let (by, first, second): (_, Vec<Option<String>>, Vec<Option<String>>) = if let Some(last) = last {
            let round = |name: &str, round: usize| known(&format!("{name}_round{round}"));
            let first = vec![round("nll", 0), round("nll", last), round("rmse", 0), round("rmse", last)];
            (round("nll", last), first, vec![known("crps"), level("picp"), known(FUEL)])
        } else if let Some(brier) = level("picf_brier") {
            let first = vec![Some(brier.clone()), level("cicf_brier"), level("picp")];
            (Some(brier), first, vec![level("cicp"), known("nll"), known("rmse"), known(FUEL)])
        } else if known("joint_nll").is_some() {
            let first = vec![known("xllr"), known("xll"), known("metacorrelation")];
            let by = known("xllr").or_else(|| known("joint_nll"));
            (by, first, vec![known("joint_nll"), known("nll"), known("rmse"), known(FUEL)])
        } else {
            let first = vec![known("nll"), known("rmse"), known("crps"), level("picp")];
            (known("nll"), first, vec![level("interval"), known("calibration_mae"), known("sharpness"), known(FUEL)])
        };
        Self { by, first: first.into_iter().flatten().collect(), second: second.into_iter().flatten().collect() }
    }

    /// The effect of shift ranks: the Brier score, which is proper and always finite, in the mean over all
    /// levels; without any, that of the unshifted inputs.
    fn of_shift(names: &[String]) -> Self {
        let known = |name: &&&str| names.iter().any(|known| known == **name);
        let pick = |wanted: &[&str]| wanted.iter().filter(known).map(|name| (*name).to_owned()).collect();
        let by: Vec<String> = pick(&["brier_shifted", "brier"]);
        // The order that every suite has, or the largest where another was asked for.
        let taus = names.iter().filter_map(|name| name.strip_prefix("nll_tau")?.parse::<u32>().ok());
        let taus: Vec<u32> = taus.collect();
        let tau = if taus.contains(&TAU) { Some(TAU) } else { taus.into_iter().max() };
        let joint = tau.map(|tau| [format!("nll_tau{tau}_shifted"), format!("nll_tau{tau}")]);
        let joint: Vec<&str> = joint.iter().flatten().map(String::as_str).collect();
        // Of two classes, one of which may be rare, the area says more.
        let hits = ["accuracy", "accuracy_shifted", "auc", "auc_shifted"];
        Self {
            by: by.into_iter().next(),
            first: pick(&[&["brier_shifted", "brier"][..], &joint].concat()),
            second: pick(&[&hits[..], &["ece", "ece_shifted", "auroc", FUEL]].concat()),
        }
    }
}
