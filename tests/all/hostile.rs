//! Agents that misbehave in a run: each ends as its own kind of recorded failure and affects nothing else.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::command::{Finished, finish, jointly, jointly_within, refused};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory};

/// The fuel that an endless loop uses up in a second or two, and no honest guest does.
const FUEL: &str = "3000000000";
/// Memory in MiB that the command needs in addition to its agents': compiled code, its own work and two threads'
/// stacks.
const OWN: u64 = 128;

/// A guest and `uniform` together on one problem.
struct Encounter {
    directory: RunDirectory,
    finished: Finished,
}

impl Encounter {
    fn of(guest: &str) -> Self {
        let directory = RunDirectory::new();
        let finished = finish(jointly().args(Self::arguments(&directory, guest, 256)));
        Self { directory, finished }
    }

    /// Runs both, where agents may use `memory` MiB and the command `bound` MiB.
    fn within(guest: &str, memory: u64, bound: u64) -> Self {
        let directory = RunDirectory::new();
        let finished = finish(jointly_within(bound).args(Self::arguments(&directory, guest, memory)));
        Self { directory, finished }
    }

    fn arguments(directory: &RunDirectory, guest: &str, memory: u64) -> Vec<String> {
        // One unit at a time, so that the memory bound applies to a single agent.
        let options = ["--fuel", FUEL, "--memory", &memory.to_string(), "--jobs", "1"];
        directory.arguments(&[&argument(guest), "uniform"], PROBLEM, &options)
    }

    /// Asserts that the guest failed in this way, without score and rank, and `uniform` scored as it does alone.
    /// Returns the message.
    fn failed(&self, phase: &str, kind: &str, message: &str) -> String {
        assert_eq!(self.finished.code, Some(3), "{:?}", self.finished);
        let scores = self.directory.scores();
        let guest = &scores["agents"][0];
        assert_eq!(guest["scores"], json!({}));
        assert_eq!(guest["problems"], json!([]));
        let failures = guest["failures"].as_array().unwrap();
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert_eq!(failures[0]["problem"], PROBLEM);
        assert_eq!((failures[0]["phase"].as_str(), failures[0]["kind"].as_str()), (Some(phase), Some(kind)));
        let said = failures[0]["message"].as_str().unwrap();
        assert!(said.contains(message), "{message:?} is not in {said:?}");
        assert!(!said.contains("backtrace") && said.lines().count() == 1, "a line for a person: {said:?}");

        let leaderboard = self.directory.read("leaderboard.csv");
        let rows: Vec<&str> = leaderboard.lines().collect();
        assert!(rows[1].starts_with("1,uniform,") && rows[2].starts_with(','), "{leaderboard}");
        self.uniform_is_untouched();
        said.to_owned()
    }

    /// Asserts that both were scored, and `uniform` as it is alone. Returns the guest's unit of the journal.
    fn scored(&self) -> Value {
        assert_eq!(self.finished.code, Some(0), "{:?}", self.finished);
        let guest = &self.directory.scores()["agents"][0];
        assert_eq!(guest["failures"], json!([]));
        assert_eq!(guest["problems"].as_array().unwrap().len(), 1);
        self.uniform_is_untouched();
        let name = guest["agent"].as_str().unwrap();
        self.directory.units().into_iter().find(|unit| unit["agent"] == *name).expect("the guest's unit")
    }

    fn uniform_is_untouched(&self) {
        static ALONE: OnceLock<String> = OnceLock::new();
        let alone = ALONE.get_or_init(|| {
            let directory = RunDirectory::of(&["uniform"], PROBLEM);
            directory.scores()["agents"][0].to_string()
        });
        assert_eq!(self.directory.scores()["agents"][1].to_string(), *alone);
    }
}

/// A run finds them too, because it asks again for a few draws and rows, and scores none of them.
#[test]
fn draws_that_are_not_functions() {
    for guest in ["batch-dependent", "draw-dependent", "forgetful", "lying-canonical"] {
        Encounter::of(guest).failed("sample", "invalid-output", "when asked again");
    }
}

#[test]
pub(crate) fn endless_train() {
    Encounter::of("endless-train").failed("train", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn endless_part() {
    Encounter::of("endless-part").failed("train", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn countless_parts() {
    Encounter::of("countless-parts").failed("train", "invalid-output", "4294967295 parts; 1 to 1000 are allowed");
}

#[test]
pub(crate) fn heavy_parts() {
    // The host holds a quarter of the agent's memory.
    let said = Encounter::within("heavy-parts", 256, 256 + OWN).failed("train", "out-of-memory", "--memory");
    assert!(said.contains("a quarter"), "{said}");
}

#[test]
pub(crate) fn endless_sample() {
    Encounter::of("endless-sample").failed("sample", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn memory_hog() {
    // The agent gets its whole 256 MiB before it is refused more.
    Encounter::within("memory-hog", 256, 256 + OWN).failed("train", "out-of-memory", "--memory");
}

#[test]
fn memory_is_given_back_after_each_unit() {
    let directory = RunDirectory::new();
    let options = ["--memory", "256", "--jobs", "1"];
    let arguments = directory.arguments(&[&argument("memory-hog")], "quick/t10/*/*", &options);
    let finished = finish(jointly_within(256 + OWN).args(arguments));
    assert_eq!(finished.code, Some(3), "{finished:?}");
    let scores = directory.scores();
    let failures = scores["agents"][0]["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 9);
    // An agent with less memory than the others would have been refused by the machine, not by the command.
    assert!(failures.iter().all(|failure| failure["kind"] == "out-of-memory"), "{failures:?}");
}

#[test]
pub(crate) fn deep_recursion() {
    Encounter::of("deep-recursion").failed("train", "trapped", "call stack exhausted");
}

#[test]
pub(crate) fn unreachable() {
    Encounter::of("unreachable").failed("train", "trapped", "unreachable");
}

#[test]
pub(crate) fn panics_in_sample() {
    Encounter::of("panics-in-sample").failed("sample", "trapped", "the posterior of draw 0 is empty");
}

#[test]
pub(crate) fn short_list() {
    Encounter::of("short-list").failed("sample", "invalid-output", "49999 probabilities");
}

#[test]
pub(crate) fn long_list() {
    Encounter::of("long-list").failed("sample", "invalid-output", "50001 probabilities");
}

#[test]
pub(crate) fn enormous_list() {
    // The list takes 384 MiB in the agent; a copy of it in the command would exceed the bound.
    Encounter::within("enormous-list", 400, 400 + OWN).failed("sample", "invalid-output", "too much data");
}

#[test]
pub(crate) fn wrong_canonical_length() {
    Encounter::of("wrong-canonical-length").failed("sample", "invalid-output", "249 canonical draws for 250 draws");
}

#[test]
pub(crate) fn nan_probs() {
    Encounter::of("nan-probs").failed("sample", "invalid-output", "not finite at row 0 of draw 0");
}

#[test]
pub(crate) fn negative_probs() {
    Encounter::of("negative-probs").failed("sample", "invalid-output", "a probability of -0.5 at row 0 of draw 0");
}

#[test]
pub(crate) fn sums_high() {
    let Encounter { directory, finished } = Encounter::of("sums-high");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let scores = directory.scores();
    let [high, fair] = [0, 1].map(|at| &scores["agents"][at]["scores"]["kl_aggregate"]["mean"]);
    assert_eq!(high, fair);
}

#[test]
pub(crate) fn sum_two() {
    Encounter::of("sum-two").failed("sample", "invalid-output", "sum to 2 at row 0 of draw 0");
}

#[test]
pub(crate) fn endless_log() {
    // Before its fuel ends it logs far more than the bound.
    Encounter::within("endless-log", 64, 64 + OWN).failed("train", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn enormous_log() {
    // The message takes 256 MiB in the agent; a copy of it in the command would exceed the bound.
    Encounter::within("enormous-log", 300, 300 + OWN).failed("train", "invalid-output", "too much data");
}

#[test]
pub(crate) fn chatty() {
    let encounter = Encounter::within("chatty", 64, 64 + OWN);
    let unit = encounter.scored();
    let log = unit["log"].as_array().unwrap();
    assert_eq!(log.len(), 21, "the first twenty lines, and how many more there were");
    assert!(log[0].as_str().unwrap().starts_with("line 0 x"));
    assert_eq!(log[20], "(2980 more lines)");
    assert!(log.iter().all(|line| line.as_str().unwrap().len() <= 2048));
}

#[test]
pub(crate) fn endless_progress() {
    Encounter::of("endless-progress").failed("train", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn progress_spam() {
    Encounter::of("progress-spam").scored();
}

#[test]
pub(crate) fn own_failure() {
    let message = Encounter::of("own-failure").failed("train", "agent-failure", "diverged: the loss is infinite");
    assert!(message.contains("try a smaller learning-rate"), "{message}");
}

#[test]
pub(crate) fn gives_up_sampling() {
    Encounter::of("gives-up-sampling").failed("sample", "agent-failure", "there is no posterior");
}

#[test]
pub(crate) fn unprintable() {
    let encounter = Encounter::of("unprintable");
    let message = encounter.failed("train", "agent-failure", "red");
    assert!(message.len() < 2000, "a message of {} bytes", message.len());
    for text in [&encounter.finished.stdout, &encounter.finished.stderr] {
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}

#[test]
pub(crate) fn exits() {
    Encounter::of("exits").failed(
        "train",
        "trapped",
        "exited with status 1; an agent returns a failure instead; its log ends: that was all",
    );
}

#[test]
pub(crate) fn hoards_pollables() {
    Encounter::within("hoards-pollables", 64, 64 + OWN).failed("train", "out-of-memory", "held 100000 handles");
}

#[test]
pub(crate) fn polls_without_end() {
    Encounter::within("polls-without-end", 64, 64 + OWN).failed("train", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn prints_without_end() {
    // Before its fuel ends it prints far more than the bound.
    Encounter::within("prints-without-end", 64, 64 + OWN).failed("train", "out-of-fuel", "--fuel");
}

#[test]
pub(crate) fn wants_many_bytes() {
    // If the command held these bytes, it would exceed the bound.
    let message = "asked for 4294967296 random bytes in one call";
    Encounter::within("wants-many-bytes", 64, 64 + OWN).failed("train", "trapped", message);
}

/// Asserts that the guest is refused when it is loaded, with an error that names it and contains the texts.
fn refused_at_load(guest: &str, texts: &[&str]) {
    let directory = RunDirectory::new();
    let guest = argument(guest);
    let texts: Vec<&str> = [guest.as_str()].into_iter().chain(texts.iter().copied()).collect();
    refused(directory.arguments(&[&guest, "uniform"], PROBLEM, &[]), &texts);
    assert!(!directory.path.exists());
}

#[test]
pub(crate) fn unprintable_name() {
    refused_at_load("unprintable-name", &["calls itself", "a name is"]);
}

#[test]
pub(crate) fn endless_describe() {
    refused_at_load("endless-describe", &["does not describe itself", "out-of-fuel"]);
}

#[test]
pub(crate) fn panics_in_describe() {
    refused_at_load("panics-in-describe", &["does not describe itself", "trapped", "who am I?"]);
}

#[test]
pub(crate) fn exits_at_start() {
    refused_at_load("exits-at-start", &["does not describe itself", "trapped", "exited with status 0"]);
}

#[test]
pub(crate) fn impostor() {
    let encounter = Encounter::of("impostor");
    assert_eq!(encounter.finished.code, Some(0), "{:?}", encounter.finished);
    let labels: Vec<String> = encounter.directory.units().iter().map(|unit| unit["agent"].to_string()).collect();
    assert_eq!(labels.len(), 2);
    assert!(labels.iter().all(|label| label.starts_with("\"uniform@")) && labels[0] != labels[1], "{labels:?}");
}

/// Every unit has its own store, so every training is the first that its instance sees.
#[test]
pub(crate) fn carries_over() {
    let problems = "quick/t10/*/*";
    let guest = argument("carries-over");
    // Two agents with the same bytes, with one unit at a time and with two.
    let agents = [&guest, &format!("{guest}:copy=1"), "uniform"];
    for jobs in ["1", "2"] {
        let directory = RunDirectory::new();
        let finished = directory.run(&agents, problems, &["--jobs", jobs]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let scores = directory.scores();
        let of = |agent: usize| {
            let mut problems = scores["agents"][agent]["problems"].as_array().unwrap().clone();
            assert_eq!(problems.len(), 9);
            for problem in &mut problems {
                problem.as_object_mut().unwrap().remove("fuel");
            }
            problems
        };
        assert_eq!(of(0), of(2));
        assert_eq!(of(1), of(2));
    }
}

/// An agent that predicts by the order of rows predicts something else for a row alone.
#[test]
pub(crate) fn guesses_by_order() {
    Encounter::of("guesses-by-order").failed("sample", "invalid-output", "when asked again");
}

#[test]
pub(crate) fn many_models() {
    // Handles take the host's memory, not the agent's.
    Encounter::within("many-models", 64, 64 + OWN).failed("train", "out-of-memory", "held 100000 handles");
}

#[test]
pub(crate) fn nested_lists() {
    let directory = RunDirectory::new();
    let guest = argument("nested-lists");
    // It is refused before it is copied.
    let finished =
        finish(jointly_within(256 + OWN).args(directory.arguments(&[&guest], PROBLEM, &["--memory", "256"])));
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stderr.contains("too much data"), "{finished:?}");
    assert!(!directory.path.exists());
}

#[test]
pub(crate) fn traps_in_free() {
    Encounter::of("traps-in-free").failed("sample", "trapped", "unreachable");
}

#[test]
pub(crate) fn calls_from_free() {
    Encounter::of("calls-from-free").failed("sample", "trapped", "cannot leave");
}

#[test]
pub(crate) fn calls_from_realloc() {
    Encounter::of("calls-from-realloc").failed("sample", "trapped", "cannot leave");
}
