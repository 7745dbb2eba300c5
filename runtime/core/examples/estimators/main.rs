//! Bias and spread of the estimators of joint likelihood where the true value is known, as tau grows:
//! `docs/estimators.md`.
//!
//!     cargo run --release -p jointly-core --example estimators -- [TRIALS [LARGEST-TAU]]

mod belief;
mod trial;

use belief::Belief;
use trial::{Errors, Estimator, errors};

const TAUS: [usize; 4] = [1, 10, 30, 100];
const DRAWS: [usize; 3] = [100, 1000, 10_000];
/// With more draws than this, clustering takes minutes.
const DRAWS_OF_CLUSTERS: usize = 1000;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse().expect("a number"));
    let trials: u32 = arguments.next().unwrap_or(50);
    let largest = arguments.next().map_or(100, |tau| tau as usize);
    println!("| belief | tau | M | estimator | bias | spread | claimed | effective | infinite |");
    println!("|---|---:|---:|---|---:|---:|---:|---:|---:|");
    for belief in Belief::ALL {
        for tau in TAUS.into_iter().filter(|&tau| tau <= largest) {
            for draws in DRAWS {
                for estimator in Estimator::ALL {
                    if matches!(estimator, Estimator::KMeans { .. }) && draws > DRAWS_OF_CLUSTERS {
                        continue;
                    }
                    let Errors { bias, spread, claimed, effective, infinite } =
                        errors(belief, tau, draws, estimator, trials);
                    println!(
                        "| {} | {tau} | {draws} | {} | {bias:.3} | {spread:.3} | {claimed:.3} | {effective:.1} | {infinite:.2} |",
                        belief.name(),
                        estimator.name(),
                    );
                }
            }
        }
    }
}
