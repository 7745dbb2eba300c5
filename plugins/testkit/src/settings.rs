//! Short forms of settings for tests.

use jointly_sdk::{Failure, Setting};

/// Creates one setting.
pub fn setting(name: &str, value: &str) -> Setting {
    Setting { name: name.into(), value: value.into() }
}

/// Creates settings from names and values.
pub fn settings(pairs: &[(&str, &str)]) -> Vec<Setting> {
    pairs.iter().map(|(name, value)| setting(name, value)).collect()
}

/// Asserts that settings were refused as invalid; `what` names them in the message.
///
/// # Panics
///
/// Panics if they were accepted, or refused for another reason.
#[track_caller]
pub fn assert_invalid<T>(found: Result<T, Failure>, what: &str) {
    match found.err() {
        Some(Failure::InvalidSetting(_)) => {}
        Some(other) => panic!("{what} is refused as {other:?}, not as an invalid setting"),
        None => panic!("{what} is taken"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, assert_invalid, settings};

    #[test]
    fn settings_keep_their_order() {
        let found = settings(&[("size", "3"), ("l2", "1")]);
        assert_eq!(found.iter().map(|setting| setting.name.as_str()).collect::<Vec<_>>(), ["size", "l2"]);
    }

    #[test]
    fn an_invalid_setting_is_told_from_others() {
        assert_invalid::<()>(Err(Failure::InvalidSetting("size=0".into())), "size=0");
    }

    #[test]
    #[should_panic(expected = "size=0 is taken")]
    fn settings_that_are_taken_fail() {
        assert_invalid(Ok(()), "size=0");
    }

    #[test]
    #[should_panic(expected = "size=0 is refused as Unsupported")]
    fn another_failure_fails() {
        assert_invalid::<()>(Err(Failure::Unsupported("images".into())), "size=0");
    }
}
