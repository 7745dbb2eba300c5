//! Between an author's traits and the interface's generated ones.

mod classification;
mod convert;
mod info;
mod learner;
mod regression;

pub use classification::{ClassificationGlue, ClassificationModel};
pub use info::{Describe, DescribeClassifier, DescribeInputClassifier, DescribeModule, DescribeRegressor, InfoGlue};
pub use learner::{Learner, OfInputs, OfNumbers};
pub use regression::{RegressorGlue, RegressorModel};

use crate::settings::known;
use crate::{Failure, Parameter};

/// The refusal of a value that a setting's type does not accept.
pub fn malformed(parameters: &[Parameter], name: &str, value: &str, expected: &str) -> Failure {
    let known = known(parameters);
    Failure::InvalidSetting(format!("{name}={value}: expected {expected}; {known}"))
}

/// Sends a panic's message to the log before the trap, so that its author sees more than "unreachable".
fn report_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|panic| crate::log(&panic.to_string()))));
}
