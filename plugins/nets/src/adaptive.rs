//! How regularisation follows the task: weak where labels say much, strong where there are many inputs.

use jointly_sdk::Task;

use crate::penalty::temperature;

/// d sqrt(temperature), by which an adaptive weight of regularisation is multiplied.
///
/// d is the input's dimension; a temperature that is not known counts as 1.
pub fn factor(task: &Task) -> f32 {
    temperature(task).sqrt() * task.input_dim as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_temperature_halves_it() {
        let task = Task { input_dim: 3, num_classes: 2, temperature: Some(0.25), hidden_layers: None };
        assert_eq!(factor(&task), 1.5);
        assert_eq!(factor(&Task { temperature: None, ..task }), 3.0);
    }
}
