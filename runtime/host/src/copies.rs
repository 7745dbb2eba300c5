//! The instances that answer for a trained classifier: the one that was trained, or two copies if it is trained in parts.
//!
//! Two copies share the draws of a call, the first half and the second, on any number of threads: which of them answers
//! does not depend on the machine.

use jointly_core::Inputs;
use jointly_core::class_probs::normalized;
use wasmtime::component::ResourceAny;

use crate::bindings::ClassifierPre;
use crate::given::{Given, inputs};
use crate::meter::Meter;
use crate::sandbox::{Sandbox, invalid, out_of_fuel, own_word};
use crate::world::Classification as World;
use crate::{Failure, Kind, Limits, Phase, Trace, pool};

/// The instances of a trained classifier.
pub(crate) enum Copies {
    One(Copy),
    Two { first: Box<Copy>, second: Box<Copy>, fuel: Fuel },
}

/// An instance with its trained model.
pub(crate) struct Copy {
    pub(crate) sandbox: Sandbox<World>,
    pub(crate) model: ResourceAny,
}

/// The fuel of two instances together, in units.
#[derive(Clone, Copy)]
pub(crate) struct Fuel {
    limit: u64,
    used: u64,
}

impl Fuel {
    fn left(self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

impl Copies {
    /// Makes two copies of the agent that consists of these parts, which has used `spent` units of fuel before.
    pub(crate) fn two(
        component: &ClassifierPre<Meter>,
        limits: Limits,
        trace: &Trace,
        given: Given<'_>,
        spent: u64,
        parts: &[Vec<u8>],
    ) -> Result<Self, Failure> {
        let mut fuel = Fuel { limit: limits.fuel, used: spent };
        let mut begin = |trace: Trace| -> Result<Sandbox<World>, Failure> {
            let sandbox = Sandbox::new(component, Limits { fuel: fuel.left(), ..limits }, trace, given.seed)?;
            fuel.used = fuel.used.saturating_add(sandbox.fuel_used());
            Ok(sandbox)
        };
        let (mut first, mut second) = (begin(trace.clone())?, begin(Trace::default())?);
        let join = |sandbox: &mut Sandbox<World>| {
            given.join(sandbox, parts)?.map_err(|failure| own_word(Phase::Train, failure))
        };
        let (one, two) = side_by_side(&mut fuel, Phase::Train, (&mut first, join), (&mut second, join))?;
        let copy = |sandbox, model| Box::new(Copy { sandbox, model });
        Ok(Self::Two { first: copy(first, one), second: copy(second, two), fuel })
    }

    pub(crate) fn fuel_used(&self) -> u64 {
        match self {
            Self::One(copy) => copy.sandbox.fuel_used(),
            Self::Two { fuel, .. } => fuel.used,
        }
    }

    /// Returns the bytes of the memories of the copy that has more.
    pub(crate) fn memory_used(&self) -> u64 {
        match self {
            Self::One(copy) => copy.sandbox.memory_used(),
            Self::Two { first, second, .. } => first.sandbox.memory_used().max(second.sandbox.memory_used()),
        }
    }

    /// Asks the first copy.
    pub(crate) fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let ask = |model: ResourceAny, sandbox: &mut Sandbox<World>| {
            sandbox.call_for(Phase::Sample, size_of_val(draws), |world, store| {
                world.classification().model().call_canonical_draws(store, model, draws)
            })
        };
        match self {
            Self::One(Copy { sandbox, model }) => ask(*model, sandbox),
            Self::Two { first, fuel, .. } => {
                let (canonical, used) = first.sandbox.within(fuel.left(), |sandbox| ask(first.model, sandbox));
                fuel.used += used;
                canonical
            }
        }
    }

    /// Returns the probabilities of `classes` classes for each draw at each row, checked.
    pub(crate) fn sample_probs(&mut self, rows: &Inputs, draws: &[u64], classes: usize) -> Result<Vec<f32>, Failure> {
        let ask = |model: ResourceAny, draws: &[u64], sandbox: &mut Sandbox<World>| {
            let bytes = draws.len() * rows.rows() * classes * size_of::<f32>();
            let answer = sandbox.call_for(Phase::Sample, bytes, |world, store| {
                world.classification().model().call_sample_probs(store, model, inputs(rows), draws)
            })?;
            let probs = answer.map_err(|failure| own_word(Phase::Sample, failure))?;
            normalized(probs, draws, rows.rows(), classes).map_err(invalid)
        };
        match self {
            Self::One(Copy { sandbox, model }) => ask(*model, draws, sandbox),
            Self::Two { first, second, fuel } => {
                let (early, late) = draws.split_at(draws.len().div_ceil(2));
                let ask_second = |sandbox: &mut _| {
                    if late.is_empty() { Ok(Vec::new()) } else { ask(second.model, late, sandbox) }
                };
                let (mut probs, others) = side_by_side(
                    fuel,
                    Phase::Sample,
                    (&mut first.sandbox, |sandbox: &mut _| ask(first.model, early, sandbox)),
                    (&mut second.sandbox, ask_second),
                )?;
                probs.extend_from_slice(&others);
                Ok(probs)
            }
        }
    }
}

/// Calls both copies, on two threads if there are two, with the outcome of one call after the other.
fn side_by_side<T: Send>(
    fuel: &mut Fuel,
    phase: Phase,
    (first, call_first): (&mut Sandbox<World>, impl FnOnce(&mut Sandbox<World>) -> Result<T, Failure> + Send),
    (second, call_second): (&mut Sandbox<World>, impl FnOnce(&mut Sandbox<World>) -> Result<T, Failure> + Send),
) -> Result<(T, T), Failure> {
    let left = fuel.left();
    let ((one, by_first), (two, by_second)) = if pool::has_more_threads() {
        // The first call may leave less for the second; what that changes is found below.
        rayon::join(|| first.within(left, call_first), || second.within(left, call_second))
    } else {
        let (one, by_first) = first.within(left, call_first);
        let one = one?;
        ((Ok(one), by_first), second.within(left - by_first, call_second))
    };
    let one = one?;
    let used = by_first.saturating_add(by_second);
    if used > left || two.as_ref().is_err_and(|failure| failure.kind == Kind::OutOfFuel) {
        // How far the second call came depends on when the first ended, so its log is dropped.
        return Err(out_of_fuel(phase));
    }
    fuel.used = fuel.used.saturating_add(used);
    first.trace().append(second.trace());
    Ok((one, two?))
}
