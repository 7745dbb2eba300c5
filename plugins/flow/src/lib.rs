//! The agent `flow`: variational inference over a network's parameters with planar flows.

mod belief;
mod planar;
mod training;

use std::cell::RefCell;

use jointly_nets::drawn::Drawn;
use jointly_nets::inputs::Auto;
use jointly_nets::{Rows, Stream, each_draw, predict, sweeps};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, Positive, Setting, SettingValue, Task, Widths, settings,
};

use belief::Belief;
use training::{Base, train};

/// A number of flows, possibly zero.
#[derive(Clone, Copy, Debug)]
struct Flows(usize);

impl std::ops::Deref for Flows {
    type Target = usize;

    fn deref(&self) -> &usize {
        &self.0
    }
}

impl SettingValue for Flows {
    fn expected() -> String {
        "a whole number".into()
    }

    fn parse_value(text: &str) -> Option<Self> {
        text.trim().parse().ok().map(Self)
    }
}

settings! {
    struct Settings {
        /// number of flows; without flows all parameters are independent
        flows: Flows = "8",
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// standard deviation of the prior of a parameter
        sigma: Positive = "1",
        /// multiply the divergence from the prior by the input's dimension and the root of the temperature; auto is yes
        /// up to 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// initial standard deviations
        initial_scale: Positive = "0.01",
        /// networks drawn in each step
        draws: Count = "8",
        /// step size of Adam
        learning_rate: Positive = "3e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// Variational inference with normalising flows: a draw is one network.
///
/// # Formula
///
/// Minimises E [mean cross-entropy of a batch at w] + c / T KL(q || p). A sample w ~ q is a vector of standard normal
/// numbers sent through planar flows, then scaled and shifted parameter by parameter; p = N(0, sigma^2 I) is the
/// prior, T the number of examples and c = d sqrt(temperature) if adaptive, else 1. T is 1 without examples, and an
/// unknown temperature is one. The expectation is a mean over a few draws, each shared by the whole batch. Means are
/// initialised like a network's parameters, scales at the setting initial-scale, and flows as the identity.
///
/// Scaling and shifting before the flows would give the same family of distributions q, since a planar flow between
/// such a map and its inverse is a planar flow. But there the argument of its tanh grows with the scales, a
/// hundredfold in training, until the flow is only a shift.
///
/// The method follows Rezende and Mohamed (2015), with the planar flows of their section 4.1; without flows it is the
/// mean-field Gaussian of Blundell et al. (2015).
#[derive(Debug)]
pub struct Flow {
    base: RefCell<Base>,
    belief: Belief,
    dim: usize,
    seed: u64,
    drawn: Drawn,
}

impl Classifier for Flow {
    fn describe() -> Description {
        let summary = "a belief over a network's parameters: normals sent through normalising flows";
        Description {
            citation: "Rezende and Mohamed, Variational inference with normalizing flows, ICML 2015".into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("flows", &["0", "1", "2", "4", "8", "16", "32"]),
                sweeps::one("sigma", &["0.3", "0.5", "0.7", "1", "2"]),
                sweeps::one("learning-rate", &["1e-3", "3e-3"]),
            ],
            ..Description::new("flow", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let (base, belief) = train(&settings, task, data, seed)?;
        let drawn = Drawn::new(base.len());
        Ok(Self { base: RefCell::new(base), belief, dim: task.input_dim, seed, drawn })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if out.is_empty() && inputs.cols() == self.dim {
            return Ok(());
        }
        let sampler = self.belief.sampler();
        let mut base = self.base.borrow_mut();
        let rows = Rows::of(inputs);
        // One draw at a time, because the parameters of a draw are as large as the network.
        each_draw(draws, out, |draw, out| {
            let make = |parameters: &mut [f32]| {
                parameters.copy_from_slice(&sampler.draw(&mut Stream::FlowDraw.rng(self.seed, draw)).point);
            };
            self.drawn.with(draw, make, |parameters| predict(&[base.with(parameters)], &rows, out))
        })
    }
}

jointly_sdk::export!(classifier: Flow);

#[cfg(test)]
mod tests {
    use jointly_testkit::{assert_draws_are_functions, assert_invalid, correct, half_plane, plane, probs, settings};

    use super::*;

    fn train(examples: usize, settings: &[(&str, &str)], seed: u64) -> Result<Flow, Failure> {
        Flow::train(&plane(Some(0.01)), &half_plane(examples, 1), None, &self::settings(settings), seed)
    }

    #[test]
    fn a_draw_is_one_function_in_any_company() {
        let settings = [("steps", "20"), ("hidden", "10"), ("flows", "3")];
        let agent = train(30, &settings, 0).unwrap();
        let inputs = half_plane(70, 1).inputs;
        let draws = [3, 0, 3, 900];
        assert_draws_are_functions(&agent, &inputs, 2, &draws);
        let together = probs(&agent, &inputs, 2, &draws);
        assert_ne!(together[..140], together[140..280]);
        assert_eq!(together, probs(&train(30, &settings, 0).unwrap(), &inputs, 2, &draws));
        assert_ne!(together, probs(&train(30, &settings, 1).unwrap(), &inputs, 2, &draws));
    }

    #[test]
    fn classes_are_learnt() {
        for flows in ["0", "4"] {
            let agent = train(100, &[("flows", flows), ("hidden", "20"), ("learning-rate", "1e-2")], 0).unwrap();
            let data = half_plane(100, 1);
            let hits = correct(&probs(&agent, &data.inputs, 2, &[5]), &data.labels);
            assert!(hits >= 90, "{flows} flows: {hits} of 100");
        }
    }

    #[test]
    fn a_negative_number_of_flows_is_refused_and_no_data_are_enough() {
        assert_invalid(train(3, &[("flows", "-1")], 0), "flows=-1");
        assert!(train(0, &[("steps", "1")], 0).is_ok());
    }
}
