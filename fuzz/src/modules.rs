//! Generated modules, which compute with floats, loops, tables and vectors inside an agent that is honest otherwise.

use std::sync::LazyLock;

use arbitrary::Unstructured;
use jointly_core::{Classifier as _, Dataset, Inputs, Matrix, Task};
use jointly_host::{Execution, Kind, LoadError, Runtime, Trace};
use wasm_smith::{Config, Module};

use crate::puppet::computes;
use crate::{Ending, LIMITS, is_bounded, is_one_line, is_the_guests, runtime, runtime_of};

/// The most bytes of a module's memory. With the agent's own memory it stays below the limit of a case.
const MEMORY: u64 = 1 << 20;

/// Generates a module from the bytes, and trains an agent that calls each of the module's functions and logs a digest of
/// what they return. The first byte says whether the module avoids instructions that trap, which otherwise end most
/// modules early.
///
/// # Panics
/// When the host breaks a promise: an error is one printable line, a failure is the agent's own, and compiled and
/// interpreted execution give the same log, the same failure and, where training succeeds, the same fuel; without sinks,
/// all but the fuel is the same. An agent that exhausts the stack of one of them fails in all, but the engine counts a stack
/// in bytes of machine code, so that another may reach another limit first.
pub fn modules(bytes: &[u8]) -> Ending {
    let (first, source) = bytes.split_first().unwrap_or((&0, &[]));
    let Some(module) = generated(source, first % 2 == 0) else { return Ending::Refused };
    let agent = computes(&module);
    let compiled = trained(runtime(), &agent);
    let interpreted = trained(&INTERPRETER, &agent);
    let without_sinks = trained(&WITHOUT_SINKS, &agent);
    let exhausts_stack = |trained: &Trained| trained.1.contains("call stack exhausted");
    let all = [&compiled, &interpreted, &without_sinks];
    if all.into_iter().any(exhausts_stack) {
        assert!(all.iter().all(|trained| matches!(trained.0, Ending::Failed(_))), "{all:?}");
        return compiled.0;
    }
    assert_eq!(compiled, interpreted, "compiled, then interpreted");
    let without_fuel = |(ending, message, log, _): &Trained| (*ending, message.clone(), log.clone());
    // Without sinks the fuel suffices for more.
    if !all.into_iter().any(|trained| matches!(trained.0, Ending::Failed(Kind::OutOfFuel))) {
        assert_eq!(without_fuel(&compiled), without_fuel(&without_sinks), "compiled, then without sinks");
    }
    compiled.0
}

/// Returns a module with everything that an agent's module can have, or nothing where the bytes do not suffice.
fn generated(source: &[u8], total: bool) -> Option<Vec<u8>> {
    let config = Config {
        allow_start_export: false,
        disallow_traps: total,
        exceptions_enabled: false,
        gc_enabled: false,
        max_exports: 0,
        max_funcs: 20,
        max_imports: 0,
        max_instructions: 400,
        max_memories: 2,
        max_memory32_bytes: MEMORY,
        max_table_elements: 10_000,
        max_tables: 2,
        memory64_enabled: false,
        memory_max_size_required: true,
        min_funcs: 1,
        table_max_size_required: true,
        threads_enabled: false,
        ..Config::default()
    };
    Module::new(config, &mut Unstructured::new(source)).ok().map(|module| module.to_bytes())
}

/// How training ended, the message of a failure, the agent's log and the fuel that it took.
type Trained = (Ending, String, Vec<String>, u64);

fn trained(runtime: &Runtime, agent: &[u8]) -> Trained {
    let agent = match runtime.load(agent, LIMITS) {
        Ok(agent) => agent,
        Err(error) => {
            is_one_line(&error.to_string());
            let ending = match &error {
                LoadError::Describe(failure) => is_the_guests(failure),
                _ => Ending::NotLoaded,
            };
            return (ending, error.to_string(), Vec::new(), 0);
        }
    };
    let task = Task::new(1, 2);
    let inputs: Inputs = Matrix::new(2, 1, vec![-1.0, 1.0]).expect("two rows of one number").into();
    let data = Dataset::new(&task, inputs, vec![0, 1]).expect("labels below the number of classes");
    let trace = Trace::default();
    let model = agent.classifier(Vec::new(), LIMITS, trace.clone()).train(&task, &data, None, None, 0);
    is_bounded(&trace);
    let (ending, message, fuel) = match model {
        Ok(model) => (Ending::Answered, String::new(), model.fuel_used()),
        Err(failure) => (is_the_guests(&failure), failure.to_string(), 0),
    };
    (ending, message, trace.log().0, fuel)
}

static INTERPRETER: LazyLock<Runtime> = LazyLock::new(|| runtime_of(Execution::Interpreted));
static WITHOUT_SINKS: LazyLock<Runtime> = LazyLock::new(|| runtime_of(Execution::WithoutSinks));
