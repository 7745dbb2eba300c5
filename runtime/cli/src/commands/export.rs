//! `jointly export`: writes problems as files, for agents that run where nothing may call back.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use jointly_core::Seed;
use jointly_core::printable::ShowPath as _;
use jointly_engine::export;
use jointly_engine::problems::{Choices, requested};
use jointly_record::quantity::counted;
use jointly_record::suites;

use crate::data_arguments::DataArguments;
use crate::{exit, output};

/// Writes the problems of a suite as .npz files, without test labels
///
/// Each problem has x_train (T, d) float32, y_train (T,) int64, x_test (rows, d) float32, num_classes, fingerprint, and
/// temperature where it is known. Predict all rows of x_test with M functions. Write probs (M, rows, K) float32 and the
/// same fingerprint under the same name into another folder, PREDICTIONS/quick/t10/temp0.1/seed0.npz. Then `jointly run
/// predictions:PREDICTIONS mlp --suite quick` ranks them, with the same --problems and --seed. Of equal inputs, the
/// prediction for the first is used. It takes suites of classification alone.
#[derive(Args)]
pub(crate) struct Export {
    /// The suite; see `jointly suites`
    #[arg(long, value_name = "S")]
    suite: String,
    /// The folder for the problems
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Only problems whose name matches, such as 'quick/t10/*/*'
    #[arg(long, value_name = "GLOB")]
    problems: Option<String>,
    /// Master seed: problems and test inputs follow from it
    #[arg(long, value_name = "N", default_value_t)]
    seed: Seed,
    #[command(flatten)]
    data: DataArguments,
}

impl Export {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let known = jointly_classification::suite(&self.suite).is_some();
        if let Some(kind) = suites::kind(&self.suite).filter(|_| !known) {
            bail!("{} is a suite of {}: `export` takes suites of classification alone", self.suite, kind.name);
        }
        let data = self.data.directories();
        let suite = requested(Some(&self.suite), &[], self.problems.as_deref(), Choices::default(), &data)?;
        for problem in &suite.problems {
            let path = self.out.join(export::file_name(&problem.name));
            let bytes = export::archive(problem, &problem.instance(self.seed), &suite.evaluation)?;
            let folder = path.parent().unwrap_or(&self.out);
            fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.shown()))?;
            fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.shown()))?;
        }
        let problems = counted(suite.problems.len(), "problem");
        output::print(&format!("{problems} of {} in {}", suite.name, self.out.shown()))?;
        Ok(ExitCode::from(exit::DONE))
    }
}
