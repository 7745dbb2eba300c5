//! Opens a contest.

use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use jointly_core::Seed;
use jointly_engine::asked::Asked;
use jointly_host::Limits;
use jointly_record::format::Format;
use jointly_record::printable;
use jointly_record::suites::IMPORTED;

use crate::folder::ContestFolder;
use crate::rules::{LONGEST_NAME, Rules};
use crate::secret::Secret;
use crate::time::Time;

/// What the organiser decides, beside the suite.
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
    ensure!(
        suite.tables().is_empty(),
        "a contest has no tables of its own, whose labels somebody has: leave --table out"
    );
    ensure!(suite.predictor().is_none(), "a contest has no agent of its own: leave --predictor out");
    let now = Time::now();
    if let Some(until) = terms.until.filter(|until| *until <= now) {
        bail!("{until} is over, and it is {now}: give a later --until");
    }
    if let Some(defect) = printable::defect("the name", &terms.name, LONGEST_NAME) {
        bail!("{defect}; give another --name");
    }
    let (plan, _) = suite.into_plan(Seed::default(), limits, Vec::new(), None);
    ensure!(
        plan.suite != IMPORTED,
        "a contest has no problems of its own, whose labels somebody has: leave --problem out"
    );
    ensure!(plan.images.is_none(), "a contest has no images of its own, whose labels somebody has: leave --images out");
    ensure!(
        !secret_file.starts_with(path),
        "{} is within the folder that you will publish; give another --secret FILE",
        secret_file.display()
    );
    let secret = Secret::random()?;
    let Terms { name, until, most_entries } = terms;
    let commitment = secret.commitment();
    let rules = Rules { format: Format, name, opened: now, until, most_entries, commitment, plan };
    ContestFolder::prepare(path)?;
    secret.write(secret_file)?;
    ContestFolder::write_rules(path, &rules)
}
