//! The agent `ensemble`: networks that differ only in where they start.

mod multimodal;
mod regression;

use jointly_nets::{EnsembleAgent, Penalty, Recipe, sweeps};
use jointly_sdk::{Count, Description, Failure, NonNegative, Positive, Setting, Widths, settings};

pub use multimodal::Multimodal;
pub use regression::Regression;

settings! {
    struct Settings {
        /// number of members
        size: Count = "100",
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// weight of the sum of squares of all parameters of a member, over the number of examples
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

/// What both sides say of themselves.
fn description() -> Description {
    Description {
        citation:
            "Lakshminarayanan, Pritzel and Blundell, Simple and scalable predictive uncertainty estimation using \
                   deep ensembles, NeurIPS 2017"
                .into(),
        ..Description::new("ensemble", env!("CARGO_PKG_VERSION"), "networks that differ in where they start")
    }
}

/// A deep ensemble.
#[derive(Debug)]
pub struct DeepEnsemble;

impl EnsembleAgent for DeepEnsemble {
    fn describe() -> Description {
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![sweeps::l2_by_adaptive(), sweeps::size()],
            ..description()
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
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive },
            ..Recipe::default()
        })
    }
}

jointly_sdk::export!(classifier: jointly_nets::Agent<DeepEnsemble>, regressor: Regression);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_variants_are_accepted_and_others_refused() {
        for sweep in DeepEnsemble::describe().sweeps {
            for variant in sweep.variants {
                assert!(DeepEnsemble::recipe(&variant).is_ok(), "{variant:?}");
            }
        }
        let unknown = [Setting { name: "depth".into(), value: "3".into() }];
        assert!(matches!(DeepEnsemble::recipe(&unknown), Err(Failure::InvalidSetting(_))));
    }
}
