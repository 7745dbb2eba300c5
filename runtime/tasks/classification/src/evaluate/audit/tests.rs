//! Tests that the audit catches agents that answer one question in two ways, and no others.

use std::convert::Infallible;

use crate::Evaluation;
use crate::ProblemScores;
use jointly_core::Coordinates;
use jointly_core::classifier::Model;
use jointly_core::inputs::Inputs;

use super::*;
use crate::environment::{EnvironmentSpec, Initialization};
use crate::evaluate::evaluate;
use crate::problem::{Problem, Source};
use crate::test_inputs::TestInputs;

/// The number of distinct functions.
const FUNCTIONS: u64 = 3;

/// An agent made of two rules: one maps a draw to its canonical draw, the other computes the probability of class 1
/// from the draw, the input's first feature, and the call (its rows, its draws and its number).
struct Agent<C, P> {
    canonical: C,
    prob: P,
    calls: u32,
}

struct Call<'a> {
    inputs: &'a Inputs,
    draws: &'a [u64],
    number: u32,
}

impl<C: Fn(u64) -> u64, P: Fn(u64, f32, &Call) -> f32> Model for Agent<C, P> {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(draws.iter().map(|&draw| (self.canonical)(draw)).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Infallible> {
        self.calls += 1;
        let call = Call { inputs, draws, number: self.calls };
        let row = |draw, i| (self.prob)(draw, inputs.numbers().row(i)[0], &call);
        let probs = draws.iter().flat_map(|&draw| (0..inputs.rows()).map(move |i| (draw, i)));
        Ok(probs.map(|(draw, i)| row(draw, i)).flat_map(|p| [1.0 - p, p]).collect())
    }
}

fn scores_at(
    taus: &[u32],
    canonical: impl Fn(u64) -> u64,
    prob: impl Fn(u64, f32, &Call) -> f32,
) -> Result<ProblemScores, String> {
    let environment = EnvironmentSpec {
        input_dim: 2,
        num_classes: 2,
        temperature: 0.1,
        hidden: vec![8],
        initialization: Initialization::Testbed,
    };
    let problem = Problem {
        name: "test/audit".to_owned(),
        source: Source::Synthetic { environment, train_size: 0, test_inputs: TestInputs::Independent },
        coordinates: Coordinates::default(),
    };
    let evaluation = Evaluation { taus: taus.to_vec(), samples: 5, draws: 20, ..Evaluation::testbed() };
    let mut agent = Agent { canonical, prob, calls: 0 };
    let scores = evaluate(&mut agent, &problem, &problem.instance(0.into()), &evaluation, 0.into(), &mut |_| ());
    scores.map_err(|error| error.to_string())
}

fn scores(canonical: impl Fn(u64) -> u64, prob: impl Fn(u64, f32, &Call) -> f32) -> Result<ProblemScores, String> {
    scores_at(&[1, 12], canonical, prob)
}

fn honest(draw: u64, x: f32) -> f32 {
    0.5 + 0.4 * (x + draw as f32).sin()
}

fn member(draw: u64) -> u64 {
    draw % FUNCTIONS
}

#[test]
fn an_honest_ensemble_with_canonical_draws_passes() {
    assert!(scores(member, |draw, x, _| honest(member(draw), x)).is_ok());
    assert!(scores(|draw| draw, |draw, x, _| honest(draw, x)).is_ok());
}

#[test]
fn an_agent_that_looks_at_other_rows_is_caught() {
    let error = scores(|draw| draw, |draw, x, call| honest(draw, x + call.inputs.numbers().row(0)[0])).unwrap_err();
    assert!(error.contains(" of tau 1 gives 0.") && error.contains(" when asked again"), "{error}");
    assert!(error.starts_with("draw ") && error.contains(" at row "), "{error}");
}

#[test]
fn an_agent_that_looks_at_the_number_of_rows_is_caught() {
    assert!(scores(|draw| draw, |draw, x, call| honest(draw, x) / call.inputs.rows() as f32).is_err());
}

#[test]
fn an_agent_that_looks_at_other_draws_is_caught() {
    assert!(scores(member, |draw, x, call| honest(member(draw + call.draws[0]), x)).is_err());
}

#[test]
fn an_agent_that_answers_a_lonely_draw_in_another_way_is_caught() {
    let prob = |draw, x, call: &Call| if call.draws.len() == 1 { 0.5 } else { honest(draw, x) };
    let error = scores(|draw| draw, prob).unwrap_err();
    assert!(error.ends_with("and 0.5 when asked alone"), "{error}");
}

#[test]
fn a_forgetful_agent_is_caught() {
    assert!(scores(|draw| draw, |draw, x, call| honest(draw, x) / call.number as f32).is_err());
}

#[test]
fn canonical_draws_that_stand_for_other_functions_are_caught() {
    let error = scores(member, |draw, x, _| honest(draw, x)).unwrap_err();
    assert!(error.contains(", for which "), "{error}");
}

#[test]
fn one_canonical_draw_that_lies_is_caught() {
    let lie = |draw| if draw == 13 { 0 } else { draw };
    let error = scores(lie, |draw, x, _| honest(draw, x)).unwrap_err();
    assert!(error.starts_with("draw 13, for which 0 stands, at row "), "{error}");
}

#[test]
fn every_tau_is_audited() {
    let prob = |draw, x, call: &Call| if call.inputs.rows() == 60 { 0.5 } else { honest(draw, x) };
    assert!(scores_at(&[1], |draw| draw, prob).is_ok());
    let error = scores_at(&[1, 12], |draw| draw, prob).unwrap_err();
    assert!(error.contains("of tau 12 gives 0.5 among others"), "{error}");
}

#[test]
fn what_is_picked_is_distinct_and_spread() {
    for index in 0..50 {
        let mut source = stream(0, "test", "pick", index);
        let mut picked = pick(&mut source, &[1, 2, 3, 4, 5], 3, &[4]);
        assert!(picked.len() == 3 && !picked.contains(&4), "{picked:?}");
        picked.sort_unstable();
        picked.dedup();
        assert_eq!(picked.len(), 3);
        assert_eq!(pick(&mut source, &[7, 8], 4, &[8]), [7]);
        assert!(pick(&mut source, &[], 4, &[1]).is_empty());
    }
}
