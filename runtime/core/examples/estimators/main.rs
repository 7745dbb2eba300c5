//! Bias and spread of the estimators of joint likelihood where the true value is known, as tau grows, and how often
//! confidence intervals contain it: `docs/estimators.md`.
//!
//!     cargo run --release -p jointly-core --example estimators -- [TRIALS [LARGEST-TAU]]
//!     cargo run --release -p jointly-core --example estimators -- bias [TRIALS [LARGEST-M]]
//!     cargo run --release -p jointly-core --example estimators -- coverage [TRIALS [LARGEST-M [SMALLEST-M]]]

mod belief;
mod coverage;
mod debiased;
mod estimator;
mod tables;
mod trial;

fn main() {
    let mut words = std::env::args().skip(1).peekable();
    let table = words.next_if(|word| word.parse::<u32>().is_err()).unwrap_or_else(|| "errors".to_owned());
    let mut numbers = words.map(|word| word.parse::<u32>().expect("a number"));
    let trials: u32 = numbers.next().unwrap_or(50);
    let largest = numbers.next().map(|number| number as usize);
    match table.as_str() {
        "errors" => tables::errors_of_all(trials, largest.unwrap_or(100)),
        "bias" => tables::bias(trials, largest.unwrap_or(10_000)),
        "coverage" => {
            let smallest = numbers.next().unwrap_or(100) as usize;
            tables::coverage(trials, smallest, largest.unwrap_or(10_000));
        }
        other => panic!("{other} is no table: errors, bias or coverage"),
    }
}
