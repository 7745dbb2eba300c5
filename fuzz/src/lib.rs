//! Fuzz targets for untrusted input to the host: a component's bytes, an agent's answers, and files of runs.
//!
//! Each target takes any bytes and panics if the host breaks a promise. `cargo fuzz` searches for such bytes; the test
//! `corpus` tries those that are kept in `corpus/`, and a bounded number of cases derived from them.
#![deny(missing_docs)]

mod answers;
mod entries;
mod kept;
mod loader;
mod merge;
mod modules;
mod npz;
mod puppet;
mod record;

use std::sync::OnceLock;

use jointly_host::{Compiler, Description, Execution, Failure, Kind, Limits, Runtime, Trace};

pub use answers::answers;
pub use entries::{pack, scores};
pub use kept::{RUNS, folder, kept};
pub use loader::{loader, patches};
pub use modules::modules;
pub use npz::npz;
pub use puppet::{SCRIPT_BYTES, Start, module, puppet, repeats, starts};
pub use record::{journal, plan};

/// How a case ended. Endings are counted, because a target that never sees one of them does not test it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With an answer that the host accepts.
    Answered,
    /// With a file that the host does not load as an agent.
    NotLoaded,
    /// With the agent's failure.
    Failed(Kind),
    /// With two different answers to one question.
    Inconsistent,
    /// With a file that is refused.
    Refused,
    /// With a file that is read.
    Accepted,
    /// With a journal that is read, but belongs to no kept plan.
    Foreign,
    /// With an entry whose claims do not follow from its journal.
    Unfounded,
    /// With an .npz file that is read.
    Holds(Contents),
}

/// The kinds of .npz files that the command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contents {
    /// A problem of classification.
    Problem,
    /// A table for regression.
    Table,
    /// Predictions that are scored.
    Predictions,
}

/// The limits of a case, with which an endless loop ends within milliseconds.
const LIMITS: Limits = Limits { fuel: 2_000_000, memory: 4 << 20, timeout: 1 };

/// The length below which messages must stay, in bytes.
const LONGEST_MESSAGE: usize = 2_000;

/// Asserts that an agent's description fits a table and a terminal.
fn is_presentable(description: &Description) {
    let Description { name, version, summary, citation, parameters, sweeps, .. } = description;
    assert!((1..=40).contains(&name.len()) && name.is_ascii(), "{name:?}");
    let said = parameters.iter().flat_map(|it| [&it.name, &it.default, &it.summary]);
    let settings = sweeps.iter().flat_map(|sweep| sweep.variants.iter().flatten());
    let texts = [version, summary, citation].into_iter().chain(said).chain(sweeps.iter().map(|sweep| &sweep.name));
    let texts = texts.chain(settings.flat_map(|setting| [&setting.name, &setting.value]));
    texts.filter(|text| !text.is_empty()).for_each(|text| is_one_line(text));
}

/// Asserts that the kept log of an agent is bounded.
fn is_bounded(trace: &Trace) {
    let (lines, _) = trace.log();
    assert!(lines.len() <= 20 && lines.iter().all(|line| line.len() <= 2048));
    assert!((0.0..=1.0).contains(&trace.progress()));
}

/// Returns a shared runtime, which keeps nothing of a case.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| runtime_of(Execution::Compiled))
}

/// Makes a runtime that keeps nothing of a case.
fn runtime_of(execution: Execution) -> Runtime {
    Runtime::new(execution, Compiler::InProcess, None).expect("the engine runs on this machine")
}

/// Asserts that a message about an agent is one printable line.
fn is_one_line(message: &str) {
    assert!(!message.is_empty() && message.len() < LONGEST_MESSAGE, "{} bytes", message.len());
    let turns = |c| matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!message.chars().any(|c| c.is_control() || turns(c)), "{message:?}");
}

/// Asserts that a failure is the guest's own and not reported as the machine's, and returns how it is counted.
fn is_the_guests(failure: &Failure) -> Ending {
    is_one_line(&failure.message);
    assert_ne!(failure.kind, Kind::Host, "{failure}");
    Ending::Failed(failure.kind)
}
