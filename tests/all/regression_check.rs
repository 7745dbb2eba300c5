//! `jointly check` on regression agents that break one or more clauses.

use crate::check::{OF_REGRESSION, broken_of};
use crate::command::refused;

fn broken(guest: &str) -> Vec<String> {
    broken_of(guest, OF_REGRESSION)
}

#[test]
fn functions_that_forget_look_around_or_lie() {
    let rows = ["rows-alone", "rows-order", "rows-batch"];
    let draws = ["draws-alone", "draws-order", "draws-again", "canonical-draws"];
    assert_eq!(broken("forgetful-functions"), [&rows[..], &draws].concat());
    assert_eq!(broken("crowd-dependent"), ["rows-alone", "rows-batch"]);
    assert_eq!(broken("lying-canonical-functions"), ["canonical-draws"]);
}

#[test]
fn answers_that_are_none() {
    for guest in ["nan-means", "negative-noise", "short-means", "long-noise"] {
        assert!(broken(guest).starts_with(&["functions".to_owned()]), "{guest}");
    }
}

#[test]
fn moments_that_are_no_covariance_or_change_with_the_rows() {
    for guest in [
        "lopsided-covariance",
        "negative-variance",
        "infinite-covariance",
        "short-covariance",
        "crowd-dependent-moments",
        "gives-up-on-moments",
    ] {
        assert_eq!(broken(guest), ["moments"], "{guest}");
    }
}

/// Improbable answers are not impossible; a run shows their effect.
#[test]
fn moments_that_are_strange_and_no_breach() {
    for guest in ["certain", "single-function", "perfect-correlations", "endless-intervals"] {
        assert_eq!(broken(guest), Vec::<String>::new(), "{guest}");
    }
}

#[test]
fn intervals_that_are_crossed_short_shrink_or_change_with_the_rows() {
    for guest in ["crossed-intervals", "short-intervals", "shrinking-intervals", "crowd-dependent-intervals"] {
        assert_eq!(broken(guest), ["intervals"], "{guest}");
    }
}

/// An agent that supports both kinds is refused settings that neither knows.
#[test]
fn settings_that_no_kind_knows_are_refused() {
    for agent in ["bootstrap:breadth=3", "ensemble:breadth=3"] {
        refused(["check", agent], &["has no setting breadth: `jointly agents "]);
    }
    refused(["check", "bootstrap:size=0"], &["size=0: expected a whole number of at least 1"]);
}
