//! Trains the parts of an agent side by side, on the threads of the pool that the caller is in.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::bindings::ClassifierPre;
use crate::given::Given;
use crate::meter::Meter;
use crate::sandbox::{Sandbox, out_of_fuel};
use crate::world::Classification as World;
use crate::{Failure, Kind, Limits, Phase, Trace, pool};

/// The engine's error about an answer that is larger than a call allows.
const TOO_MUCH: &str = "too much data is being copied";

/// All parts of a training.
pub(crate) struct Trained {
    /// The bytes of each part, in order.
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

/// A part that has ended.
struct Ended {
    outcome: Result<Part, Failure>,
    /// The fuel that it could have used.
    allowed: u64,
    trace: Trace,
}

/// The parts that have ended, and the one to begin next.
struct Course {
    limits: Limits,
    /// The fuel used before the parts.
    spent: u64,
    next: u32,
    /// No part from this one on can change the outcome.
    end: u32,
    ended: BTreeMap<u32, Ended>,
}

/// Trains `count` parts, each in a store of its own, on the threads of the pool. The outcome is that of one part after
/// the other, which share the fuel of `limits` beyond `spent`.
pub(crate) fn train(
    component: &ClassifierPre<Meter>,
    limits: Limits,
    trace: &Trace,
    given: Given<'_>,
    spent: u64,
    count: u32,
) -> Result<Trained, Failure> {
    let course = Mutex::new(Course { limits, spent, next: 0, end: count, ended: BTreeMap::new() });
    let train = |part: u32, fuel: u64| {
        let trace = trace.part(count);
        let outcome = one(component, Limits { fuel, ..limits }, &trace, given, part)
            .map_err(|failure| Failure { message: format!("in part {part}: {}", failure.message), ..failure });
        trace.set_progress(1.0);
        Ended { outcome, allowed: fuel, trace }
    };
    let train_next = || {
        let Some((part, fuel)) = locked(&course).begin() else { return };
        let ended = train(part, fuel);
        locked(&course).end(part, ended);
    };
    if pool::has_more_threads() {
        // A task for each part: a thread that waits for its own unit takes up one part, not all.
        rayon::scope_fifo(|scope| (0..count).for_each(|_| scope.spawn_fifo(|_| train_next())));
    } else {
        (0..count).for_each(|_| train_next());
    }
    course.into_inner().unwrap_or_else(PoisonError::into_inner).outcome(trace, train)
}

fn locked(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

fn one(
    component: &ClassifierPre<Meter>,
    limits: Limits,
    trace: &Trace,
    given: Given<'_>,
    part: u32,
) -> Result<Part, Failure> {
    let mut sandbox = Sandbox::<World>::new(component, limits, trace.clone(), given.seed)?;
    let bytes = usize::try_from(most_bytes(limits)).unwrap_or(usize::MAX);
    let learned = given.train_part(&mut sandbox, part, bytes).map_err(|failure| {
        let too_much = failure.kind == Kind::InvalidOutput && failure.message.starts_with(TOO_MUCH);
        if too_much { too_heavy(limits) } else { failure }
    })?;
    Ok(Part { learned, fuel: sandbox.fuel_used(), memory: sandbox.memory_used() })
}

impl Course {
    /// Begins the next part, if it can change the outcome: returns its number and the fuel that it may use.
    fn begin(&mut self) -> Option<(u32, u64)> {
        let part = self.next;
        if part >= self.end {
            return None;
        }
        self.next += 1;
        // Parts before it that still run may leave less; `outcome` finds out what that changes.
        let (fuel, _) = self.used(part);
        Some((part, self.limits.fuel.saturating_sub(fuel)))
    }

    fn end(&mut self, part: u32, ended: Ended) {
        let failed = ended.outcome.is_err();
        self.ended.insert(part, ended);
        if failed {
            self.end = self.end.min(part + 1);
        }
        // If those that have ended are beyond the limits, so are they together with all before the last of them.
        let (fuel, bytes) = self.used(u32::MAX);
        if fuel > self.limits.fuel || bytes > most_bytes(self.limits) {
            let last = self.ended.last_key_value().map_or(0, |(last, _)| *last);
            self.end = self.end.min(last + 1);
        }
    }

    /// Returns the fuel used before the parts and by those before `end` that have ended, and the bytes of the latter.
    fn used(&self, end: u32) -> (u64, u64) {
        let trained = self.ended.range(..end).filter_map(|(_, ended)| ended.outcome.as_ref().ok());
        trained.fold((self.spent, 0), add)
    }

    /// Returns the outcome of all parts, and adds their logs up to the first failure. A part that had more fuel than
    /// the parts before it have left, and needed it or failed, is trained again with what they have left.
    fn outcome(self, trace: &Trace, train: impl Fn(u32, u64) -> Ended) -> Result<Trained, Failure> {
        let mut all = Trained { parts: Vec::new(), fuel: 0, memory: 0 };
        let mut used = (self.spent, 0);
        for (number, mut ended) in self.ended {
            let left = self.limits.fuel.saturating_sub(used.0);
            let fits = ended.outcome.as_ref().is_ok_and(|part| part.fuel <= left);
            if ended.allowed > left && !fits && !machine_failed(&ended) {
                ended = train(number, left);
            }
            trace.append(&ended.trace);
            let part = ended.outcome?;
            used = add(used, &part);
            if used.0 > self.limits.fuel {
                return Err(out_of_fuel(Phase::Train));
            }
            if used.1 > most_bytes(self.limits) {
                return Err(too_heavy(self.limits));
            }
            all.memory = all.memory.max(part.memory);
            all.parts.push(part.learned);
        }
        all.fuel = used.0 - self.spent;
        Ok(all)
    }
}

fn machine_failed(ended: &Ended) -> bool {
    ended.outcome.as_ref().is_err_and(|failure| failure.kind == Kind::Host)
}

fn add((fuel, bytes): (u64, u64), part: &Part) -> (u64, u64) {
    (fuel.saturating_add(part.fuel), bytes.saturating_add(part.learned.len() as u64))
}

fn too_heavy(limits: Limits) -> Failure {
    let most = most_bytes(limits);
    let message =
        format!("its parts together have more than {most} bytes, a quarter of its memory; --memory sets the limit");
    Failure { phase: Phase::Train, kind: Kind::OutOfMemory, message }
}

/// Returns the most bytes of all parts together, which the host holds beside the memories of instances.
fn most_bytes(limits: Limits) -> u64 {
    limits.memory / 4
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

    /// The work of a part that has the fuel for it: the units that it uses to start and in all, the bytes that it
    /// returns, and whether it fails at the end. It logs a line for each unit.
    struct Work {
        start: u64,
        fuel: u64,
        bytes: usize,
        fails: bool,
    }

    fn train(number: u32, work: &Work, allowed: u64) -> Ended {
        let trace = Trace::default();
        (0..work.fuel.min(allowed)).for_each(|unit| trace.add_line(&format!("part {number}, unit {unit}")));
        let failure = |phase, kind| Failure { phase, kind, message: format!("part {number}") };
        let outcome = if work.start > allowed {
            Err(failure(Phase::Load, Kind::OutOfFuel))
        } else if work.fuel > allowed {
            Err(out_of_fuel(Phase::Train))
        } else if work.fails {
            Err(failure(Phase::Train, Kind::AgentFailure))
        } else {
            Ok(Part { learned: vec![number as u8; work.bytes], fuel: work.fuel, memory: work.fuel * 7 % 5 })
        };
        Ended { outcome, allowed, trace }
    }

    /// Lets `threads` threads train the parts, of which a random one ends next. Returns what came of it, the log, and
    /// the number of parts that ran.
    fn course(limits: Limits, work: &[Work], threads: usize, random: &mut Random) -> (String, Vec<String>, usize) {
        let mut course = Course { limits, spent: 3, next: 0, end: work.len() as u32, ended: BTreeMap::new() };
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
            course.end(part, train(part, &work[part as usize], fuel));
        }
        let trace = Trace::default();
        let outcome = match course.outcome(&trace, |part, fuel| train(part, &work[part as usize], fuel)) {
            Ok(Trained { parts, fuel, memory }) => format!("{parts:?} {fuel} {memory}"),
            Err(failure) => failure.to_string(),
        };
        let (mut lines, more) = trace.log();
        lines.push(format!("{more} more, the last {:?}", trace.last_line()));
        (outcome, lines, ran)
    }

    #[test]
    fn any_number_of_threads_in_any_order_has_the_outcome_of_one() {
        let mut random = Random(1);
        let limits = Limits { fuel: 100, memory: 400, timeout: 1 };
        let (mut failed, mut trained) = (0, 0);
        for _ in 0..5000 {
            let count = 1 + random.below(9);
            let work: Vec<Work> = (0..count)
                .map(|_| {
                    let most = if random.below(6) == 0 { 60 } else { 12 };
                    let (fuel, bytes) = (random.below(most), random.below(most) as usize);
                    Work { start: random.below(fuel + 1), fuel, bytes, fails: random.below(20) == 0 }
                })
                .collect();
            let (one, log, ran) = course(limits, &work, 1, &mut random);
            for threads in [2, 3, 9] {
                let (other, other_log, _) = course(limits, &work, threads, &mut random);
                assert_eq!((&other, &other_log), (&one, &log));
            }
            assert!(ran as u64 <= count);
            *if one.starts_with('[') { &mut trained } else { &mut failed } += 1;
        }
        assert!(failed > 500 && trained > 500, "{failed} and {trained}");
    }

    #[test]
    fn one_thread_begins_nothing_after_a_failure() {
        let work = [3, 60, 50, 1, 1].map(|fuel| Work { start: 0, fuel, bytes: 0, fails: false });
        let limits = Limits { fuel: 100, memory: 400, timeout: 1 };
        let (outcome, _, ran) = course(limits, &work, 1, &mut Random(1));
        assert!(outcome.contains("--fuel sets the limit"), "{outcome}");
        assert_eq!(ran, 3);
    }

    #[test]
    fn parts_share_fuel_and_a_quarter_of_the_memory() {
        let work = |fuel, bytes| [(); 4].map(|()| Work { start: 0, fuel, bytes, fails: false });
        let limits = Limits { fuel: 43, memory: 400, timeout: 1 };
        let outcome = |fuel, bytes| course(limits, &work(fuel, bytes), 2, &mut Random(1)).0;
        assert!(outcome(10, 25).ends_with("] 40 0"), "{}", outcome(10, 25));
        assert!(outcome(11, 25).contains("--fuel sets the limit"));
        assert!(outcome(10, 26).contains("--memory sets the limit"));
    }
}
