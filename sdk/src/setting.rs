//! A hyperparameter that a run sets.

/// One hyperparameter, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The parameter's name.
    pub name: String,
    /// Its value.
    pub value: String,
}
