//! An agent that is a folder of predictions, one file a problem, made elsewhere from exported problems.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use jointly_classification::{Evaluation, Instance, Problem};
use jointly_core::class_probs::normalized;
use jointly_core::digest::Hasher;
use jointly_core::estimate::MAX_DRAWS;
use jointly_core::interface::LONGEST_NAME;
use jointly_core::printable::ShowPath as _;
use jointly_core::{Inputs, Model};
use jointly_data::import::{Archive, ImportDefect, open};
use jointly_data::regular_file;
use jointly_host::{Failure, Kind, Phase};
use jointly_record::place::PREDICTIONS;
use jointly_record::plan::PlannedAgent;
use jointly_record::settings::Settings;

use crate::export;

/// A folder of predictions.
#[derive(Clone, Debug)]
pub struct Predictions {
    folder: PathBuf,
    digest: String,
}

impl Predictions {
    /// Opens a folder that has a file for each of the problems.
    ///
    /// # Errors
    /// When the folder or a file is missing or cannot be read.
    pub fn open(folder: &Path, problems: &[Problem]) -> Result<Self> {
        ensure!(folder.is_dir(), "there is no folder {}; `jointly export` makes the problems", folder.shown());
        let file = |problem: &Problem| folder.join(export::file_name(&problem.name));
        let missing: Vec<&Problem> = problems.iter().filter(|problem| !file(problem).is_file()).collect();
        if let [first, ..] = missing[..] {
            bail!(
                "{} has no predictions for {} of {} problems: {} is missing; make them, or leave the problems out with \
                 --problems",
                folder.shown(),
                missing.len(),
                problems.len(),
                file(first).shown()
            );
        }
        let mut hasher = Hasher::default();
        for problem in problems {
            hasher.add(problem.name.as_bytes());
            let path = file(problem);
            let hashed = regular_file::open(&path).and_then(|mut file| std::io::copy(&mut file, &mut hasher));
            hashed.with_context(|| format!("failed to read {}", path.shown()))?;
        }
        Ok(Self { folder: folder.to_owned(), digest: hasher.finish() })
    }

    /// Returns the agent as it stands in the plan, by the folder's name.
    ///
    /// # Errors
    /// When there are settings.
    pub fn planned(&self, settings: &Settings) -> Result<PlannedAgent> {
        if let Some(name) = settings.names().next() {
            bail!("{PREDICTIONS}{} has no setting {name}: it has no settings", self.folder.shown());
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "+._-".contains(c) { c } else { '-' };
        let stem = self.folder.file_name().map_or_else(|| "predictions".into(), |name| name.to_string_lossy());
        Ok(PlannedAgent {
            agent: stem.chars().map(plain).take(LONGEST_NAME).collect(),
            label: String::new(),
            digest: self.digest.clone(),
            reported: Some(format!("{PREDICTIONS}{}", self.folder.to_string_lossy())),
            settings: settings.clone(),
        })
    }

    /// Reads the predictions for a problem.
    ///
    /// # Errors
    /// When the file cannot be read or its array does not fit the problem: the agent's invalid output.
    pub fn model(&self, problem: &Problem, instance: &Instance, evaluation: &Evaluation) -> Result<Predicted, Failure> {
        let path = self.folder.join(export::file_name(&problem.name));
        let invalid = |message: String| Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message };
        let classes = u64::from(problem.task().num_classes);
        let mut rows: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut count = 0;
        let test = export::test_inputs(problem, instance, evaluation);
        for inputs in &test {
            for row in 0..inputs.rows() {
                rows.entry(key(inputs, row)).or_insert(count + row);
            }
            count += inputs.rows();
        }
        let read = read(&path, count as u64, classes);
        let (probs, fingerprint) = read.map_err(|defect| invalid(defect.of(&path).to_string()))?;
        if fingerprint != Some(export::fingerprint(problem, instance, &test)) {
            return Err(invalid(format!(
                "{} has predictions for another problem: export with the same suite, --problems and --seed, and copy \
                 `fingerprint` from the problem",
                path.shown()
            )));
        }
        let draws = (probs.len() / (count * classes as usize).max(1)) as u64;
        let names: Vec<u64> = (0..draws).collect();
        let probs = normalized(probs, &names, count, classes as usize).map_err(invalid)?;
        Ok(Predicted { rows, count, classes: classes as usize, draws, probs })
    }
}

/// Reads `probs`, (M, rows, K) float32, and `fingerprint`.
fn read(path: &Path, rows: u64, classes: u64) -> Result<(Vec<f32>, Option<i64>), ImportDefect> {
    let mut archive = Archive::open(BufReader::new(open(path)?))?;
    let array = archive.get("probs")?;
    array.check::<f32>()?;
    let expected =
        format!("(M, {rows}, {classes}), M at most {MAX_DRAWS}: {rows} rows as in x_test, {classes} classes");
    let [draws, found_rows, found_classes] = array.dimensions(&expected)?;
    if draws == 0 || draws > MAX_DRAWS || (found_rows, found_classes) != (rows, classes) {
        return Err(array.misshapen(expected));
    }
    let probs = array.read()?;
    let fingerprint = archive.get("fingerprint")?.read::<i64>()?;
    Ok((probs, fingerprint.first().copied()))
}

/// Returns the bits of an input.
fn key(inputs: &Inputs, row: usize) -> Vec<u32> {
    inputs.numbers().row(row).iter().map(|value| value.to_bits()).collect()
}

/// The predictions for one problem: draw m is `probs[m % M]`.
pub struct Predicted {
    /// The place of each test input, by its bits; of equal inputs, the first.
    rows: HashMap<Vec<u32>, usize>,
    count: usize,
    classes: usize,
    draws: u64,
    probs: Vec<f32>,
}

impl Model for Predicted {
    type Error = Failure;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        Ok(draws.iter().map(|draw| draw % self.draws).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        let places = (0..inputs.rows()).map(|row| self.rows.get(&key(inputs, row)).copied());
        let missing = || Failure {
            phase: Phase::Sample,
            kind: Kind::Host,
            message: "a test input is not among those that are exported".to_owned(),
        };
        let places: Vec<usize> = places.collect::<Option<_>>().ok_or_else(missing)?;
        let mut probs = Vec::with_capacity(draws.len() * places.len() * self.classes);
        for draw in draws {
            let function = (draw % self.draws) as usize * self.count;
            for place in &places {
                probs.extend_from_slice(&self.probs[(function + place) * self.classes..][..self.classes]);
            }
        }
        Ok(probs)
    }
}
