//! How many examples a process makes.

/// Numbers of examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// To train on.
    pub train: usize,
    /// Held out for the agent's own use; may be 0.
    pub validation: usize,
    /// To test on.
    pub test: usize,
}
