//! `jointly score`: scores predictions made elsewhere.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget};
use jointly_classification::cells;
use jointly_classification::scores::{ACCURACY, ECE};
use jointly_classification::{PredictionOptions, PredictionScores, score_predictions};
use jointly_core::estimate::MAX_PLANES;
use jointly_core::printable::ShowPath as _;
use jointly_core::{Partitioning, Seed};
use jointly_data::ImportedProblem;
use jointly_engine::equal_inputs;
use jointly_record::quantity;
use jointly_record::quantity::counted;
use jointly_report::table;
use jointly_score::scores;
use serde_json::{Map, Value, json};

use crate::partition_argument::PartitionArgument;
use crate::{exit, output};

/// Scores predictions made elsewhere, in a NumPy .npz
///
/// The file holds probs (M, N, tau, K) or (M, N, K) float32, labels (N, tau) or (N,) int64, and, where the true
/// environment is known, log_likelihood (N,) float64 of the labels under it. Draw m is one function over all inputs.
#[derive(Args)]
pub(crate) struct Score {
    /// The predictions
    #[arg(value_name = "FILE.npz")]
    file: PathBuf,
    /// The problem that they were made on, as `jointly run` takes it: scores are then those of an agent that is run on
    /// it with the same seed, to the bit. Without it, the partition above tau 10 is another
    #[arg(long, value_name = "FILE.npz")]
    problem: Option<PathBuf>,
    /// The estimator: a partition of the draws where tau is above 10, or the jackknife at any tau
    #[arg(long, value_enum, default_value_t = PartitionArgument::Planes)]
    partition: PartitionArgument,
    /// Random hyperplanes D of the partition: 2^D cells, or clusters at most; 5 to 10 with 2^D well below M
    #[arg(long, value_name = "D", default_value_t = PredictionOptions::default().planes, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_PLANES)))]
    planes: u32,
    /// The partition exactly as the paper has it, without clipped probits
    #[arg(long)]
    no_clip: bool,
    /// The seed of the hyperplanes or clusters
    #[arg(long, value_name = "N", default_value_t)]
    seed: Seed,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Score {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let options = PredictionOptions {
            partition: self.partition.into(),
            planes: self.planes,
            clip: !self.no_clip,
            seed: self.seed,
            ..PredictionOptions::default()
        };
        let problem = self.problem.as_deref().map(ImportedProblem::read).transpose()?;
        let equal = problem.as_ref().and_then(ImportedProblem::equal_inputs);
        if let Some(warning) = equal_inputs::warning("the problem", equal) {
            output::note(&warning);
        }
        // The bar is drawn only on a terminal.
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr());
        let mut report = |done| bar.set_position((100.0 * done) as u64);
        let result = score_predictions(&self.file, problem.as_ref(), &options, &mut report);
        bar.finish_and_clear();
        let scores = result?;
        if let Some(warning) = cells::warning(scores.draws, self.planes)
            && scores.tau > options.partition_above
            && options.partition != Partitioning::Jackknife
        {
            output::note(&warning);
        }
        if scores.joint.needs_more_draws(scores.draws, options.partition) {
            let (draws, tau, effective) = (scores.draws, scores.tau, scores.joint.effective_draws);
            let size = if effective.is_nan() {
                format!("no effective draw of {draws}")
            } else {
                format!("effective sample size {} of {draws} draws", quantity::number(effective))
            };
            output::note(&format!(
                "{size}, too few for tau {tau}: the estimate {}; give more draws, or shorter tau-samples",
                options.partition.bias_of_few_draws()
            ));
        }
        if self.json {
            output::print_json(&to_json(&scores))?;
        } else {
            output::print(&to_text(&self.file.shown().to_string(), &scores))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

fn joint_name(scores: &PredictionScores) -> String {
    format!("{}_tau{}", scores.metric, scores.tau)
}

fn to_json(scores: &PredictionScores) -> Value {
    let with_error = |score: jointly_core::Score| json!({ "mean": scores::number(score.mean), "stderr": scores::number(score.stderr) });
    let mut object = Map::new();
    let joint = &scores.joint;
    let number = scores::number;
    object.insert(
        joint_name(scores),
        json!({
            "mean": number(joint.mean),
            "stderr": number(joint.stderr),
            "draw_error": number(joint.draw_error),
            "effective_draws": number(joint.effective_draws),
        }),
    );
    object.insert(ACCURACY.into(), with_error(scores.accuracy));
    object.insert(ECE.into(), json!(scores::number(scores.ece)));
    object.insert("draws".into(), scores.draws.into());
    object.insert("samples".into(), scores.samples.into());
    object.insert("classes".into(), scores.num_classes.into());
    object.into()
}

fn to_text(file: &str, scores: &PredictionScores) -> String {
    let PredictionScores { draws, samples, num_classes, tau, .. } = scores;
    let rows = [
        [joint_name(scores), quantity::with_error(scores.joint.mean, scores.joint.stderr)],
        [ACCURACY.into(), quantity::with_error(scores.accuracy.mean, scores.accuracy.stderr)],
        [ECE.into(), quantity::number(scores.ece)],
        ["error over draws".into(), quantity::number(scores.joint.draw_error)],
        ["effective draws".into(), quantity::number(scores.joint.effective_draws)],
    ];
    let (draws, samples) = (counted(*draws as usize, "draw"), counted(*samples as usize, "tau-sample"));
    let heading = format!("{file}: {draws}, {samples} of {tau}, {num_classes} classes");
    format!("{heading}\n\n{}", table::render(1, &rows.map(Vec::from)))
}
