//! The side of `dropout` that classifies images, texts and categories: dropout before every dense layer.

use jointly_modal::{Fitted, Masked, Setup};
use jointly_nets::sweeps;
use jointly_sdk::{
    Dataset, Description, Failure, Fraction, InputClassifier, Inputs, Progress, Setting, Sweep, Task, sweep,
};

jointly_modal::settings! {
    struct Settings(batch_size: "64", learning_rate: "1e-3") {
        /// probability that a number which a dense layer reads is dropped
        rate: Fraction = "0.2",
        /// drop what the first dense layer reads too; behind convolutions it always is, and pixels then never are
        input_dropout: bool = "yes",
    }
}

/// A network trained under dropout, which stays in force: a draw is one set of masks, the same for all rows of all calls.
///
/// After Gal and Ghahramani (2016), with the networks of Ovadia et al. (Can you trust your model's uncertainty?, NeurIPS 2019,
/// appendix A.1): dropout before every dense layer, the first too, and with convolutions before each dense layer behind them.
#[derive(Debug)]
pub struct Multimodal {
    fitted: Fitted,
    masked: Masked,
}

impl InputClassifier for Multimodal {
    fn describe() -> Description {
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![rate_by_input_dropout(), sweeps::one("learning-rate", &["3e-4", "1e-3", "3e-3"])],
            ..crate::description()
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let design = settings.design();
        let setup = Setup::new(&design, task, data, 1, seed)?;
        let mut rates = vec![*settings.rate; setup.plan().dense()];
        if !settings.input_dropout && !setup.plan().convolves() {
            rates[0] = 0.0;
        }
        let fitted = setup.fit(&rates, 0, &mut Progress::new(setup.steps()))?;
        Ok(Self { masked: Masked::new(fitted.network.clone(), &rates, seed), fitted })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.masked.probs(&self.fitted.read(inputs)?, draws, out);
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        if self.masked.drops() { draw } else { 0 }
    }
}

fn rate_by_input_dropout() -> Sweep {
    let rates = ["0", "0.05", "0.1", "0.2", "0.3", "0.5"];
    let variants =
        ["yes", "no"].into_iter().flat_map(|input| rates.map(|p| vec![("rate", p), ("input-dropout", input)]));
    sweep("rate", variants)
}

#[cfg(test)]
mod tests {
    use jointly_modal::trials::{sample, trials};

    use super::*;

    jointly_modal::trials!(
        Multimodal,
        &[("hidden", "50"), ("epochs", "60"), ("batch-size", "16"), ("learning-rate", "3e-3")]
    );

    #[test]
    fn only_what_should_be_is_dropped() {
        let [_, images, ..] = trials();
        let trained = |pairs: &[(&str, &str)]| {
            let setting = |(name, value): &(&str, &str)| Setting { name: (*name).into(), value: (*value).into() };
            let settings: Vec<Setting> = pairs.iter().chain(&[("epochs", "2")]).map(setting).collect();
            Multimodal::train(&images.task, &images.train, None, &settings, 1).unwrap()
        };
        let varies = |agent: &Multimodal| {
            let probs = sample(agent, &images.task, &images.test.inputs, &[0, 8]);
            let (one, other) = probs.split_at(probs.len() / 2);
            assert_eq!(one != other, agent.canonical_draw(8) == 8);
            one != other
        };
        let lenet = ("network", "lenet");
        let (no_inputs, flat) = (("input-dropout", "no"), ("hidden", "none"));
        assert!(varies(&trained(&[])) && varies(&trained(&[no_inputs])) && varies(&trained(&[flat])));
        // Without a hidden layer there is nothing to drop but inputs; behind convolutions there is.
        assert!(!varies(&trained(&[no_inputs, flat])) && !varies(&trained(&[("rate", "0")])));
        assert!(varies(&trained(&[lenet, ("filters", "3"), no_inputs, flat])));
    }
}
