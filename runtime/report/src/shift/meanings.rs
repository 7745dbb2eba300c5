//! The meaning of each score of dataset shift, in a sentence or two.

use jointly_score::scores::{ACCURACY, ECE, FUEL, SHIFTED};

/// Stands for any score's name.
const ANY: &str = "…";

/// `…_shifted` for whatever is the mean over levels of shift: what is said of the one holds for all.
pub(crate) fn heading(name: &str) -> String {
    if name.ends_with(SHIFTED) { format!("{ANY}{SHIFTED}") } else { name.to_owned() }
}

/// The score of that name, where it is known.
pub(crate) fn of(name: &str) -> Option<String> {
    if let Some(stem) = name.strip_suffix(SHIFTED) {
        let known = stem == ANY || of(stem).is_some();
        return known.then(|| {
            "The score of that name in the mean over all levels of shift, each of which counts as much as another."
                .to_owned()
        });
    }
    if let Some(tau) = name.strip_prefix("nll_tau").and_then(|tau| tau.parse::<u32>().ok()) {
        return Some(if tau == 1 {
            "The same as nll, estimated as joint predictions are.".to_owned()
        } else {
            format!(
                "Negative log-likelihood of the labels of {tau} test inputs taken jointly: of the mean over draws of the product of \
                 their probabilities, nats a group, lower is better."
            )
        });
    }
    let text = match name {
        ACCURACY => {
            "Share of test inputs whose most likely class, by the mean prediction over draws, is the label; as all scores without \
             a suffix, of the unshifted inputs."
        }
        "auc" => "Area under the receiver operating characteristic of class 1 against class 0; a half is chance.",
        "nll" => "Negative log-likelihood of a label under the mean prediction, nats; lower is better.",
        "brier" => {
            "Brier score: squared distance of the mean prediction from the label's one-hot vector, from 0 to 2; lower is better. It \
             is uncertainty - resolution + reliability + remainder."
        }
        "uncertainty" => "Part of the Brier score: that of the labels themselves, the same whatever the agent.",
        "resolution" => {
            "Part of the Brier score: how far the labels of inputs of one predicted class are from those of all; higher is better."
        }
        "reliability" => {
            "Part of the Brier score: how far predictions are from the labels' shares among inputs of one predicted class; lower is \
             better."
        }
        "remainder" => {
            "Part of the Brier score: what telling apart inputs of one predicted class is worth, below 0 where it helps."
        }
        ECE => {
            "Expected calibration error of the mean prediction: how far its confidence is from its accuracy, in bins of equal \
             width; 0 is calibrated."
        }
        "ece_quantile" => "The same in bins between quantiles of the unshifted inputs' confidence.",
        "ece_top5" => "The same of the five largest probabilities of each input.",
        "confidence" => "The largest class probability of an input, in the mean.",
        "entropy" => "Entropy of the mean prediction of an input, nats, in the mean.",
        "auroc" => {
            "Area under the receiver operating characteristic of low confidence, out-of-distribution inputs against \
             unshifted ones, in the mean over sets of them: a half is chance, 1 tells all apart."
        }
        "aupr_out" => "Average precision of low confidence with the out-of-distribution inputs as positives.",
        "aupr_in" => "Average precision of high confidence with the unshifted inputs as positives.",
        "fpr95_out" => {
            "Share of unshifted inputs that are taken for out-of-distribution ones where 95 % of the latter are found; \
             lower is better."
        }
        "fpr95_in" => {
            "Share of out-of-distribution inputs that are taken for unshifted ones where 95 % of those are kept; lower is \
             better."
        }
        "auroc_entropy" => "The same as auroc by high entropy in the place of low confidence.",
        FUEL => {
            "What the agent executed to train and to predict on a problem, about an instruction each: a cost that no machine \
             changes."
        }
        _ => return None,
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_score::invented::InventedScores as _;

    #[test]
    fn every_score_of_a_run_has_a_meaning() {
        let run = shift_run(1, &["rotation/30"], &[("mlp", shifting(0.9, 0.8))]);
        for name in run.scores().names() {
            assert!(super::of(&name).is_some() && super::of(&super::heading(&name)).is_some(), "{name}");
        }
        assert_eq!(super::heading("brier_shifted"), super::heading("nll_tau10_shifted"));
        assert_eq!(super::of("charm_shifted"), None);
    }
}
