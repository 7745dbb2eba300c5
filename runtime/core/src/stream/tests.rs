//! Streams keep their values for ever, and have the distributions that they claim.

use super::*;

const GOLDEN_U64: u64 = 16_175_795_834_687_955_331;
const GOLDEN_UNIFORM: f64 = 0.371_340_750_463_703_63;
const GOLDEN_NORMAL: f64 = -0.444_961_739_622_034_6;
const GOLDEN_TRUNCATED: f64 = -1.273_642_046_457_257_8;
const GOLDEN_AGENT_SEED: u64 = 4_438_610_228_916_359_773;

const SAMPLES: usize = 200_000;
/// Four standard errors of the mean of `SAMPLES` numbers with variance 1.
const MEAN: f64 = 0.009;
/// Four standard errors of their variance.
const VARIANCE: f64 = 0.013;

fn moments(mut sample: impl FnMut() -> f64) -> (f64, f64) {
    let values: Vec<f64> = (0..SAMPLES).map(|_| sample()).collect();
    let mean = values.iter().sum::<f64>() / SAMPLES as f64;
    (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / SAMPLES as f64)
}

#[test]
fn golden_values_never_move() {
    let mut source = stream(0, "planes", "testbed/t10/temp0.1/seed3", 7);
    assert_eq!(source.next_u64(), GOLDEN_U64);
    assert_eq!(source.uniform(), GOLDEN_UNIFORM);
    assert_eq!(source.normal(), GOLDEN_NORMAL);
    assert_eq!(source.truncated_normal(), GOLDEN_TRUNCATED);
    assert_eq!(agent_seed(0.into(), "testbed/t10/temp0.1/seed3"), GOLDEN_AGENT_SEED);
}

#[test]
fn every_part_of_a_name_counts() {
    let first = |seed, purpose, problem, index| stream(seed, purpose, problem, index).next_u64();
    let base = first(0, "ab", "c", 0);
    for other in [first(1, "ab", "c", 0), first(0, "a", "bc", 0), first(0, "ab", "d", 0), first(0, "ab", "c", 1)] {
        assert_ne!(base, other);
    }
    assert_eq!(base, first(0, "ab", "c", 0));
}

#[test]
fn uniform_is_uniform() {
    let mut source = stream(0, "test", "uniform", 0);
    let (mean, variance) = moments(|| source.uniform());
    assert!((mean - 0.5).abs() < MEAN);
    assert!((variance - 1.0 / 12.0).abs() < VARIANCE);
}

#[test]
fn normal_is_normal() {
    let mut source = stream(0, "test", "normal", 0);
    let (mean, variance) = moments(|| source.normal());
    assert!(mean.abs() < MEAN);
    assert!((variance - 1.0).abs() < VARIANCE);
    let mut source = stream(0, "test", "normal", 1);
    let (beyond_two, _) = moments(|| f64::from(u8::from(source.normal().abs() > 2.0)));
    assert!((beyond_two - 0.0455).abs() < MEAN * 0.21);
}

#[test]
fn truncated_normal_stops_at_two_and_is_not_rescaled() {
    let mut source = stream(0, "test", "truncated", 0);
    let (mean, variance) = moments(|| {
        let z = source.truncated_normal();
        assert!(z.abs() <= TRUNCATION);
        z
    });
    assert!(mean.abs() < MEAN);
    // 1 - 4 phi(2) / (2 Phi(2) - 1)
    assert!((variance - 0.773_741).abs() < VARIANCE);
}

#[test]
fn categorical_has_the_probabilities_given() {
    let mut source = stream(0, "test", "categorical", 0);
    let mut counts = [0_u32; 4];
    for _ in 0..SAMPLES {
        counts[source.categorical(&[0.0, 0.5, 0.2, 0.3]) as usize] += 1;
    }
    assert_eq!(counts[0], 0);
    for (count, p) in counts.iter().zip([0.0, 0.5, 0.2, 0.3]) {
        assert!((f64::from(*count) / SAMPLES as f64 - p).abs() < MEAN);
    }
}

#[test]
fn a_small_public_seed_is_found_from_an_agents_seed() {
    const PROBLEM: &str = "quick/t10/temp0.1/seed0";
    // The attack: try small master seeds until one gives the seed that the agent was given.
    let given = agent_seed(Seed::Public(1234), PROBLEM);
    assert_eq!((0..10_000).find(|number| agent_seed(Seed::Public(*number), PROBLEM) == given), Some(1234));
}

#[test]
fn streams_of_a_sealed_seed_are_hmac_of_their_names() {
    // Python: hmac.new(bytes(range(32)), b"jointly stream 2" + struct.pack("<Q", 5) + b"agent" + struct.pack("<Q", 23) +
    // b"quick/t10/temp0.1/seed0" + struct.pack("<Q", 0), "sha256").
    let key = "cf73082aa3645628399b4f169c4f1738dc394b72acf5d286a23b3a095a7d35c4";
    let sealed = Seed::Sealed(std::array::from_fn(|i| i as u8));
    let mut bytes = [0; 32];
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&key[at..at + 2], 16).unwrap();
    }
    let expected = ChaCha8Rng::from_seed(bytes).next_u64();
    assert_eq!(agent_seed(sealed, "quick/t10/temp0.1/seed0"), expected);
}
