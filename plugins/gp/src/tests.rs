use jointly_testkit::{assert_draws_have_the_moments, assert_invalid, setting, wave};

use super::*;

fn train(data: &Targets, settings: &[Setting]) -> Result<GaussianProcess, Failure> {
    let task = RegressionTask { input_dim: data.inputs.cols(), noise_std: None };
    GaussianProcess::train(&task, data, None, settings, 0)
}

#[test]
fn a_wave_is_learnt_with_its_noise() {
    for (kernel, ard) in [("rbf", "yes"), ("rbf", "no"), ("relu", "yes"), ("relu", "no")] {
        let agent = train(&wave(120, 2, 1), &[setting("kernel", kernel), setting("ard", ard)]).unwrap();
        let test = wave(400, 2, 1);
        let moments = agent.gaussian(&test.inputs).unwrap().unwrap();
        let errors = moments.mean.iter().zip(&test.targets).map(|(m, y)| (m - f64::from(*y)).powi(2));
        let error = (errors.sum::<f64>() / 400.0).sqrt();
        // The noise alone is .1; the kernel of rectified units fits this function less well.
        assert!(error < if kernel == "rbf" { 0.14 } else { 0.25 }, "{kernel} {ard}: {error}");
        let noise = agent.posterior.noise_variance().sqrt();
        assert!((0.05..0.2).contains(&noise), "{kernel} {ard}: {noise}");
    }
}

#[test]
fn draws_are_the_functions_of_the_moments() {
    let agent = train(&wave(40, 2, 1), &[]).unwrap();
    let inputs = wave(6, 2, 1).inputs;
    assert_draws_have_the_moments(&agent, &inputs, 0.05);
    let (samples, moments) =
        (agent.sample_functions(&inputs, &[0]).unwrap(), agent.gaussian(&inputs).unwrap().unwrap());
    for (noise, variance) in samples.noise_stds.iter().zip(&moments.noise_variance) {
        assert!((f64::from(*noise).powi(2) / variance - 1.0).abs() < 1e-6);
    }
}

#[test]
fn degenerate_examples_have_answers() {
    let same = Targets { inputs: Matrix::new(4, 1, vec![0.5; 4]).unwrap(), targets: vec![1.0, -1.0, 1.0, -1.0] };
    let constant = Targets { targets: vec![0.0; 20], ..wave(20, 3, 1) };
    let mut twice = wave(10, 2, 1);
    twice.inputs = Matrix::new(20, 2, [twice.inputs.values(), twice.inputs.values()].concat()).unwrap();
    twice.targets = [&twice.targets[..], &twice.targets[..]].concat();
    for kernel in ["rbf", "relu"] {
        for data in [wave(0, 2, 1), wave(1, 2, 1), same.clone(), constant.clone(), twice.clone()] {
            let agent = train(&data, &[setting("kernel", kernel)]).unwrap();
            let inputs = Matrix::new(2, data.inputs.cols(), vec![0.5; 2 * data.inputs.cols()]).unwrap();
            let moments = agent.gaussian(&inputs).unwrap().unwrap();
            assert!(moments.mean.iter().chain(&moments.covariance).all(|value| value.is_finite()));
            let samples = agent.sample_functions(&inputs, &[0, 1]).unwrap();
            assert!(samples.means.iter().all(|value| value.is_finite()) && samples.means[0] == samples.means[1]);
        }
    }
    // One input has equally many of two targets: the prediction is their mean, with noise of their variance.
    let moments = train(&same, &[]).unwrap().gaussian(&Matrix::new(1, 1, vec![0.5]).unwrap()).unwrap().unwrap();
    assert!(moments.mean[0].abs() < 1e-6 && (moments.noise_variance[0] - 1.0).abs() < 0.5, "{moments:?}");
}

#[test]
fn too_many_examples_and_silly_settings_are_refused_with_the_remedy() {
    let failure = train(&wave(30, 1, 1), &[setting("max-rows", "29")]).unwrap_err();
    assert!(matches!(failure, Failure::Unsupported(reason) if reason.contains("max-rows=29")));
    for (name, value) in [("max-rows", "1000000"), ("features", "99999999"), ("kernel", "cubic"), ("min-noise", "0")] {
        assert_invalid(train(&wave(3, 1, 1), &[setting(name, value)]), name);
    }
}

#[test]
fn known_noise_is_taken_as_it_is() {
    let task = RegressionTask { input_dim: 2, noise_std: Some(0.5) };
    let agent = GaussianProcess::train(&task, &wave(20, 2, 1), None, &[], 0).unwrap();
    assert_eq!(agent.posterior.noise_variance(), 0.25);
}
