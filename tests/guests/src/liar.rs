//! Agents whose answers have the wrong length, which the SDK's traits would not allow.

use std::marker::PhantomData;

use jointly_sdk::Description;
use jointly_sdk::bindings::agent::jointly::agent::types;
use jointly_sdk::bindings::classification::exports::jointly::agent::{classification, classification_parts};
use jointly_sdk::glue::DescribeModule;

/// An agent that learns nothing and gives arbitrary answers.
pub trait Liar: 'static {
    /// The number of models that training makes; all but the last are never released.
    const MODELS: usize = 1;

    /// Returns its description.
    fn describe() -> Description;

    /// Returns its answer when `due` probabilities are expected.
    fn probs(due: usize) -> Vec<f32> {
        vec![0.5; due]
    }

    /// Returns its answer for canonical draws.
    fn canonical_draws(draws: Vec<u64>) -> Vec<u64> {
        draws
    }
}

/// Implements the export of the interface for a liar.
pub struct LiarGlue<T>(PhantomData<T>);

/// The resource `model`, with the number of classes.
pub struct LiarModel<T>(usize, PhantomData<T>);

impl<T: Liar> DescribeModule for LiarGlue<T> {
    fn description() -> Description {
        T::describe()
    }
}

impl<T: Liar> classification::Guest for LiarGlue<T> {
    type Model = LiarModel<T>;

    fn train(
        task: classification::Task,
        _train: classification::Dataset,
        _validation: Option<classification::Dataset>,
        _unlabelled: Option<classification::Inputs>,
        _settings: Vec<types::Setting>,
        _seed: u64,
    ) -> Result<classification::Model, types::Failure> {
        let model = || classification::Model::new(LiarModel::<T>(task.num_classes as usize, PhantomData));
        (1..T::MODELS).for_each(|_| std::mem::forget(model()));
        Ok(model())
    }
}

impl<T: Liar> classification_parts::Guest for LiarGlue<T> {
    fn count(_task: classification::Task, _settings: Vec<types::Setting>) -> Result<Option<u32>, types::Failure> {
        Ok(None)
    }

    fn train_part(
        _task: classification::Task,
        _train: classification::Dataset,
        _validation: Option<classification::Dataset>,
        _unlabelled: Option<classification::Inputs>,
        _settings: Vec<types::Setting>,
        _seed: u64,
        _part: u32,
    ) -> Result<Vec<u8>, types::Failure> {
        unreachable!("training has no parts")
    }

    fn join(
        _task: classification::Task,
        _train: classification::Dataset,
        _validation: Option<classification::Dataset>,
        _unlabelled: Option<classification::Inputs>,
        _settings: Vec<types::Setting>,
        _seed: u64,
        _parts: Vec<Vec<u8>>,
    ) -> Result<classification::Model, types::Failure> {
        unreachable!("training has no parts")
    }
}

impl<T: Liar> classification::GuestModel for LiarModel<T> {
    fn sample_probs(&self, inputs: classification::Inputs, draws: Vec<u64>) -> Result<Vec<f32>, types::Failure> {
        Ok(T::probs(draws.len() * inputs.numbers.rows as usize * self.0))
    }

    fn canonical_draws(&self, draws: Vec<u64>) -> Vec<u64> {
        T::canonical_draws(draws)
    }
}

/// Exports a type as the module's agent, as `jointly_sdk::export!` does for honest agents: `export_liar!(It)`. The
/// module lacks the SDK's stamp, like a module of another language.
#[macro_export]
macro_rules! export_liar {
    ($liar:ty) => {
        const _: () = {
            type Exported = jointly_sdk::glue::InfoGlue<$crate::LiarGlue<$liar>>;
    jointly_sdk::bindings::agent::export_agent!(Exported with_types_in jointly_sdk::bindings::agent);
        };
        const _: () = {
            type Exported = $crate::LiarGlue<$liar>;
            jointly_sdk::bindings::classification::export_classification!(
                Exported with_types_in jointly_sdk::bindings::classification
            );
        };
    };
}
