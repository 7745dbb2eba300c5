//! Section 3.4: of two estimators, the one with the better log-likelihood has the worse intervals.
//!
//! The paper gives N(100, 5^2), estimators with factors 0.9 (of the standard deviation) and 1.05 (of the mean), no
//! sample size, and four numbers: log-likelihoods -3.109 and -3.110, coverages 0.57 and 0.67. No sample size gives
//! these numbers: the second estimator's log-likelihood rises with N towards -3.375 and its coverage towards 0.653.
//! With factors 0.8 and 1.02 and N = 100 the expectations are -3.1086, 0.570, -3.1110 and 0.675, which agree with the
//! paper's numbers within the error of its 10,000 simulations.

use jointly_core::distribution::normal_cdf;
use jointly_core::stream::stream;

use super::super::metric::gaussian_nll;

const MEAN: f64 = 100.0;
const DEVIATION: f64 = 5.0;
const SIMULATIONS: u64 = 10_000;

/// Returns the mean log-likelihood and coverage of `mean -+ deviation` over simulations, exact over new observations.
fn expectations(size: u32, narrowing: f64, shift: f64) -> [(f64, f64); 2] {
    let mut sums = [(0.0, 0.0); 2];
    for simulation in 0..SIMULATIONS {
        let mut source = stream(0, "test", "pair", simulation);
        let sample: Vec<f64> = (0..size).map(|_| MEAN + DEVIATION * source.normal()).collect();
        let mean = sample.iter().sum::<f64>() / f64::from(size);
        let about =
            |centre: f64| (sample.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>() / f64::from(size)).sqrt();
        let estimates = [(mean, narrowing * about(mean)), (shift * mean, about(shift * mean))];
        for (sum, (centre, deviation)) in sums.iter_mut().zip(estimates) {
            // E log N(x; centre, d^2) is the log-density at a distance whose square is the mean squared distance.
            let square = DEVIATION * DEVIATION + (centre - MEAN) * (centre - MEAN);
            sum.0 -= gaussian_nll(square.sqrt(), 0.0, deviation);
            let below = |x: f64| normal_cdf((x - MEAN) / DEVIATION);
            sum.1 += below(centre + deviation) - below(centre - deviation);
        }
    }
    sums.map(|(likelihood, coverage)| (likelihood / SIMULATIONS as f64, coverage / SIMULATIONS as f64))
}

#[test]
fn the_factors_as_printed_give_other_numbers_at_every_size() {
    let mut before = (f64::NEG_INFINITY, 0.0);
    for size in [5, 10, 25, 100, 1000] {
        let [first, second] = expectations(size, 0.9, 1.05);
        eprintln!("N = {size}: {first:?} and {second:?}");
        assert!(second.0 > before.0 && second.1 > before.1, "both rise with N");
        // Their limits: -ln(2 pi 50) / 2 - 1 / 2, and the coverage of 105 -+ sqrt 50.
        assert!(second.0 < -3.375 && second.1 < 0.654);
        before = second;
        // The first estimator has -3.109 at about 25 examples, where it covers 0.60, and covers 0.57 at 11 examples,
        // where it has -3.25.
        assert!((first.0 + 3.109).abs() > 5e-4 || (first.1 - 0.57).abs() > 0.02);
    }
}

#[test]
fn factors_of_0_8_and_1_02_with_100_examples_give_the_papers() {
    let [first, second] = expectations(100, 0.8, 1.02);
    eprintln!("{first:?} and {second:?}");
    // One unit in the paper's last digit, plus the errors of 10,000 simulations in the paper and in this test.
    let (likelihood, coverage) = (2e-3, 6e-3);
    assert!((first.0 + 3.109).abs() < likelihood && (first.1 - 0.57).abs() < coverage);
    assert!((second.0 + 3.110).abs() < likelihood && (second.1 - 0.67).abs() < coverage);
    assert!(first.0 > second.0 && first.1 < second.1 - 0.09, "the better likelihood has the worse coverage");
}
