//! Experiments of the papers. Each is a file of `experiments/` (a manifest): commands, published numbers, and the cause
//! where ours differ. Values are computed from the scores of a run that was just made or is kept in `docs/results`,
//! and the pages of `docs/results` are made of both.
#![deny(missing_docs)]

mod asked;
mod association;
mod braces;
mod data;
mod experiments;
mod kept;
mod labels;
mod manifest;
mod names;
mod origin;
mod outcome;
mod page;
mod progress;
mod refusals;
mod statistic;
mod table;
mod values;
mod verdict;

pub use asked::find as find_run;
pub use experiments::{Experiment, all, find, open};
pub use kept::{KeptRun, keep};
pub use manifest::{Chosen, Manifest, Published, Run};
pub use outcome::{Outcome, Row, Titled, by_cause, whose};
pub use page::{Found, Page, command, pages};
pub use progress::{Begun, Progress};
pub use verdict::{Counts, Verdict};
