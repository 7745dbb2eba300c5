//! Scores externally made predictions, read from a file in passes of bounded memory.

use std::io::{BufReader, Read, Seek};
use std::path::Path;

use jointly_core::distribution::{distribution_defect, normalize};
use jointly_core::estimate::{DrawError, MAX_DRAWS, MAX_PLANES, MAX_SAMPLE_BYTES};
use jointly_core::metric::{MarginalScores, Metric};
use jointly_core::score::{JointScore, Score};
use jointly_core::task::MAX_CLASSES;
use jointly_core::{Partitioning, Seed};
use jointly_data::import::{
    Archive, ImportDefect, ImportError, ImportedProblem, MAX_IMPORT_BYTES, classes, log_likelihoods, open, place,
};

use crate::evaluate::Block;
use crate::rule::Rule;

/// Bytes that a pass over the file may hold.
const BUDGET: u64 = 448 << 20;
/// The name of the planes' random streams when no problem is given.
const STREAM: &str = "predictions";

/// The evaluation options of a file of predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionOptions {
    /// The method that partitions the draws into cells, if any.
    pub partition: Partitioning,
    /// Number d of random hyperplanes, at most [`MAX_PLANES`]; with k-means, there are at most 2^d clusters.
    pub planes: u32,
    /// Whether the partition clips probits as the reference implementation does; the paper's algorithm 4 does not.
    pub clip: bool,
    /// The largest tau that Monte Carlo estimates; the partition estimates larger ones.
    pub partition_above: u32,
    /// The seed of the hyperplanes or clusters.
    pub seed: Seed,
}

impl Default for PredictionOptions {
    /// The reference implementation's options on real data.
    fn default() -> Self {
        Self { partition: Partitioning::Planes, planes: 10, clip: true, partition_above: 10, seed: Seed::Public(0) }
    }
}

/// The scores of a file of predictions, and the sizes found in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionScores {
    /// KL if the file contains the environment's log-likelihoods, else negative log-likelihood.
    pub metric: Metric,
    /// Number of inputs in a tau-sample.
    pub tau: u32,
    /// The joint score, in nats per tau-sample.
    pub joint: JointScore,
    /// Accuracy of the mean over draws; its standard error is clustered by tau-sample.
    pub accuracy: Score,
    /// Expected calibration error of the mean over draws; without a standard error, because it is not a mean over
    /// tau-samples.
    pub ece: f64,
    /// Number K of classes.
    pub num_classes: u32,
    /// Number M of draws.
    pub draws: u32,
    /// Number N of tau-samples.
    pub samples: u32,
}

/// Scores predictions in NumPy's .npz: `probs` (M, N, tau, K) float32, or (M, N, K) where tau is 1; `labels` (N, tau)
/// or (N,) int64; and, where known, `log_likelihood` (N,) float64 of the labels under the true environment.
///
/// With the problem that the predictions were made on, row (n, t) being at `x_test[n, t]`, the scores are bit-identical
/// to those of [`evaluate`](crate::evaluate()) on an agent whose draw m is `probs[m]`, with the same seed and options:
/// the streams of hyperplanes or clusters are named by the problem's content, and the environment's log-likelihoods are
/// the problem's. Without the problem, this is true of accuracy and calibration, and of the joint score where tau is at
/// most `partition_above`. Above it, the partition is drawn from a stream that belongs to no problem: all files use the
/// same partition and are comparable with one another, but a score differs from that of `evaluate` as it would under
/// another seed.
///
/// The file stores draws one after another, so it is read in as many passes as keep memory within about 512 MiB in
/// addition to the problem. `progress` receives the fraction done, up to 1.
///
/// # Errors
/// When the file cannot be read, an array is missing or has another shape or type, a label is not a class, or a row of
/// probabilities has a [defect](distribution_defect); when the file has more than [`MAX_CLASSES`] classes or
/// [`MAX_DRAWS`] draws, `options` has more than [`MAX_PLANES`] planes, or one tau-sample would take more than
/// [`MAX_SAMPLE_BYTES`]; when sizes, labels or log-likelihoods differ from those of the problem.
pub fn score_predictions(
    path: &Path,
    problem: Option<&ImportedProblem>,
    options: &PredictionOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<PredictionScores, ImportError> {
    open(path)
        .and_then(|file| score_within(BUDGET, BufReader::new(file), problem, options, progress))
        .map_err(|defect| defect.of(path))
}

/// The dimensions of the probabilities.
#[derive(Clone, Copy)]
struct Sizes {
    draws: u64,
    samples: u64,
    tau: u64,
    num_classes: u64,
}

/// The arrays of the file other than the probabilities.
struct Contents {
    labels: Vec<u32>,
    log_likelihoods: Option<Vec<f64>>,
}

fn score_within<R: Read + Seek>(
    budget: u64,
    reader: R,
    problem: Option<&ImportedProblem>,
    options: &PredictionOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<PredictionScores, ImportDefect> {
    if options.planes > MAX_PLANES {
        let expected = format!("at most {MAX_PLANES}");
        return Err(out_of_range("planes", options.planes.into(), expected, "ask for fewer"));
    }
    let mut archive = Archive::open(reader)?;
    let sizes = Sizes::read(&mut archive)?;
    if let Some(problem) = problem {
        sizes.are_those_of(problem, &mut archive)?;
    }
    let rule = Rule {
        problem: problem.map_or(STREAM, ImportedProblem::content),
        seed: options.seed,
        tau: sizes.tau as u32,
        num_classes: sizes.num_classes as usize,
        partition: options.partition,
        planes: options.planes,
        clip: options.clip,
        partition_above: options.partition_above,
        marginals: true,
    };
    let bytes = sample_bytes(&rule, sizes.draws)?;
    let mut contents = Contents::read(&mut archive, &sizes)?;
    if let Some(problem) = problem {
        contents.belong_to(problem, &sizes)?;
    }
    let step = (budget / bytes).max(1);
    let passes = sizes.samples.div_ceil(step);

    let mut marginals = MarginalScores::default();
    let mut errors = DrawError::default();
    let mut agent = Vec::with_capacity(sizes.samples as usize);
    for (pass, start) in (0..sizes.samples).step_by(step as usize).enumerate() {
        let end = sizes.samples.min(start + step);
        let labels = &contents.labels[(start * sizes.tau) as usize..(end * sizes.tau) as usize];
        let mut block = Block::new(&rule, start as u32..end as u32, labels);
        let mut report = |fraction: f64| progress((pass as f64 + fraction) / passes as f64);
        read_pass(&mut archive, &sizes, start..end, &mut block, &mut report)?;
        agent.extend(block.finish(&mut marginals, &mut errors));
    }
    progress(1.0);
    let metric = Metric::given(contents.log_likelihoods.is_some());
    Ok(PredictionScores {
        metric,
        tau: rule.tau,
        joint: JointScore::of(&metric.losses(&agent, contents.log_likelihoods.as_deref()), &errors),
        accuracy: marginals.accuracy(),
        ece: marginals.ece(),
        num_classes: sizes.num_classes as u32,
        draws: sizes.draws as u32,
        samples: sizes.samples as u32,
    })
}

/// Reads through all draws and adds the tau-samples of one block.
fn read_pass<R: Read + Seek>(
    archive: &mut Archive<R>,
    sizes: &Sizes,
    samples: std::ops::Range<u64>,
    block: &mut Block<'_>,
    report: &mut dyn FnMut(f64),
) -> Result<(), ImportDefect> {
    let mut values = archive.get("probs")?.into_values::<f32>()?;
    let bytes = sizes.tau * sizes.num_classes * size_of::<f32>() as u64;
    let mut probs = Vec::new();
    for m in 0..sizes.draws {
        values.skip(samples.start * bytes)?;
        probs.clear();
        let count = (samples.end - samples.start) * sizes.tau * sizes.num_classes;
        values.read(count as usize, &mut probs)?;
        values.skip((sizes.samples - samples.end) * bytes)?;
        check(&mut probs, sizes, m, samples.start)?;
        block.add(&probs, &[1]);
        report((m + 1) as f64 / sizes.draws as f64);
    }
    values.finish()
}

/// Checks each row of probabilities, and divides it by its sum.
fn check(probs: &mut [f32], sizes: &Sizes, m: u64, first: u64) -> Result<(), ImportDefect> {
    for (row, probs) in probs.chunks_exact_mut(sizes.num_classes as usize).enumerate() {
        if let Some(reason) = distribution_defect(probs) {
            let (n, t) = (first + row as u64 / sizes.tau, row as u64 % sizes.tau);
            return Err(ImportDefect::Probability { key: "probs".to_owned(), m, n, t, reason });
        }
        normalize(probs);
    }
    Ok(())
}

/// Returns the bytes that one tau-sample takes, or an error when they exceed the limit.
fn sample_bytes(rule: &Rule, draws: u64) -> Result<u64, ImportDefect> {
    let bytes = rule.sample_bytes(draws);
    if bytes <= MAX_SAMPLE_BYTES {
        return Ok(bytes);
    }
    let Rule { tau, num_classes, planes, .. } = rule;
    Err(ImportDefect::TooLarge {
        what: format!("one tau-sample with tau {tau}, K {num_classes}, {planes} planes and {draws} draws"),
        bytes,
        limit: MAX_SAMPLE_BYTES,
        remedy: "ask for fewer planes, or save shorter tau-samples or fewer draws",
    })
}

impl Sizes {
    fn read<R: Read + Seek>(archive: &mut Archive<R>) -> Result<Self, ImportDefect> {
        archive.holds_only(&["probs", "labels", "log_likelihood"])?;
        let array = archive.get("probs")?;
        array.check::<f32>()?;
        let (draws, samples, tau, num_classes) = match *array.shape() {
            [m, n, tau, k] => (m, n, tau, k),
            [m, n, k] => (m, n, 1, k),
            _ => return Err(array.misshapen("(M, N, tau, K), or (M, N, K) where tau is 1")),
        };
        if draws == 0 || samples == 0 || tau == 0 || num_classes < 2 || samples.max(tau) > u64::from(u32::MAX) {
            return Err(array.misshapen("(M, N, tau, K) with M, N and tau at least 1 and K at least 2"));
        }
        if draws > MAX_DRAWS {
            let (key, expected) = ("the number M of draws in probs", format!("at most {MAX_DRAWS}"));
            return Err(out_of_range(key, draws, expected, "save fewer"));
        }
        if num_classes > MAX_CLASSES.into() {
            let (key, expected) = ("the number K of classes in probs", format!("at most {MAX_CLASSES}"));
            return Err(out_of_range(key, num_classes, expected, "merge some"));
        }
        Ok(Self { draws, samples, tau, num_classes })
    }

    fn are_those_of<R: Read + Seek>(
        &self,
        problem: &ImportedProblem,
        archive: &mut Archive<R>,
    ) -> Result<(), ImportDefect> {
        let own = [self.samples, self.tau, self.num_classes];
        let [samples, tau, num_classes] = [problem.samples(), problem.tau(), problem.task().num_classes].map(u64::from);
        if own == [samples, tau, num_classes] {
            return Ok(());
        }
        let expected =
            format!("(M, N, tau, K) with N = {samples}, tau = {tau} and K = {num_classes}, as the problem has");
        Err(archive.get("probs")?.misshapen(expected))
    }
}

impl Contents {
    fn read<R: Read + Seek>(archive: &mut Archive<R>, sizes: &Sizes) -> Result<Self, ImportDefect> {
        archive.limit(&["labels", "log_likelihood"], MAX_IMPORT_BYTES)?;
        let &Sizes { samples, tau, num_classes, .. } = sizes;
        let array = archive.get("labels")?;
        if array.shape() != [samples, tau] && !(tau == 1 && array.shape() == [samples]) {
            let alternative = if tau == 1 { format!(" or ({samples},)") } else { String::new() };
            return Err(array.misshapen(format!("(N, tau) = ({samples}, {tau}){alternative}, as probs has")));
        }
        let shape = array.shape().to_vec();
        let labels = classes("labels", &shape, &array.read::<i64>()?, num_classes as u32)?;
        let log_likelihoods = log_likelihoods(archive, samples)?;
        Ok(Self { labels, log_likelihoods })
    }

    /// Checks that the contents match the problem's tau-samples, and takes over the problem's log-likelihoods.
    fn belong_to(&mut self, problem: &ImportedProblem, sizes: &Sizes) -> Result<(), ImportDefect> {
        let &Sizes { samples, tau, .. } = sizes;
        let other = |key: &str, shape: &[u64], i: usize, found: String, expected: String| {
            Err(ImportDefect::OtherProblem { key: key.to_owned(), index: place(shape, i), found, expected })
        };
        let known = problem.test_labels();
        if let Some(i) = (0..known.len()).find(|&i| self.labels[i] != known[i]) {
            return other("labels", &[samples, tau], i, self.labels[i].to_string(), known[i].to_string());
        }
        if let Some(own) = &self.log_likelihoods {
            let known = |i: usize| problem.log_likelihoods().map(|known| known[i]);
            if let Some(i) = (0..own.len()).find(|&i| known(i) != Some(own[i])) {
                let expected = known(i).map_or_else(|| "none".to_owned(), |known| known.to_string());
                return other("log_likelihood", &[samples], i, own[i].to_string(), expected);
            }
        }
        self.log_likelihoods = problem.log_likelihoods().map(<[f64]>::to_vec);
        Ok(())
    }
}

fn out_of_range(key: &str, found: u64, expected: String, remedy: &'static str) -> ImportDefect {
    ImportDefect::Range { key: key.to_owned(), found: found.to_string(), expected, remedy }
}

#[cfg(test)]
mod tests;
