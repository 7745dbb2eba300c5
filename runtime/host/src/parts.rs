//! Trains the parts of an agent side by side, on the threads of the pool that the caller is in.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::bindings::ClassifierPre;
use crate::given::Given;
use crate::meter::Meter;
use crate::sandbox::{Sandbox, out_of_fuel};
use crate::world::Classification as World;
use crate::{Failure, Kind, Limits, Phase, Trace};

/// All parts of a training.
pub(crate) struct Trained {
    /// What each part has learned, in order.
    pub(crate) parts: Vec<Vec<u8>>,
    /// The fuel of all parts together.
    pub(crate) fuel: u64,
    /// The most bytes of memory that one part used.
    pub(crate) memory: u64,
}

/// One trained part.
struct Part {
    learned: Vec<u8>,
    fuel: u64,
    memory: u64,
}

/// The parts that have ended, and the one to begin next.
struct Course {
    limits: Limits,
    /// The fuel used before the parts.
    spent: u64,
    next: u32,
    /// No part from this one on can change the outcome.
    end: u32,
    ended: BTreeMap<u32, (Result<Part, Failure>, Trace)>,
}

/// Trains `count` parts, each in a store of its own. Their outcome is the same on any number of threads: that of one
/// part after the other, which share the fuel of `limits` beyond `spent`.
pub(crate) fn train(
    component: &ClassifierPre<Meter>,
    limits: Limits,
    trace: &Trace,
    given: &Given<'_>,
    spent: u64,
    count: u32,
) -> Result<Trained, Failure> {
    let course = Mutex::new(Course { limits, spent, next: 0, end: count, ended: BTreeMap::new() });
    let train_next = || {
        let Some((part, fuel)) = locked(&course).begin() else { return };
        let trace = trace.part(count);
        let outcome = one(component, Limits { fuel, ..limits }, &trace, given, part);
        trace.set_progress(1.0);
        locked(&course).end(part, outcome, trace);
    };
    if rayon::current_thread_index().is_some() {
        // A task for each part: a thread that waits for its own unit takes up one part, not all.
        rayon::scope_fifo(|scope| (0..count).for_each(|_| scope.spawn_fifo(|_| train_next())));
    } else {
        (0..count).for_each(|_| train_next());
    }
    course.into_inner().unwrap_or_else(PoisonError::into_inner).outcome(trace)
}

fn locked(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

fn one(
    component: &ClassifierPre<Meter>,
    limits: Limits,
    trace: &Trace,
    given: &Given<'_>,
    part: u32,
) -> Result<Part, Failure> {
    let mut sandbox = Sandbox::<World>::new(component, limits, trace.clone(), given.seed)?;
    let learned = given.train_part(&mut sandbox, part, usize::try_from(most_bytes(limits)).unwrap_or(usize::MAX))?;
    Ok(Part { learned, fuel: sandbox.fuel_used(), memory: sandbox.memory_used() })
}

impl Course {
    /// Begins the next part, if it can change the outcome: returns its number and the fuel that it may use at most.
    fn begin(&mut self) -> Option<(u32, u64)> {
        let part = self.next;
        if part >= self.end {
            return None;
        }
        self.next += 1;
        // Parts before it that still run may leave less; then `outcome` finds the limit exceeded.
        let (fuel, _) = self.used(part);
        Some((part, self.limits.fuel.saturating_sub(fuel)))
    }

    fn end(&mut self, part: u32, outcome: Result<Part, Failure>, trace: Trace) {
        let failed = outcome.is_err();
        self.ended.insert(part, (outcome, trace));
        if failed {
            self.end = self.end.min(part + 1);
        }
        // If those that have ended are beyond the limits, so are they together with all before the last of them.
        let (fuel, bytes) = self.used(u32::MAX);
        if within(self.limits, fuel, bytes).is_err() {
            let last = self.ended.last_key_value().map_or(0, |(last, _)| *last);
            self.end = self.end.min(last + 1);
        }
    }

    /// Returns the fuel used before the parts and by those before `end` that have ended, and the bytes of the latter.
    fn used(&self, end: u32) -> (u64, u64) {
        let trained = self.ended.range(..end).filter_map(|(_, (part, _))| part.as_ref().ok());
        trained.fold((self.spent, 0), add)
    }

    /// Returns the outcome of all parts, and adds their logs up to the first failure.
    fn outcome(self, trace: &Trace) -> Result<Trained, Failure> {
        let mut all = Trained { parts: Vec::new(), fuel: 0, memory: 0 };
        let mut used = (self.spent, 0);
        for (outcome, log) in self.ended.into_values() {
            trace.append(&log);
            let part = outcome?;
            used = add(used, &part);
            within(self.limits, used.0, used.1)?;
            all.memory = all.memory.max(part.memory);
            all.parts.push(part.learned);
        }
        all.fuel = used.0 - self.spent;
        Ok(all)
    }
}

fn add((fuel, bytes): (u64, u64), part: &Part) -> (u64, u64) {
    (fuel.saturating_add(part.fuel), bytes.saturating_add(part.learned.len() as u64))
}

/// Returns the most bytes of all parts together, which the host holds beside the memories of instances.
fn most_bytes(limits: Limits) -> u64 {
    limits.memory / 4
}

/// Refuses parts that together are beyond the agent's limits.
fn within(limits: Limits, fuel: u64, bytes: u64) -> Result<(), Failure> {
    if fuel > limits.fuel {
        return Err(out_of_fuel(Phase::Train));
    }
    if bytes > most_bytes(limits) {
        let message = "its parts have more bytes than a quarter of its memory; --memory sets the limit".to_owned();
        return Err(Failure { phase: Phase::Train, kind: Kind::OutOfMemory, message });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear congruential generator, enough to vary the cases.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }
    }

    /// What a part does if it has the fuel: how much it uses, how many bytes it returns, and whether it fails then.
    struct Deed {
        fuel: u64,
        bytes: usize,
        fails: bool,
    }

    fn outcome(part: usize, deed: &Deed, allowed: u64) -> Result<Part, Failure> {
        if deed.fuel > allowed {
            return Err(out_of_fuel(Phase::Train));
        }
        if deed.fails {
            return Err(Failure { phase: Phase::Train, kind: Kind::AgentFailure, message: format!("part {part}") });
        }
        Ok(Part { learned: vec![part as u8; deed.bytes], fuel: deed.fuel, memory: deed.fuel * 7 % 5 })
    }

    /// Lets `threads` threads train the parts, of which a random one ends next. Returns what came of it, the log, and
    /// the number of parts that ran.
    fn course(limits: Limits, deeds: &[Deed], threads: usize, random: &mut Random) -> (String, Vec<String>, usize) {
        let mut course = Course { limits, spent: 3, next: 0, end: deeds.len() as u32, ended: BTreeMap::new() };
        let (mut running, mut ran) = (Vec::new(), 0);
        loop {
            while running.len() < threads
                && let Some(begun) = course.begin()
            {
                running.push(begun);
                ran += 1;
            }
            if running.is_empty() {
                break;
            }
            let (part, fuel) = running.swap_remove(random.below(running.len() as u64) as usize);
            let trace = Trace::default();
            trace.add_line(&format!("part {part}"));
            course.end(part, outcome(part as usize, &deeds[part as usize], fuel), trace);
        }
        let trace = Trace::default();
        let told = match course.outcome(&trace) {
            Ok(Trained { parts, fuel, memory }) => format!("{parts:?} {fuel} {memory}"),
            Err(failure) => format!("{failure}"),
        };
        (told, trace.log().0, ran)
    }

    #[test]
    fn any_number_of_threads_in_any_order_has_the_outcome_of_one() {
        let mut random = Random(1);
        let limits = Limits { fuel: 100, memory: 400, timeout: 1 };
        let (mut failed, mut trained) = (0, 0);
        for _ in 0..3000 {
            let count = 1 + random.below(9);
            let deeds: Vec<Deed> = (0..count)
                .map(|_| {
                    let heavy = random.below(6) == 0;
                    let (fuel, bytes) =
                        (random.below(if heavy { 60 } else { 12 }), random.below(if heavy { 60 } else { 9 }));
                    Deed { fuel, bytes: bytes as usize, fails: random.below(20) == 0 }
                })
                .collect();
            let (one, log, ran) = course(limits, &deeds, 1, &mut random);
            for threads in [2, 3, 9] {
                let (other, other_log, _) = course(limits, &deeds, threads, &mut random);
                assert_eq!((&other, &other_log), (&one, &log));
            }
            assert_eq!(log.len(), ran, "one thread begins nothing after a failure");
            *if one.starts_with('[') { &mut trained } else { &mut failed } += 1;
        }
        assert!(failed > 500 && trained > 500, "{failed} and {trained}");
    }

    #[test]
    fn parts_share_fuel_and_a_quarter_of_the_memory() {
        let deeds = |fuel, bytes| [(); 4].map(|()| Deed { fuel, bytes, fails: false });
        let limits = Limits { fuel: 43, memory: 400, timeout: 1 };
        let told = |fuel, bytes| course(limits, &deeds(fuel, bytes), 2, &mut Random(1)).0;
        assert!(told(10, 25).ends_with("] 40 0"), "{}", told(10, 25));
        assert!(told(11, 25).contains("--fuel sets the limit"));
        assert!(told(10, 26).contains("--memory sets the limit"));
    }
}
