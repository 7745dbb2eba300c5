use jointly_kernels::product::dot;
use jointly_sdk::Rng;
use jointly_testkit::{assert_draws_have_the_moments, assert_functions_stand_alone, assert_invalid, setting};

use super::*;

/// Creates a sine wave on a slope, with noise of standard deviation .1.
fn data(examples: usize, dim: usize) -> Targets {
    let mut rng = Rng::new(1, 0);
    let inputs: Vec<f32> = (0..dim * examples).map(|_| rng.normal()).collect();
    let target = |row: &[f32]| 0.7 * (3.0 * row[0]).sin() + 0.7 * row[dim - 1];
    let targets = inputs.chunks(dim).map(|row| target(row) + 0.1 * rng.normal()).collect();
    Targets { inputs: Matrix::new(examples, dim, inputs).unwrap(), targets }
}

fn train(data: &Targets, settings: &[Setting]) -> Result<NeuralKernelProcess, Failure> {
    let task = RegressionTask { input_dim: data.inputs.cols(), noise_std: None };
    NeuralKernelProcess::train(&task, data, None, settings, 0)
}

#[test]
fn gradients_are_those_of_differences() {
    const STEP: f64 = 1e-5;
    const DIFFERENCES: f64 = 1e-7;
    let rows = Rows::of(&data(4, 3).inputs);
    let mut kernel = NeuralKernel::new(&rows, 3, 0);
    let parameters = kernel.parameters();
    assert_eq!(parameters.len(), kernel.bounds().len());
    for (a, b) in [(0, 0), (0, 1), (2, 3)].map(|(i, j)| (rows.row(i), rows.row(j))) {
        let mut gradient = vec![1.0; parameters.len()];
        kernel.add_gradient(a, b, 2.0, &mut gradient);
        for (i, found) in gradient.iter().enumerate() {
            let mut at = |step: f64| {
                let mut moved = parameters.clone();
                moved[i] += step;
                kernel.set_parameters(&moved);
                kernel.value(a, b)
            };
            let expected = 1.0 + (at(STEP) - at(-STEP)) / STEP;
            assert!((found - expected).abs() < DIFFERENCES * (1.0 + expected.abs()), "{i}: {found} {expected}");
        }
        kernel.set_parameters(&parameters);
        let mut gradient = vec![1.0; 3];
        kernel.add_input_gradient_at(0.0, a, b, 2.0, &mut gradient);
        for (i, found) in gradient.iter().enumerate().filter(|_| a != b) {
            let at = |step: f64| {
                let mut moved = a.to_vec();
                moved[i] += step;
                kernel.value(&moved, b)
            };
            let expected = 1.0 + (at(STEP) - at(-STEP)) / STEP;
            assert!((found - expected).abs() < DIFFERENCES * (1.0 + expected.abs()), "{i}: {found} {expected}");
        }
    }
}

#[test]
fn the_kernel_of_ones_by_hand() {
    // Far apart and orthogonal, all primitives vanish and only biases remain.
    let rows = Rows::from_fn(2, 2, |i, j| if i == j { 1e6 } else { 0.0 });
    let mut kernel = NeuralKernel::new(&Rows::from_fn(3, 2, |i, j| (i * j) as f64), 0, 0);
    let mut parameters = kernel.parameters();
    let network = parameters.len() - network::PARAMETERS;
    parameters[network..].fill(0.0);
    kernel.set_parameters(&parameters);
    // Rational quadratic kernels with alpha .1 decrease slowly: to about (1e12)^-.1.
    let slow: f64 = kernel.primitives().map(|primitive| primitive.value(rows.row(0), rows.row(1))).iter().sum();
    let second = (1.0 + slow).powi(2);
    let expected = 2.0 * (4.0 * second + 1.0).powi(2) + 1.0;
    assert!((kernel.value(rows.row(0), rows.row(1)) - expected).abs() < 1e-9 * expected);
}

#[test]
fn the_mean_of_the_features_products_is_the_kernel() {
    const TIMES: u64 = 300;
    let rows = Rows::of(&data(4, 2).inputs);
    let kernel = NeuralKernel::new(&rows, 1, 0);
    let mut sums = [(0.0, 0.0); 16];
    for time in 0..TIMES {
        let features = kernel.features(100, &mut Rng::new(5, time));
        let mut values = Rows::zeros(4, features.len());
        (0..4).for_each(|i| features.at(rows.row(i), values.row_mut(i)));
        for (at, (sum, squares)) in sums.iter_mut().enumerate() {
            let product = dot(values.row(at / 4), values.row(at % 4));
            *sum += product;
            *squares += product * product;
        }
    }
    for (at, (sum, squares)) in sums.into_iter().enumerate() {
        let mean = sum / TIMES as f64;
        let error = ((squares / TIMES as f64 - mean * mean) / TIMES as f64).sqrt();
        let expected = kernel.value(rows.row(at / 4), rows.row(at % 4));
        assert!((mean - expected).abs() < 5.0 * error, "{at}: {mean} {expected} {error}");
        assert!(error < 0.2 * kernel.value(rows.row(at / 4), rows.row(at / 4)));
    }
}

#[test]
fn a_wave_on_a_slope_is_learnt_with_its_noise() {
    let agent = train(&data(150, 2), &[]).unwrap();
    let test = data(400, 2);
    let moments = agent.gaussian(&test.inputs).unwrap().unwrap();
    let errors = moments.mean.iter().zip(&test.targets).skip(150).map(|(m, y)| (m - f64::from(*y)).powi(2));
    let error = (errors.sum::<f64>() / 250.0).sqrt();
    assert!(error < 0.2, "{error}");
    let noise = agent.posterior.noise_variance().sqrt();
    assert!((0.04..0.2).contains(&noise), "{noise}");
}

#[test]
fn draws_are_the_functions_of_the_moments() {
    let agent = train(&data(40, 2), &[setting("steps", "30")]).unwrap();
    let inputs = data(6, 2).inputs;
    assert_draws_have_the_moments(&agent, &inputs, 0.1);
    assert_functions_stand_alone(&agent, &inputs, &[77, 3]);
}

#[test]
fn degenerate_examples_have_answers() {
    let same = Targets { inputs: Matrix::new(4, 1, vec![0.5; 4]).unwrap(), targets: vec![1.0, -1.0, 1.0, -1.0] };
    let zero = Targets { inputs: Matrix::new(4, 1, vec![0.0; 4]).unwrap(), ..same.clone() };
    let constant = Targets { targets: vec![0.0; 20], ..data(20, 3) };
    for data in [data(0, 2), data(1, 2), same, zero, constant] {
        let agent = train(&data, &[]).unwrap();
        let inputs = Matrix::new(2, data.inputs.cols(), vec![0.5; 2 * data.inputs.cols()]).unwrap();
        let moments = agent.gaussian(&inputs).unwrap().unwrap();
        assert!(moments.mean.iter().chain(&moments.covariance).all(|value| value.is_finite()));
        let samples = agent.sample_functions(&inputs, &[0, 1]).unwrap();
        assert!(samples.means.iter().all(|value| value.is_finite()) && samples.means[0] == samples.means[1]);
    }
}

#[test]
fn settings_are_held_to_their_bounds() {
    assert!(matches!(train(&data(9, 2), &[setting("max-rows", "8")]), Err(Failure::Unsupported(_))));
    for (name, value) in [("max-rows", "100000"), ("features", "99999999"), ("starts", "101"), ("steps", "0")] {
        assert_invalid(train(&data(3, 1), &[setting(name, value)]), name);
    }
}
