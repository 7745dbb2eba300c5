//! A native agent with settings as a classifier of the runtime, and the trained classifier.

use std::sync::Arc;
use std::time::Duration;

use jointly_core::class_probs::normalized;
use jointly_core::failure::{Failure, Phase};
use jointly_core::interface::Interface;
use jointly_core::limits::Limits;
use jointly_core::setting::Setting;
use jointly_core::{Classifier, Dataset, Inputs, Model, Task, Tokens, Trace};
use serde_json::{Value, json};

use crate::array::Array;
use crate::fault::Fault;
use crate::pool::Pool;
use crate::trained::{Trained, settings_of, short};

/// A native agent with its settings and limits, for problems of classification.
pub struct NativeClassifier {
    /// None if the agent does not support classification.
    agent: Option<(Arc<Pool>, Takes)>,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
}

/// The inputs that an agent takes beside numbers with labels.
#[derive(Clone, Copy)]
pub(crate) struct Takes {
    pub(crate) tokens: bool,
    pub(crate) unlabelled: bool,
}

impl NativeClassifier {
    pub(crate) fn new(agent: Option<(Arc<Pool>, Takes)>, settings: Vec<Setting>, limits: Limits, trace: Trace) -> Self {
        Self { agent, settings, limits, trace }
    }
}

impl Classifier for NativeClassifier {
    type Model = NativeModel;
    type Error = Failure;

    fn train(
        &mut self,
        task: &Task,
        train: &Dataset,
        validation: Option<&Dataset>,
        unlabelled: Option<&Inputs>,
        seed: u64,
    ) -> Result<NativeModel, Failure> {
        let supported = self.agent.as_ref();
        let (pool, takes) = supported.ok_or_else(|| Failure::no_interface(Interface::Classification))?;
        let tokens = task.tokens != Tokens::Absent;
        if tokens && !takes.tokens {
            return Err(Failure::no_tokens());
        }
        let mut arrays = Vec::new();
        for (name, data) in [("train", Some(train)), ("validation", validation)] {
            let Some(data) = data else { continue };
            push_inputs(&mut arrays, &format!("{name}."), data.inputs(), tokens);
            arrays.push(Array::new(&format!("{name}.labels"), &[data.labels().len()], data.labels()));
        }
        if let Some(inputs) = unlabelled.filter(|_| takes.unlabelled) {
            push_inputs(&mut arrays, "unlabelled.", inputs, tokens);
        }
        let request = json!({
            "method": "train", "kind": "classification", "seed": seed.to_string(),
            "settings": settings_of(&self.settings), "task": task_of(task),
        });
        let timeout = Duration::from_secs(self.limits.timeout);
        let trained = Trained::train(pool, &request, &arrays, &self.trace, timeout)?;
        Ok(NativeModel { trained, num_classes: task.num_classes as usize, tokens })
    }
}

/// A trained classifier behind its connection.
pub struct NativeModel {
    trained: Trained,
    num_classes: usize,
    tokens: bool,
}

impl Model for NativeModel {
    type Error = Failure;

    fn tolerance(&self) -> f32 {
        crate::TOLERANCE
    }

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        self.trained.canonical_draws(draws)
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        let (rows, classes) = (inputs.rows(), self.num_classes);
        let mut arrays = Vec::new();
        push_inputs(&mut arrays, "", inputs, self.tokens);
        arrays.push(Array::new("draws", &[draws.len()], draws));
        self.trained.ask(Phase::Sample, &json!({ "method": "sample_probs" }), &arrays, |session, reply| {
            let probs = session.only(reply, "probs", &[draws.len(), rows, classes])?;
            normalized(probs, draws, rows, classes).map_err(Fault::Invalid)
        })
    }
}

/// Adds the arrays of inputs under names with a prefix.
fn push_inputs<'a>(arrays: &mut Vec<Array<'a>>, prefix: &str, inputs: &'a Inputs, tokens: bool) {
    let (numbers, ids) = (inputs.numbers(), inputs.tokens());
    arrays.push(Array::new(&format!("{prefix}inputs"), &[numbers.rows(), numbers.cols()], numbers.values()));
    if tokens {
        arrays.push(Array::new(&format!("{prefix}tokens"), &[ids.rows(), ids.cols()], ids.values()));
    }
}

fn task_of(task: &Task) -> Value {
    let image = task
        .image
        .map(|shape| json!({ "height": shape.height(), "width": shape.width(), "channels": shape.channels() }));
    let tokens = match &task.tokens {
        Tokens::Absent => Value::Null,
        Tokens::Text { vocabulary, length } => json!({ "text": { "vocabulary": vocabulary, "length": length } }),
        Tokens::Categories(sizes) => json!({ "categories": sizes }),
    };
    json!({
        "input_dim": task.input_dim, "num_classes": task.num_classes, "image": image, "tokens": tokens,
        "temperature": task.temperature.map(short), "hidden_layers": task.hidden_layers,
    })
}
