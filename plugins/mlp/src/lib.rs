//! The agent `mlp`: one network, the point estimate that every other agent is measured against.

use jointly_nets::{EnsembleAgent, Penalty, Recipe, sweeps};
use jointly_sdk::{Count, Description, Failure, NonNegative, Positive, Setting, Widths, settings};

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// weight of the sum of squares of all parameters, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature
        adaptive: bool = "yes",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// A single network with a penalty on the parameters' squares.
#[derive(Debug)]
pub struct Mlp;

impl EnsembleAgent for Mlp {
    fn describe() -> Description {
        let summary = "a single network: one function, no uncertainty about it";
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![sweeps::l2_by_adaptive()],
            ..Description::new("mlp", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn recipe(settings: &[Setting]) -> Result<Recipe, Failure> {
        let settings = Settings::parse(settings)?;
        Ok(Recipe {
            hidden: settings.hidden.to_vec(),
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive },
            ..Recipe::default()
        })
    }
}

jointly_sdk::export!(classifier: jointly_nets::Agent<Mlp>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_variants_are_accepted_and_others_refused() {
        for sweep in Mlp::describe().sweeps {
            for variant in sweep.variants {
                assert!(Mlp::recipe(&variant).is_ok(), "{variant:?}");
            }
        }
        let unknown = [Setting { name: "depth".into(), value: "3".into() }];
        assert!(matches!(Mlp::recipe(&unknown), Err(Failure::InvalidSetting(_))));
    }
}
