//! The L2 penalty on the parameters, and how it depends on the temperature and the input dimension of the task.

use jointly_sdk::Task;

/// A penalty on the sum of squares of all parameters.
#[derive(Clone, Copy, Debug)]
pub struct Penalty {
    /// The weight of the sum of squares, before it is divided by the number of examples.
    pub l2: f32,
    /// Whether the weight is also multiplied by the input dimension and the square root of the temperature.
    pub adaptive: bool,
}

impl Penalty {
    /// No penalty.
    pub const NONE: Self = Self { l2: 0.0, adaptive: false };

    /// Returns the factor of the sum of squares in a loss that is a mean over the T examples.
    ///
    /// # Formula
    ///
    /// l2 / T, times d sqrt(temperature) if adaptive; T counts as 1 if there are no examples.
    pub fn factor(self, task: &Task, examples: usize) -> f32 {
        let signal = if self.adaptive { adaptive_factor(task) } else { 1.0 };
        self.l2 * signal / examples.max(1) as f32
    }
}

/// Returns d sqrt(temperature), the factor of an adaptive regularisation weight: small where labels are informative,
/// large where there are many inputs.
pub fn adaptive_factor(task: &Task) -> f32 {
    temperature(task).sqrt() * task.input_dim as f32
}

/// Returns the temperature of the environment's softmax, or 1 if the task states none.
pub fn temperature(task: &Task) -> f32 {
    task.temperature.unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalty_is_adaptive() {
        let task = Task { temperature: Some(0.25), ..Task::new(2, 2) };
        let penalty = Penalty { l2: 3.0, adaptive: true };
        assert_eq!(penalty.factor(&task, 10), 3.0 * 0.5 * 2.0 / 10.0);
        assert_eq!(penalty.factor(&Task { temperature: None, ..task.clone() }, 0), 3.0 * 2.0);
        assert_eq!(adaptive_factor(&task), 0.5 * 2.0);
        assert_eq!(Penalty { adaptive: false, ..penalty }.factor(&task, 10), 3.0 / 10.0);
    }
}
