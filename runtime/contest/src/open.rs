//! Opens a contest.

use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Result, bail};
use jointly_core::Seed;
use jointly_engine::asked::Asked;
use jointly_host::Limits;
use jointly_record::format::Format;

use crate::folder::ContestFolder;
use crate::rules::Rules;
use crate::secret::{Secret, refuse_within};
use crate::time::Time;

/// The decisions of the organiser, beside the suite.
pub struct Terms {
    /// The contest's name.
    pub name: String,
    /// Until when entries are taken.
    pub until: Option<Time>,
    /// The most entries under one name.
    pub most_entries: Option<NonZeroU32>,
}

/// Opens a contest on a suite: writes its rules into a new folder, and the organiser's secret to a file elsewhere.
///
/// # Errors
/// When the suite has files of its own, the time is over, or something cannot be written.
pub fn open(
    path: &Path,
    secret_file: &Path,
    terms: Terms,
    suite: Box<dyn Asked>,
    limits: Limits,
) -> Result<ContestFolder> {
    let now = Time::now();
    if let Some(until) = terms.until.filter(|until| *until <= now) {
        bail!("{until} is over, and it is {now}: give a later --until");
    }
    let predicts = suite.predictor().is_some();
    let (plan, _) = suite.into_plan(Seed::default(), limits, Vec::new(), None);
    let secret = Secret::random()?;
    let Terms { name, until, most_entries } = terms;
    let commitment = secret.commitment();
    let rules = Rules { format: Format, name, opened: now, until, most_entries, commitment, plan };
    let predicts = predicts.then(|| "it has an agent of its own, which predicts".to_owned());
    if let Some(defect) = predicts.or_else(|| rules.defect()) {
        bail!("this cannot be a contest: {defect}");
    }
    refuse_within(secret_file, path)?;
    ContestFolder::prepare(path)?;
    secret.write(secret_file, path)?;
    ContestFolder::write_rules(path, &rules)
}
