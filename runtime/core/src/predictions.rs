//! Scores predictions made elsewhere, read from a file in passes of bounded memory.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use crate::estimate::{MAX_DRAWS, MAX_PLANES};
use crate::evaluate::{Block, Rule};
use crate::import::{Archive, ImportDefect, ImportError, classes, log_likelihoods};
use crate::metric::{CalibrationGaps, Metric};
use crate::score::Score;

/// The furthest that a row of probabilities may sum from 1.
const SUM_TOLERANCE: f64 = 1e-4;
/// Bytes that a pass over the file may hold.
const BUDGET: usize = 448 << 20;
/// What the streams of planes are named for, in place of a problem.
const STREAM: &str = "predictions";

/// How predictions are evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionOptions {
    /// Number of random hyperplanes, at most [`MAX_PLANES`].
    pub planes: u32,
    /// Whether the partition clips probits as the reference implementation does; off is the paper's algorithm 4.
    pub clip: bool,
    /// The partition serves where tau is above this, Monte Carlo elsewhere.
    pub partition_above: u32,
    /// The seed of the hyperplanes.
    pub seed: u64,
}

impl Default for PredictionOptions {
    /// What the reference implementation does on real data.
    fn default() -> Self {
        Self { planes: 10, clip: true, partition_above: 10, seed: 0 }
    }
}

/// The scores of a file of predictions, and the sizes found in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionScores {
    /// KL where the file holds the environment's log-likelihoods, else negative log-likelihood.
    pub metric: Metric,
    /// Number of inputs in a tau-sample.
    pub tau: u32,
    /// The joint score, nats a tau-sample.
    pub joint: Score,
    /// Accuracy of the mean over draws.
    pub accuracy: f64,
    /// Expected calibration error of the mean over draws.
    pub ece: f64,
    /// Number K of classes.
    pub num_classes: u32,
    /// Number M of draws.
    pub draws: u32,
    /// Number N of tau-samples.
    pub samples: u32,
}

/// Scores predictions in NumPy's .npz: `probs` (M, N, tau, K) float32, or (M, N, K) where tau is 1; `labels` (N, tau) or
/// (N,) int64; and, where known, `log_likelihood` (N,) float64 of the labels under the true environment.
///
/// The scores are those of [`evaluate`](crate::evaluate()) on an agent whose draw m is `probs[m]`. Draws come one after
/// another in the file, so that it is read in as many passes as keep memory within about 512 MiB. `progress` is told the
/// fraction done, up to 1.
///
/// # Errors
/// When the file cannot be read, an array is missing or has another shape or type, a label is no class, or a row of
/// probabilities is not finite, not in [0, 1] or does not sum to 1 within 1e-4; and when `options` asks for too many
/// planes.
pub fn score_predictions(
    path: &Path,
    options: &PredictionOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<PredictionScores, ImportError> {
    let file = File::open(path).map_err(|error| ImportDefect::Io(error).of(path))?;
    score_within(BUDGET, BufReader::new(file), options, progress).map_err(|defect| defect.of(path))
}

/// What the file holds besides the probabilities.
struct Contents {
    draws: u64,
    samples: u64,
    tau: u64,
    num_classes: u64,
    labels: Vec<u32>,
    log_likelihoods: Option<Vec<f64>>,
}

fn score_within<R: Read + Seek>(
    budget: usize,
    reader: R,
    options: &PredictionOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<PredictionScores, ImportDefect> {
    if options.planes > MAX_PLANES {
        return Err(out_of_range("planes", options.planes.into(), format!("at most {MAX_PLANES}")));
    }
    let mut archive = Archive::open(reader)?;
    let contents = Contents::read(&mut archive)?;
    let rule = Rule {
        problem: STREAM,
        seed: options.seed,
        tau: contents.tau as u32,
        num_classes: contents.num_classes as usize,
        planes: options.planes,
        clip: options.clip,
        partition_above: options.partition_above,
        marginals: true,
    };
    let bytes = rule.bytes(contents.draws as usize) + rule.probs() * size_of::<f32>();
    let step = (budget / bytes).max(1);
    let passes = contents.samples.div_ceil(step as u64);

    let mut gaps = CalibrationGaps::default();
    let mut agent = Vec::with_capacity(contents.samples as usize);
    for (pass, start) in (0..contents.samples).step_by(step).enumerate() {
        let end = contents.samples.min(start + step as u64);
        let labels = &contents.labels[(start * contents.tau) as usize..(end * contents.tau) as usize];
        let mut block = Block::new(&rule, start as u32..end as u32, labels);
        let mut report = |fraction: f64| progress((pass as f64 + fraction) / passes as f64);
        read_pass(&mut archive, &contents, start..end, &mut block, &mut report)?;
        agent.extend(block.finish(&mut gaps));
    }
    progress(1.0);
    let metric = Metric::given(contents.log_likelihoods.is_some());
    Ok(PredictionScores {
        metric,
        tau: rule.tau,
        joint: Score::of(&metric.losses(&agent, contents.log_likelihoods.as_deref())),
        accuracy: gaps.accuracy(),
        ece: gaps.error(),
        num_classes: contents.num_classes as u32,
        draws: contents.draws as u32,
        samples: contents.samples as u32,
    })
}

/// Reads through all draws and adds the tau-samples of one block.
fn read_pass<R: Read + Seek>(
    archive: &mut Archive<R>,
    contents: &Contents,
    samples: std::ops::Range<u64>,
    block: &mut Block<'_>,
    report: &mut dyn FnMut(f64),
) -> Result<(), ImportDefect> {
    let mut values = archive.get("probs")?.into_values::<f32>()?;
    let bytes = contents.tau * contents.num_classes * size_of::<f32>() as u64;
    let mut probs = Vec::new();
    for m in 0..contents.draws {
        values.skip(samples.start * bytes)?;
        probs.clear();
        let count = (samples.end - samples.start) * contents.tau * contents.num_classes;
        values.read(count as usize, &mut probs)?;
        values.skip((contents.samples - samples.end) * bytes)?;
        check(&probs, contents, m, samples.start)?;
        block.add(&probs, &[1]);
        report((m + 1) as f64 / contents.draws as f64);
    }
    values.finish()
}

fn check(probs: &[f32], contents: &Contents, m: u64, first: u64) -> Result<(), ImportDefect> {
    for (row, probs) in probs.chunks_exact(contents.num_classes as usize).enumerate() {
        let sum: f64 = probs.iter().map(|&p| f64::from(p)).sum();
        let reason = if let Some(p) = probs.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            format!("it holds {p}")
        } else if (sum - 1.0).abs() > SUM_TOLERANCE {
            format!("it sums to {sum}")
        } else {
            continue;
        };
        let (n, t) = (first + row as u64 / contents.tau, row as u64 % contents.tau);
        return Err(ImportDefect::Probability { key: "probs".to_owned(), m, n, t, reason });
    }
    Ok(())
}

impl Contents {
    fn read<R: Read + Seek>(archive: &mut Archive<R>) -> Result<Self, ImportDefect> {
        let array = archive.get("probs")?;
        array.check::<f32>()?;
        let (draws, samples, tau, num_classes) = match *array.shape() {
            [m, n, tau, k] => (m, n, tau, k),
            [m, n, k] => (m, n, 1, k),
            _ => return Err(array.misshapen("(M, N, tau, K), or (M, N, K) where tau is 1")),
        };
        let limit = u64::from(u32::MAX);
        let rows = samples.checked_mul(tau).and_then(|rows| rows.checked_mul(num_classes));
        let sized = rows.and_then(|probs| probs.checked_mul(4 * draws)).is_some();
        if !sized
            || draws == 0
            || samples == 0
            || tau == 0
            || num_classes < 2
            || samples.max(tau).max(num_classes) > limit
        {
            return Err(array.misshapen("(M, N, tau, K) with M, N and tau at least 1 and K at least 2"));
        }
        if draws > MAX_DRAWS {
            return Err(out_of_range("the number M of draws in probs", draws, format!("at most {MAX_DRAWS}")));
        }
        let short = array.shape().len() == 3;
        drop(array);

        let array = archive.get("labels")?;
        if array.shape() != [samples, tau] && !(tau == 1 && array.shape() == [samples]) {
            let alternative = if short { format!(" or ({samples},)") } else { String::new() };
            return Err(array.misshapen(format!("(N, tau) = ({samples}, {tau}){alternative}, as probs has")));
        }
        let shape = array.shape().to_vec();
        let labels = classes("labels", &shape, &array.read::<i64>()?, num_classes as u32)?;
        let log_likelihoods = log_likelihoods(archive, samples)?;
        Ok(Self { draws, samples, tau, num_classes, labels, log_likelihoods })
    }
}

fn out_of_range(key: &str, found: u64, expected: String) -> ImportDefect {
    ImportDefect::Range { key: key.to_owned(), found: found.to_string(), expected }
}

#[cfg(test)]
mod tests;
