//! The options of `jointly run` that another command passes on after `--`.

/// Their names. By none of them does a run have other scores.
pub(crate) const PASSED_ON: [&str; 9] =
    ["--jobs", "--shard", "--plan-only", "--reuse", "--timeout", "--fuel", "--memory", "--request-timeout", "--engine"];
