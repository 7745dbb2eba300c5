//! A guest in its store: the only place that calls guests and classifies the outcomes of calls.

use jointly_core::Matrix;
use wasmtime::{Store, Trap, WasmBacktrace};

use crate::bindings::jointly::agent::types;
use crate::load_error::one_line;
use crate::meter::Meter;
use crate::prices::UNIT;
use crate::wasi::Fault;
use crate::world::World;
use crate::{Failure, Kind, Limits, Phase, Setting, Trace};
use jointly_core::printable::clean;

/// The most bytes of an answer beyond its numbers, for texts.
const SLACK_BYTES: usize = 1 << 20;
/// The most handles of resources that a guest may hold, its own and those of WASI.
const HANDLES: usize = 100_000;
/// The engine's error about too many handles.
const NO_HANDLE: &str = "store handle limit exceeded";
/// The engine's error about too many instances, memories or tables.
const TOO_MANY: &str = "resource limit exceeded";

/// A store with an instance of an agent, as one of the worlds.
pub(crate) struct Sandbox<W> {
    store: Store<Meter>,
    world: W,
    /// The fuel of the beginning, in the engine's units.
    fuel: u64,
}

impl<W: World> Sandbox<W> {
    /// Makes a store with an instance. `seed` is the seed of the training: a guest may take random numbers as soon as
    /// it starts.
    pub(crate) fn new(component: &W::Pre, limits: Limits, trace: Trace, seed: u64) -> Result<Self, Failure> {
        let mut store = Store::new(W::engine(component), Meter::new(limits, trace, seed));
        store.limiter(|meter| meter);
        store.set_hostcall_fuel(SLACK_BYTES);
        store.set_max_component_handles(HANDLES);
        let fuel = limits.fuel.saturating_mul(UNIT);
        store.set_fuel(fuel).map_err(|error| unstarted(&store, fuel, &error))?;
        let instantiated = W::instantiate(component, &mut store);
        store.data_mut().end_lines();
        match instantiated {
            Ok(world) => Ok(Self { store, world, fuel }),
            Err(error) => Err(unstarted(&store, fuel, &error)),
        }
    }

    /// Calls the guest; any error becomes a failure of the phase.
    pub(crate) fn call<T>(
        &mut self,
        phase: Phase,
        call: impl FnOnce(&W, &mut Store<Meter>) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        self.call_for(phase, 0, call)
    }

    /// Calls the guest for an answer of `bytes` bytes; a larger one, beyond some slack for texts, is an error.
    pub(crate) fn call_for<T>(
        &mut self,
        phase: Phase,
        bytes: usize,
        call: impl FnOnce(&W, &mut Store<Meter>) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        self.store.set_hostcall_fuel(bytes.saturating_add(SLACK_BYTES));
        let answer = call(&self.world, &mut self.store);
        self.store.data_mut().end_lines();
        let answer = answer.map_err(|error| classify(&self.store, phase, &error))?;
        if self.store.data().host_is_short {
            // The guest went on without memory that its limit allows: another machine would give another answer.
            let message = "there was no memory for the agent, which its limit allows".to_owned();
            return Err(Failure { phase, kind: Kind::Host, message });
        }
        Ok(answer)
    }

    /// Returns the bytes of all memories of the guest, which never shrink.
    pub(crate) fn memory_used(&self) -> u64 {
        self.store.data().memory_used()
    }

    /// Makes a call that may use `fuel` units. Returns its answer and the units that it used.
    pub(crate) fn within<T>(&mut self, fuel: u64, call: impl FnOnce(&mut Self) -> T) -> (T, u64) {
        let fuel = fuel.saturating_mul(UNIT);
        self.store.set_fuel(fuel).expect("the engine counts fuel");
        let answer = call(self);
        (answer, (fuel - self.store.get_fuel().unwrap_or(0)).div_ceil(UNIT))
    }

    /// Returns the unit's progress and log, or those of a part.
    pub(crate) fn trace(&self) -> &Trace {
        &self.store.data().trace
    }

    /// Returns the units of fuel used so far.
    pub(crate) fn fuel_used(&self) -> u64 {
        (self.fuel - self.store.get_fuel().unwrap_or(0)).div_ceil(UNIT)
    }
}

/// Converts a matrix to the types of the interface.
pub(crate) fn matrix(matrix: &Matrix) -> types::Matrix<'_> {
    types::Matrix { rows: matrix.rows() as u32, cols: matrix.cols() as u32, values: matrix.values() }
}

/// Converts a setting to the types of the interface.
pub(crate) fn setting(setting: &Setting) -> types::SettingParam<'_> {
    types::SettingParam { name: &setting.name, value: &setting.value }
}

/// Converts a failure that an agent reports itself to the failure of its unit.
pub(crate) fn own_word(phase: Phase, failure: types::Failure) -> Failure {
    let message = match failure {
        types::Failure::InvalidSetting(reason) => format!("invalid setting: {reason}"),
        types::Failure::Unsupported(reason) => format!("unsupported task: {reason}"),
        types::Failure::Diverged(reason) => format!("diverged: {reason}"),
        types::Failure::Internal(reason) => reason,
    };
    Failure { phase, kind: Kind::AgentFailure, message: clean(&message) }
}

/// Makes the failure of an answer that breaks the contract.
pub(crate) fn invalid(message: String) -> Failure {
    Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message }
}

/// Makes the failure of an agent that has no fuel left.
pub(crate) fn out_of_fuel(phase: Phase) -> Failure {
    Failure { phase, kind: Kind::OutOfFuel, message: "used up its fuel; --fuel sets the limit".to_owned() }
}

/// Classifies why there is no instance. If no code of the guest has run yet, either the guest was refused or the
/// machine failed.
fn unstarted(store: &Store<Meter>, fuel: u64, error: &wasmtime::Error) -> Failure {
    let (meter, text) = (store.data(), one_line(error));
    if text.starts_with(TOO_MANY) {
        return Failure { phase: Phase::Load, kind: Kind::Refused, message: text };
    }
    // Fuel used means that code of the guest ran; it need not have ended in a trap.
    let ran = store.get_fuel().is_ok_and(|left| left < fuel) || error.is::<Trap>() || error.is::<WasmBacktrace>();
    if ran || meter.host_is_short {
        return classify(store, Phase::Load, error);
    }
    let (kind, message) = if meter.refused() {
        (Kind::Refused, "wants more memory to start with than it may have; --memory sets the limit".to_owned())
    } else {
        (Kind::Host, text)
    };
    Failure { phase: Phase::Load, kind, message }
}

/// Classifies how a call ended, from the engine's error and the state of the store.
fn classify(store: &Store<Meter>, phase: Phase, error: &wasmtime::Error) -> Failure {
    let meter = store.data();
    let (kind, message) = match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => return out_of_fuel(phase),
        _ if meter.host_is_short => (Kind::Host, one_line(error)),
        _ if meter.refused() => {
            (Kind::OutOfMemory, "gave up after being refused memory; --memory sets the limit".to_owned())
        }
        Some(trap) => (Kind::Trapped, format!("{trap}{}", last_words(meter))),
        None if one_line(error).ends_with(NO_HANDLE) => {
            (Kind::OutOfMemory, format!("held {HANDLES} handles of resources, the most that it may"))
        }
        None if error.is::<Fault>() => (Kind::Trapped, format!("{}{}", one_line(error), last_words(meter))),
        None => (Kind::InvalidOutput, one_line(error)),
    };
    Failure { phase, kind, message: clean(&message) }
}

/// Returns the last line of the log of a guest that has ended, as the end of a message.
fn last_words(meter: &Meter) -> String {
    meter.trace.last_line().map(|last| format!("; its log ends: {last}")).unwrap_or_default()
}
