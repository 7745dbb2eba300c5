//! An agent's predictions on the plane, as a picture shows them.

/// Draws that the mean is taken over.
pub const MEAN_DRAWS: u64 = 100;

/// Probabilities of class 1 on the cells of the plane.
pub struct Belief {
    /// The mean over the draws.
    pub mean: Vec<f32>,
    /// Functions that differ, in the order of their draws; fewer than were asked for where there are no more.
    pub functions: Vec<Vec<f32>>,
}
