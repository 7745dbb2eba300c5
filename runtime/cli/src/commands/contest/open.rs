//! `jointly contest open`: fixes the rules of a contest, and the digest of a secret.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_contest::Time;
use jointly_contest::open::{Terms, open};
use jointly_core::printable::ShowPath as _;
use jointly_record::directory;
use jointly_record::quantity::counted;
use jointly_record::shard::beside;

use crate::request::Request;
use crate::{exit, output};

/// Opens a contest: writes its rules into a new folder to publish, and a secret beside it to keep
///
/// It takes the options of `jointly run` that decide a score. The seed is not among them: the close computes it.
#[derive(Args)]
#[command(mut_arg("out", |it| it.hide(true)), mut_arg("jobs", |it| it.hide(true)), mut_arg("reuse", |it| it.hide(true)),
          mut_arg("shard", |it| it.hide(true)), mut_arg("shards", |it| it.hide(true)), mut_arg("seed", |it| it.hide(true)),
          mut_arg("like", |it| it.hide(true)), mut_arg("native", |it| it.hide(true)), mut_arg("engine", |it| it.hide(true)),
          mut_arg("files", |it| it.hide(true)), mut_arg("timeout", |it| it.hide(true)),
          mut_arg("patience", |it| it.hide(true)))]
pub(crate) struct Open {
    /// A new folder, which will be published
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The contest's name [default: that of DIR]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Until when entries are taken, in UTC: 2026-12-01T18:00:00Z, or a date, which means its beginning [default: until
    /// the close]
    #[arg(long, value_name = "TIME")]
    until: Option<Time>,
    /// The most entries under one name [default: any number]
    #[arg(long, value_name = "N")]
    entries: Option<NonZeroU32>,
    /// Where the secret goes; keep it from everybody until the close [default: DIR.secret]
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    #[command(flatten)]
    request: Request,
}

impl Open {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let why = "a contest is run by `jointly contest close`; leave it out";
        self.request.refuse_running(why)?;
        self.request.refuse_like(why)?;
        self.request.refuse_for_contest()?;
        let name = self.name.unwrap_or_else(|| directory::name(&self.folder));
        let secret = self.secret.unwrap_or_else(|| secret_beside(&self.folder));
        let terms = Terms { name, until: self.until, most_entries: self.entries };
        let contest = open(&self.folder, &secret, terms, self.request.asked()?, self.request.limits())?;
        let rules = &contest.rules;
        output::print(&format!(
            "{} is open: {} of {}\nrules: {}/contest.json, {}\nsecret: {}; keep it until the close, and publish the folder\n\
             entries: jointly contest enter {} AGENT... --by NAME",
            rules.name,
            counted(rules.plan.problems.len(), "problem"),
            rules.plan.suite,
            self.folder.shown(),
            contest.rules_digest,
            secret.shown(),
            self.folder.shown(),
        ))?;
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Returns the usual place of the organiser's secret.
pub(super) fn secret_beside(folder: &std::path::Path) -> PathBuf {
    // The name of `.` is that of the folder, beside which the secret goes.
    beside(&folder.canonicalize().unwrap_or_else(|_| folder.to_owned()), ".secret")
}
