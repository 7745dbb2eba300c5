//! The options of a page, and the other runs that it is drawn from.

use jointly_classification::shift::ShiftInstance;
use jointly_score::scores::Scores;

use crate::tuning::Defaults;

/// The options of a page's figures, and the other runs that they are drawn from.
pub struct Choices<'a> {
    /// Images of a run of dataset shift.
    pub shown: Shown,
    /// The setting of Figure 3.
    pub parameter: &'a str,
    /// The agents' defaults, if they can be looked up.
    pub defaults: Defaults<'a>,
    /// The agents of Figure 4.
    pub pair: [String; 2],
    /// A run of the same agents on real data.
    pub real: Option<&'a Scores<'a>>,
    /// Runs of active learning of the same agents, which differ in the predicting agent.
    pub active: &'a [Scores<'a>],
    /// The level of the intervals that are drawn.
    pub level: f64,
}

/// The images of the inputs that the page shows.
pub enum Shown {
    /// The first problem's data, with one test input.
    Images(Box<ShiftInstance>),
    /// The inputs are images whose files are not here.
    Missing,
    /// The inputs are no images.
    Nothing,
}
