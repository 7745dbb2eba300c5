//! The points that datasets share, and datasets that have the process's distribution.

use jointly_core::correlations::marginal_log_likelihood;

use super::*;

const SMALL: SyntheticSpec = SyntheticSpec {
    input_dim: 2,
    train: 3,
    pool: 4,
    test: 2,
    noise_variance: 0.01,
    kernel: ReluKernel { hidden_bias: 2.5, hidden_weight: 1.414, output_bias: 2.5, output_weight: 1.737 },
    functions: Functions::Own,
};

fn points(dataset: &SyntheticDataset) -> Vec<(Vec<u32>, u64, u64)> {
    let part = |data: &SyntheticData| {
        let row = |i: usize| data.inputs.row(i).iter().map(|x| x.to_bits()).collect();
        let point = |i: usize| (row(i), data.values[i].to_bits(), data.targets[i].to_bits());
        (0..data.targets.len()).map(point).collect::<Vec<_>>()
    };
    let mut points = [part(&dataset.train), part(&dataset.pool), part(&dataset.test)].concat();
    points.sort_unstable();
    points
}

#[test]
fn the_default_is_the_published_codes() {
    let spec = SyntheticSpec::new(3);
    assert_eq!((spec.train, spec.pool, spec.test, spec.noise_variance), (15, 500, 200, 0.01));
    assert_eq!((spec.kernel, spec.functions), (SMALL.kernel, Functions::Shared));
}

#[test]
fn shared_datasets_split_the_same_points_and_own_ones_have_none_in_common() {
    let of = |functions, index| SyntheticSpec { functions, ..SMALL }.dataset(7.into(), "test", index).unwrap();
    let (a, b) = (of(Functions::Shared, 0), of(Functions::Shared, 1));
    assert_eq!(a, of(Functions::Shared, 0));
    assert_eq!(points(&a), points(&b));
    assert_ne!(a.train, b.train);
    let (c, d) = (of(Functions::Own, 1), of(Functions::Own, 2));
    let common = points(&c).into_iter().filter(|point| points(&d).contains(point)).count();
    assert_eq!(common, 0);
    assert_eq!((a.train.inputs.rows(), a.pool.values.len(), a.test.targets.len()), (3, 4, 2));
}

#[test]
fn the_law_is_the_processs() {
    const DATASETS: u64 = 4000;
    let kernel = SMALL.kernel;
    let (mut squares, mut products, mut noise) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..DATASETS {
        let dataset = SMALL.dataset(0.into(), "law", index).unwrap();
        assert_eq!(dataset.jitter, 0.0);
        let (x, y) = (dataset.train.inputs.row(0), dataset.test.inputs.row(1));
        let (f, g) = (dataset.train.values[0], dataset.test.values[1]);
        squares.push(f * f / kernel.value(x, x));
        products.push(f * g / kernel.value(x, y));
        noise.push((dataset.pool.targets[2] - dataset.pool.values[2]).powi(2) / SMALL.noise_variance);
    }
    for ratios in [squares, products, noise] {
        let summary = jointly_core::statistics::summarize(&ratios);
        assert!((summary.mean - 1.0).abs() < 4.0 * summary.stderr, "{summary:?}");
    }
}

#[test]
fn at_full_size_the_oracle_predicts_what_it_should() {
    for input_dim in [1, 5, 9] {
        let spec = SyntheticSpec { functions: Functions::Own, ..SyntheticSpec::new(input_dim) };
        let dataset = spec.dataset(1.into(), "full", 0).unwrap();
        // The jitter, if any, is far below the noise.
        assert!(dataset.jitter < 1e-3 * spec.noise_variance, "{input_dim}: {}", dataset.jitter);
        let oracle = dataset.oracle().unwrap();
        let moments = oracle.moments(&dataset.test.inputs).unwrap();
        let score = marginal_log_likelihood(&moments, &dataset.test.targets).unwrap();
        // The score that the oracle expects of itself. All targets come from one draw of f, so that their deviations
        // are correlated.
        let entropy = |v: &f64| 0.5 * (1.0 + (2.0 * std::f64::consts::PI * v).ln());
        let variances = moments.target_variance();
        let expected = -variances.iter().map(entropy).sum::<f64>() / variances.len() as f64;
        assert!((score - expected).abs() < 0.5, "{input_dim}: {score}, expected {expected}");
    }
}
