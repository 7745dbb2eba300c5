//! Checks that the error over draws that a score claims equals its spread over many independent sets of draws.

use jointly_core::estimate::{DrawError, JointEstimate, MonteCarlo, Partition, Planes, joint_log_likelihood};
use jointly_core::{JointScore, Stream, stream};

/// The numbers of tau-samples and draws of each score, and of independent scores of the same labels.
const SAMPLES: usize = 20;
const DRAWS: usize = 200;
const SCORES: u64 = 400;
/// Tolerance of four standard errors of a standard deviation over the scores, plus the error of the delta method.
const RELATIVE: f64 = 0.2;
/// The numbers of draws and of independent sets for a case that is so small that its bias is visible.
const FEW: u64 = 50;
const SETS: u32 = 40_000;

/// Samples a coin whose probability of tails is uniform, with a small independent change at each input.
fn function(tau: usize, source: &mut Stream) -> Vec<f32> {
    let coin = 0.1 + 0.8 * source.uniform();
    let toss = |_| {
        let p = (coin + 0.1 * (source.uniform() - 0.5)) as f32;
        [1.0 - p, p]
    };
    (0..tau).flat_map(toss).collect()
}

fn labels(tau: usize, n: usize) -> Vec<u32> {
    let mut source = stream(1, "test", "labels", n as u64);
    let coin = source.uniform();
    (0..tau).map(|_| u32::from(source.uniform() < coin)).collect()
}

/// An estimator at tau-sample n, for labels under functions.
type Estimate = fn(usize, &[u32], &[Vec<f32>]) -> JointEstimate;

/// Returns the negative log-likelihood estimated from fresh draws.
fn score(tau: usize, set: u64, estimate: Estimate) -> JointScore {
    let mut source = stream(2, "test", "draws", set);
    let mut errors = DrawError::default();
    let functions: Vec<Vec<f32>> = (0..DRAWS).map(|_| function(tau * SAMPLES, &mut source)).collect();
    let mut losses = Vec::new();
    for n in 0..SAMPLES {
        // Draws name the same functions at every tau-sample, each with different rows there.
        let rows = 2 * tau * n..2 * tau * (n + 1);
        let here: Vec<Vec<f32>> = functions.iter().map(|function| function[rows.clone()].to_vec()).collect();
        let estimate = estimate(n, &labels(tau, n), &here);
        errors.add(&estimate, &[1; DRAWS], true);
        losses.push(-estimate.log_likelihood);
    }
    JointScore::of(&losses, &errors)
}

fn monte_carlo(_: usize, labels: &[u32], functions: &[Vec<f32>]) -> JointEstimate {
    let mut estimate = MonteCarlo::new();
    for function in functions {
        estimate.add(joint_log_likelihood(function, labels, 2), 1);
    }
    estimate.finish()
}

fn partition(n: usize, labels: &[u32], functions: &[Vec<f32>]) -> JointEstimate {
    let planes = Planes::sample(0.into(), "draw-error", labels.len() as u32, n as u32, 2, 3);
    let mut estimate = Partition::new(planes, labels, 2, true);
    for function in functions {
        estimate.add(function, 1);
    }
    estimate.finish()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / SCORES as f64
}

fn scores(tau: usize, estimate: Estimate) -> Vec<JointScore> {
    (0..SCORES).map(|set| score(tau, set, estimate)).collect()
}

/// Checks that the claimed error is that of a mean over the same tau-samples, excluding their own spread.
fn claims_its_spread(scores: &[JointScore]) {
    let centre = mean(scores.iter().map(|score| score.mean));
    let spread = mean(scores.iter().map(|score| (score.mean - centre).powi(2))).sqrt();
    let claimed = mean(scores.iter().map(|score| score.draw_error.powi(2))).sqrt();
    assert!((claimed / spread - 1.0).abs() < RELATIVE, "claimed {claimed}, found {spread}");
}

#[test]
fn of_monte_carlo() {
    claims_its_spread(&scores(8, monte_carlo));
}

#[test]
fn of_the_partition() {
    claims_its_spread(&scores(30, partition));
}

/// One third of the functions give the labels probability 0.9 and the others 0.1: the likelihood is 11/30.
#[test]
fn the_effective_number_tells_the_bias() {
    let mut source = stream(2, "test", "two-functions", 0);
    let [mut bias, mut told] = [0.0; 2];
    for _ in 0..SETS {
        let likely = (0..FEW).filter(|_| source.uniform() < 1.0 / 3.0).count() as u64;
        let counts = [likely, FEW - likely];
        let mut estimate = MonteCarlo::new();
        estimate.add(0.9_f64.ln(), counts[0]);
        estimate.add(0.1_f64.ln(), counts[1]);
        let estimate = estimate.finish();
        let mut errors = DrawError::default();
        errors.add(&estimate, &counts, true);
        bias += (11.0_f64 / 30.0).ln() - estimate.log_likelihood;
        told += 0.5 * (1.0 / errors.effective_draws() - 1.0 / FEW as f64);
    }
    assert!((bias / told - 1.0).abs() < RELATIVE, "bias {bias}, told {told}");
}
