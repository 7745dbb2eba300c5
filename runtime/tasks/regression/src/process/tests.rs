//! Processes have the distributions that they claim, and training sets that depend on their number alone.

use super::*;

fn all() -> Vec<Process> {
    let processes = [
        Process::line,
        Process::homoscedastic,
        Process::heteroscedastic,
        Process::gap,
        Process::constant,
        Process::zero,
    ];
    processes.iter().flat_map(|process| Noise::ALL.map(process)).collect()
}

#[test]
fn sizes_are_the_papers() {
    for process in all() {
        let Sizes { train, validation, test } = process.sizes();
        let expected = match process.name() {
            "line" => (25, 0, 500),
            "constant" => (100, 0, 500),
            _ => (1000, 150, 1000),
        };
        assert_eq!((train, validation, test), expected);
        let instance = process.instance(0.into());
        let simulation = instance.simulation(7);
        let found =
            (simulation.train.rows(), simulation.validation.map_or(0, |v| v.rows()), instance.test(0).data().rows());
        assert_eq!(found, expected);
        assert_eq!(process.task(), RegressionTask { input_dim: 1, noise_std: None });
    }
}

#[test]
fn the_test_set_stays_and_training_sets_differ() {
    for process in all() {
        let (instance, again) = (process.instance(2.into()), process.instance(2.into()));
        assert_eq!(instance.test(0), again.test(0));
        assert_eq!(instance.simulation(5), again.simulation(5));
        assert_ne!(instance.simulation(5).train, instance.simulation(6).train);
        assert_ne!(instance.test(0), process.instance(3.into()).test(0));
        let simulation = instance.simulation(5);
        if let Some(validation) = simulation.validation {
            assert_ne!(validation.inputs().values()[..150], simulation.train.inputs().values()[..150]);
        }
    }
}

#[test]
fn only_observations_of_the_line_and_the_constant_are_drawn_anew() {
    for process in all() {
        let instance = process.instance(0.into());
        let (first, second) = (instance.test(0), instance.test(1));
        assert_eq!((first.truth(), first.data().inputs()), (second.truth(), second.data().inputs()));
        assert_eq!(first == second, !["line", "constant"].contains(&process.name()));
    }
}

#[test]
fn more_examples_begin_with_the_same() {
    let small = Process::gap(Noise::Normal).with_sizes(Sizes { train: 20, validation: 0, test: 10 }).instance(0.into());
    let whole = Process::gap(Noise::Normal).instance(0.into());
    assert_eq!(small.simulation(1).train.targets(), &whole.simulation(1).train.targets()[..20]);
    assert_eq!(small.test(0).data().targets(), &whole.test(0).data().targets()[..10]);
}

#[test]
fn every_noise_meets_the_same_inputs() {
    let inputs = |noise| Process::heteroscedastic(noise).instance(0.into()).test(0).data().inputs().clone();
    assert_eq!(inputs(Noise::Normal), inputs(Noise::StudentT));
    assert_eq!(inputs(Noise::Normal), inputs(Noise::Exponential));
}

#[test]
fn curves_known_on_paper() {
    assert_eq!((Curve::Line.value(1.5), Curve::Line.noise_std(1.5)), (1.5, 0.1));
    assert_eq!((Curve::Homoscedastic.value(-0.5), Curve::Homoscedastic.value(0.5)), (-8.0, 0.0));
    assert_eq!((Curve::Gap.value(0.0), Curve::Gap.noise_std(0.4)), (-1.0, 0.2));
    assert!((Curve::Heteroscedastic.noise_std(0.5) - 0.35).abs() < 1e-15);
    assert_eq!((Curve::Constant.value(0.3), Curve::Constant.noise_std(0.3)), (100.0, 5.0));
    assert_eq!((Curve::Zero.value(0.3), Curve::Zero.noise_std(0.0)), (0.0, 0.1));
}

#[test]
fn residuals_have_the_noise_that_is_claimed() {
    for process in all() {
        let instance = process.clone().with_sizes(Sizes { train: 1, validation: 0, test: 20_000 }).instance(0.into());
        let test = instance.test(0);
        let rows = test.truth().iter().zip(test.noise_stds()).zip(test.data().targets());
        let mut probs: Vec<f64> = rows.map(|((f, std), &y)| process.noise().cdf((f64::from(y) - f) / std)).collect();
        probs.sort_by(f64::total_cmp);
        let gap = |(i, p): (usize, &f64)| (p - (i as f64 + 0.5) / 20_000.0).abs();
        let kolmogorov = probs.iter().enumerate().map(gap).fold(0.0, f64::max);
        // Samples of the distribution exceed this once in 1000 times.
        assert!(kolmogorov < 1.95 / 20_000.0_f64.sqrt(), "{} {}: {kolmogorov}", process.name(), process.noise());
    }
}

#[test]
fn the_gap_is_where_few_inputs_are() {
    let instance =
        Process::gap(Noise::Normal).with_sizes(Sizes { train: 1, validation: 0, test: 20_000 }).instance(0.into());
    let test = instance.test(0);
    let inputs = test.data().inputs();
    let share = |low: f32, high: f32| {
        inputs.values().iter().filter(|&&x| low <= x && x < high).count() as f64 / inputs.rows() as f64
    };
    assert!(inputs.values().iter().all(|x| (-0.5..=0.5).contains(x)));
    assert!((share(-0.5, -0.05) - 0.5).abs() < 0.02 && (share(-0.05, 0.51) - 0.5).abs() < 0.02);
    // Beyond two standard deviations of either mode: for each half of the inputs, 2.3 % divided by 0.84 and by 0.98.
    let gap = share(-0.2, 0.1);
    assert!((gap - 0.5 * (0.022_75 / 0.841_3 + 0.022_75 / 0.977_2)).abs() < 0.005, "{gap}");
}
