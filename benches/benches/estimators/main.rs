//! The host's own share of a unit's time: test data and the joint estimates, at the sizes of the testbed, on one core.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use jointly_classification::{Problem, suite};
use jointly_core::estimate::{Cells, KMeans, MonteCarlo, Partition, Planes, joint_log_likelihood};
use jointly_core::stream;

const TAU: usize = 100;
const SAMPLES: usize = 1000;
const DRAWS: usize = 1000;
const CLASSES: usize = 2;
const PLANES: u32 = 7;
/// The number of tau-samples whose predictions, 32 MB, are reused; all of them would take 800 MB.
const DISTINCT: usize = 40;

/// Predictions of distinct functions, and labels: (n, m, t, k) in one list.
struct Predictions {
    probs: Vec<f32>,
    labels: Vec<u32>,
}

impl Predictions {
    fn uniform() -> Self {
        let mut source = stream(0, "bench", "predictions", 0);
        let mut row = || {
            let p = source.uniform() as f32;
            [p, 1.0 - p]
        };
        let probs = (0..DISTINCT * DRAWS * TAU).flat_map(|_| row()).collect();
        let mut source = stream(0, "bench", "labels", 0);
        let labels = (0..DISTINCT * TAU).map(|_| (source.next_u64() % CLASSES as u64) as u32).collect();
        Self { probs, labels }
    }

    /// Returns the functions at one tau-sample, and its labels.
    fn tau_sample(&self, n: usize) -> (impl Iterator<Item = &[f32]>, &[u32]) {
        let n = n % DISTINCT;
        let width = TAU * CLASSES;
        let functions = self.probs[n * DRAWS * width..(n + 1) * DRAWS * width].chunks_exact(width);
        (functions, &self.labels[n * TAU..(n + 1) * TAU])
    }

    fn planes(&self, n: usize, clip: bool) -> f64 {
        self.partition(n, Planes::sample(0.into(), "bench", TAU as u32, n as u32, CLASSES, PLANES).into(), clip)
    }

    fn clusters(&self, n: usize) -> f64 {
        self.partition(n, KMeans::new(0.into(), "bench", TAU as u32, n as u32, CLASSES, PLANES).into(), true)
    }

    fn partition(&self, n: usize, cells: Cells, clip: bool) -> f64 {
        let (functions, labels) = self.tau_sample(n);
        let mut estimate = Partition::new(cells, labels, CLASSES, clip);
        functions.for_each(|function| estimate.add(function, 1));
        estimate.finish().log_likelihood
    }

    fn monte_carlo(&self, n: usize) -> f64 {
        let (functions, labels) = self.tau_sample(n);
        let mut estimate = MonteCarlo::new();
        functions.for_each(|function| estimate.add(joint_log_likelihood(function, labels, CLASSES), 1));
        estimate.finish().log_likelihood
    }
}

fn estimates(criterion: &mut Criterion) {
    let predictions = Predictions::uniform();
    let all = |estimate: &dyn Fn(usize) -> f64| (0..SAMPLES).map(estimate).sum::<f64>();
    let mut group = criterion.benchmark_group("tau 100, N 1000, M 1000, K 2");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    group.bench_function("partition, 7 planes", |b| {
        b.iter(|| black_box(all(&|n| predictions.planes(n, true))));
    });
    group.bench_function("partition, 7 planes, no clip", |b| {
        b.iter(|| black_box(all(&|n| predictions.planes(n, false))));
    });
    group.bench_function("k-means, 40 tau-samples only", |b| {
        b.iter(|| black_box((0..DISTINCT).map(|n| predictions.clusters(n)).sum::<f64>()));
    });
    group.bench_function("monte carlo", |b| b.iter(|| black_box(all(&|n| predictions.monte_carlo(n)))));
    group.finish();
}

fn test_data(criterion: &mut Criterion) {
    let problem: Problem = suite("testbed").and_then(|suite| suite.problems.into_iter().next()).expect("a problem");
    let instance = problem.instance(0.into());
    criterion.bench_function("test data of one problem, tau 100, N 1000", |b| {
        b.iter(|| black_box(instance.test(TAU as u32, 0..SAMPLES as u32)));
    });
}

criterion_group!(benches, estimates, test_data);
criterion_main!(benches);
