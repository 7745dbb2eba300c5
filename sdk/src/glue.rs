//! Adapters from the traits of this crate to the generated traits of the interface.

mod classification;
mod convert;
mod info;
mod learner;
mod regression;

pub use classification::{ClassificationGlue, ClassificationModel};
pub use info::{Describe, DescribeClassifier, DescribeInputClassifier, DescribeModule, DescribeRegressor, InfoGlue};
pub use learner::{Learner, Lesson, OfInputs, OfNumbers};
pub use regression::{RegressorGlue, RegressorModel};

/// Writes a panic's message to the log before the trap, so that the author sees more than "unreachable".
fn report_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|panic| crate::log(&panic.to_string()))));
}
