//! `jointly score` on the paper's example of section 2.2: two agents with the same marginals and different joint
//! predictions.

use serde_json::Value;

use crate::command::{done, joined, refused, run};
use crate::npz::{Archive, TemporaryFile, problem};
use crate::run::json;

/// Tolerance for predictions stored as f32: 1/3 is off by 1e-8.
const TOLERANCE: f64 = 1e-6;
const TAU: u64 = 5;
const SAMPLES: u64 = 2;

/// Returns three draws, each a coin that shows heads with the given probability, and tosses that all show tails.
fn tosses<const M: usize>(heads: [f32; M]) -> Archive {
    let tosses = (SAMPLES * TAU) as usize;
    let probs = heads.iter().flat_map(|p| [*p, 1.0 - p].repeat(tosses)).collect();
    Archive::new().array("probs", &[M as u64, SAMPLES, TAU, 2], probs).array(
        "labels",
        &[SAMPLES, TAU],
        vec![1_i64; tosses],
    )
}

fn score(archive: Archive) -> Value {
    let file = TemporaryFile::new("predictions.npz", archive.bytes());
    json(&done(["score", file.argument(), "--json"]))
}

fn is(scores: &Value, name: &str, expected: f64) {
    let found = scores[name]["mean"].as_f64().or(scores[name].as_f64()).unwrap_or_else(|| panic!("{name}: {scores}"));
    assert!((found - expected).abs() < TOLERANCE, "{name} is {found}, expected {expected}");
}

#[test]
fn a_coin_known_to_be_biased() {
    let scores = score(tosses([2.0 / 3.0; 3]));
    is(&scores, "nll_tau5", 5.0 * 3.0_f64.ln());
    is(&scores, "accuracy", 0.0);
    is(&scores, "ece", 2.0 / 3.0);
}

#[test]
fn a_coin_that_is_all_heads_or_all_tails() {
    let scores = score(tosses([1.0, 1.0, 0.0]));
    is(&scores, "nll_tau5", 3.0_f64.ln());
    is(&scores, "accuracy", 0.0);
    is(&scores, "ece", 2.0 / 3.0);
    assert_eq!((&scores["draws"], &scores["samples"], &scores["classes"]), (&3.into(), &2.into(), &2.into()));
}

#[test]
fn the_divergence_from_a_known_environment() {
    // The environment's coin shows tails with probability 1/2.
    let environment = vec![5.0 * 0.5_f64.ln(); SAMPLES as usize];
    let scores = score(tosses([1.0, 1.0, 0.0]).array("log_likelihood", &[SAMPLES], environment));
    is(&scores, "kl_tau5", 3.0_f64.ln() - 5.0 * 2.0_f64.ln());
    assert!(scores["nll_tau5"].is_null());
}

/// A probability of labels is at most 1; a density may be more, but labels are classes.
#[test]
fn a_log_likelihood_above_0_is_refused() {
    let file = |values: [f64; 2]| {
        let archive = tosses([1.0, 1.0, 0.0]).array("log_likelihood", &[SAMPLES], values.to_vec());
        TemporaryFile::new("predictions.npz", archive.bytes())
    };
    let said = ["log_likelihood[1] is 0.5, expected at most 0", "without a minus"];
    refused(["score", file([-0.5, 0.5]).argument()], &said);
    done(["score", file([-0.5, 1e-9]).argument()]);
    let mine = problem().array("log_likelihood", &[3], vec![-1.0, 2.0, -1.0]);
    let mine = TemporaryFile::new("mine.npz", mine.bytes());
    let out = mine.sibling("out");
    let args = ["run", "uniform", "--problem", mine.argument(), "--out", out.to_str().unwrap()];
    refused(args, &["mine.npz", "log_likelihood[1] is 2, expected at most 0"]);
}

#[test]
fn an_array_that_is_there_twice_is_refused() {
    let mut bytes = tosses([1.0; 3]).raw("labelz.npy", b"").bytes();
    let other: Vec<usize> = (0..bytes.len() - 10).filter(|at| bytes[*at..].starts_with(b"labelz.npy")).collect();
    for at in other {
        bytes[at + 5] = b's';
    }
    let file = TemporaryFile::new("predictions.npz", bytes);
    refused(["score", file.argument()], &["predictions.npz", "two of its files are called labels.npy"]);
}

#[test]
fn what_no_draw_allows_is_infinite_and_said_so() {
    let scores = score(tosses([1.0; 3]));
    assert_eq!(scores["nll_tau5"]["mean"], "inf");
}

#[test]
fn marginals_alone_cannot_tell_the_coins_apart() {
    let marginal = |heads: [f32; 3]| {
        let probs = heads.iter().flat_map(|p| [*p, 1.0 - p]).collect();
        score(Archive::new().array("probs", &[3, 1, 2], probs).array("labels", &[1], vec![1_i64]))
    };
    is(&marginal([2.0 / 3.0; 3]), "nll_tau1", 3.0_f64.ln());
    is(&marginal([1.0, 1.0, 0.0]), "nll_tau1", 3.0_f64.ln());
}

#[test]
fn few_draws_are_warned_of_and_one_function_is_not() {
    fn warning<const M: usize>(heads: [f32; M], partition: &str) -> String {
        let file = TemporaryFile::new("predictions.npz", tosses(heads).bytes());
        let finished = run(["score", file.argument(), "--partition", partition]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stderr
    }
    // One draw out of three contributes the likelihood.
    for (partition, bias) in [("planes", "is biased upwards"), ("jackknife", "may be biased either way")] {
        let expected = format!("effective sample size 1.000 of 3 draws, too few for tau 5: the estimate {bias};");
        assert!(joined(&warning([1.0, 1.0, 0.0], partition)).contains(&expected), "{expected}");
        assert_eq!(warning([0.4; 3], partition), "");
    }
    // Ten draws are too few for plain Monte Carlo, and enough for the jackknife.
    let ten = std::array::from_fn::<f32, 30, _>(|draw| if draw < 10 { 0.0 } else { 1.0 });
    assert!(warning(ten, "planes").contains("effective sample size 10.00 of 30 draws, too few"));
    assert_eq!(warning(ten, "jackknife"), "");
    let scores = score(tosses([1.0, 1.0, 0.0]));
    // The influences are 2, -1 and -1.
    let error = scores["nll_tau5"]["draw_error"].as_f64().unwrap();
    assert!((error - 1.0).abs() < TOLERANCE, "{scores}");
}

#[test]
fn clusters_part_what_planes_part() {
    let tosses = |draws: u64| {
        let rows = 20 * draws as usize;
        let probs = (0..rows).map(|row| if row / 20 % 2 == 0 { [0.9_f32, 0.1] } else { [0.1, 0.9] });
        Archive::new().array("probs", &[draws, 1, 20, 2], probs.flatten().collect()).array(
            "labels",
            &[1, 20],
            vec![1_i64; 20],
        )
    };
    let file = TemporaryFile::new("predictions.npz", tosses(40).bytes());
    let scores = json(&done(["score", file.argument(), "--partition", "k-means", "--planes", "1", "--json"]));
    // Two clusters separate the two functions, so half of the draws contribute 0.9^20.
    let expected = -(0.5 * 0.9_f64.powi(20)).ln();
    assert!((scores["nll_tau20"]["mean"].as_f64().unwrap() - expected).abs() < 1e-4, "{scores}");
    assert!((scores["nll_tau20"]["effective_draws"].as_f64().unwrap() - 20.0).abs() < TOLERANCE, "{scores}");
}

#[test]
fn predictions_on_a_problem_are_checked_against_it() {
    // The problem has 3 tau-samples of 5 labels 1.
    let problem = TemporaryFile::new("problem.npz", problem().bytes());
    let predictions = |label: i64| {
        let probs = [[0.25_f32, 0.75], [0.5, 0.5]].iter().flat_map(|row| row.repeat(15)).collect();
        let archive = Archive::new().array("probs", &[2, 3, 5, 2], probs);
        TemporaryFile::new("predictions.npz", archive.array("labels", &[3, 5], vec![label; 15]).bytes())
    };
    let file = predictions(1);
    let with = json(&done(["score", file.argument(), "--problem", problem.argument(), "--json"]));
    // Up to tau 10 there are no cells, so the scores do not depend on the problem.
    assert_eq!(with, json(&done(["score", file.argument(), "--json"])));
    let file = predictions(0);
    let texts = ["labels[0, 0] is 0, and the problem has 1 there: score predictions with the problem"];
    refused(["score", file.argument(), "--problem", problem.argument()], &texts);
}

#[test]
fn the_table_says_what_the_json_says() {
    let file = TemporaryFile::new("predictions.npz", tosses([1.0, 1.0, 0.0]).bytes());
    let stdout = done(["score", file.argument()]).replace(file.argument(), "predictions.npz");
    insta::assert_snapshot!(stdout);
}
