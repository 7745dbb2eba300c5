//! `jointly check` on agents that take tokens and keep their contract, or break one or more clauses.

use crate::check::{CLAUSES, WITH_TOKENS, broken_of};
use crate::command::refused;

fn broken(guest: &str) -> Vec<String> {
    broken_of(guest, WITH_TOKENS)
}

const KINDS: [&str; 3] = ["images", "texts", "categories"];

#[test]
fn functions_that_forget_look_around_or_lie() {
    let rows = ["rows-alone", "rows-order", "rows-batch"];
    let draws = ["draws-alone", "draws-order", "draws-again", "canonical-draws"];
    assert_eq!(broken("remembers-calls"), [&KINDS[..], &rows, &draws].concat());
    assert_eq!(broken("crowd-dependent-pictures"), [&KINDS[..], &["rows-alone", "rows-batch"]].concat());
    assert_eq!(broken("lying-canonical-pictures"), [&KINDS[..], &["canonical-draws"]].concat());
}

/// With plain numbers it keeps every clause.
#[test]
pub(crate) fn draw_dependent_pictures() {
    assert_eq!(broken("draw-dependent-pictures"), KINDS);
}

/// With plain numbers it keeps every clause.
#[test]
pub(crate) fn lying_canonical_words() {
    assert_eq!(broken("lying-canonical-words"), KINDS);
}

#[test]
fn answers_that_are_none() {
    let guests = [
        ("nan-pictures", WITH_TOKENS),
        ("sum-two-pictures", WITH_TOKENS),
        ("short-answer", CLAUSES),
        ("long-answer", CLAUSES),
    ];
    for (guest, clauses) in guests {
        assert!(broken_of(guest, clauses).starts_with(&["probabilities".to_owned()]), "{guest}");
    }
}

#[test]
fn tokens_are_refused_or_read() {
    assert_eq!(broken("misindexes-tokens"), ["texts", "categories"]);
    for guest in ["refuses-tokens", "naive-bayes"] {
        assert_eq!(broken(guest), Vec::<String>::new(), "{guest}");
    }
}

/// Without inputs that lack labels it keeps every clause.
#[test]
pub(crate) fn misindexes_unlabelled() {
    assert_eq!(broken_of("misindexes-unlabelled", WITH_TOKENS + 1), ["unlabelled"]);
    assert_eq!(broken_of("tells-inputs", WITH_TOKENS + 1), Vec::<String>::new());
}

#[test]
fn settings_that_no_kind_knows_are_refused() {
    for agent in ["mlp:breadth=3", "dropout:breadth=3"] {
        refused(["check", agent], &["has no setting breadth: `jointly agents "]);
    }
    refused(["check", "ll-svi:prior-scale=0"], &["prior-scale=0: expected a number above 0"]);
}
