//! Correlations: the oracle's, those estimated from draws, and predictions that have none.

use super::*;
use crate::predictive::Origin;
use crate::tests::oracle::{Oracle, OracleError};
use crate::{CorrelationBelief, cross_scores};

/// Rounding of sums of some hundred terms, and of targets in `f32`.
const ROUNDING: f64 = 1e-6;
/// Rounding of correlations in `f32`.
const SINGLE: f64 = 1e-4;

fn scores(result: &RegressionResult) -> &CorrelationScores {
    result.scores.correlations.as_ref().expect("scores of correlations")
}

#[test]
fn the_oracle_agrees_with_itself() {
    for d in [1, 5] {
        let problem = problem("correlations/synthetic", &format!("correlations/synthetic/d{d}/set3"));
        let result = run(&problem, &mut Oracle, &RegressionOptions::default());
        let scores = scores(&result);
        assert_eq!((scores.rows, scores.pool, scores.moments_from), (200, 500, Origin::Agent));
        assert_eq!((scores.functions, &scores.absences), (None, &Vec::new()));
        for whole in [scores.metacorrelation, scores.metacorrelation_ranks, scores.variance_correlation] {
            assert!((whole.unwrap().0 - 1.0).abs() < ROUNDING, "{scores:?}");
        }
        // XLL with itself as reference agrees however it is computed, and so do two ways of computing its likelihood.
        let own = scores.joint_correlated.unwrap().0;
        assert!((scores.xll_oracle.unwrap().0 - own).abs() < ROUNDING);
        assert!((scores.marginal.unwrap().0 + result.scores.scores.nll.0).abs() < ROUNDING);
        let bytes = result.belief.as_deref().unwrap();
        assert_eq!(scores.belief, jointly_core::digest(bytes));
        let cross = cross_scores([bytes]).unwrap();
        assert!((cross.xll[0][0].unwrap().0 - own).abs() < SINGLE);
        assert_eq!((cross.rows, cross.batch), (200, 5));
        // In groups of correlated points the oracle's joint likelihood exceeds the likelihood under its marginals
        // alone.
        assert!(own > scores.marginal.unwrap().0);
    }
}

#[test]
fn the_oracle_says_what_it_cannot_do() {
    let synthetic = problem("correlations/synthetic", "correlations/synthetic/d1/set0");
    let options = RegressionOptions { exact_rows: 100, ..RegressionOptions::default() };
    let error = synthetic.run(&mut Oracle, None, 0.into(), &options, &mut |_| ()).unwrap_err();
    assert_eq!(error, FitError::Agent(OracleError::Draws));
    let error = problem("coverage/line", "coverage/line/sim0")
        .run(&mut Oracle, None, 0.into(), &options, &mut |_| ())
        .unwrap_err();
    assert_eq!(error, FitError::Agent(OracleError::Noise));
}

#[test]
fn agents_are_told_the_noise_in_the_units_that_they_see() {
    let problem = problem("correlations/synthetic", "correlations/synthetic/d3/set1");
    let mut agent = Linear::new(true);
    for standardize_synthetic in [false, true] {
        let options = RegressionOptions { standardize_synthetic, ..RegressionOptions::default() };
        run(&problem, &mut agent, &options);
    }
    assert_eq!(agent.told[0].noise_std, Some(0.1));
    let targets = agent.seen[0].targets().iter().map(|&y| f64::from(y));
    let mean = targets.clone().sum::<f64>() / 15.0;
    let deviation = (targets.map(|y| (y - mean) * (y - mean)).sum::<f64>() / 15.0).sqrt();
    let told = agent.told[1].noise_std.unwrap();
    assert!((f64::from(told) - 0.1 / deviation).abs() < ROUNDING, "{told}");
}

#[test]
fn jitter_is_told_where_it_is_added() {
    // In one dimension 705 points lie so close together that the kernel matrix needs jitter.
    let result = run(
        &problem("correlations/synthetic", "correlations/synthetic/d1/set0"),
        &mut Oracle,
        &RegressionOptions::default(),
    );
    let jitter = scores(&result).jitter.expect("jitter in one dimension");
    assert!(jitter.function.0 > 0.0 && jitter.function.0 < 1e-5 && jitter.oracle.0 == 0.0, "{jitter:?}");
}

#[test]
fn draws_tend_to_the_exact_moments() {
    let problem = problem("correlations/synthetic", "correlations/synthetic/d3/set1");
    let options = RegressionOptions::default();
    let exact = run(&problem, &mut Linear::new(true), &options);
    let sampled = run(&problem, &mut Linear::new(false), &options);
    let (exact, sampled) = (scores(&exact), scores(&sampled));
    assert_eq!((sampled.moments_from, sampled.functions), (Origin::Draws, Some(1000)));
    let close = |of: fn(&CorrelationScores) -> Option<jointly_core::Real>, tolerance: f64| {
        let (a, b) = (of(exact).unwrap().0, of(sampled).unwrap().0);
        assert!((a - b).abs() < tolerance, "{a} and {b}");
    };
    // Correlations estimated from 1000 draws have errors of at most about 0.03 each.
    close(|scores| scores.metacorrelation, 0.02);
    close(|scores| scores.marginal, 0.05);
    close(|scores| scores.joint_random, 0.05);
    close(|scores| scores.joint_correlated, 0.05);
    assert!(exact.metacorrelation.unwrap().0 < 0.999);
}

/// An ensemble that is asked for each member once has the same moments as one that is asked for every draw.
#[test]
fn members_count_as_often_as_draws_name_them() {
    let problem = problem("correlations/synthetic", "correlations/synthetic/d3/set1");
    // 20 draws of 7 members: six members come three times, one comes twice.
    let options = RegressionOptions { moment_draws: 20, ..RegressionOptions::default() };
    let ensemble = Linear { functions: Some(7), ..Linear::new(false) };
    let once = run(&problem, &mut ensemble.clone(), &options);
    let always = run(&problem, &mut Linear { canonical: false, ..ensemble }, &options);
    assert_eq!((scores(&once).functions, scores(&always).functions), (Some(7), Some(20)));
    let pair = |of: fn(&CorrelationScores) -> Option<jointly_core::Real>| {
        let (once, always) = (of(scores(&once)).unwrap().0, of(scores(&always)).unwrap().0);
        assert!((once - always).abs() < 1e-9, "{once} and {always}");
    };
    pair(|scores| scores.metacorrelation);
    pair(|scores| scores.joint_correlated);
    pair(|scores| scores.xll_oracle);
}

#[test]
fn a_certain_agent_has_no_correlations_and_it_is_told() {
    let problem = problem("correlations/synthetic", "correlations/synthetic/d3/set1");
    let mut certain = Linear { functions: Some(1), ..Linear::new(false) };
    let with_noise = run(&problem, &mut certain, &RegressionOptions::default());
    let told = |result: &RegressionResult| -> Vec<String> {
        scores(result).absences.iter().map(|absence| format!("{}: {}", absence.score, absence.reason)).collect()
    };
    let constant = "the candidate's values are all the same";
    assert_eq!(
        told(&with_noise),
        [format!("metacorrelation: {constant}"), format!("variance_correlation: {constant}")]
    );
    // With noise there are likelihoods, of single targets and of random groups.
    let found = scores(&with_noise);
    assert!(found.metacorrelation.is_none() && found.marginal.unwrap().0.is_finite());
    assert!(found.joint_correlated.unwrap().0.is_finite() && found.xll_oracle.unwrap().0.is_finite());

    let mut noiseless = Linear { claimed: Some(0.0), ..certain };
    let without = run(&problem, &mut noiseless, &RegressionOptions::default());
    let told = told(&without);
    assert!(told[0].starts_with("marginal: the target of row 0 has no variance"), "{told:?}");
    assert_eq!(told.len(), 5, "{told:?}");
    // Under the oracle's marginals it scores like an agent that takes all points to be independent.
    assert!(scores(&without).xll_oracle.unwrap().0.is_finite());
    assert_eq!(without.scores.scores.nll.0, f64::INFINITY);
    assert_eq!(through_json(&without.scores), without.scores);
    let (uncertain, certain) = (with_noise.belief.unwrap(), without.belief.unwrap());
    let cross = cross_scores([&certain, &uncertain]).unwrap();
    assert_eq!((cross.failures.len(), cross.failures[0].0, cross.mean_rank[1]), (1, 0, Some(jointly_core::Real(0.0))));
}

/// A line without noise: two of its values determine all others.
#[test]
fn values_that_determine_one_another_have_no_joint_density_and_it_is_told() {
    let options = RegressionOptions { rounds: 2, ..RegressionOptions::default() };
    let line = Linear { claimed: Some(0.0), ..Linear::new(true) };
    let result = run(&problem("correlations/synthetic", "correlations/synthetic/d1/set0"), &mut line.clone(), &options);
    let found = scores(&result);
    assert!(found.marginal.unwrap().0.is_finite() && found.metacorrelation.unwrap().0.is_finite());
    let absent: Vec<&str> = found.absences.iter().map(|absence| absence.score.as_str()).collect();
    assert_eq!(absent, ["joint_random", "joint_correlated", "xll_oracle"]);
    assert!(found.absences.iter().all(|absence| absence.reason.ends_with("have no joint density")), "{found:?}");
    for acquisition in ["batch-mig", "mig", "tig"] {
        let name = format!("correlations/active-synthetic/d1/set0/{acquisition}");
        let result = run(&problem("correlations/active-synthetic", &name), &mut line.clone(), &options);
        let rounds = &result.scores.rounds;
        assert!(rounds.len() == 3 && rounds.iter().all(|round| round.rmse.0.is_finite() && round.nll.0.is_finite()));
    }
}

#[test]
fn of_many_test_points_some_are_chosen_the_same_for_all() {
    let problem = problem("correlations/synthetic", "correlations/synthetic/d3/set1");
    let options = RegressionOptions { belief_rows: 50, ..RegressionOptions::default() };
    let beliefs: Vec<_> = [Linear::new(true), Linear::new(false)]
        .iter_mut()
        .map(|agent| {
            let result = run(&problem, agent, &options);
            assert_eq!(scores(&result).rows, 50);
            CorrelationBelief::read(&result.belief.unwrap()).unwrap()
        })
        .collect();
    assert_eq!(beliefs[0].targets(), beliefs[1].targets());
}
