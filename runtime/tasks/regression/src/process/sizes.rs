//! The numbers of examples that a process generates.

/// Numbers of examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Number of training examples.
    pub train: usize,
    /// Number of examples held out for the agent to use as it likes; may be 0.
    pub validation: usize,
    /// Number of test examples.
    pub test: usize,
}
