//! Upper limits of settings.

use jointly_sdk::Failure;

/// Checks settings against their largest values; each is given as its name, its value and its largest value.
///
/// # Errors
///
/// Fails for the first setting above its limit, with the setting and the limit.
pub fn at_most(settings: &[(&str, usize, usize)]) -> Result<(), Failure> {
    match settings.iter().find(|(_, value, most)| value > most) {
        Some((name, value, most)) => Err(Failure::InvalidSetting(format!("{name}={value}: expected at most {most}"))),
        None => Ok(()),
    }
}
