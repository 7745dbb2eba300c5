use jointly_kernels::{Kernel as _, Posterior as Exact, Rbf};
use jointly_testkit::{assert_draws_have_the_moments, assert_functions_stand_alone, assert_invalid, setting, wave};

use super::*;

fn train(data: &Targets, settings: &[Setting]) -> Result<SparseProcess, Failure> {
    let task = RegressionTask { input_dim: data.inputs.cols(), noise_std: None };
    SparseProcess::train(&task, data, None, settings, 0)
}

#[test]
fn a_wave_is_learnt_with_its_noise_by_few_points() {
    for settings in [
        vec![setting("inducing", "20")],
        vec![setting("inducing", "30"), setting("train-inducing", "no")],
        vec![setting("inducing", "25"), setting("kernel", "relu")],
        vec![setting("inducing", "20"), setting("optimizer", "adam"), setting("learning-rate", "0.02")],
    ] {
        let agent = train(&wave(400, 2, 1), &settings).unwrap();
        let test = wave(700, 2, 1);
        let moments = agent.gaussian(&test.inputs).unwrap().unwrap();
        let errors = moments.mean.iter().zip(&test.targets).skip(400).map(|(m, y)| (m - f64::from(*y)).powi(2));
        let error = (errors.sum::<f64>() / 300.0).sqrt();
        assert!(error < 0.2, "{settings:?}: {error}");
        let noise = agent.posterior.at().noise.sqrt();
        assert!((0.05..0.2).contains(&noise), "{settings:?}: {noise}");
    }
}

#[test]
fn with_all_examples_for_inducing_points_it_is_the_exact_process() {
    /// Tolerance for the jitter.
    const TOLERANCE: f64 = 1e-3;
    let data = wave(30, 2, 1);
    let agent = train(&data, &[setting("train-inducing", "no")]).unwrap();
    let at = agent.posterior.at();
    let mut kernel = Rbf::ard(1.0, &[1.0, 1.0]);
    kernel.set_parameters(&at.kernel.parameters());
    let targets = data.targets.iter().map(|y| f64::from(*y)).collect();
    let exact = Exact::new(Box::new(kernel), (Rows::of(&data.inputs), targets), at.noise, 4, 0).unwrap();
    let inputs = wave(40, 2, 1).inputs;
    let (found, expected) = (agent.gaussian(&inputs).unwrap().unwrap(), exact.gaussian(&inputs).unwrap());
    let pairs = found.mean.iter().zip(&expected.mean).chain(found.covariance.iter().zip(&expected.covariance));
    for (found, expected) in pairs {
        assert!((found - expected).abs() < TOLERANCE, "{found} {expected}");
    }
}

#[test]
fn draws_are_the_functions_of_the_moments() {
    for kernel in ["rbf", "relu"] {
        let agent = train(&wave(60, 2, 1), &[setting("inducing", "15"), setting("kernel", kernel)]).unwrap();
        let inputs = wave(6, 2, 1).inputs;
        assert_draws_have_the_moments(&agent, &inputs, 0.05);
        assert_functions_stand_alone(&agent, &inputs, &[77, 3]);
    }
}

#[test]
fn degenerate_examples_have_answers() {
    let same = Targets { inputs: Matrix::new(9, 1, vec![0.5; 9]).unwrap(), targets: vec![1.0; 9] };
    let constant = Targets { targets: vec![0.0; 20], ..wave(20, 3, 1) };
    for kernel in ["rbf", "relu"] {
        for data in [wave(0, 2, 1), wave(1, 2, 1), same.clone(), constant.clone()] {
            let agent = train(&data, &[setting("kernel", kernel), setting("inducing", "5")]).unwrap();
            let inputs = Matrix::new(2, data.inputs.cols(), vec![0.5; 2 * data.inputs.cols()]).unwrap();
            let moments = agent.gaussian(&inputs).unwrap().unwrap();
            assert!(moments.mean.iter().chain(&moments.covariance).all(|value| value.is_finite()));
            let samples = agent.sample_functions(&inputs, &[0, 1]).unwrap();
            assert!(samples.means.iter().all(|value| value.is_finite()));
        }
    }
}

#[test]
fn settings_are_held_to_their_bounds() {
    assert!(matches!(train(&wave(9, 2, 1), &[setting("max-rows", "8")]), Err(Failure::Unsupported(_))));
    for (name, value) in [("inducing", "100000"), ("features", "99999999"), ("kernel", "cubic")] {
        assert_invalid(train(&wave(3, 1, 1), &[setting(name, value)]), name);
    }
}
