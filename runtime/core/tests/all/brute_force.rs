//! Algorithm 4 computed literally, in double precision, compared with the estimator.

use std::collections::BTreeMap;

use jointly_core::estimate::{JointEstimate, Partition, Planes, probit};
use proptest::prelude::*;

/// Projections closer to zero than this may fall on either side in single precision.
const TIE: f64 = 2e-4;
/// Tolerance for the clip's limits in single precision: 1 - Phi(5) is rounded to a fifth of itself, and p is about 1.
const ROUNDING: f64 = 1e-6;
/// The step of the central difference.
const STEP: f64 = 1e-4;
/// Tolerance for the central difference of a likelihood in up to a dozen draws, for weights of up to a few hundred.
const DIFFERENCE: f64 = 1e-3;
/// The most extreme finite probit in the range of `f32`.
const SMALLEST: f64 = 1.401_298_464_324_817e-45;

/// A small case of joint prediction.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) num_classes: usize,
    pub(crate) labels: Vec<u32>,
    /// The tau x K probabilities of each function.
    pub(crate) functions: Vec<Vec<f32>>,
    pub(crate) planes: u32,
    pub(crate) seed: u64,
}

impl Case {
    pub(crate) fn planes(&self) -> Planes {
        Planes::sample(self.seed.into(), "case", self.labels.len() as u32, 0, self.num_classes, self.planes)
    }

    pub(crate) fn partition(&self, clip: bool) -> Partition {
        Partition::new(self.planes(), &self.labels, self.num_classes, clip)
    }

    pub(crate) fn estimate(&self, clip: bool) -> f64 {
        self.weighted(clip).log_likelihood
    }

    fn weighted(&self, clip: bool) -> JointEstimate {
        let mut partition = self.partition(clip);
        for function in &self.functions {
            partition.add(function, 1);
        }
        partition.finish()
    }
}

prop_compose! {
    /// Generates a distribution over classes with weights that are often zero and differ by orders of magnitude.
    fn distribution(num_classes: usize)(
        weights in prop::collection::vec(prop_oneof![Just(0.0_f32), 0.0_f32..1.0, 0.0_f32..1e-6], num_classes),
    ) -> Vec<f32> {
        let total: f32 = weights.iter().sum();
        if total > 0.0 {
            weights.iter().map(|weight| weight / total).collect()
        } else {
            vec![1.0 / num_classes as f32; num_classes]
        }
    }
}

/// Generates cases of any tau and K that are small enough for brute force.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    (2_usize..5, 1_usize..12).prop_flat_map(|(num_classes, tau)| {
        let rows = prop::collection::vec(distribution(num_classes), tau);
        let functions = prop::collection::vec(rows.prop_map(|rows| rows.concat()), 1..12);
        let labels = prop::collection::vec(0..num_classes as u32, tau);
        (labels, functions, 0_u32..7, any::<u64>()).prop_map(move |(labels, functions, planes, seed)| Case {
            num_classes,
            labels,
            functions,
            planes,
            seed,
        })
    })
}

fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// Returns the estimate if function m counts for `draws[m]` draws, or `None` if a function is too close to a plane to
/// determine its side.
fn brute_force(case: &Case, clip: bool, draws: &[f64]) -> Option<f64> {
    let planes = case.planes();
    let mut cells: BTreeMap<Vec<bool>, Vec<(Vec<f64>, f64)>> = BTreeMap::new();
    for (function, &draws) in case.functions.iter().zip(draws) {
        let mut probs: Vec<f64> = function.iter().map(|&p| f64::from(p)).collect();
        let mut probits: Vec<f64> = probs.iter().map(|&p| probit::probit(p)).collect();
        for (p, x) in probs.iter_mut().zip(&mut probits) {
            if clip {
                *x = x.clamp(-5.0, 5.0);
                *p = phi(*x);
            } else if x.is_infinite() {
                *x = probit::probit(SMALLEST).abs().copysign(*x);
            }
        }
        let mut cell = Vec::new();
        for i in 0..planes.count() {
            let (normal, offset) = planes.plane(i);
            let projection: f64 = normal.iter().zip(&probits).map(|(&a, x)| f64::from(a) * x).sum();
            let side = projection + f64::from(offset);
            // Near 1, single precision determines a clipped probit only to 7e-3; other rounding moves no function to
            // another side.
            let blur: f64 = if clip {
                normal.iter().zip(&probits).map(|(&a, &x)| if x > 4.9 { 8e-3 * f64::from(a).abs() } else { 0.0 }).sum()
            } else {
                0.0
            };
            if side.abs() < TIE + blur {
                return None;
            }
            cell.push(side >= 0.0);
        }
        cells.entry(cell).or_default().push((probs, draws));
    }
    let smoothing = if clip { 1e-6 } else { 0.0 };
    let mut likelihood = 0.0;
    for functions in cells.values() {
        let count: f64 = functions.iter().map(|(_, draws)| draws).sum();
        let mut product = 1.0;
        for (t, &label) in case.labels.iter().enumerate() {
            let position = t * case.num_classes + label as usize;
            let sum: f64 = functions.iter().map(|(probs, draws)| draws * probs[position]).sum();
            product *= (sum + smoothing) / (count + smoothing);
        }
        likelihood += count / draws.iter().sum::<f64>() * product;
    }
    Some(likelihood.ln())
}

/// Returns 1 plus M times the effect of a further fraction of a draw on the brute-force estimate, by a central
/// difference.
fn brute_force_weight(case: &Case, clip: bool, m: usize) -> Option<f64> {
    let mut draws = vec![1.0; case.functions.len()];
    draws[m] = 1.0 + STEP;
    let more = brute_force(case, clip, &draws)?;
    draws[m] = 1.0 - STEP;
    let less = brute_force(case, clip, &draws)?;
    Some(1.0 + draws.len() as f64 * (more - less) / (2.0 * STEP))
}

fn close(a: f64, b: f64, tau: usize) -> bool {
    a == b || (a - b).abs() <= ROUNDING * tau as f64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn algorithm_4_is_the_papers(case in case()) {
        let expected = brute_force(&case, false, &vec![1.0; case.functions.len()]);
        prop_assume!(expected.is_some());
        let (estimate, expected) = (case.estimate(false), expected.unwrap());
        prop_assert!(close(estimate, expected, case.labels.len()), "{} and {}", estimate, expected);
    }

    #[test]
    fn the_clipped_partition_is_the_reference_implementations(case in case()) {
        let expected = brute_force(&case, true, &vec![1.0; case.functions.len()]);
        prop_assume!(expected.is_some());
        let (estimate, expected) = (case.estimate(true), expected.unwrap());
        prop_assert!(close(estimate, expected, case.labels.len()), "{} and {}", estimate, expected);
    }

    #[test]
    fn a_weight_is_what_more_of_a_draw_does(case in case(), clip: bool) {
        let weighted = case.weighted(clip);
        prop_assume!(weighted.log_likelihood.is_finite());
        for (m, weight) in weighted.weights.iter().enumerate() {
            let expected = brute_force_weight(&case, clip, m);
            prop_assume!(expected.is_some());
            let expected = expected.unwrap();
            prop_assert!((weight - expected).abs() < DIFFERENCE * expected.abs().max(1.0), "{} and {}", weight, expected);
        }
    }
}
