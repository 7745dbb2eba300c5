//! The agent `ensemble+`: an ensemble in which each member adds its own fixed random prior function.

use jointly_nets::inputs::Auto;
use jointly_nets::{EnsembleAgent, FirstBiases, Penalty, Prior, Recipe, Weighting, sweeps};
use jointly_sdk::{Count, Description, Failure, NonNegative, Positive, Setting, Widths, settings};

settings! {
    struct Settings {
        /// number of members
        size: Count = "100",
        /// widths of the hidden layers, of members and prior functions
        hidden: Widths = "50,50",
        /// weight of the sum of squares of all parameters of a member, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// prior functions: networks like the environment's (mlp), linear functions, or linear functions of the latent
        /// of an autoencoder of the training inputs and of those without labels (vae)
        prior: Prior = "mlp",
        /// factor of the prior functions' logits, over the root of the temperature
        prior_scale: NonNegative = "3",
        /// steps of Adam of the autoencoder
        vae_steps: Count = "10000",
        /// weights of the examples, drawn for each member
        bootstrap: Weighting = "none",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// An ensemble with randomised prior functions.
///
/// Inputs without labels, if a suite has any, train the autoencoder of prior=vae together with the training inputs;
/// other priors do not use them.
#[derive(Debug)]
pub struct EnsemblePlus;

impl EnsembleAgent for EnsemblePlus {
    fn describe() -> Description {
        let summary = "an ensemble whose members each learn around a fixed random function";
        Description {
            citation: "Osband, Aslanides and Cassirer, Randomized prior functions for deep reinforcement learning, \
                       NeurIPS 2018"
                .into(),
            unlabelled: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::size(),
                sweeps::bootstrap(),
                sweeps::one("l2", &["0.1", "0.3", "1", "3", "10"]),
                sweeps::one("prior-scale", &["0", "0.3", "1", "3", "10"]),
                sweeps::one("prior", &["none", "mlp", "linear", "vae"]),
            ],
            ..Description::new("ensemble+", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn recipe(settings: &[Setting]) -> Result<Recipe, Failure> {
        let settings = Settings::parse(settings)?;
        Ok(Recipe {
            size: *settings.size,
            hidden: settings.hidden.to_vec(),
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive.0 },
            first_biases: FirstBiases::Truncated,
            prior: settings.prior,
            prior_scale: *settings.prior_scale,
            vae_steps: *settings.vae_steps,
            weighting: settings.bootstrap,
            ..Recipe::default()
        })
    }
}

jointly_sdk::export!(classifier: jointly_nets::Agent<EnsemblePlus>);

#[cfg(test)]
mod tests {
    use jointly_nets::Agent;
    use jointly_sdk::{Classifier, Matrix};
    use jointly_testkit::{half_plane, plane, probs, settings};

    use super::*;

    #[test]
    fn inputs_without_labels_move_the_autoencoder_and_nothing_else() {
        let (data, task) = (half_plane(30, 1), plane(Some(0.1)));
        let unlabelled = half_plane(50, 2).inputs;
        let sampled = |prior: &str, unlabelled: Option<&Matrix>| {
            let settings = settings(&[("size", "2"), ("steps", "20"), ("vae-steps", "50"), ("prior", prior)]);
            let agent = Agent::<EnsemblePlus>::train_with_unlabelled(&task, &data, None, unlabelled, &settings, 7);
            probs(&agent.unwrap(), &data.inputs, 2, &[0, 1, 2, 3])
        };
        let nothing = Matrix::new(0, 2, Vec::new()).unwrap();
        assert!(EnsemblePlus::describe().unlabelled);
        assert!(sampled("vae", None) == sampled("vae", Some(&nothing)));
        assert!(sampled("vae", None) != sampled("vae", Some(&unlabelled)));
        assert!(sampled("mlp", None) == sampled("mlp", Some(&unlabelled)));
    }
}
