//! Shows which points TIG, MIG and BatchMIG query on a line, and what the oracle then predicts at the test points: the
//! toy of Figure 2 of Wang, Sun and Grosse. `acquisitions [QUERIES] [SEED]`, by default 5 and 0.
//!
//! The pool covers a line, the test points two parts of it, and the function is drawn from the oracle's prior.

use std::env::args;
use std::error::Error;

use jointly_core::correlations::{
    batch_information_gain, marginal_information_gain, most_informative, total_information_gain,
};
use jointly_core::{Matrix, stream};
use jointly_regression::oracle::{Posterior, ReluKernel};

const NOISE_VARIANCE: f64 = 0.01;
/// The pool covers the line from -EDGE to EDGE.
const EDGE: f32 = 4.0;
const COLUMNS: usize = 81;
const TRAIN: [f32; 2] = [-0.5, 0.5];
const TEST: [f32; 10] = [-2.2, -2.1, -2.0, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0];

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<u64> = args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let (queries, seed) = match words[..] {
        [] => (5, 0),
        [queries] => (queries as usize, 0),
        [queries, seed] => (queries as usize, seed),
        _ => return Err("usage: acquisitions [QUERIES] [SEED]".into()),
    };
    let step = 2.0 * EDGE / (COLUMNS - 1) as f32;
    let places: Vec<f32> = (0..COLUMNS).map(|i| -EDGE + step * i as f32).collect();
    let (train, pool, test) = (line(&TRAIN)?, line(&places)?, line(&TEST)?);

    let kernel = ReluKernel::default();
    let prior = Posterior::new(kernel, NOISE_VARIANCE, Matrix::new(0, 1, Vec::new())?, &[])?;
    let all = line(&[&TRAIN[..], &places, &TEST].concat())?;
    let (function, _) = prior.sample(&all, &mut stream(seed, "example", "function", 0))?;
    let mut noise = stream(seed, "example", "noise", 0);
    let observed: Vec<f64> = function.iter().map(|f| f + NOISE_VARIANCE.sqrt() * noise.normal()).collect();
    let (at_pool, at_test) = (TRAIN.len(), TRAIN.len() + COLUMNS);

    let posterior = Posterior::new(kernel, NOISE_VARIANCE, train, &observed[..at_pool])?;
    let at = posterior.at(&pool);
    let belief = at.pool_test(&posterior.at(&test))?;
    let total = total_information_gain(belief.pool_variance(), belief.pool_noise())?;
    let chosen = [
        ("none", Vec::new()),
        ("TIG", most_informative(&total, belief.pool_variance(), queries)),
        ("MIG", most_informative(&marginal_information_gain(&belief), belief.pool_variance(), queries)),
        ("BatchMIG", batch_information_gain(&belief, &at, queries)?.chosen),
    ];

    println!(
        "{:9} {}  RMSE and sd at the test points",
        "",
        strip(&TRAIN, 'o', &strip(&TEST, '+', &".".repeat(COLUMNS)))
    );
    for (name, chosen) in chosen {
        let queried: Vec<f32> = chosen.iter().map(|&i| places[i]).collect();
        let inputs = line(&[&TRAIN[..], &queried].concat())?;
        let targets: Vec<f64> =
            observed[..at_pool].iter().copied().chain(chosen.iter().map(|&i| observed[at_pool + i])).collect();
        let moments = Posterior::new(kernel, NOISE_VARIANCE, inputs, &targets)?.moments(&test)?;
        let errors = function[at_test..].iter().zip(moments.mean()).map(|(f, mean)| (f - mean) * (f - mean));
        let root = |sum: f64| (sum / TEST.len() as f64).sqrt();
        println!(
            "{name:9} {}  {:.3} {:.3}",
            strip(&queried, '#', &" ".repeat(COLUMNS)),
            root(errors.sum()),
            root(moments.variance().iter().sum())
        );
    }
    println!("o training point, + test point, # queried point");
    Ok(())
}

/// Returns the points of a line as inputs with one feature.
fn line(points: &[f32]) -> Result<Matrix, Box<dyn Error>> {
    Ok(Matrix::new(points.len(), 1, points.to_vec())?)
}

/// Marks points in a line of characters.
fn strip(points: &[f32], mark: char, line: &str) -> String {
    let mut line: Vec<char> = line.chars().collect();
    for x in points {
        line[((x + EDGE) / (2.0 * EDGE) * (COLUMNS - 1) as f32).round() as usize] = mark;
    }
    line.into_iter().collect()
}
