//! Fuzz targets: what the bytes of a component, what an agent answers, and what strangers send of runs may do to the host.
//!
//! Each target takes any bytes and panics where the host breaks a promise. `cargo fuzz` looks for such bytes; the test
//! `corpus` tries those that are kept in `corpus/`, and a bounded number that are made of them.
#![deny(missing_docs)]

mod answers;
mod entries;
mod kept;
mod loader;
mod npz;
mod puppet;
mod record;

use std::sync::OnceLock;

use jointly_host::{Description, Execution, Failure, Kind, Limits, Runtime, Trace};

pub use answers::answers;
pub use entries::{pack, scores};
pub use kept::{RUNS, folder, kept};
pub use loader::{loader, patches};
pub use npz::npz;
pub use puppet::{SCRIPT_BYTES, Start, module, puppet, starts};
pub use record::{journal, plan};

/// How a case ended, for counts: a target that never sees one of these is blind to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With what the host accepts.
    Answered,
    /// With no agent: the host would not load it.
    NotLoaded,
    /// With the agent's failure.
    Failed(Kind),
    /// With two answers to one question.
    Inconsistent,
    /// With what is wrong with a file.
    Refused,
    /// With a file that is read.
    Accepted,
    /// With a journal that is read, and of no plan that is kept.
    Foreign,
    /// With an entry that claims what does not follow from its journal.
    Unfounded,
    /// With an .npz that is read.
    Holds(Contents),
}

/// The kinds of .npz files that the command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contents {
    /// A problem of classification.
    Problem,
    /// A table to predict a number from.
    Table,
    /// Predictions that are scored.
    Predictions,
}

/// What a case may use: an endless loop ends within milliseconds.
const LIMITS: Limits = Limits { fuel: 2_000_000, memory: 4 << 20 };

/// The longest message that a person is shown.
const LONGEST_MESSAGE: usize = 2_000;

/// What an agent says of itself fits a table and a terminal, whatever it is.
fn is_presentable(description: &Description) {
    let Description { name, version, summary, citation, parameters, sweeps, .. } = description;
    assert!((1..=40).contains(&name.len()) && name.is_ascii(), "{name:?}");
    let said = parameters.iter().flat_map(|it| [&it.name, &it.default, &it.summary]);
    let settings = sweeps.iter().flat_map(|sweep| sweep.variants.iter().flatten());
    let texts = [version, summary, citation].into_iter().chain(said).chain(sweeps.iter().map(|sweep| &sweep.name));
    let texts = texts.chain(settings.flat_map(|setting| [&setting.name, &setting.value]));
    texts.filter(|text| !text.is_empty()).for_each(|text| is_one_line(text));
}

/// What is kept of what an agent says while it works is bounded.
fn is_bounded(trace: &Trace) {
    let (lines, _) = trace.log();
    assert!(lines.len() <= 20 && lines.iter().all(|line| line.len() <= 2048));
    assert!((0.0..=1.0).contains(&trace.progress()));
}

/// One runtime, which keeps nothing of a case.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new(Execution::Compiled, None).expect("the engine runs on this machine"))
}

/// Whatever is wrong with an agent is said in one printable line.
fn is_one_line(message: &str) {
    assert!(!message.is_empty() && message.len() < LONGEST_MESSAGE, "{} bytes", message.len());
    let turns = |c| matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!message.chars().any(|c| c.is_control() || turns(c)), "{message:?}");
}

/// A guest's failure is its own, and never passes for the machine's.
fn is_the_guests(failure: &Failure) -> Ending {
    is_one_line(&failure.message);
    assert_ne!(failure.kind, Kind::Host, "{failure}");
    Ending::Failed(failure.kind)
}
