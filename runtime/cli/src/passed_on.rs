//! The options of `jointly run` that another command passes on after `--`.

/// The one that takes no value.
pub(crate) const PLAN_ONLY: &str = "--plan-only";

/// Their names. By none of them does a run have other scores.
pub(crate) const PASSED_ON: [&str; 9] =
    ["--jobs", "--shard", PLAN_ONLY, "--reuse", "--timeout", "--fuel", "--memory", "--request-timeout", "--engine"];
