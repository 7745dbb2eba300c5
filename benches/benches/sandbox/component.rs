//! Bundled components, compiled with the guarantees that are measured.

use std::time::Instant;

use wasmtime::component::{Component as Compiled, HasSelf, Linker};
use wasmtime::error::Context as _;
use wasmtime::{Config, Engine, Result, Store};

use crate::workload::{Sampling, Targets, Workload};

mod classes {
    wasmtime::component::bindgen!({ path: "../wit", world: "classifier" });
}

mod numbers {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "regressor",
        with: {
            "jointly:agent/host": super::classes::jointly::agent::host,
            "jointly:agent/types": super::classes::jointly::agent::types,
        },
    });
}

use classes::jointly::agent::types::{Matrix, Setting};

/// The guarantees requested from the compiler.
#[derive(Clone, Copy)]
pub(crate) struct Guarantees {
    /// A run ends after a bounded amount of work, the same on every machine.
    pub(crate) fuel: bool,
    /// How a NaN gets the same bits on every machine.
    pub(crate) nans: Nans,
    /// Relaxed vector instructions do the same on every machine.
    pub(crate) deterministic: bool,
}

/// Where NaNs are made canonical.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Nans {
    /// Where their bits can be observed.
    AtSinks,
    /// After each operation.
    Everywhere,
    /// Nowhere.
    Nowhere,
}

/// A host that ignores all calls.
struct Deaf;

impl classes::jointly::agent::host::Host for Deaf {
    fn progress(&mut self, _fraction: f32) {}

    fn log(&mut self, _message: String) {}
}

impl classes::jointly::agent::types::Host for Deaf {}

/// A compiled agent.
pub(crate) struct Component {
    engine: Engine,
    compiled: Compiled,
    fuel: bool,
}

impl Component {
    pub(crate) fn new(agent: &str, guarantees: Guarantees) -> Result<Self> {
        let mut config = Config::new();
        config.consume_fuel(guarantees.fuel);
        config.cranelift_nan_canonicalization(guarantees.nans == Nans::Everywhere);
        config.relaxed_simd_deterministic(guarantees.deterministic);
        let engine = Engine::new(&config)?;
        let bundled = jointly_bundle::find(agent).with_context(|| format!("no {agent} is bundled"))?.component;
        let compiled = if guarantees.nans == Nans::AtSinks {
            let with_sinks = jointly_sinks::with_sinks(bundled)
                .map_err(|jointly_sinks::Unknown(why)| wasmtime::format_err!("{agent}: {why}"))?;
            Compiled::new(&engine, with_sinks)?
        } else {
            Compiled::new(&engine, bundled)?
        };
        Ok(Self { engine, compiled, fuel: guarantees.fuel })
    }

    /// Does the work once and returns the seconds.
    pub(crate) fn measure(&self, workload: &Workload) -> Result<f64> {
        let mut store = Store::new(&self.engine, Deaf);
        if self.fuel {
            store.set_fuel(u64::MAX)?;
        }
        let linker = Linker::new(&self.engine);
        match &workload.targets {
            Targets::Classes(labels) => self.classify(store, linker, workload, labels),
            Targets::Numbers(targets) => self.regress(store, linker, workload, targets),
        }
    }

    fn classify(
        &self,
        mut store: Store<Deaf>,
        mut linker: Linker<Deaf>,
        workload: &Workload,
        labels: &[u32],
    ) -> Result<f64> {
        use classes::exports::jointly::agent::classification::{Dataset, Image, Inputs, Task, TokenMatrix, Tokens};

        classes::Classifier::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host)?;
        let agent = classes::Classifier::instantiate(&mut store, &self.compiled, &linker)?;
        let image = workload.image.map(|(height, width, channels)| Image { height, width, channels });
        let plain = image.is_none();
        let task = Task {
            input_dim: workload.dim as u32,
            num_classes: 2,
            image,
            tokens: Tokens::Absent,
            temperature: plain.then_some(0.1),
            hidden_layers: plain.then_some(2),
        };
        let rows = labels.len() as u32;
        let inputs = Inputs { numbers: matrix(workload), tokens: TokenMatrix { rows, cols: 0, values: Vec::new() } };
        let data = Dataset { inputs, labels: labels.to_vec() };
        let settings = settings(workload);

        let start = Instant::now();
        let interface = agent.jointly_agent_classification();
        let model = interface.call_train(&mut store, &task, &data, None, None, &settings, 0)?;
        let seconds = start.elapsed().as_secs_f64();
        let model = model.map_err(|failure| wasmtime::format_err!("training failed: {failure:?}"))?;
        let Some(Sampling { draws, calls }) = workload.sampling else { return Ok(seconds) };
        let draws: Vec<u64> = (0..draws).collect();
        let start = Instant::now();
        for _ in 0..calls {
            let answer = interface.model().call_sample_probs(&mut store, model, &data.inputs, &draws)?;
            answer.map_err(|failure| wasmtime::format_err!("sampling failed: {failure:?}"))?;
        }
        Ok(start.elapsed().as_secs_f64())
    }

    fn regress(
        &self,
        mut store: Store<Deaf>,
        mut linker: Linker<Deaf>,
        workload: &Workload,
        targets: &[f32],
    ) -> Result<f64> {
        use numbers::exports::jointly::agent::regression::{Dataset, Task};

        numbers::Regressor::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host)?;
        let agent = numbers::Regressor::instantiate(&mut store, &self.compiled, &linker)?;
        let task = Task { input_dim: workload.dim as u32, noise_std: None };
        let data = Dataset { inputs: matrix(workload), targets: targets.to_vec() };
        let settings = settings(workload);

        let start = Instant::now();
        let model = agent.jointly_agent_regression().call_train(&mut store, task, &data, None, &settings, 0)?;
        let seconds = start.elapsed().as_secs_f64();
        model.map_err(|failure| wasmtime::format_err!("training failed: {failure:?}"))?;
        Ok(seconds)
    }
}

fn matrix(workload: &Workload) -> Matrix {
    let (dim, values) = (workload.dim, workload.inputs.clone());
    Matrix { rows: (values.len() / dim) as u32, cols: dim as u32, values }
}

fn settings(workload: &Workload) -> Vec<Setting> {
    let setting = |(name, value): &(&str, &str)| Setting { name: (*name).into(), value: (*value).into() };
    workload.settings.iter().map(setting).collect()
}
