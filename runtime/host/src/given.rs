//! The arguments of a classifier's training, and the calls that take them.

use jointly_core::{Dataset, Inputs, Task, Tokens};
use wasmtime::component::ResourceAny;

use crate::bindings::exports::jointly::agent::classification as wit;
use crate::bindings::jointly::agent::types;
use crate::sandbox::{Sandbox, matrix, own_word, setting};
use crate::world::Classification as World;
use crate::{Failure, Kind, Phase, Setting};

/// The most parts of a training.
const PARTS: u32 = 1_000;

/// The arguments of a training.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    task: &'a Task,
    /// None stands for an empty data set.
    data: Option<&'a Dataset>,
    validation: Option<&'a Dataset>,
    unlabelled: Option<&'a Inputs>,
    settings: &'a [Setting],
    pub(crate) seed: u64,
}

impl<'a> Given<'a> {
    pub(crate) fn new(
        task: &'a Task,
        data: Option<&'a Dataset>,
        validation: Option<&'a Dataset>,
        unlabelled: Option<&'a Inputs>,
        settings: &'a [Setting],
        seed: u64,
    ) -> Self {
        Self { task, data, validation, unlabelled, settings, seed }
    }

    /// Asks the guest for the number of parts of the training, if it is done in parts.
    pub(crate) fn count_parts(self, sandbox: &mut Sandbox<World>) -> Result<Option<u32>, Failure> {
        let settings = self.settings();
        let count = sandbox.call(Phase::Train, |world, store| {
            world.parts().map(|parts| parts.count.call(store, (self.task(), &settings))).transpose()
        })?;
        match count {
            None | Some((Ok(None),)) => Ok(None),
            Some((Ok(Some(count @ 1..=PARTS)),)) => Ok(Some(count)),
            Some((Ok(Some(count)),)) => {
                let message = format!(
                    "says that its training has {count} parts; 1 to {PARTS} are allowed: let a part train more, or say \
                     none to train by one call"
                );
                Err(Failure { phase: Phase::Train, kind: Kind::InvalidOutput, message })
            }
            Some((Err(failure),)) => Err(own_word(Phase::Train, failure)),
        }
    }

    /// Calls the guest's `train`.
    pub(crate) fn train(self, sandbox: &mut Sandbox<World>) -> Result<Result<ResourceAny, types::Failure>, Failure> {
        let settings = self.settings();
        sandbox.call(Phase::Train, |world, store| {
            let Given { seed, .. } = self;
            let (data, validation, unlabelled) = self.examples();
            world.classification().call_train(store, self.task(), data, validation, unlabelled, &settings, seed)
        })
    }

    /// Trains one part, which may have `bytes` bytes and a little more.
    pub(crate) fn train_part(self, sandbox: &mut Sandbox<World>, part: u32, bytes: usize) -> Result<Vec<u8>, Failure> {
        let settings = self.settings();
        let trained = sandbox.call_for(Phase::Train, bytes, |world, store| {
            let (data, validation, unlabelled) = self.examples();
            let given = (self.task(), data, validation, unlabelled, &settings[..], self.seed, part);
            world.parts().map(|parts| parts.train_part.call(store, given)).transpose()
        })?;
        match trained {
            Some((trained,)) => trained.map_err(|failure| own_word(Phase::Train, failure)),
            None => unreachable!("an agent without the interface has no parts"),
        }
    }

    /// Has the guest make the trained agent of its parts.
    pub(crate) fn join(
        self,
        sandbox: &mut Sandbox<World>,
        parts: &[Vec<u8>],
    ) -> Result<Result<ResourceAny, types::Failure>, Failure> {
        let settings = self.settings();
        let joined = sandbox.call(Phase::Train, |world, store| {
            let (data, validation, unlabelled) = self.examples();
            let given = (self.task(), data, validation, unlabelled, &settings[..], self.seed, parts);
            world.parts().map(|interface| interface.join.call(store, given)).transpose()
        })?;
        match joined {
            Some((joined,)) => Ok(joined),
            None => unreachable!("an agent without the interface has no parts"),
        }
    }

    fn settings(self) -> Vec<types::SettingParam<'a>> {
        self.settings.iter().map(setting).collect()
    }

    fn task(self) -> wit::Task<'a> {
        let task = self.task;
        wit::Task {
            input_dim: task.input_dim,
            num_classes: task.num_classes,
            image: task.image.map(|shape| wit::Image {
                height: shape.height() as u32,
                width: shape.width() as u32,
                channels: shape.channels() as u32,
            }),
            tokens: match &task.tokens {
                Tokens::Absent => wit::Tokens::Absent,
                &Tokens::Text { vocabulary, length } => wit::Tokens::Text(wit::Text { vocabulary, length }),
                Tokens::Categories(sizes) => wit::Tokens::Categories(sizes),
            },
            temperature: task.temperature,
            hidden_layers: task.hidden_layers,
        }
    }

    /// Returns the training set, the validation set and the inputs without labels.
    fn examples(self) -> (wit::Dataset<'a>, Option<wit::Dataset<'a>>, Option<wit::Inputs<'a>>) {
        let task = self.task;
        let nothing = wit::Inputs {
            numbers: types::Matrix { rows: 0, cols: task.input_dim, values: &[] },
            tokens: wit::TokenMatrix { rows: 0, cols: task.tokens.columns() as u32, values: &[] },
        };
        let data = self.data.map_or(wit::Dataset { inputs: nothing, labels: &[] }, dataset);
        (data, self.validation.map(dataset), self.unlabelled.map(inputs))
    }
}

/// Converts inputs to the types of the interface.
pub(crate) fn inputs(inputs: &Inputs) -> wit::Inputs<'_> {
    let tokens = inputs.tokens();
    let tokens = wit::TokenMatrix { rows: tokens.rows() as u32, cols: tokens.cols() as u32, values: tokens.values() };
    wit::Inputs { numbers: matrix(inputs.numbers()), tokens }
}

/// Converts a data set to the types of the interface.
fn dataset(dataset: &Dataset) -> wit::Dataset<'_> {
    wit::Dataset { inputs: inputs(dataset.inputs()), labels: dataset.labels() }
}
