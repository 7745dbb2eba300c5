//! The corpus of every fuzz target, and a bounded number of cases derived from it, the same in every run.

mod archive;
mod arrays;
mod components;
mod prices;
mod runs;
mod tries;

use jointly_fuzz::{Contents, Ending, answers, folder, journal, loader, modules, npz, pack, patches, plan, scores};
use jointly_host::Kind;
use tries::{tries, tries_at_once};

#[test]
fn what_a_component_may_be() {
    tries("loader", loader, &[Ending::Answered, Ending::NotLoaded]);
}

#[test]
fn what_an_agent_with_other_bytes_may_be() {
    let failed = [Kind::Trapped, Kind::InvalidOutput].map(Ending::Failed);
    tries("patches", patches, &[&[Ending::Answered, Ending::NotLoaded], &failed[..]].concat());
}

#[test]
fn what_a_module_may_compute() {
    let failed = [Kind::Trapped, Kind::OutOfFuel].map(Ending::Failed);
    // Each case is compiled three times.
    tries_at_once(2, "modules", modules, &[&[Ending::Answered], &failed[..]].concat());
}

#[test]
fn what_an_agent_may_answer() {
    let failed = [Kind::Trapped, Kind::OutOfFuel, Kind::OutOfMemory, Kind::InvalidOutput, Kind::AgentFailure];
    let others = [Ending::Answered, Ending::NotLoaded, Ending::Inconsistent];
    tries("answers", answers, &[&others, &failed.map(Ending::Failed)[..]].concat());
}

#[test]
fn what_a_plan_may_be() {
    tries("plan", plan, &[Ending::Accepted, Ending::Refused]);
}

#[test]
fn what_a_journal_may_be() {
    tries("journal", journal, &[Ending::Accepted, Ending::Foreign, Ending::Refused]);
}

#[test]
fn what_an_entry_may_claim() {
    tries("scores", scores, &[Ending::Accepted, Ending::Unfounded, Ending::Refused]);
}

#[test]
fn what_a_pack_may_be() {
    tries("pack", pack, &[Ending::Accepted, Ending::Unfounded, Ending::Refused]);
}

#[test]
fn what_arrays_may_be() {
    let read = [Contents::Problem, Contents::Table, Contents::Predictions].map(Ending::Holds);
    tries("npz", npz, &[&read[..], &[Ending::Refused]].concat());
}

/// A corpus of an outdated puppet or of another version's runs would only be refused. With the variable
/// `JOINTLY_FUZZ_WRITE` set, the cases are written first.
#[test]
fn cases_that_are_made_are_of_todays() {
    for (target, name, bytes) in [components::made(), runs::made(), arrays::made()].concat() {
        let file = folder(target).join(&name);
        if std::env::var_os("JOINTLY_FUZZ_WRITE").is_some() {
            std::fs::create_dir_all(folder(target)).unwrap();
            std::fs::write(&file, &bytes).unwrap();
        }
        let kept = std::fs::read(&file).unwrap_or_default();
        assert!(kept == bytes, "{} is of another version: test with JOINTLY_FUZZ_WRITE=1 once", file.display());
    }
}
