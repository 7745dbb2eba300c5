//! Times greedy BatchMIG and a Cholesky factorisation of all test points: `information_gain [CHOSEN POOL TEST]`, by
//! default 100 of 10,000 points against 2,000.
//!
//! The posterior is the oracle's after 100 points in 8 dimensions; the covariances that it computes are timed
//! separately.

use std::env::args;
use std::error::Error;
use std::time::Instant;

use jointly_core::correlations::{Cholesky, batch_information_gain, marginal_information_gain};
use jointly_core::{Matrix, stream};
use jointly_regression::oracle::{Posterior, ReluKernel};

const DIMENSION: usize = 8;
const TRAIN: usize = 100;
const NOISE_VARIANCE: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    let sizes = args().skip(1).map(|word| word.parse()).collect::<Result<Vec<usize>, _>>()?;
    let [chosen, pool, test] = match sizes[..] {
        [] => [100, 10_000, 2_000],
        [chosen, pool, test] => [chosen, pool, test],
        _ => return Err("usage: information_gain [CHOSEN POOL TEST]".into()),
    };
    let train = inputs("train", TRAIN)?;
    let targets: Vec<f64> = (0..TRAIN).map(|i| f64::from(train.row(i)[0])).collect();
    let posterior = Posterior::new(ReluKernel::default(), NOISE_VARIANCE, train, &targets)?;
    let (pool, test) = (inputs("pool", pool)?, inputs("test", test)?);

    let start = Instant::now();
    let pool_at = posterior.at(&pool);
    let belief = pool_at.pool_test(&posterior.at(&test))?;
    println!("{:7.2} s  covariances of {} pool and {} test points", seconds(start), pool.rows(), test.rows());

    let moments = posterior.moments(&test)?;
    let start = Instant::now();
    let factor = Cholesky::new(&moments.target_covariance())?;
    println!("{:7.2} s  Cholesky of {1} x {1}, ln det {2:.3}", seconds(start), factor.rows(), factor.log_determinant());

    let start = Instant::now();
    let gains = marginal_information_gain(&belief);
    let best = gains.iter().copied().fold(0.0, f64::max);
    println!("{:7.2} s  MIG, {best:.6} nats a test point at best", seconds(start));

    let start = Instant::now();
    let batch = batch_information_gain(&belief, &pool_at, chosen)?;
    let elapsed = seconds(start);
    let total = batch.information.last().copied().unwrap_or(0.0);
    println!("{elapsed:7.2} s  BatchMIG of {} points, {total:.6} nats a test point", batch.chosen.len());
    Ok(())
}

fn inputs(name: &str, rows: usize) -> Result<Matrix, Box<dyn Error>> {
    let mut source = stream(0, "example", name, 0);
    Ok(Matrix::new(rows, DIMENSION, (0..rows * DIMENSION).map(|_| source.normal() as f32).collect())?)
}

fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}
