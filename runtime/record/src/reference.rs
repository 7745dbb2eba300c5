//! References in plans: they stand beside the agents and are run by the host itself, so no bytes are kept.

use jointly_classification::oracle::VERSION;

/// The name of the oracle, which no agent may have.
pub const NAME: &str = "oracle";

/// One line about the oracle, for the user.
pub const SUMMARY: &str =
    "the floor: samples the posterior of the environment, whose distribution it knows; no agent does better on average";

/// Settings that give the oracle's chains more time to agree.
pub const MORE_WORK: &str = "oracle:rounds=5,warmup=240,thin=2";

/// The prefix of the digest of a reference, which names its implementation because it has no bytes of its own.
const HOST: &str = "host:oracle-";

/// Returns the text that a plan has instead of a component's digest.
pub fn digest() -> String {
    format!("{HOST}{VERSION}")
}

/// Returns whether a digest of a plan is that of an oracle, of this version or another.
pub fn is_oracle(digest: &str) -> bool {
    digest.strip_prefix(HOST).is_some_and(|version| !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{digest, is_oracle};

    #[test]
    fn its_digest_is_told_from_all_others() {
        assert!(is_oracle(&digest()) && is_oracle("host:oracle-27"));
        for other in ["sha256:oracle-1", "host:oracle-", "host:oracle-1/../..", "host:mlp-1"] {
            assert!(!is_oracle(other), "{other}");
        }
    }
}
