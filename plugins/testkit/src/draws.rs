//! Samples draws, and asserts that each draw names one function whatever the other draws and rows are.

use jointly_sdk::{Classifier, Matrix, Regressor};

/// Computes the class probabilities (M, T, K) of draws at inputs, in one call.
///
/// # Panics
///
/// Panics if the agent fails.
pub fn probs(agent: &impl Classifier, inputs: &Matrix, num_classes: usize, draws: &[u64]) -> Vec<f32> {
    let mut out = vec![f32::NAN; draws.len() * inputs.rows() * num_classes];
    agent.sample_probs(inputs, draws, &mut out).expect("probabilities");
    out
}

/// Asserts that each draw predicts the same bits alone, by its canonical draw, and for each row alone.
///
/// # Panics
///
/// Panics if a bit differs, or if the agent fails.
#[track_caller]
pub fn assert_draws_are_functions(agent: &impl Classifier, inputs: &Matrix, num_classes: usize, draws: &[u64]) {
    let block = inputs.rows() * num_classes;
    let together = probs(agent, inputs, num_classes, draws);
    for (draw, together) in draws.iter().zip(together.chunks(block)) {
        for same in [*draw, agent.canonical_draw(*draw)] {
            let mut alone = vec![f32::NAN; block];
            agent.probs(inputs, same, &mut alone).expect("probabilities");
            assert_same_bits(together, &alone, &format!("draw {draw} as draw {same}, alone"));
        }
        for (t, expected) in together.chunks(num_classes).enumerate() {
            let alone = probs(agent, &row(inputs, t), num_classes, &[*draw]);
            assert_same_bits(expected, &alone, &format!("row {t} of draw {draw}, alone"));
        }
    }
}

/// Asserts for a regressor that each draw's means and noise have the same bits alone, by its canonical draw, and for
/// each row alone.
///
/// # Panics
///
/// Panics if a bit differs, or if the agent fails.
#[track_caller]
pub fn assert_functions_stand_alone(agent: &impl Regressor, inputs: &Matrix, draws: &[u64]) {
    let rows = inputs.rows();
    let together = agent.sample_functions(inputs, draws).expect("functions");
    for (m, draw) in draws.iter().enumerate() {
        let here = m * rows..(m + 1) * rows;
        for same in [*draw, agent.canonical_draw(*draw)] {
            let (alone, what) = (agent.sample_functions(inputs, &[same]), format!("draw {draw} as draw {same}, alone"));
            let alone = alone.expect("functions");
            assert_same_bits(&together.means[here.clone()], &alone.means, &what);
            assert_same_bits(&together.noise_stds[here.clone()], &alone.noise_stds, &what);
        }
        for t in 0..rows {
            let alone = agent.sample_functions(&row(inputs, t), &[*draw]).expect("functions");
            let (at, what) = (m * rows + t, format!("row {t} of draw {draw}, alone"));
            assert_same_bits(&together.means[at..=at], &alone.means, &what);
            assert_same_bits(&together.noise_stds[at..=at], &alone.noise_stds, &what);
        }
    }
}

/// Asserts that the means of 4000 draws have the moments that the agent states: a covariance may differ by five
/// standard errors plus `slack` times the product of the two standard deviations.
///
/// # Panics
///
/// Panics if they differ, or if the agent fails or states no moments.
#[track_caller]
pub fn assert_draws_have_the_moments(agent: &impl Regressor, inputs: &Matrix, slack: f64) {
    const DRAWS: u64 = 4000;
    let rows = inputs.rows();
    let draws: Vec<u64> = (0..DRAWS).collect();
    let samples = agent.sample_functions(inputs, &draws).expect("functions");
    let moments = agent.gaussian(inputs).expect("moments").expect("an agent that states moments");
    let n = DRAWS as f64;
    let value = |m: usize, t: usize| f64::from(samples.means[m * rows + t]) - moments.mean[t];
    for i in 0..rows {
        for j in 0..=i {
            let found = (0..draws.len()).map(|m| value(m, i) * value(m, j)).sum::<f64>() / n;
            let covariance = |i: usize, j: usize| moments.covariance[i * rows + j];
            let (expected, a, b) = (covariance(i, j), covariance(i, i), covariance(j, j));
            let bound = 5.0 * ((a * b + expected * expected) / n).sqrt() + slack * (a * b).sqrt();
            assert!((found - expected).abs() < bound, "covariance {i}, {j}: {found} of draws, {expected} stated");
        }
    }
}

fn row(inputs: &Matrix, t: usize) -> Matrix {
    Matrix::new(1, inputs.cols(), inputs.row(t).to_vec()).expect("a row")
}

#[track_caller]
fn assert_same_bits(expected: &[f32], found: &[f32], what: &str) {
    assert_eq!(expected.len(), found.len(), "{what}");
    let differs = expected.iter().zip(found).position(|(a, b)| a.to_bits() != b.to_bits());
    if let Some(at) = differs {
        panic!("{what}: number {at} is {}, not {}", found[at], expected[at]);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use jointly_sdk::{
        Dataset, Description, Failure, FunctionSamples, Gaussian, RegressionTask, Setting, Targets, Task,
    };

    use super::*;
    use crate::{half_plane, no_examples, no_targets, plane, wave};

    /// The way in which an agent violates the contract.
    #[derive(Clone, Copy, PartialEq)]
    enum Lie {
        None,
        /// The answer depends on the number of rows.
        Crowd,
        /// The canonical draw is another function.
        Canonical,
        /// The answer depends on the calls before.
        Memory,
        /// The stated standard deviations are twice those of the draws.
        Moments,
    }

    struct Agent {
        lie: Lie,
        calls: Cell<u64>,
    }

    impl Agent {
        fn new(lie: Lie) -> Self {
            Self { lie, calls: Cell::new(0) }
        }

        /// Computes a number between 0 and 1 for a row of a draw.
        fn value(&self, inputs: &Matrix, draw: u64, t: usize) -> f32 {
            let crowd = if self.lie == Lie::Crowd { inputs.rows() as f32 } else { 1.0 };
            let memory = if self.lie == Lie::Memory { self.calls.get() as f32 } else { 1.0 };
            let x = inputs.row(t)[0] + (draw % 2) as f32 + crowd + memory;
            1.0 / (1.0 + (-x).exp())
        }

        fn call(&self) {
            self.calls.set(self.calls.get() + 1);
        }
    }

    impl Classifier for Agent {
        fn describe() -> Description {
            Description::new("test", "1", "a test")
        }

        fn train(_: &Task, _: &Dataset, _: Option<&Dataset>, _: &[Setting], _: u64) -> Result<Self, Failure> {
            Ok(Self::new(Lie::None))
        }

        fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
            self.call();
            for (t, row) in out.chunks_mut(2).enumerate() {
                let p = self.value(inputs, draw, t);
                row.copy_from_slice(&[1.0 - p, p]);
            }
            Ok(())
        }

        fn canonical_draw(&self, draw: u64) -> u64 {
            if self.lie == Lie::Canonical { 0 } else { draw % 2 }
        }
    }

    struct Curve(Agent);

    impl Regressor for Curve {
        fn describe() -> Description {
            Description::new("test", "1", "a test")
        }

        fn train(_: &RegressionTask, _: &Targets, _: Option<&Targets>, _: &[Setting], _: u64) -> Result<Self, Failure> {
            Ok(Self(Agent::new(Lie::None)))
        }

        fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
            self.0.call();
            let values = draws.iter().flat_map(|draw| (0..inputs.rows()).map(|t| self.0.value(inputs, *draw, t)));
            let means: Vec<f32> = values.collect();
            Ok(FunctionSamples { noise_stds: vec![0.1; means.len()], means })
        }

        fn canonical_draw(&self, draw: u64) -> u64 {
            Classifier::canonical_draw(&self.0, draw)
        }

        /// Even and odd draws are two functions of equal probability.
        fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
            let rows = inputs.rows();
            let value = |draw: u64, t: usize| f64::from(self.0.value(inputs, draw, t));
            let mean: Vec<f64> = (0..rows).map(|t| 0.5 * (value(0, t) + value(1, t))).collect();
            let half =
                |t: usize| 0.5 * (value(0, t) - value(1, t)) * if self.0.lie == Lie::Moments { 2.0 } else { 1.0 };
            let covariance = (0..rows * rows).map(|at| half(at / rows) * half(at % rows)).collect();
            Ok(Some(Gaussian { mean, covariance, noise_variance: vec![0.01; rows] }))
        }
    }

    const DRAWS: [u64; 3] = [4, 1, 4];

    fn classify(lie: Lie) {
        assert_draws_are_functions(&Agent::new(lie), &half_plane(5, 1).inputs, 2, &DRAWS);
    }

    fn regress(lie: Lie) {
        assert_functions_stand_alone(&Curve(Agent::new(lie)), &wave(5, 1, 2).inputs, &DRAWS);
    }

    #[test]
    fn functions_pass() {
        classify(Lie::None);
        regress(Lie::None);
    }

    #[test]
    #[should_panic(expected = "row 0 of draw 4, alone")]
    fn rows_that_look_around_fail() {
        classify(Lie::Crowd);
    }

    #[test]
    #[should_panic(expected = "row 0 of draw 4, alone")]
    fn functions_that_look_around_fail() {
        regress(Lie::Crowd);
    }

    #[test]
    #[should_panic(expected = "draw 1 as draw 0, alone")]
    fn a_false_canonical_draw_fails() {
        classify(Lie::Canonical);
    }

    #[test]
    #[should_panic(expected = "draw 1 as draw 0, alone")]
    fn a_false_canonical_function_fails() {
        regress(Lie::Canonical);
    }

    #[test]
    #[should_panic(expected = "draw 4 as draw 4, alone")]
    fn an_agent_that_remembers_fails() {
        classify(Lie::Memory);
    }

    #[test]
    fn true_moments_pass() {
        assert_draws_have_the_moments(&Curve(Agent::new(Lie::None)), &wave(3, 1, 2).inputs, 0.0);
    }

    #[test]
    #[should_panic(expected = "covariance 0, 0")]
    fn false_moments_fail() {
        assert_draws_have_the_moments(&Curve(Agent::new(Lie::Moments)), &wave(3, 1, 2).inputs, 0.1);
    }

    #[test]
    fn trained_agents_are_asked_as_they_are() {
        let agent = Agent::train(&plane(None), &no_examples(2), None, &[], 0).unwrap();
        assert_eq!(probs(&agent, &half_plane(3, 1).inputs, 2, &[0, 1]).len(), 12);
        let task = RegressionTask { input_dim: 1, noise_std: None };
        let curve = Curve::train(&task, &no_targets(1), None, &[], 0).unwrap();
        assert_eq!(curve.sample_functions(&wave(4, 1, 2).inputs, &[0]).unwrap().means.len(), 4);
    }
}
