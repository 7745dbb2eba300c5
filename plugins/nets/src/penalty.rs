//! The L2 penalty on the parameters, and how it depends on the temperature and the input dimension of the task.

use jointly_sdk::Task;

/// The largest number of inputs at which weights are adaptive unless a setting says otherwise: that of the testbed.
const MOST_ADAPTIVE: usize = 100;

/// A penalty on the sum of squares of all parameters.
#[derive(Clone, Copy, Debug)]
pub struct Penalty {
    /// The weight of the sum of squares, before it is divided by the number of examples.
    pub l2: f32,
    /// Whether the weight is also multiplied by the input dimension and the square root of the temperature; without an
    /// answer, what [`is_adaptive`] says.
    pub adaptive: Option<bool>,
}

impl Penalty {
    /// No penalty.
    pub const NONE: Self = Self { l2: 0.0, adaptive: Some(false) };

    /// Returns the factor of the sum of squares in a loss that is a mean over the T examples.
    ///
    /// # Formula
    ///
    /// l2 / T, times d sqrt(temperature) if adaptive; T counts as 1 if there are no examples.
    pub fn factor(self, task: &Task, examples: usize) -> f32 {
        let signal = if is_adaptive(self.adaptive, task) { adaptive_factor(task) } else { 1.0 };
        self.l2 * signal / examples.max(1) as f32
    }
}

/// Returns whether weights are adaptive: as set, and otherwise up to 100 inputs.
///
/// The factor d sqrt(temperature) is the reference implementation's, and fits its environments, which have 2 to 100 inputs. On
/// its images, d = 784 at the temperature 0.01 that it states for all real data, the weight is 78 / T: up to some
/// hundreds of examples a network learns nothing, all its predictions are equal probabilities.
pub fn is_adaptive(setting: Option<bool>, task: &Task) -> bool {
    setting.unwrap_or(task.input_dim <= MOST_ADAPTIVE)
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
        let penalty = Penalty { l2: 3.0, adaptive: Some(true) };
        assert_eq!(penalty.factor(&task, 10), 3.0 * 0.5 * 2.0 / 10.0);
        assert_eq!(penalty.factor(&Task { temperature: None, ..task.clone() }, 0), 3.0 * 2.0);
        assert_eq!(adaptive_factor(&task), 0.5 * 2.0);
        let auto = |input_dim| Penalty { adaptive: None, ..penalty }.factor(&Task { input_dim, ..task.clone() }, 10);
        assert_eq!((auto(100), auto(101)), (3.0 * 0.5 * 100.0 / 10.0, 3.0 / 10.0));
        assert_eq!(Penalty { adaptive: Some(false), ..penalty }.factor(&task, 10), 3.0 / 10.0);
    }
}
