//! XLL computed from bytes: the paper's statements, and bytes that cannot be read.

use jointly_core::correlations::{
    Dense, Moments, SampledFunctions, correlated_groups, joint_log_likelihood, marginal_log_likelihood,
};
use jointly_core::stream::stream;
use proptest::prelude::*;

use super::*;

/// Rounding of correlations in `f32`, in matrices whose smallest eigenvalue is some hundredths.
const SINGLE: f64 = 1e-4;
const ROWS: usize = 12;

/// The moments of smooth random functions.
fn moments(rows: usize, seed: u64) -> Moments {
    let mut source = stream(seed, "test", "cross", 0);
    let draws = 40;
    let waves: Vec<[f64; 2]> = (0..draws).map(|_| [source.normal(), source.normal()]).collect();
    let places: Vec<f64> = (0..rows).map(|_| source.normal()).collect();
    let means: Vec<f64> = waves
        .iter()
        .flat_map(|[a, b]| places.iter().map(move |x| 10.0 + a * libm::sin(3.0 * x + 2.0 * b) + b * x))
        .collect();
    let noise: Vec<f64> = (0..rows).map(|_| 0.2 + 0.5 * source.uniform()).collect();
    SampledFunctions::new(rows, &means, &noise.repeat(draws)).unwrap().moments()
}

fn targets(rows: usize) -> Vec<f64> {
    let mut source = stream(0, "test", "cross-targets", 0);
    (0..rows).map(|_| 10.0 + source.normal()).collect()
}

fn bytes(moments: &Moments) -> Vec<u8> {
    CorrelationBelief::new(moments, &targets(moments.rows()), 5).unwrap().bytes()
}

#[test]
fn a_belief_under_itself_has_its_own_joint_likelihood() {
    let (first, second) = (moments(ROWS, 1), moments(ROWS, 2));
    let scores = cross_scores([&bytes(&first), &bytes(&second)]).unwrap();
    for (i, belief) in [first, second].iter().enumerate() {
        let groups = correlated_groups(&belief.target_correlation(), 5);
        let own = joint_log_likelihood(belief, &targets(ROWS), &groups).unwrap();
        assert!((scores.xll[i][i].unwrap().0 - own).abs() < SINGLE);
    }
    let mean = |i: usize| 0.5 * (scores.xll[0][i].unwrap().0 + scores.xll[1][i].unwrap().0);
    for i in 0..2 {
        assert!((scores.mean_xll[i].unwrap().0 - mean(i)).abs() < 1e-12);
        assert_eq!(scores.ranks[i][0].unwrap().0 + scores.ranks[i][1].unwrap().0, 1.0);
    }
    let text = serde_json::to_string(&scores).unwrap();
    assert_eq!(serde_json::from_str::<CrossScores>(&text).unwrap(), scores);
}

#[test]
fn without_correlations_it_is_the_sum_of_the_references_marginals() {
    // Five rows, so that each row is in each group.
    let reference = moments(5, 1);
    let uncorrelated = Dense::from_fn(5, 5, |i, j| 3.0 * f64::from(u8::from(i == j)));
    let uncorrelated = Moments::new(vec![-7.0; 5], uncorrelated, vec![2.0; 5]).unwrap();
    let scores = cross_scores([&bytes(&reference), &bytes(&uncorrelated)]).unwrap();
    let marginal = marginal_log_likelihood(&reference, &targets(5)).unwrap();
    assert!((scores.xll[0][1].unwrap().0 - marginal).abs() < 1e-12);
}

#[test]
fn equal_beliefs_share_a_rank() {
    let one = bytes(&moments(ROWS, 1));
    let scores = cross_scores([&one, &one, &one]).unwrap();
    assert!(scores.mean_rank.iter().all(|rank| rank.unwrap().0 == 1.0));
}

#[test]
fn bytes_hold_the_belief_and_five_hundred_rows_stay_under_a_megabyte() {
    let belief = CorrelationBelief::new(&moments(500, 1), &targets(500), 5).unwrap();
    let bytes = belief.bytes();
    assert_eq!(bytes.len(), 16 + 4 * 8 * 500 + 4 * 500 * 499 / 2);
    assert_eq!(CorrelationBelief::read(&bytes).unwrap(), belief);
    let (original, read) = (moments(500, 1), belief.into_moments());
    assert_eq!((read.mean(), read.noise_variance()), (original.mean(), original.noise_variance()));
    assert_eq!(read.variance(), original.variance());
}

#[test]
fn beliefs_of_other_problems_are_not_compared() {
    assert_eq!(cross_scores::<&[u8]>([]), Err(CrossError::Empty));
    let first = bytes(&moments(ROWS, 1));
    assert_eq!(cross_scores([&first, &bytes(&moments(5, 1))]), Err(CrossError::Different { index: 1 }));
    let others = CorrelationBelief::new(&moments(ROWS, 1), &[1.0; ROWS], 5).unwrap().bytes();
    assert_eq!(cross_scores([&first, &first, &others]), Err(CrossError::Different { index: 2 }));
    let groups = CorrelationBelief::new(&moments(ROWS, 1), &targets(ROWS), 4).unwrap().bytes();
    assert_eq!(cross_scores([&first, &groups]), Err(CrossError::Different { index: 1 }));
}

#[test]
fn a_belief_without_density_is_left_out_and_named() {
    let certain = Moments::new(vec![10.0; ROWS], Dense::zeros(ROWS, ROWS), vec![0.0; ROWS]).unwrap();
    let scores = cross_scores([&bytes(&certain), &bytes(&moments(ROWS, 1)), &bytes(&moments(ROWS, 2))]).unwrap();
    assert_eq!(scores.failures.len(), 1);
    assert!(scores.failures[0].1.contains("no variance and no noise"), "{:?}", scores.failures);
    assert_eq!((scores.xll[0][1], scores.xll[1][0], scores.mean_rank[0]), (None, None, None));
    assert!(scores.mean_rank[1].is_some());
}

#[test]
fn damaged_bytes_are_refused_by_name() {
    let whole = bytes(&moments(ROWS, 1));
    let read = |bytes: &[u8]| CorrelationBelief::read(bytes).unwrap_err().to_string();
    assert_eq!(read(b"{}"), "it does not begin with \"jointly1\": it is not a belief, or that of another version");
    assert_eq!(read(b"join"), "it holds 4 bytes, expected 16");
    assert_eq!(
        read(&whole[..whole.len() - 1]),
        format!("it holds {} bytes, expected {}", whole.len() - 1, whole.len())
    );
    let changed = |at: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        read(&changed)
    };
    assert_eq!(changed(8, &[0; 4]), "the number of rows is 0, expected 1 to 2500");
    assert_eq!(changed(8, &[255; 4]), "the number of rows is 4294967295, expected 1 to 2500");
    assert_eq!(changed(12, &[65, 0, 0, 0]), "the size of a group is 65, expected 1 to 64");
    assert_eq!(changed(16, &f64::NAN.to_le_bytes()), "mean 0 is NaN, expected a number from -1e100 to 1e100");
    let variance = changed(16 + 8 * ROWS + 8, &(-1.0_f64).to_le_bytes());
    assert_eq!(variance, "variance 1 is -1.0, expected a number from 0 to 1e200");
    let correlation = changed(16 + 32 * ROWS, &1.5_f32.to_le_bytes());
    assert_eq!(correlation, "correlation 0 is 1.5, expected a number from -1 to 1");
    assert!(
        cross_scores([whole.as_slice(), b"no"]).unwrap_err().to_string().starts_with("belief 1: it does not begin")
    );
    let huge = Moments::new(vec![1e101; 2], Dense::zeros(2, 2), vec![1.0; 2]).unwrap();
    assert!(CorrelationBelief::new(&huge, &[0.0; 2], 5).is_err());
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(mut changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
                              cut in any::<prop::sample::Index>(), keep in any::<bool>()) {
        let mut bytes = bytes(&moments(6, 1));
        if !keep {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        for (at, value) in changes.drain(..).filter(|_| !bytes.is_empty()).collect::<Vec<_>>() {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(scores) = cross_scores([&bytes]) {
            prop_assert!(scores.xll[0][0].is_none_or(|xll| !xll.0.is_nan()));
        }
    }
}
