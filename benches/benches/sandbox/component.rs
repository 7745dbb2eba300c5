//! The bundled component, compiled with the guarantees that are measured.

use std::time::Instant;

use wasmtime::component::{Component as Compiled, HasSelf, Linker};
use wasmtime::error::Context as _;
use wasmtime::{Config, Engine, Result, Store};

use crate::workload::{DIM, EXAMPLES, Workload};

mod bindings {
    wasmtime::component::bindgen!({ path: "../wit", world: "classifier" });
}

use bindings::exports::jointly::agent::classification::{Dataset, Inputs, Task, TokenMatrix, Tokens};
use bindings::jointly::agent::types::{Matrix, Setting};

/// The guarantees requested from the compiler.
#[derive(Clone, Copy)]
pub(crate) struct Guarantees {
    /// A run ends after a bounded amount of work, the same on every machine.
    pub(crate) fuel: bool,
    /// A NaN has the same bits on every machine.
    pub(crate) canonical_nans: bool,
    /// Relaxed vector instructions do the same on every machine.
    pub(crate) deterministic: bool,
}

/// A host that ignores all calls.
struct Deaf;

impl bindings::jointly::agent::host::Host for Deaf {
    fn progress(&mut self, _fraction: f32) {}

    fn log(&mut self, _message: String) {}
}

impl bindings::jointly::agent::types::Host for Deaf {}

/// The compiled ensemble.
pub(crate) struct Component {
    engine: Engine,
    compiled: Compiled,
    fuel: bool,
}

impl Component {
    pub(crate) fn new(guarantees: Guarantees) -> Result<Self> {
        let mut config = Config::new();
        config.consume_fuel(guarantees.fuel);
        config.cranelift_nan_canonicalization(guarantees.canonical_nans);
        config.relaxed_simd_deterministic(guarantees.deterministic);
        let engine = Engine::new(&config)?;
        let bundled = jointly_bundle::find("ensemble").context("no ensemble is bundled")?;
        let compiled = Compiled::new(&engine, bundled.component)?;
        Ok(Self { engine, compiled, fuel: guarantees.fuel })
    }

    /// Trains once and returns the seconds.
    pub(crate) fn train(&self, workload: &Workload) -> Result<f64> {
        let mut store = Store::new(&self.engine, Deaf);
        if self.fuel {
            store.set_fuel(u64::MAX)?;
        }
        let mut linker = Linker::new(&self.engine);
        bindings::Classifier::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host)?;
        let agent = bindings::Classifier::instantiate(&mut store, &self.compiled, &linker)?;
        let task = Task {
            input_dim: DIM as u32,
            num_classes: 2,
            image: None,
            tokens: Tokens::Absent,
            temperature: Some(0.1),
            hidden_layers: Some(2),
        };
        let numbers = Matrix { rows: EXAMPLES as u32, cols: DIM as u32, values: workload.inputs.clone() };
        let tokens = TokenMatrix { rows: EXAMPLES as u32, cols: 0, values: Vec::new() };
        let inputs = Inputs { numbers, tokens };
        let data = Dataset { inputs, labels: workload.labels.clone() };
        let setting = |(name, value): &(&str, String)| Setting { name: (*name).into(), value: value.clone() };
        let settings: Vec<Setting> = workload.settings.iter().map(setting).collect();

        let start = Instant::now();
        let model =
            agent.jointly_agent_classification().call_train(&mut store, &task, &data, None, None, &settings, 0)?;
        let seconds = start.elapsed().as_secs_f64();
        model.map_err(|failure| wasmtime::format_err!("training failed: {failure:?}"))?;
        Ok(seconds)
    }
}
