//! Splits off examples that are not trained on, to measure what training data cannot.

use jointly_sdk::Rng;

use crate::fit::shuffle;

/// Returns the indices of `examples` examples in a random order, in two parts: those to train on, and a fraction held
/// out.
///
/// If there are two examples or more, at least one is trained on, and at least one is held out unless the fraction is
/// zero; a single example is never held out.
pub fn held_out(examples: usize, fraction: f32, rng: &mut Rng) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..examples as u32).collect();
    shuffle(&mut order, rng);
    let count = (f64::from(fraction) * examples as f64).round() as usize;
    let held = if examples < 2 || fraction == 0.0 { 0 } else { count.clamp(1, examples - 1) };
    let held = order.split_off(examples - held);
    (order, held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_parts_are_the_whole() {
        for (examples, fraction, held) in
            [(0, 0.2, 0), (1, 0.9, 0), (2, 0.01, 1), (10, 0.25, 3), (100, 0.999, 99), (10, 0.0, 0)]
        {
            let (mut train, rest) = held_out(examples, fraction, &mut Rng::new(1, 0));
            assert_eq!(rest.len(), held, "{examples}");
            train.extend(rest);
            train.sort_unstable();
            assert!(train.into_iter().eq(0..examples as u32));
        }
    }
}
