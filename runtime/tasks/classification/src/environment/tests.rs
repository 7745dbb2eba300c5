//! Tests that sampled environments have the testbed's distribution.

use jointly_core::stream::stream;

use super::*;

const ENVIRONMENTS: u64 = 200;
/// Four standard errors of a relative variance estimated from 10,000 weights or more.
const RELATIVE_VARIANCE: f64 = 0.06;
/// Four standard errors of a class frequency over the environments.
const FREQUENCY: f64 = 0.08;
/// Rounding of single precision through three layers, in logits divided by the temperature.
const ROUNDING: f64 = 1e-5;

fn spec(initialization: Initialization) -> EnvironmentSpec {
    EnvironmentSpec { input_dim: 2, num_classes: 2, temperature: 0.1, hidden: vec![50, 50], initialization }
}

fn environments(initialization: Initialization) -> Vec<Environment> {
    let sample = |i| Environment::sample(&spec(initialization), &mut stream(0, "test", "environment", i));
    (0..ENVIRONMENTS).map(sample).collect()
}

fn inputs(rows: usize) -> Matrix {
    let mut source = stream(0, "test", "inputs", 0);
    Matrix::new(rows, 2, (0..rows * 2).map(|_| source.normal() as f32).collect()).unwrap()
}

fn variance<'a>(values: impl Iterator<Item = &'a f32> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    values.map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / count
}

#[test]
fn testbed_weights_are_truncated_normals_over_the_root_of_the_fan_in() {
    let environments = environments(Initialization::Testbed);
    for (layer, fan_in) in [2.0_f64, 50.0, 50.0].into_iter().enumerate() {
        let weights = environments.iter().flat_map(|environment| &environment.layers[layer].weights);
        let bound = (2.0 / fan_in.sqrt()) as f32;
        assert!(weights.clone().all(|weight| weight.abs() <= bound));
        let relative = variance(weights) * fan_in / 0.773_741;
        assert!((relative - 1.0).abs() < RELATIVE_VARIANCE, "layer {layer}: {relative}");
    }
}

#[test]
fn glorot_weights_have_the_variance_of_glorot() {
    let environments = environments(Initialization::Glorot);
    for (layer, fans) in [52.0, 100.0, 52.0].into_iter().enumerate() {
        let weights = environments.iter().flat_map(|environment| &environment.layers[layer].weights);
        let relative = variance(weights) * fans / 2.0;
        assert!((relative - 1.0).abs() < RELATIVE_VARIANCE, "layer {layer}: {relative}");
    }
}

#[test]
fn biases_of_the_first_layer_are_normal_and_the_others_zero() {
    let environments = environments(Initialization::Testbed);
    let first = environments.iter().flat_map(|environment| &environment.layers[0].biases);
    assert!((variance(first) / 0.5 - 1.0).abs() < RELATIVE_VARIANCE);
    let others = environments.iter().flat_map(|environment| &environment.layers[1..]);
    assert!(others.flat_map(|layer| &layer.biases).all(|&bias| bias == 0.0));
}

#[test]
fn classes_are_balanced_over_environments() {
    let inputs = inputs(100);
    let environments = environments(Initialization::Testbed);
    let probs = environments.iter().flat_map(|environment| environment.class_probs(&inputs));
    let (count, sum) = probs.step_by(2).fold((0.0, 0.0), |(count, sum), p| (count + 1.0, sum + f64::from(p)));
    assert!((sum / count - 0.5_f64).abs() < FREQUENCY, "{}", sum / count);
}

#[test]
fn a_lower_temperature_is_a_stronger_signal() {
    let inputs = inputs(200);
    let certainty = |temperature| {
        let spec = EnvironmentSpec { temperature, ..spec(Initialization::Testbed) };
        let environment = Environment::sample(&spec, &mut stream(0, "test", "environment", 0));
        environment.class_probs(&inputs).iter().map(|p| (p - 0.5).abs()).sum::<f32>()
    };
    assert!(certainty(0.01) > certainty(0.1));
    assert!(certainty(0.1) > certainty(0.5));
}

/// A straightforward reference implementation of the network.
fn plain(environment: &Environment, input: &[f32]) -> Vec<f64> {
    let mut units: Vec<f64> = input.iter().map(|&x| f64::from(x)).collect();
    for (i, layer) in environment.layers.iter().enumerate() {
        let sum = |(weights, &bias): (&[f32], &f32)| {
            let product: f64 = weights.iter().zip(&units).map(|(&w, x)| f64::from(w) * x).sum();
            let sum = product + f64::from(bias);
            if i + 1 < environment.layers.len() { sum.max(0.0) } else { sum / environment.temperature }
        };
        units = layer.weights.chunks_exact(layer.inputs).zip(&layer.biases).map(sum).collect();
    }
    let total: f64 = units.iter().map(|logit| logit.exp()).sum();
    units.iter().map(|logit| logit.exp() / total).collect()
}

#[test]
fn probabilities_are_those_of_the_network_on_paper() {
    for num_classes in [2, 5] {
        let spec = EnvironmentSpec { num_classes, hidden: vec![7, 9], ..spec(Initialization::Testbed) };
        let environment = Environment::sample(&spec, &mut stream(0, "test", "environment", 1));
        // 37 rows do not fill the last lanes.
        let inputs = inputs(37);
        let probs = environment.class_probs(&inputs);
        assert_eq!(probs.len(), 37 * num_classes as usize);
        for (row, probs) in probs.chunks_exact(num_classes as usize).enumerate() {
            for (p, expected) in probs.iter().zip(plain(&environment, inputs.row(row))) {
                assert!((f64::from(*p) - expected).abs() < ROUNDING, "row {row}: {p} and {expected}");
            }
        }
    }
}

#[test]
fn a_row_does_not_depend_on_its_neighbours() {
    let environment = Environment::sample(&spec(Initialization::Testbed), &mut stream(0, "test", "environment", 2));
    let inputs = inputs(50);
    let together = environment.class_probs(&inputs);
    for row in 0..inputs.rows() {
        let alone = environment.class_probs(&Matrix::new(1, 2, inputs.row(row).to_vec()).unwrap());
        assert_eq!(alone, together[row * 2..row * 2 + 2]);
    }
}
