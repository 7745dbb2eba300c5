//! The instances that answer for a trained classifier: one, or two copies if it was trained in parts.
//!
//! Two copies share the draws of a call, the first half and the second, on any number of threads: which of them answers
//! does not depend on the machine.

use jointly_core::Inputs;
use wasmtime::component::ResourceAny;

use crate::bindings::ClassifierPre;
use crate::given::{Given, inputs};
use crate::meter::Meter;
use crate::sandbox::{Sandbox, out_of_fuel, own_word};
use crate::world::Classification as World;
use crate::{Failure, Limits, Phase, Trace};

/// The instances of a trained classifier. The fuel of both counts as used in each.
pub(crate) struct Copies {
    limit: u64,
    first: Answering,
    second: Option<Answering>,
}

/// An instance with its trained model.
struct Answering {
    sandbox: Sandbox<World>,
    model: ResourceAny,
}

impl Copies {
    /// The instance that was trained.
    pub(crate) fn one(sandbox: Sandbox<World>, model: ResourceAny) -> Self {
        Self { limit: u64::MAX, first: Answering { sandbox, model }, second: None }
    }

    /// Makes two copies of the agent that consists of these parts, which has used `spent` units of fuel before.
    pub(crate) fn two(
        component: &ClassifierPre<Meter>,
        limits: Limits,
        trace: &Trace,
        given: &Given<'_>,
        spent: u64,
        parts: &[Vec<u8>],
    ) -> Result<Self, Failure> {
        let begin = |trace: Trace| -> Result<Sandbox<World>, Failure> {
            let mut sandbox = Sandbox::new(component, limits, trace, given.seed)?;
            sandbox.spend(spent);
            Ok(sandbox)
        };
        let (mut first, mut second) = (begin(trace.clone())?, begin(Trace::default())?);
        first.spend(second.fuel_used() - spent);
        second.spend(first.fuel_used() - second.fuel_used());
        let join = |sandbox: &mut Sandbox<World>| {
            given.join(sandbox, parts)?.map_err(|failure| own_word(Phase::Train, failure))
        };
        let (one, two) = side_by_side(limits.fuel, Phase::Train, (&mut first, join), (&mut second, join))?;
        Ok(Self {
            limit: limits.fuel,
            first: Answering { sandbox: first, model: one },
            second: Some(Answering { sandbox: second, model: two }),
        })
    }

    pub(crate) fn fuel_used(&self) -> u64 {
        self.first.sandbox.fuel_used()
    }

    /// Returns the bytes of the memories of the copy that has more.
    pub(crate) fn memory_used(&self) -> u64 {
        let second = self.second.as_ref().map_or(0, |copy| copy.sandbox.memory_used());
        self.first.sandbox.memory_used().max(second)
    }

    /// Asks the first copy.
    pub(crate) fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let Answering { sandbox, model } = &mut self.first;
        let before = sandbox.fuel_used();
        let canonical = sandbox.call_for(Phase::Sample, size_of_val(draws), |world, store| {
            world.classification().model().call_canonical_draws(store, *model, draws)
        })?;
        if let Some(second) = &mut self.second {
            second.sandbox.spend(sandbox.fuel_used() - before);
        }
        Ok(canonical)
    }

    /// Returns the answer of `numbers` numbers for each draw.
    pub(crate) fn sample_probs(&mut self, rows: &Inputs, draws: &[u64], numbers: usize) -> Result<Vec<f32>, Failure> {
        let ask = |model: ResourceAny, draws: &[u64], sandbox: &mut Sandbox<World>| {
            let bytes = draws.len() * numbers * size_of::<f32>();
            let answer = sandbox.call_for(Phase::Sample, bytes, |world, store| {
                world.classification().model().call_sample_probs(store, model, inputs(rows), draws)
            })?;
            answer.map_err(|failure| own_word(Phase::Sample, failure))
        };
        let Answering { sandbox: first, model: one } = &mut self.first;
        let Some(Answering { sandbox: second, model: two }) = &mut self.second else {
            return ask(*one, draws, first);
        };
        let (early, late) = draws.split_at(draws.len().div_ceil(2));
        let (early, late) = side_by_side(
            self.limit,
            Phase::Sample,
            (first, |sandbox: &mut _| ask(*one, early, sandbox)),
            (second, |sandbox: &mut _| if late.is_empty() { Ok(Vec::new()) } else { ask(*two, late, sandbox) }),
        )?;
        Ok([early, late].concat())
    }
}

/// Calls both copies, on two threads of the pool if there are any, with the outcome of one call after the other.
fn side_by_side<T: Send>(
    limit: u64,
    phase: Phase,
    (first, call_first): (&mut Sandbox<World>, impl FnOnce(&mut Sandbox<World>) -> Result<T, Failure> + Send),
    (second, call_second): (&mut Sandbox<World>, impl FnOnce(&mut Sandbox<World>) -> Result<T, Failure> + Send),
) -> Result<(T, T), Failure> {
    let before = first.fuel_used();
    let (one, two) = if rayon::current_thread_index().is_some() {
        rayon::join(|| call_first(first), || call_second(second))
    } else {
        (call_first(first), call_second(second))
    };
    let one = one?;
    first.trace().append(second.trace());
    let (by_first, by_second) = (first.fuel_used() - before, second.fuel_used().saturating_sub(before));
    if before.saturating_add(by_first).saturating_add(by_second) > limit {
        return Err(out_of_fuel(phase));
    }
    first.spend(by_second);
    second.spend(by_first);
    Ok((one, two?))
}
