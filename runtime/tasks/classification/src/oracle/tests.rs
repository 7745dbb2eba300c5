//! Tests that the oracle samples the posterior: the truth ranks like a draw of it, and importance sampling agrees.

use jointly_core::classifier::Model;
use jointly_core::estimate::joint_log_likelihood;
use jointly_core::stream::Stream;

use super::*;
use crate::environment::{Environment, Initialization};

/// Functions kept of each posterior in the calibration.
const DRAWS: usize = 31;
const BINS: usize = 8;
/// The 99.9 % point of chi-square with 7 degrees of freedom.
const CHI_SQUARE: f64 = 24.3;
/// Probabilities of class 0 in three draws at two inputs.
const GOLDEN: [f32; 6] = [0.957_100_6, 0.092_028_36, 0.998_990_65, 0.868_672_9, 0.990_040_54, 0.853_952_05];
/// Five standard errors of importance sampling and of the chains, combined.
const PREDICTIVE: f64 = 0.06;

fn spec(temperature: f64) -> EnvironmentSpec {
    EnvironmentSpec {
        input_dim: 2,
        num_classes: 2,
        temperature,
        hidden: vec![20, 20],
        initialization: Initialization::Testbed,
    }
}

fn inputs(rows: usize, source: &mut Stream) -> Matrix {
    Matrix::from_rows(2, (0..rows * 2).map(|_| source.normal() as f32).collect())
}

/// Samples an environment, and data from it.
fn world(spec: &EnvironmentSpec, rows: usize, source: &mut Stream) -> (Environment, Dataset) {
    let environment = Environment::sample(spec, source);
    let inputs = inputs(rows, source);
    let labels = environment.class_probs(&inputs).chunks_exact(2).map(|row| source.categorical(row)).collect();
    (environment, Dataset::new(&Task::new(2, 2), inputs, labels).unwrap())
}

fn settings(given: &[(&str, &str)]) -> Settings {
    Settings::with(given.iter().copied()).unwrap()
}

/// The chi-square statistics of the ranks of the truth among posterior draws, for the training labels' log-likelihood
/// and for the probability at an input, when the oracle assumes the temperature `belief`.
fn calibration(temperature: f64, belief: f64) -> [f64; 2] {
    const WORLDS: u64 = 160;
    let settings = settings(&[("chains", "2"), ("samples", "32"), ("warmup", "60"), ("thin", "3")]);
    let mut counts = [[0.0; BINS]; 2];
    for world_index in 0..WORLDS {
        let mut source = stream(0, "test", "calibration", world_index);
        let (truth, data) = world(&spec(temperature), 8, &mut source);
        let probe = inputs(1, &mut source);
        let mut posterior = Oracle::new(spec(belief), settings.clone()).sample(&data, world_index, &mut |_| ());
        // The last draw would make 33 ranks, which do not divide evenly into bins.
        let draws: Vec<u64> = (0..DRAWS as u64).collect();
        let Ok(at_data) = posterior.sample_probs(data.inputs(), &draws);
        let Ok(at_probe) = posterior.sample_probs(&probe.clone().into(), &draws);
        let log_likelihood = |probs: &[f32]| joint_log_likelihood(probs, data.labels(), 2);
        let below = [
            rank(log_likelihood(&truth.class_probs(data.inputs().numbers())), at_data.chunks(16).map(log_likelihood)),
            rank(f64::from(truth.class_probs(&probe)[0]), at_probe.chunks(2).map(|probs| f64::from(probs[0]))),
        ];
        for (counts, below) in counts.iter_mut().zip(below) {
            counts[below * BINS / (DRAWS + 1)] += 1.0;
        }
    }
    let expected = WORLDS as f64 / BINS as f64;
    counts.map(|counts| counts.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum())
}

fn rank(truth: f64, draws: impl Iterator<Item = f64>) -> usize {
    draws.filter(|draw| *draw < truth).count()
}

#[test]
fn the_truth_is_as_good_as_a_draw_of_the_posterior() {
    let found = calibration(0.1, 0.1);
    assert!(found.iter().all(|chi_square| *chi_square < CHI_SQUARE), "{found:?}");
}

#[test]
fn a_belief_in_another_law_is_told_from_the_posterior() {
    let found = calibration(0.1, 0.5);
    assert!(found[0] > CHI_SQUARE, "{found:?}");
}

#[test]
fn importance_sampling_agrees() {
    const PRIOR_DRAWS: u64 = 20_000;
    let spec = spec(0.1);
    for rows in [0, 1, 3] {
        let mut source = stream(0, "test", "importance", rows);
        let (_, data) = world(&spec, rows as usize, &mut source);
        let probes = inputs(6, &mut source);
        // E[p_0 p_t] over environments, also for t = 0: a joint prediction.
        let (mut weights, mut expected) = (0.0, vec![0.0; 6]);
        let products = |probs: &[f32]| -> Vec<f64> {
            probs.chunks(2).map(|row| f64::from(row[0]) * f64::from(probs[0])).collect()
        };
        for i in 0..PRIOR_DRAWS {
            let environment = Environment::sample(&spec, &mut stream(1, "test", "importance", i));
            let weight =
                libm::exp(joint_log_likelihood(&environment.class_probs(data.inputs().numbers()), data.labels(), 2));
            weights += weight;
            for (sum, product) in expected.iter_mut().zip(products(&environment.class_probs(&probes))) {
                *sum += weight * product;
            }
        }
        let mut posterior = Oracle::new(spec.clone(), Settings::default()).sample(&data, 0, &mut |_| ());
        let Ok(probs) = posterior.sample_probs(&probes.clone().into(), &(0..1000).collect::<Vec<_>>());
        let mut found = [0.0; 6];
        for probs in probs.chunks(12) {
            for (sum, product) in found.iter_mut().zip(products(probs)) {
                *sum += product / 1000.0;
            }
        }
        for (expected, found) in expected.iter().zip(found) {
            let expected = expected / weights;
            assert!((expected - found).abs() < PREDICTIVE, "T = {rows}: {found}, not {expected}");
        }
    }
}

#[test]
fn a_sample_is_a_function_of_data_seed_and_settings() {
    let (_, data) = world(&spec(0.1), 5, &mut stream(0, "test", "again", 0));
    let probes = inputs(3, &mut stream(0, "test", "again", 1)).into();
    let sample = |seed, replicate: &str| {
        let settings = settings(&[("chains", "2"), ("samples", "8"), ("warmup", "4"), ("replicate", replicate)]);
        let mut posterior = Oracle::new(spec(0.1), settings).sample(&data, seed, &mut |_| ());
        let Ok(probs) = posterior.sample_probs(&probes, &[0, 5, 8]);
        probs
    };
    let first = sample(0, "0");
    assert_eq!(first, sample(0, "0"));
    assert_ne!(first, sample(1, "0"));
    assert_ne!(first, sample(0, "1"));
    assert_eq!(first[..6], first[12..], "draw 8 of 8 functions is the first again");
}

#[test]
fn draws_are_those_of_this_version() {
    // Two chains with this few draws rarely agree, so all rounds run.
    let settings = settings(&[("chains", "2"), ("samples", "8"), ("warmup", "20"), ("steps", "8")]);
    let (_, data) = world(&spec(0.1), 20, &mut stream(0, "test", "golden", 0));
    let probes = inputs(2, &mut stream(0, "test", "golden", 1)).into();
    let mut posterior = Oracle::new(spec(0.1), settings).sample(&data, 0, &mut |_| ());
    assert_eq!(posterior.diagnosis().rounds, 3);
    let Ok(probs) = posterior.sample_probs(&probes, &[0, 3, 7]);
    let first: Vec<f32> = probs.chunks(2).map(|row| row[0]).collect();
    assert_eq!(
        (VERSION, first.as_slice()),
        (2, GOLDEN.as_slice()),
        "the draws have changed: raise VERSION, so that results of the old ones are told from the new, and only then take \
         over these numbers"
    );
}

#[test]
fn chains_go_on_until_they_agree_or_may_not() {
    let sample = |temperature, rounds: &str, steps: &str| {
        let (_, data) = world(&spec(temperature), 30, &mut stream(0, "test", "rounds", 0));
        let given = [("chains", "4"), ("samples", "200"), ("warmup", "60"), ("rounds", rounds), ("steps", steps)];
        let mut told = Vec::new();
        let posterior =
            Oracle::new(spec(temperature), settings(&given)).sample(&data, 0, &mut |fraction| told.push(fraction));
        assert!(told.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
        assert_eq!(told.last(), Some(&1.0));
        posterior.diagnosis().clone()
    };
    // Trajectories of this few steps hardly move.
    let one = sample(0.01, "1", "2");
    assert!(one.rounds == 1 && !one.converged(), "{one}");
    assert!(one.to_string().contains("after 1 round, not converged"), "{one}");
    let many = sample(0.01, "10", "2");
    assert!(many.converged() && many.rounds > 1 && many.rounds < 10, "{many}");
    // Chains that agree after one round do not use further rounds.
    let (few, more) = (sample(0.5, "1", "64"), sample(0.5, "10", "64"));
    assert!(few.converged(), "{few}");
    assert_eq!(few.to_string(), more.to_string());
}

#[test]
#[should_panic(expected = "the data's inputs have the environments' dimension")]
fn data_of_another_dimension_is_refused() {
    let data = Dataset::new(&Task::new(3, 2), Matrix::from_rows(3, vec![0.0; 3]), vec![0]).unwrap();
    Oracle::new(spec(0.1), Settings::default()).sample(&data, 0, &mut |_| ());
}

#[test]
#[should_panic(expected = "labels are below the environments' 2 classes")]
fn data_of_more_classes_is_refused() {
    let data = Dataset::new(&Task::new(2, 3), Matrix::from_rows(2, vec![0.0; 2]), vec![2]).unwrap();
    Oracle::new(spec(0.1), Settings::default()).sample(&data, 0, &mut |_| ());
}

#[test]
#[should_panic(expected = "a layer needs a unit")]
fn environments_that_there_cannot_be_are_refused() {
    let spec = EnvironmentSpec { hidden: vec![0], ..spec(0.1) };
    let data = Dataset::new(&Task::new(2, 2), Matrix::from_rows(2, vec![0.0; 2]), vec![0]).unwrap();
    Oracle::new(spec, Settings::default()).sample(&data, 0, &mut |_| ());
}

#[test]
fn draws_beyond_the_functions_kept_stand_for_those() {
    let (_, data) = world(&spec(0.1), 2, &mut stream(0, "test", "again", 0));
    // `samples` is rounded up to 4 for each chain.
    let settings = settings(&[("chains", "3"), ("samples", "12"), ("warmup", "4")]);
    let mut posterior = Oracle::new(spec(0.1), settings).sample(&data, 0, &mut |_| ());
    assert_eq!(posterior.canonical_draws(&[0, 11, 12, 25]), Ok(vec![0, 11, 0, 1]));
}
