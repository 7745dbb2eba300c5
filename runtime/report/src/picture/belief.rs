//! An agent's predictions on the plane, for a picture.

/// The number of draws that the mean is taken over.
pub const MEAN_DRAWS: u64 = 100;

/// Predicted probabilities of class 1 on the cells of the plane.
pub struct Belief {
    /// The mean over the draws.
    pub mean: Vec<f32>,
    /// Distinct sampled functions, in the order of their draws; fewer than requested if there are no more.
    pub functions: Vec<Vec<f32>>,
}
