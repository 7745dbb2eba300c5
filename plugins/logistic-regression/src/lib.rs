//! The agent `logistic-regression`: one linear layer, trained like the networks.

use jointly_nets::inputs::Auto;
use jointly_nets::{EnsembleAgent, Penalty, Recipe, sweeps};
use jointly_sdk::{Count, Description, Failure, NonNegative, Positive, Setting, settings};

settings! {
    struct Settings {
        /// weight of the sum of squares of all parameters, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// Logistic regression with a penalty on the squares of the parameters.
#[derive(Debug)]
pub struct LogisticRegression;

impl EnsembleAgent for LogisticRegression {
    fn describe() -> Description {
        let summary = "a linear classifier: one function, no uncertainty about it";
        Description {
            parameters: Settings::parameters(),
            sweeps: vec![sweeps::l2_by_adaptive()],
            ..Description::new("logistic-regression", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn recipe(settings: &[Setting]) -> Result<Recipe, Failure> {
        let settings = Settings::parse(settings)?;
        Ok(Recipe {
            hidden: Vec::new(),
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive.0 },
            ..Recipe::default()
        })
    }
}

jointly_sdk::export!(classifier: jointly_nets::Agent<LogisticRegression>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_is_swept_as_the_mlps_is() {
        let [sweep] = LogisticRegression::describe().sweeps.try_into().expect("one sweep");
        assert_eq!(sweep.variants.len(), 14);
        for (name, values) in
            [("l2", &["1e-4", "1e-3", "1e-2", "0.1", "1", "10", "100"][..]), ("adaptive", &["yes", "no"])]
        {
            for value in values {
                let has = |setting: &Setting| setting.name == name && setting.value == *value;
                let count = sweep.variants.iter().filter(|variant| variant.iter().any(has)).count();
                assert_eq!(count * values.len(), 14, "{name}={value}");
            }
        }
    }
}
