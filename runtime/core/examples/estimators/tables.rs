//! The tables that the example prints.

use crate::belief::Belief;
use crate::coverage::{Coverage, Trial, run};
use crate::estimator::Estimator;
use crate::trial::{Errors, errors};

const TAUS: [usize; 4] = [1, 10, 30, 100];
const DRAWS: [usize; 3] = [100, 1000, 10_000];
/// With more draws than this, clustering takes minutes.
const DRAWS_OF_CLUSTERS: usize = 1000;
/// The numbers of draws of which intervals are checked.
const DRAWS_OF_INTERVALS: [usize; 4] = [100, 1000, 10_000, 100_000];
/// The numbers of draws of which the bias is measured.
const DRAWS_OF_BIAS: [usize; 6] = [30, 100, 300, 1000, 3000, 10_000];
/// Bounds of the effective numbers of draws by which trials are grouped.
const GROUPS: [f64; 10] = [0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, f64::INFINITY];

/// Prints the error of every estimator.
pub(crate) fn errors_of_all(trials: u32, largest_tau: usize) {
    println!("| belief | tau | M | estimator | bias | spread | claimed | effective | infinite |");
    println!("|---|---:|---:|---|---:|---:|---:|---:|---:|");
    for belief in Belief::ALL {
        for tau in TAUS.into_iter().filter(|&tau| tau <= largest_tau) {
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

/// Prints the bias of Monte Carlo and of its corrections, with the standard error of the bias.
pub(crate) fn bias(trials: u32, largest: usize) {
    println!("| belief | tau | M | effective | Monte Carlo | delta | jackknife | ± | infinite |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for belief in Belief::ALL {
        for tau in TAUS {
            for draws in DRAWS_OF_BIAS.into_iter().filter(|&draws| draws <= largest) {
                let [plain, delta, jackknife] = [Estimator::MonteCarlo, Estimator::Delta, Estimator::Jackknife]
                    .map(|estimator| errors(belief, tau, draws, estimator, trials));
                println!(
                    "| {} | {tau} | {draws} | {:.1} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
                    belief.name(),
                    plain.effective,
                    plain.bias,
                    delta.bias,
                    jackknife.bias,
                    plain.spread / f64::from(trials).sqrt(),
                    plain.infinite,
                );
            }
        }
    }
}

/// Prints how often intervals contain the truth where they are claimed, and over all by effective draws.
pub(crate) fn coverage(trials: u32, smallest: usize, largest: usize) {
    println!("| belief | tau | M | claimed | {COLUMNS} |");
    println!("|---|---:|---:|---:|{}", "---:|".repeat(COLUMNS.split('|').count()));
    let mut all = Vec::new();
    for belief in Belief::ALL {
        for tau in TAUS.into_iter().skip(1) {
            for draws in DRAWS_OF_INTERVALS.into_iter().filter(|draws| (smallest..=largest).contains(draws)) {
                let own = run(belief, tau, draws, trials);
                let usable: Vec<&Trial> = own.iter().filter(|trial| trial.usable()).collect();
                println!("| {} | {tau} | {draws} | {} | {} |", belief.name(), usable.len(), row(&usable));
                let ends = Coverage::of(&own.iter().collect::<Vec<_>>());
                assert!(
                    ends.below <= 0.05 && ends.beyond_limit <= 0.05,
                    "the ends that need no assumption fail too often: {:.3} and {:.3}",
                    ends.below,
                    ends.beyond_limit
                );
                all.extend(own);
            }
        }
    }
    println!("\n| effective draws | trials | {COLUMNS} |");
    println!("|---|---:|{}", "---:|".repeat(COLUMNS.split('|').count()));
    for bounds in GROUPS.windows(2) {
        let group: Vec<&Trial> =
            all.iter().filter(|trial| (bounds[0]..bounds[1]).contains(&trial.effective())).collect();
        println!("| {} to {} | {} | {} |", bounds[0], bounds[1], group.len(), row(&group));
    }
}

/// The columns of [`row`].
const COLUMNS: &str =
    "effective | covered | below | above | width | beyond limit | to limit | normal covers | normal width";

fn row(trials: &[&Trial]) -> String {
    let own = Coverage::of(trials);
    format!(
        "{:.1} | {:.4} | {:.4} | {:.4} | {:.3} | {:.4} | {:.2} | {:.3} | {:.3}",
        own.effective,
        own.covered,
        own.below,
        own.above,
        own.width,
        own.beyond_limit,
        own.to_limit,
        own.normal,
        own.normal_width,
    )
}
