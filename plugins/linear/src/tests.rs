use jointly_sdk::Rng;
use jointly_testkit::{assert_functions_stand_alone, assert_invalid, setting};

use super::*;

fn column(inputs: Vec<f32>) -> Matrix {
    Matrix::new(inputs.len(), 1, inputs).unwrap()
}

fn train(data: &Targets, settings: &[Setting], seed: u64) -> Result<Linear, Failure> {
    let task = RegressionTask { input_dim: data.inputs.cols(), noise_std: None };
    Linear::train(&task, data, None, settings, seed)
}

fn classical(intercept: &str) -> [Setting; 2] {
    [setting("method", "classical"), setting("intercept", intercept)]
}

/// Creates the paper's data: 25 points, uniform between -2 and 2, y = x plus noise with standard deviation .1.
fn paper(seed: u64) -> Targets {
    let mut rng = Rng::new(seed, 0);
    let inputs: Vec<f32> = (0..25).map(|_| 4.0 * rng.uniform() - 2.0).collect();
    let targets = inputs.iter().map(|x| x + 0.1 * rng.normal()).collect();
    Targets { inputs: column(inputs), targets }
}

#[test]
fn classical_intervals_have_their_coverage() {
    // Sluijterman et al., section 3.2: exact 80 % intervals of 500 lines.
    const REPETITIONS: u64 = 500;
    let places = [-1.9f32, -0.5, 0.3, 1.4];
    for intercept in ["yes", "no"] {
        let (mut confident, mut predicted, mut shares) = ([0.0; 4], 0.0, Vec::new());
        for seed in 0..REPETITIONS {
            let agent = train(&paper(seed), &classical(intercept), 0).unwrap();
            let intervals = agent.intervals(&column(places.to_vec()), 0.8).unwrap().unwrap();
            let confidence = intervals.confidence.unwrap();
            for (i, x) in places.iter().enumerate() {
                let x = f64::from(*x);
                confident[i] += f64::from(u8::from(confidence.lower[i] <= x && x <= confidence.upper[i]));
            }
            let mut rng = Rng::new(seed, 1);
            let test: Vec<f32> = (0..500).map(|_| 4.0 * rng.uniform() - 2.0).collect();
            let prediction = agent.intervals(&column(test.clone()), 0.8).unwrap().unwrap().prediction;
            let mut inside = 0.0;
            for (i, x) in test.iter().enumerate() {
                let y = f64::from(x + 0.1 * rng.normal());
                inside += f64::from(u8::from(prediction.lower[i] <= y && y <= prediction.upper[i])) / 500.0;
            }
            predicted += inside / REPETITIONS as f64;
            shares.push(inside);
        }
        // The share covered in one set has a standard deviation of about .06.
        assert!((predicted - 0.8).abs() < 5.0 * 0.06 / (REPETITIONS as f64).sqrt(), "{intercept}: {predicted}");
        assert!(shares.iter().all(|share| (0.5..0.97).contains(share)));
        // The interval of a line through the origin covers everywhere or nowhere.
        for count in confident {
            let share: f64 = count / REPETITIONS as f64;
            assert!((share - 0.8).abs() < 4.0 * (0.16 / REPETITIONS as f64).sqrt(), "{intercept}: {confident:?}");
        }
        if intercept == "no" {
            assert!(confident.iter().all(|count| *count == confident[0]), "{confident:?}");
        }
    }
}

#[test]
fn three_points_by_hand() {
    let data = Targets { inputs: column(vec![-1.0, 0.0, 1.0]), targets: vec![0.0, 3.0, 3.0] };
    let agent = train(&data, &classical("yes"), 0).unwrap();
    assert!((agent.weights[0] - 1.5).abs() < 1e-12 && (agent.weights[1] - 2.0).abs() < 1e-12);
    // Residuals -.5, 1, -.5 with one degree of freedom.
    let Noise::Estimate { variance, degrees } = agent.noise else { panic!("an estimate") };
    assert!((variance - 1.5).abs() < 1e-12 && degrees == 1.0);
    // At x = 1 the leverage is 1 / 3 + 1 / 2, and t of one degree at .75 is 1.
    let intervals = agent.intervals(&column(vec![1.0]), 0.5).unwrap().unwrap();
    let half = (1.5f64 * 5.0 / 6.0).sqrt();
    assert!((intervals.confidence.unwrap().upper[0] - (3.5 + half)).abs() < 1e-9);
    assert!((intervals.prediction.lower[0] - (3.5 - (1.5f64 * 11.0 / 6.0).sqrt())).abs() < 1e-9);
    // Student's distribution with one degree of freedom has no variance.
    assert_eq!(agent.gaussian(&data.inputs).unwrap(), None);
}

#[test]
fn draws_have_the_moments_and_the_intervals() {
    const DRAWS: u64 = 20_000;
    for settings in [&classical("yes")[..], &[setting("method", "bayesian")]] {
        let agent = train(&paper(3), settings, 4).unwrap();
        let inputs = column(vec![-1.0, 0.5, 2.0]);
        let draws: Vec<u64> = (0..DRAWS).collect();
        let samples = agent.sample_functions(&inputs, &draws).unwrap();
        let moments = agent.gaussian(&inputs).unwrap().unwrap();
        let n = DRAWS as f64;
        let value = |m: usize, t: usize| f64::from(samples.means[m * 3 + t]) - moments.mean[t];
        for i in 0..3 {
            for j in 0..=i {
                let found = (0..draws.len()).map(|m| value(m, i) * value(m, j)).sum::<f64>() / n;
                let (expected, a, b) =
                    (moments.covariance[i * 3 + j], moments.covariance[i * 4], moments.covariance[j * 4]);
                // The heavier tails of Student's distribution need a somewhat wider tolerance.
                assert!(
                    (found - expected).abs() < 7.0 * ((a * b + expected * expected) / n).sqrt(),
                    "{found} {expected}"
                );
            }
        }
        if let Some(intervals) = agent.intervals(&inputs, 0.8).unwrap() {
            let (upper, mut rng) = (intervals.prediction.upper[2], Rng::new(9, 9));
            let new = |m: usize| f64::from(samples.means[m * 3 + 2] + samples.noise_stds[m * 3 + 2] * rng.normal());
            let below = (0..draws.len()).map(new).filter(|y| *y < upper).count() as f64 / n;
            assert!((below - 0.9).abs() < 5.0 * (0.09 / n).sqrt(), "{below}");
        }
    }
}

#[test]
fn the_prior_shrinks_what_is_not_there_and_noise_is_found() {
    let mut rng = Rng::new(2, 0);
    let inputs: Vec<f32> = (0..200 * 5).map(|_| rng.normal()).collect();
    let targets: Vec<f32> = inputs.chunks(5).map(|row| row[0] - row[1] + 0.3 * rng.normal()).collect();
    let data = Targets { inputs: Matrix::new(200, 5, inputs).unwrap(), targets };
    let agent = train(&data, &[], 0).unwrap();
    let expected = [1.0, -1.0, 0.0, 0.0, 0.0, 0.0];
    assert!(agent.weights.iter().zip(expected).all(|(w, e)| (w - e).abs() < 0.1), "{:?}", agent.weights);
    let Noise::Variance(variance) = agent.noise else { panic!("a variance") };
    assert!((variance.sqrt() - 0.3).abs() < 0.05);
}

#[test]
fn a_draw_is_one_function_in_any_company() {
    let agent = train(&paper(1), &[], 4).unwrap();
    let inputs = paper(2).inputs;
    let together = agent.sample_functions(&inputs, &[8, 2, 8]).unwrap().means;
    assert_eq!(together[..25], together[50..]);
    assert_ne!(together[..25], together[25..50]);
    assert_functions_stand_alone(&agent, &inputs, &[8, 2, 8]);
}

#[test]
fn what_has_no_answer_says_so() {
    let reason = |data: &Targets, settings: &[Setting]| match train(data, settings, 0) {
        Err(Failure::Unsupported(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let few = Targets { inputs: column(vec![1.0, 2.0]), targets: vec![1.0, 2.0] };
    assert!(reason(&few, &classical("yes")).contains("2 examples and 2 weights"));
    let twice = [1.0, 1.0, 2.0, 2.0, -1.0, -1.0, 0.5, 0.5].to_vec();
    let twice = Targets { inputs: Matrix::new(4, 2, twice).unwrap(), targets: vec![1.0, 2.0, -1.0, 0.0] };
    assert!(reason(&twice, &classical("no")).contains("feature 1 is a combination"));
    let ones = Targets { inputs: column(vec![1.0; 4]), targets: vec![1.0, 2.0, 3.0, 4.0] };
    assert!(reason(&ones, &classical("yes")).contains("the intercept is a combination"));
    // A feature that is zero in all examples, as the host makes constant ones, is left out; with a prior any data can
    // be fitted.
    let zero = [1.0, 0.0, 2.0, 0.0, -1.0, 0.0, 0.5, 0.0].to_vec();
    let zero = Targets { inputs: Matrix::new(4, 2, zero).unwrap(), ..twice.clone() };
    assert!(train(&zero, &classical("yes"), 0).is_ok());
    let none = Targets { inputs: Matrix::new(0, 2, vec![]).unwrap(), targets: vec![] };
    let one = Targets { inputs: Matrix::new(1, 2, vec![1.0; 2]).unwrap(), targets: vec![1.0] };
    let constant = Targets { targets: vec![0.0; 25], ..paper(1) };
    for data in [few, twice, ones, zero, none, one, constant] {
        let agent = train(&data, &[], 0).unwrap();
        let moments = agent.gaussian(&data.inputs).unwrap().unwrap();
        assert!(moments.mean.iter().chain(&moments.covariance).all(|value| value.is_finite()));
    }
}

#[test]
fn settings_are_held_to_their_bounds() {
    let wide = Targets { inputs: Matrix::new(1, 3, vec![0.0; 3]).unwrap(), targets: vec![0.0] };
    assert!(matches!(train(&wide, &[setting("max-features", "2")], 0), Err(Failure::Unsupported(_))));
    assert_invalid(train(&wide, &[setting("max-features", "99999")], 0), "max-features=99999");
    assert_invalid(train(&wide, &[setting("method", "none")], 0), "method=none");
}
