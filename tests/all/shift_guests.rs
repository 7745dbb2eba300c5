//! Agents that misbehave under dataset shift: each ends as its own kind of recorded failure and affects nothing else.

use crate::command::{done, finish, joined, jointly};
use crate::encounter::{Encounter, FUEL};
use crate::guests::argument;
use crate::regression::arguments;
use crate::run::RunDirectory;
use crate::shift::{AGENTS, PROBLEM, SUITE};

fn failed(guest: &str, phase: &str, kind: &str, message: &str) -> String {
    Encounter::on(guest, PROBLEM).failed(phase, kind, message)
}

#[test]
pub(crate) fn nan_pictures() {
    failed("nan-pictures", "sample", "invalid-output", "a probability that is not finite at row 0 of draw 0");
}

#[test]
pub(crate) fn sum_two_pictures() {
    failed("sum-two-pictures", "sample", "invalid-output", "probabilities that sum to 2 at row 0 of draw 0");
}

#[test]
pub(crate) fn short_answer() {
    let message = "99999 probabilities for 50 draws x 200 rows x 10 classes, expected 100000";
    failed("short-answer", "sample", "invalid-output", message);
}

#[test]
pub(crate) fn long_answer() {
    failed("long-answer", "sample", "invalid-output", "100001 probabilities for 50 draws x 200 rows x 10 classes");
}

#[test]
pub(crate) fn enormous_answer() {
    // The list takes 384 MiB in the agent; a copy of it in the command would exceed the bound.
    let encounter = Encounter::within("enormous-answer", PROBLEM, 400);
    encounter.failed("sample", "invalid-output", "too much data");
}

#[test]
pub(crate) fn few_canonical_draws() {
    failed("few-canonical-draws", "sample", "invalid-output", "49 canonical draws for 50 draws");
}

/// A unit that fails in one condition has no scores in any condition.
#[test]
pub(crate) fn panics_at_the_unfamiliar() {
    failed("panics-at-the-unfamiliar", "sample", "trapped", "pixels are brighter than in any example");
    let directory = RunDirectory::new();
    let guest = argument("panics-at-the-unfamiliar");
    let mild = ["--shifts", "brightness/1", "--draws", "5"];
    done(arguments(&directory, &[&guest], SUITE, PROBLEM, &mild));
}

#[test]
pub(crate) fn crowd_dependent_pictures() {
    failed("crowd-dependent-pictures", "sample", "invalid-output", "when asked again");
}

#[test]
pub(crate) fn lying_canonical_pictures() {
    failed("lying-canonical-pictures", "sample", "invalid-output", "stands,");
}

#[test]
pub(crate) fn remembers_calls() {
    failed("remembers-calls", "sample", "invalid-output", "when asked again");
}

/// On unshifted inputs its answers never change, so the audit must include shifted inputs.
#[test]
pub(crate) fn adapts_to_shift() {
    let said = failed("adapts-to-shift", "sample", "invalid-output", "when asked again under gaussian-noise/5");
    assert!(said.contains("gives 0.1 among others and 0.9"), "{said}");
}

#[test]
pub(crate) fn endless_epochs() {
    failed("endless-epochs", "train", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn hoards_pictures() {
    // The agent gets its whole 256 MiB before it is refused more.
    Encounter::within("hoards-pictures", PROBLEM, 256).failed("train", "out-of-memory", "--memory");
}

/// Agents that take no tokens fail in the same ways.
#[test]
fn agents_without_tokens_are_held_to_the_same() {
    for (guest, phase, kind, message) in [
        ("batch-dependent", "sample", "invalid-output", "when asked again"),
        ("forgetful", "sample", "invalid-output", "when asked again"),
        ("lying-canonical", "sample", "invalid-output", "stands,"),
        ("sum-two", "sample", "invalid-output", "sum to 10 at row 0 of draw 0"),
        ("panics-in-sample", "sample", "trapped", "the posterior of draw 0 is empty"),
        ("gives-up-sampling", "sample", "agent-failure", "there is no posterior"),
        ("endless-train", "train", "out-of-fuel", "--fuel"),
        ("endless-sample", "sample", "out-of-fuel", "--fuel"),
        ("own-failure", "train", "agent-failure", "diverged: the loss is infinite"),
        ("unreachable", "train", "trapped", "unreachable"),
    ] {
        failed(guest, phase, kind, message);
    }
}

#[test]
fn failures_are_reported_verified_and_never_averaged() {
    let directory = RunDirectory::new();
    let (endless, adapts) = (argument("endless-epochs"), argument("adapts-to-shift"));
    let options = ["--fuel", FUEL, "--shifts", "gaussian-noise/3", "--draws", "5"];
    let asked = arguments(&directory, &[&endless, AGENTS[1], &adapts], SUITE, "*", &options);
    let finished = finish(jointly().args(&asked));
    assert_eq!(finished.code, Some(3), "{finished:?}");
    let scores = directory.scores();
    let failures: Vec<usize> =
        scores["agents"].as_array().unwrap().iter().map(|agent| agent["failures"].as_array().unwrap().len()).collect();
    assert_eq!(failures, [2, 0, 2]);
    let table = joined(&finished.stdout);
    assert!(
        table.contains("endless-epochs failed on 2 of 2 problems and has no rank; first, quick/shift/seed0"),
        "{table}"
    );
    let page = directory.file("page.html");
    done(["report", directory.argument(), "--format", "html", "--output", page.to_str().unwrap()]);
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.contains("adapts-to-shift") && !html.contains("NaN"), "{html}");
    // These failures are the units' results and are not tried again.
    let finished = finish(jointly().args(&asked));
    assert!(finished.stderr.contains("6 of 6 units are done already"), "{}", finished.stderr);
    done(["verify", directory.argument()]);
}
