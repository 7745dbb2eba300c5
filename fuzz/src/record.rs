//! Untrusted plans and journals.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Error, Result};
use jointly_core::printable::is_printable;
use jointly_record::attachments;
use jointly_record::directory::{JOURNAL, PLAN, RunDirectory, to_json};
use jointly_record::journal::{Journal, PACK_AGAIN, parse};
use jointly_record::kept::Kept;
use jointly_record::plan::Plan;
use jointly_record::suites;
use jointly_record::unit::{Outcome, UnitResult};
use jointly_score::finished::{Finished, impossible};
use jointly_score::leaderboard::Leaderboard;
use jointly_score::scores::{Results, Scores};
use jointly_score::selection::{Selection, Tune};
use jointly_score::sweep_document::SweepDocument;
use serde_json::Value;

use crate::Ending;
use crate::kept::{RUNS, kept};

/// The name of a case's run in messages.
const SHOWN: &str = "case";

/// Asserts that an error has a message. The command prints it in one line, whatever it quotes.
pub(crate) fn refused(error: &Error) -> Ending {
    assert!(!format!("{error:#}").is_empty());
    Ending::Refused
}

fn is_shown(text: &str) {
    assert!(text.chars().all(is_printable), "{text:?}");
}

/// Reads the plan of a run's directory.
fn read(bytes: &[u8]) -> Result<Plan> {
    let directory = RunDirectory::packed(Path::new(SHOWN), HashMap::from([(PLAN.to_owned(), bytes.to_vec())]))?;
    directory.plan()
}

/// Reads the bytes as the plan of a run.
///
/// # Panics
/// When an accepted plan does not read back equal after it is written, contains unprintable text, or names a file that
/// no run keeps.
pub fn plan(bytes: &[u8]) -> Ending {
    let plan = match read(bytes) {
        Ok(plan) => plan,
        Err(error) => return refused(&error),
    };
    let text = to_json(&plan).expect("a plan can be written");
    let again = read(text.as_bytes()).expect("what is written of a plan is a plan");
    assert_eq!(plan.difference(&again), None);
    assert_eq!(to_json(&again).expect("a plan can be written"), text);
    let Plan { version, interface, engine, suite, .. } = &plan;
    for text in [version, interface, engine, suite] {
        is_shown(text);
    }
    plan.agents.iter().chain(plan.predictor()).for_each(|agent| is_shown(&agent.label));
    is_shown(&plan.overrides());
    plan.override_options().iter().for_each(|option| is_shown(option));
    assert!(!plan.short_name().expect("a plan has a digest").contains('/'));
    suites::size_of(&plan);
    for (kind, digest) in attachments::kept(&plan, []).expect("its tables are tables") {
        assert_eq!(Kept::digest_in(&kind.path(&digest)), Some(digest));
    }
    is_scored(&plan, &[]);
    Ending::Accepted
}

/// Reads the bytes as the journal of a run, and scores it if its lines belong to a kept plan.
///
/// # Panics
/// When results do not read back equal after they are written, contain unprintable text, differ between a file and a
/// pack, are accepted for a plan that they do not belong to, or cannot be scored.
pub fn journal(bytes: &[u8]) -> Ending {
    static PLANS: OnceLock<Vec<Plan>> = OnceLock::new();
    let results = match parse(bytes, JOURNAL, PACK_AGAIN) {
        Ok(results) => results,
        Err(error) => {
            assert!(in_file(bytes).is_err());
            return refused(&error);
        }
    };
    let text = lines(&results);
    assert_eq!(
        lines(&parse(text.as_bytes(), JOURNAL, PACK_AGAIN).expect("what is written of results are results")),
        text
    );
    assert_eq!(lines(&in_file(bytes).expect("a journal is one wherever it lies")), text);
    for result in &results {
        says_printable(result);
    }
    let plans = PLANS.get_or_init(|| RUNS.map(|run| read(&kept("plan", run)).expect("a kept plan is one")).to_vec());
    let mut ending = Ending::Foreign;
    for plan in plans {
        let is_unit = |result: &UnitResult| {
            plan.agents.iter().any(|agent| agent.label == result.agent)
                && plan.problems.iter().any(|planned| planned.problem == result.problem)
                && plan.takes(&result.outcome)
                && impossible(plan, result).is_none()
        };
        let all = results.iter().all(is_unit);
        let members = [(PLAN, Vec::new()), (JOURNAL, bytes.to_vec())].map(|(name, bytes)| (name.to_owned(), bytes));
        let directory = RunDirectory::packed(Path::new("pack"), members.into()).expect("there is a plan");
        let mut finished = Finished::new(plan);
        let lines = directory.find_results(|result| finished.see(&result)).expect("they were read before");
        let lines = lines.of_plan(plan);
        if let Err(error) = finished.check(&lines, "") {
            refused(&error);
            assert!(!all || results.len() < plan.agents.len() * plan.problems.len(), "{error:#}");
        } else {
            assert!(all && lines.in_order().len() == plan.agents.len() * plan.problems.len());
            let held: HashMap<(&str, &str), String> =
                results.iter().map(|result| ((&*result.agent, &*result.problem), text_of(result))).collect();
            for result in directory.read_results(&lines.in_order()).expect("they were read before") {
                assert_eq!(held[&(&*result.agent, &*result.problem)], text_of(&result));
            }
            is_summed_up(plan, &results, Results::of(plan, &directory, &lines));
            ending = Ending::Accepted;
        }
        // The results of an unfinished run are scored, too.
        if all {
            is_scored(plan, &results);
        }
    }
    ending
}

/// Writes the journal to a file and reads it twice: read-only, and as a run that continues, which truncates an
/// unfinished line.
fn in_file(bytes: &[u8]) -> Result<Vec<UnitResult>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(JOURNAL);
    fs::write(&path, bytes)?;
    let looked = Journal::read(&path);
    let opened = Journal::open(&path);
    assert_eq!(looked.is_ok(), opened.is_ok());
    let left = fs::read(&path)?;
    match opened {
        Ok(journal) => {
            assert!(bytes.starts_with(&left) && left.last().is_none_or(|byte| *byte == b'\n'));
            let results = looked?;
            assert_eq!(journal.lines().len(), results.len());
            Ok(results)
        }
        Err(error) => {
            assert_eq!(left, bytes, "what cannot be read is left as it is");
            Err(error)
        }
    }
}

fn lines(results: &[UnitResult]) -> String {
    results.iter().map(|result| text_of(result) + "\n").collect()
}

fn text_of(result: &UnitResult) -> String {
    serde_json::to_string(result).expect("a result can be written")
}

/// Asserts that results that stay in the journal give the scores and the table of those that are held.
fn is_summed_up(plan: &Plan, held: &[UnitResult], results: Results) {
    let (held, summed_up) = (Scores::new(plan, held), Scores::summed_up(plan, results).expect("they were read before"));
    assert_eq!(to_json(&held).expect("scores can be written"), to_json(&summed_up).expect("scores can be written"));
    let (held, summed_up) = (Leaderboard::new(&held), Leaderboard::new(&summed_up));
    assert_eq!(
        held.to_csv_of_entries(None, |_| Default::default()),
        summed_up.to_csv_of_entries(None, |_| Default::default())
    );
    assert_eq!((held.to_rows(None), held.notes()), (summed_up.to_rows(None), summed_up.notes()));
}

/// Checks that all text of a result can be printed on a terminal.
fn says_printable(result: &UnitResult) {
    result.log.iter().for_each(|line| is_shown(line));
    match &result.outcome {
        Outcome::Failed(failure) => is_shown(&failure.message),
        Outcome::Regression { scores, .. } => {
            scores.correlations.iter().flat_map(|own| &own.absences).for_each(|absence| is_shown(&absence.reason));
        }
        Outcome::Shift { scores, .. } => {
            scores.conditions.iter().for_each(|scores| is_shown(&scores.condition.to_string()));
        }
        Outcome::Scored { .. } | Outcome::Decisions { .. } => {}
    }
}

/// Asserts that `scores.json`, the leaderboard and a sweep can be made from the results.
fn is_scored(plan: &Plan, results: &[UnitResult]) {
    let scores = Scores::new(plan, results);
    let text = to_json(&scores).expect("scores can be written");
    let document: Value = serde_json::from_str(&text).expect("scores are JSON");
    assert_eq!(document["agents"].as_array().map(Vec::len), Some(plan.agents.len()));
    let leaderboard = Leaderboard::new(&scores);
    assert!(leaderboard.to_csv().lines().count() > plan.agents.len());
    assert_eq!(leaderboard.joint_table().len(), 1 + plan.agents.len());
    assert_eq!(leaderboard.other_table(None).len(), 1 + plan.agents.len());
    to_json(&leaderboard.document(None, &[], &HashMap::new(), None)).expect("a leaderboard can be written");
    let by = leaderboard.compared_by().map(|name| name.to_string());
    let by = by.as_deref();
    for tune in Tune::ALL {
        let selections = Selection::all(&scores, by.unwrap_or_default(), tune);
        to_json(&SweepDocument::new(plan, by, tune, &selections)).expect("a choice can be written");
    }
}
