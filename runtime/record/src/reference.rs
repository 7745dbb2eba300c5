//! References in plans: they stand beside the agents and are run by the host itself, so no bytes are kept.

use jointly_classification::oracle::VERSION;

/// The name of the oracle, which no agent may have.
pub const NAME: &str = "oracle";

/// One line about the oracle, for the user.
pub const SUMMARY: &str = "samples the posterior of the environment, whose distribution it knows; it is the floor of classification: no \
                           agent does better on average; in decisions it is a reference, and an agent may do better";

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
    use super::{SUMMARY, digest, is_oracle};
    use crate::kinds::KINDS;

    #[test]
    fn its_digest_is_told_from_all_others() {
        assert!(is_oracle(&digest()) && is_oracle("host:oracle-27"));
        for other in ["sha256:oracle-1", "host:oracle-", "host:oracle-1/../..", "host:mlp-1"] {
            assert!(!is_oracle(other), "{other}");
        }
    }

    #[test]
    fn it_is_called_the_floor_of_the_kinds_that_it_bounds_and_a_reference_in_others() {
        for kind in KINDS.into_iter().filter(|kind| kind.reference) {
            let (floor, reference) =
                (format!("the floor of {}", kind.name), format!("in {} it is a reference", kind.name));
            let said = (SUMMARY.contains(&floor), SUMMARY.contains(&reference));
            assert_eq!(said, (kind.reference_is_bound, !kind.reference_is_bound), "{}", kind.name);
        }
    }
}
