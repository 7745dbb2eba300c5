//! Tests that predictions from a file score like the agent that made them.

use std::io::Cursor;

use crate::Evaluation;
use jointly_core::distribution::normalize;
use jointly_core::stream::stream;
use jointly_core::{Inputs, Model};
use jointly_data::import::fixture::{Fixture, npy_header};

use super::*;
use crate::{Problem, evaluate};

/// Draws, tau-samples and classes of the test files.
const DRAWS: u64 = 12;
const SAMPLES: u64 = 7;
const CLASSES: u64 = 3;

struct Contents {
    tau: u64,
    probs: Vec<f32>,
    labels: Vec<i64>,
}

fn contents(tau: u64) -> Contents {
    let mut source = stream(0, "test", "predictions", tau);
    let mut probs = Vec::new();
    for _ in 0..DRAWS * SAMPLES * tau {
        let weights: [f32; CLASSES as usize] = std::array::from_fn(|_| source.uniform() as f32);
        let total: f32 = weights.iter().sum();
        probs.extend(weights.map(|weight| weight / total));
    }
    let labels = (0..SAMPLES * tau).map(|_| (source.next_u64() % CLASSES) as i64).collect();
    Contents { tau, probs, labels }
}

impl Contents {
    fn fixture(&self) -> Fixture {
        Fixture::new().array("probs", &[DRAWS, SAMPLES, self.tau, CLASSES], self.probs.clone()).array(
            "labels",
            &[SAMPLES, self.tau],
            self.labels.clone(),
        )
    }
}

fn options(clip: bool, partition: Partitioning) -> PredictionOptions {
    PredictionOptions { partition, planes: 4, clip, partition_above: 2, seed: 5.into() }
}

fn score(budget: u64, bytes: &[u8], clip: bool) -> Result<PredictionScores, ImportDefect> {
    score_within(budget, Cursor::new(bytes), None, &options(clip, Partitioning::Planes), &mut |_| ())
}

/// A problem whose inputs are their row numbers.
fn problem(contents: &Contents, log_likelihoods: Option<Vec<f64>>) -> ImportedProblem {
    let rows = SAMPLES * contents.tau;
    let fixture = Fixture::new()
        .array("x_train", &[0, 1], Vec::<f32>::new())
        .array("y_train", &[0], Vec::<i64>::new())
        .array("x_test", &[SAMPLES, contents.tau, 1], (0..rows).map(|row| row as f32).collect())
        .array("y_test", &[SAMPLES, contents.tau], contents.labels.clone())
        .array("num_classes", &[], vec![CLASSES as i64]);
    let fixture = match log_likelihoods {
        Some(values) => fixture.array("log_likelihood", &[SAMPLES], values),
        None => fixture,
    };
    ImportedProblem::from_bytes(fixture.bytes(), Path::new("problem.npz")).unwrap()
}

/// An agent whose draw m is row m of the file; inputs are their row numbers.
struct Recorded<'a>(&'a Contents);

impl Model for Recorded<'_> {
    type Error = std::convert::Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error> {
        Ok(draws.to_vec())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error> {
        let mut probs = Vec::new();
        for &draw in draws {
            for &row in inputs.numbers().values() {
                let start = ((draw * SAMPLES * self.0.tau + row as u64) * CLASSES) as usize;
                probs.extend(&self.0.probs[start..start + CLASSES as usize]);
            }
        }
        // As the host does with answers.
        probs.chunks_exact_mut(CLASSES as usize).for_each(normalize);
        Ok(probs)
    }
}

#[test]
fn a_file_scores_as_the_agent_that_made_it() {
    for tau in [1, 2, 6] {
        let contents = contents(tau);
        for log_likelihoods in [None, Some(vec![-0.5; SAMPLES as usize])] {
            let imported = problem(&contents, log_likelihoods);
            let problem = Problem::imported("mine".to_owned(), imported.clone());
            for (clip, partition) in
                [true, false].map(|clip| (clip, Partitioning::Planes)).into_iter().chain([(true, Partitioning::KMeans)])
            {
                let options = options(clip, partition);
                let evaluation = Evaluation {
                    precision: None,
                    taus: vec![],
                    samples: 0,
                    draws: DRAWS as u32,
                    partition,
                    planes: options.planes,
                    clip,
                    partition_above: options.partition_above,
                };
                let instance = problem.instance(5.into());
                let expected =
                    evaluate(&mut Recorded(&contents), &problem, &instance, &evaluation, 5.into(), &mut |_| ())
                        .unwrap();
                let bytes = contents.fixture().bytes();
                let score =
                    |problem| score_within(BUDGET, Cursor::new(&bytes), problem, &options, &mut |_| ()).unwrap();
                let scores = score(Some(&imported));
                assert_eq!((tau as u32, scores.joint), expected.joint[0]);
                assert_eq!((scores.accuracy, scores.ece), (expected.accuracy, expected.ece.0));
                assert_eq!((scores.metric, scores.tau), (problem.metric(), tau as u32));
                assert_eq!((scores.draws, scores.samples, scores.num_classes), (12, 7, 3));
                // Without the problem, the cells differ, and so do scores where a partition is used.
                if problem.metric() == Metric::Nll {
                    let alone = score(None);
                    assert_eq!(alone.joint == scores.joint, tau <= 2, "tau {tau}, {partition:?}");
                    assert_eq!((alone.accuracy, alone.ece), (scores.accuracy, scores.ece));
                }
            }
        }
    }
}

#[test]
fn predictions_of_another_problem_are_refused() {
    let contents = contents(2);
    let score = |problem: &ImportedProblem, fixture: Fixture| {
        let options = options(true, Partitioning::Planes);
        let error = score_within(BUDGET, Cursor::new(fixture.bytes()), Some(problem), &options, &mut |_| ());
        error.unwrap_err().to_string()
    };
    let mut other = self::contents(2);
    other.labels[5] = (other.labels[5] + 1) % CLASSES as i64;
    let message = score(&problem(&other, None), contents.fixture());
    let start = format!("labels[2, 1] is {}, and the problem has {} there: ", contents.labels[5], other.labels[5]);
    assert!(message.starts_with(&start) && message.contains("the problem that they were made on"), "{message}");
    let message = score(&problem(&self::contents(6), None), contents.fixture());
    assert!(
        message.starts_with("probs has shape [12, 7, 2, 3], expected (M, N, tau, K) with N = 7, tau = 6"),
        "{message}"
    );
    let mut own = vec![-0.5; SAMPLES as usize];
    let fixture = |own: &[f64]| contents.fixture().array("log_likelihood", &[SAMPLES], own.to_vec());
    let message = score(&problem(&contents, None), fixture(&own));
    assert!(message.starts_with("log_likelihood[0] is -0.5, and the problem has none there"), "{message}");
    own[3] = -0.25;
    let message = score(&problem(&contents, Some(vec![-0.5; SAMPLES as usize])), fixture(&own));
    assert!(message.starts_with("log_likelihood[3] is -0.25, and the problem has -0.5 there"), "{message}");
}

#[test]
fn many_passes_give_the_same_bits_as_one() {
    for tau in [1, 6] {
        let bytes = contents(tau).fixture().bytes();
        for clip in [true, false] {
            let whole = score(BUDGET, &bytes, clip).unwrap();
            for budget in [1, 3000, 20_000] {
                assert_eq!(score(budget, &bytes, clip).unwrap(), whole);
            }
        }
    }
}

#[test]
fn clusters_of_many_passes_are_those_of_one() {
    let bytes = contents(6).fixture().bytes();
    let options = options(true, Partitioning::KMeans);
    let score = |budget| score_within(budget, Cursor::new(&bytes), None, &options, &mut |_| ()).unwrap();
    assert_eq!(score(1), score(BUDGET));
    assert_ne!(score(1), self::score(BUDGET, &bytes, true).unwrap());
}

#[test]
fn without_the_axis_of_tau_it_is_one() {
    let contents = contents(1);
    let flat = Fixture::new().array("probs", &[DRAWS, SAMPLES, CLASSES], contents.probs.clone()).array(
        "labels",
        &[SAMPLES],
        contents.labels.clone(),
    );
    let expected = score(BUDGET, &contents.fixture().bytes(), true).unwrap();
    assert_eq!(score(BUDGET, &flat.bytes(), true).unwrap(), expected);
}

#[test]
fn with_the_environments_log_likelihoods_it_is_the_kl() {
    let contents = contents(2);
    let nll = score(BUDGET, &contents.fixture().bytes(), true).unwrap();
    let environment = vec![-0.5; SAMPLES as usize];
    let known = contents.fixture().array("log_likelihood", &[SAMPLES], environment);
    let kl = score(BUDGET, &known.bytes(), true).unwrap();
    assert_eq!(kl.metric, Metric::Kl);
    assert!((kl.joint.mean - (nll.joint.mean - 0.5)).abs() < 1e-12);
}

#[test]
fn a_file_on_disk_is_scored_with_progress() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("predictions.npz");
    let bytes = contents(6).fixture().bytes();
    std::fs::write(&path, &bytes).unwrap();
    let mut seen = vec![0.0];
    let scores =
        score_predictions(&path, None, &options(true, Partitioning::Planes), &mut |fraction| seen.push(fraction))
            .unwrap();
    assert_eq!(scores, score(BUDGET, &bytes, true).unwrap());
    assert!(seen.is_sorted() && seen.len() > DRAWS as usize);
    assert_eq!(seen.last(), Some(&1.0));
}

fn refusal(contents: &Contents) -> String {
    score(BUDGET, &contents.fixture().bytes(), true).unwrap_err().to_string()
}

/// Returns contents in which the first class at row t of tau-sample n of draw m has the probability `p`.
fn spoilt(m: u64, n: u64, t: u64, p: f32) -> Contents {
    let mut contents = contents(2);
    contents.probs[(((m * SAMPLES + n) * 2 + t) * CLASSES) as usize] = p;
    contents
}

#[test]
fn a_row_that_is_no_distribution_is_located() {
    let nan = refusal(&spoilt(3, 4, 1, f32::NAN));
    assert!(nan.starts_with("probs[m=3, n=4, t=1] holds a probability that is not finite: apply a softmax"), "{nan}");
    let negative = refusal(&spoilt(0, 0, 0, -0.25));
    assert!(negative.starts_with("probs[m=0, n=0, t=0] holds a probability of -0.25"), "{negative}");
    let heavy = refusal(&spoilt(11, 6, 1, 1.0));
    assert!(heavy.starts_with("probs[m=11, n=6, t=1] holds probabilities that sum to 1."), "{heavy}");
}

#[test]
fn labels_must_fit_the_predictions() {
    let mut contents = contents(2);
    let shape = [SAMPLES + 1, 2];
    let fixture = Fixture::new().array("probs", &[DRAWS, SAMPLES, 2, CLASSES], contents.probs.clone()).array(
        "labels",
        &shape,
        vec![0_i64; 16],
    );
    let message = score(BUDGET, &fixture.bytes(), true).unwrap_err().to_string();
    assert_eq!(message, "labels has shape [8, 2], expected (N, tau) = (7, 2), as probs has: save it in that shape");
    contents.labels[5] = 3;
    assert!(refusal(&contents).starts_with("labels[2, 1] is 3, expected a class from 0 to 2"));
}

#[test]
fn predictions_must_have_three_or_four_axes() {
    let fixture = Fixture::new().array("probs", &[2, 2], vec![0.5_f32; 4]).array("labels", &[2], vec![0_i64; 2]);
    let message = score(BUDGET, &fixture.bytes(), true).unwrap_err().to_string();
    assert_eq!(
        message,
        "probs has shape [2, 2], expected (M, N, tau, K), or (M, N, K) where tau is 1: save it in that shape"
    );
}

#[test]
fn too_many_planes_are_refused() {
    let options = PredictionOptions { planes: 21, ..PredictionOptions::default() };
    let bytes = contents(1).fixture().bytes();
    let error = score_within(BUDGET, Cursor::new(&bytes), None, &options, &mut |_| ()).unwrap_err();
    assert_eq!(error.to_string(), "planes is 21, expected at most 20: ask for fewer");
}

/// Returns the error for a file whose `probs` is only a header of this shape, and whose `labels` is one zero.
fn header_only(shape: &str) -> String {
    let fixture = Fixture::new().raw("probs.npy", &npy_header("<f4", shape)).array("labels", &[1, 1], vec![0_i64]);
    score(BUDGET, &fixture.bytes(), true).unwrap_err().to_string()
}

#[test]
fn a_header_that_promises_more_than_the_file_holds_is_refused() {
    for shape in ["(1, 1, 1, 4294967295)", "(1, 4294967295, 1000000, 2)", "(262144, 1, 1, 2)", "(1, 1, 9000000, 65536)"]
    {
        let message = header_only(shape);
        assert!(message.starts_with("probs is cut short: its shape ["), "{message}");
    }
}

#[test]
fn too_many_classes_are_refused() {
    let contents = vec![0.0_f32; (1 << 16) + 1];
    let fixture = Fixture::new().array("probs", &[1, 1, 1, contents.len() as u64], contents);
    let message = score(BUDGET, &fixture.bytes(), true).unwrap_err().to_string();
    assert_eq!(message, "the number K of classes in probs is 65537, expected at most 65536: merge some");
}

#[test]
fn a_tau_sample_that_memory_cannot_hold_is_refused_with_its_sizes() {
    let (tau, classes) = (60, 1 << 16);
    let fixture = Fixture::new().array("probs", &[1, 1, tau, classes], vec![0.0_f32; (tau * classes) as usize]);
    let options = PredictionOptions { planes: 20, ..options(true, Partitioning::Planes) };
    let error = score_within(BUDGET, Cursor::new(fixture.bytes()), None, &options, &mut |_| ()).unwrap_err();
    let message = error.to_string();
    let start = "one tau-sample with tau 60, K 65536, 20 planes and 1 draws needs ";
    assert!(message.starts_with(start) && message.contains("at most 536870912: ask for fewer planes"), "{message}");
}

#[test]
fn a_directory_is_no_file_of_predictions() {
    let dir = tempfile::tempdir().unwrap();
    let error = score_predictions(dir.path(), None, &options(true, Partitioning::Planes), &mut |_| ()).unwrap_err();
    assert!(matches!(error.defect, ImportDefect::Io(_)), "{error}");
    assert!(error.to_string().ends_with("is a directory: give the path of a .npz file"), "{error}");
}
