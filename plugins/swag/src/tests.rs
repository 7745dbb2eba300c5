use jointly_sdk::Matrix;
use jointly_testkit::trials::{Trial, sample, trials};
use jointly_testkit::{assert_invalid, settings};

use super::*;

jointly_testkit::trials!(Swag, &[("epochs", "40"), ("batch-size", "16"), ("learning-rate", "3e-3")]);

fn trained(trial: &Trial, pairs: &[(&str, &str)]) -> Result<Swag, Failure> {
    Swag::train(&trial.task, &trial.train, None, &settings(pairs), 1)
}

/// Returns the weight and the bias of the second class of a logistic regression on one number that minimise the mean
/// cross-entropy plus `penalty` times the sum of squares of the parameters of both classes, by Newton's method. By
/// symmetry the first class has the negative numbers.
fn by_newton(points: &[(f64, f64)], penalty: f64) -> [f64; 2] {
    let [mut w, mut b] = [0.0, 0.0];
    for _ in 0..50 {
        let (mut slope, mut curvature) = ([4.0 * penalty * w, 4.0 * penalty * b], [4.0 * penalty, 0.0, 4.0 * penalty]);
        for (x, y) in points {
            let p = 1.0 / (1.0 + (-2.0 * (w * x + b)).exp());
            let (first, second) = (2.0 * (p - y) / points.len() as f64, 4.0 * p * (1.0 - p) / points.len() as f64);
            slope = [slope[0] + first * x, slope[1] + first];
            curvature = [curvature[0] + second * x * x, curvature[1] + second * x, curvature[2] + second];
        }
        let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
        w -= (curvature[2] * slope[0] - curvature[1] * slope[1]) / determinant;
        b -= (curvature[0] * slope[1] - curvature[1] * slope[0]) / determinant;
    }
    [w, b]
}

/// Returns the means of the second class's weight and bias, less those of the first class, over two.
fn half_gaps(agent: &Swag) -> [f32; 2] {
    let block = agent.fitted.network.blocks()[0];
    let mean = floats(&agent.posterior.mean);
    [0, 1].map(|i| {
        let row = &mean[block.row(i)];
        (row[1] - row[0]) / 2.0
    })
}

#[test]
fn snapshots_of_a_logistic_regression_are_around_its_optimum() {
    let points: Vec<(f64, f64)> =
        (0..40).map(|i| (f64::from(i) / 10.0 - 1.5, f64::from(u32::from(i % 10 < 3 || i > 22)))).collect();
    let inputs = Matrix::new(40, 1, points.iter().map(|(x, _)| *x as f32).collect()).unwrap();
    let data = Dataset { inputs: Inputs::from(inputs), labels: points.iter().map(|(_, y)| *y as u32).collect() };
    let pairs = [
        ("hidden", "none"),
        ("l2", "0.8"),
        ("adaptive", "no"),
        ("steps", "20"),
        ("every", "20"),
        ("snapshots", "4000"),
        ("swa-batch-size", "8"),
    ];
    let agent = Swag::train(&Task::new(1, 2), &data, None, &settings(&pairs), 3).unwrap();
    let [w, b] = by_newton(&points, 0.8 / 40.0);
    let [found_w, found_b] = half_gaps(&agent).map(f64::from);
    // The stationary distribution is off the optimum by the order of the step size.
    assert!((found_w - w).abs() < 0.02 && (found_b - b).abs() < 0.02, "{found_w} {found_b} for {w} {b}");
    // The training before the descent had hardly begun.
    let block = agent.fitted.network.blocks()[0];
    let row = &floats(&agent.fitted.network.parameters)[block.row(0)];
    assert!((f64::from(row[1] - row[0]) / 2.0 - w).abs() > 0.2, "{row:?} {w}");
}

#[test]
fn every_draw_is_a_function_of_its_own_and_scale_0_is_the_mean() {
    let [numbers, ..] = trials();
    let draws = |pairs: &[(&str, &str)]| {
        let agent = trained(&numbers, &[&[("steps", "100")], pairs].concat()).unwrap();
        assert_eq!([0, 7, 1 << 40].map(|draw| agent.canonical_draw(draw)), [0, 7, 1 << 40]);
        let probs = sample(&agent, &numbers.task, &numbers.test.inputs, &[0, 7]);
        let (one, other) = probs.split_at(probs.len() / 2);
        (one.to_vec(), other.to_vec())
    };
    for rank in ["0", "2", "20"] {
        let (one, other) = draws(&[("rank", rank)]);
        assert!(one != other);
        let (one, other) = draws(&[("rank", rank), ("scale", "0")]);
        assert!(one == other);
    }
}

#[test]
fn few_examples_leave_a_spread_although_a_batch_holds_all_of_them() {
    let task = jointly_testkit::plane(Some(0.1));
    let half_plane = jointly_testkit::half_plane(10, 1);
    let data = Dataset { inputs: Inputs::from(half_plane.inputs), labels: half_plane.labels };
    let agent = Swag::train(&task, &data, None, &settings(&[("batch-size", "10")]), 1).unwrap();
    let probs = sample(&agent, &task, &data.inputs, &[0, 1]);
    let (one, other) = probs.split_at(probs.len() / 2);
    assert!(one.iter().zip(other).any(|(one, other)| (one - other).abs() > 1e-3), "{one:?} {other:?}");
}

#[test]
fn settings_change_the_posterior_and_bad_ones_are_refused() {
    let [numbers, ..] = trials();
    let probs = |pairs: &[(&str, &str)]| {
        let agent = trained(&numbers, &[&[("steps", "80")], pairs].concat()).unwrap();
        sample(&agent, &numbers.task, &numbers.test.inputs, &[0])
    };
    let start = probs(&[]);
    assert!(probs(&[("every", "2"), ("swa-batch-size", "100")]) == start);
    for pair in [
        ("swa-learning-rate", "3e-2"),
        ("momentum", "0.5"),
        ("swa-batch-size", "20"),
        ("snapshots", "80"),
        ("every", "3"),
        ("rank", "5"),
        ("scale", "2"),
        ("l2", "3"),
    ] {
        assert!(probs(&[pair]) != start, "{pair:?}");
    }
    for pair in [
        ("swa-learning-rate", "0"),
        ("momentum", "1"),
        ("swa-batch-size", "0"),
        ("snapshots", "1"),
        ("every", "0"),
        ("rank", "1"),
        ("scale", "-1"),
    ] {
        assert_invalid(trained(&numbers, &[pair]), pair.0);
    }
}

#[test]
fn steps_that_are_too_large_are_a_failure() {
    for trial in trials() {
        let found = trained(&trial, &[("swa-learning-rate", "1e30"), ("epochs", "1")]);
        let Err(Failure::Diverged(reason)) = found else { panic!("{}: {found:?}", trial.name) };
        assert!(reason.ends_with("lower swa-learning-rate"), "{reason}");
    }
}

#[test]
fn a_resnet_is_refused_with_the_agents_that_take_it() {
    let [_, images, ..] = trials();
    let refused = trained(&images, &[("network", "resnet20")]);
    assert_invalid(refused, "resnet20 with mlp, temperature-scaling, ensemble, ll-dropout or ll-svi");
}
