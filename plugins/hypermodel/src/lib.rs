//! The agent `hypermodel`: networks whose parameters are a linear function of a random index.

mod bootstrap;
mod hypernetwork;
mod prior;
mod sphere;
mod training;

use jointly_nets::inputs::Auto;
use jointly_nets::penalty::temperature;
use jointly_nets::simd::{floats, floats_mut};
use jointly_nets::{Penalty, Rows, Stream, Weighting, each_draw, learned, predict, sweeps, widths};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Given, Matrix, NonNegative, Positive, Setting, Task, Widths,
    settings, sweep,
};

use hypernetwork::{Hypernetwork, draw_index};
use training::Recipe;

settings! {
    struct Settings {
        /// dimension of the index
        index_dim: Count = "6",
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// weight of the sum of squares of the hypermodel's parameters, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// factor of the prior network's logits, over the root of the temperature
        prior_scale: NonNegative = "1",
        /// widths of the prior network's hidden layers
        prior_hidden: Widths = "10",
        /// weights of the examples, as a function of the index
        bootstrap: Weighting = "none",
        /// indices in a step
        indices: Count = "16",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "2000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// A linear hypermodel with an additive prior.
#[derive(Debug)]
pub struct Hypermodel {
    model: Hypernetwork,
    prior: Option<Hypernetwork>,
    index_dim: usize,
    seed: u64,
}

impl Classifier for Hypermodel {
    fn describe() -> Description {
        let summary = "networks whose parameters are a linear function of a random index";
        let index = sweeps::one("index-dim", &["1", "3", "5", "7"]);
        let l2 = ["0.1", "0.3", "1", "3", "10"];
        let l2 = ["yes", "no"].into_iter().flat_map(|adaptive| l2.map(|l2| vec![("l2", l2), ("adaptive", adaptive)]));
        let prior = ["10", "10-10"].into_iter();
        let prior =
            prior.flat_map(|hidden| ["0", "1"].map(|scale| vec![("prior-hidden", hidden), ("prior-scale", scale)]));
        Description {
            citation: "Dwaracherla, Lu, Ibrahimi, Osband, Wen and Van Roy, Hypermodels for exploration, ICLR 2020"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![index, sweep("l2", l2), sweeps::bootstrap(), sweep("prior", prior)],
            ..Description::new("hypermodel", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::learn(task, data, settings, seed, None)
    }

    fn parts(_: &Task, _: &[Setting]) -> Result<Option<u32>, Failure> {
        Ok(Some(1))
    }

    fn train_part(Given { task, data, settings, seed, .. }: Given<'_>, _: u32) -> Result<Vec<u8>, Failure> {
        let trained = Self::learn(task, data, settings, seed, None)?;
        Ok(learned::keep([floats(&trained.model.parameters)]))
    }

    fn join(Given { task, data, settings, seed, .. }: Given<'_>, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        Self::learn(task, data, settings, seed, parts.first().map(Vec::as_slice))
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let rows = Rows::of(inputs);
        each_draw(draws, out, |draw, out| self.predict(&rows, draw, out))
    }
}

impl Hypermodel {
    /// Trains a hypermodel, or restores it from what an earlier training has learned.
    fn learn(
        task: &Task,
        data: &Dataset,
        settings: &[Setting],
        seed: u64,
        learned: Option<&[u8]>,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let index_dim = *settings.index_dim;
        let scale = *settings.prior_scale / temperature(task).sqrt();
        let prior = (scale > 0.0).then(|| prior::prior(&widths(task, &settings.prior_hidden), index_dim, scale, seed));
        let mut model = Hypernetwork::start(&widths(task, &settings.hidden), index_dim, seed);
        if let Some(bytes) = learned {
            learned::restore(bytes, [floats_mut(&mut model.parameters)])?;
        } else {
            let recipe = Recipe {
                index_dim,
                indices: *settings.indices,
                steps: *settings.steps,
                batch_size: *settings.batch_size,
                learning_rate: *settings.learning_rate,
                penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive.0 }.factor(task, data.labels.len()),
                weighting: settings.bootstrap,
            };
            model = training::train(model, prior.as_ref(), &recipe, task, data, seed)?.without_the_smallest();
        }
        Ok(Self { model, prior, index_dim, seed: Stream::IndexOfDraw.seed(seed) })
    }

    /// Computes the class probabilities of a draw.
    fn predict(&self, rows: &Rows, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let index = draw_index(self.index_dim, &mut jointly_sdk::Rng::new(self.seed, draw));
        let network = self.model.network(&index);
        match &self.prior {
            None => predict(&[&network], rows, out),
            Some(prior) => predict(&[&network, &prior.network(&index)], rows, out),
        }
    }
}

jointly_sdk::export!(classifier: Hypermodel);

#[cfg(test)]
mod tests {
    use jointly_testkit::{
        assert_divergence_names_the_step, assert_draws_are_functions, assert_draws_disagree, half_plane, mean_nll,
        no_examples, plane, probs, settings,
    };

    use super::*;

    /// A mean negative log-likelihood that an agent stays below only if it has learnt a half-plane.
    const LOW_LOSS: f32 = 0.2;

    #[test]
    fn every_draw_learns_what_is_easy() {
        for bootstrap in ["none", "bernoulli", "exponential"] {
            let data = half_plane(60, 3);
            let quick = [("steps", "400"), ("learning-rate", "1e-2"), ("l2", "0.01"), ("bootstrap", bootstrap)];
            let agent = Hypermodel::train(&plane(Some(0.1)), &data, None, &settings(&quick), 0).unwrap();
            for draw in 0..5 {
                let loss = mean_nll(&probs(&agent, &data.inputs, 2, &[draw]), &data.labels);
                assert!(loss < LOW_LOSS, "{bootstrap}, draw {draw}: {loss}");
            }
        }
    }

    #[test]
    fn draws_differ_where_there_are_no_data() {
        let nothing = no_examples(2);
        let agent = Hypermodel::train(&plane(Some(0.1)), &nothing, None, &settings(&[("steps", "100")]), 0).unwrap();
        assert_draws_disagree(&agent);
    }

    #[test]
    fn training_depends_on_the_seed_alone_and_a_draw_on_its_number() {
        let data = half_plane(130, 3);
        let few = settings(&[("steps", "20"), ("bootstrap", "exponential")]);
        let train = |seed| Hypermodel::train(&plane(Some(0.1)), &data, None, &few, seed).unwrap();
        let (one, same, other) = (train(1), train(1), train(2));
        assert_eq!(probs(&one, &data.inputs, 2, &[5]), probs(&same, &data.inputs, 2, &[5]));
        assert_ne!(probs(&one, &data.inputs, 2, &[5]), probs(&other, &data.inputs, 2, &[5]));
        assert_ne!(probs(&one, &data.inputs, 2, &[5]), probs(&one, &data.inputs, 2, &[6]));
        assert_draws_are_functions(&one, &data.inputs, 2, &[5, 9, 5, 0]);
    }

    #[test]
    fn divergence_names_the_step() {
        assert_divergence_names_the_step::<Hypermodel>();
    }
}
