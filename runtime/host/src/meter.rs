//! The state of a guest's store: memory used and allowed, progress and log, and virtual WASI.

use wasmtime::ResourceLimiter;

use crate::wasi::VirtualWorld;
use crate::{Limits, Trace};

/// The most elements of all tables together; interpreters need many thousands, and no known agent a million.
const TABLE_ELEMENTS: usize = 1_000_000;
/// The most core instances, memories and tables of one component.
const INSTANCES: usize = 256;

/// The engine's error about a memory that grows beyond the address space of its type.
const BEYOND_ITS_TYPE: &str = "exceeds memory type's limits";

/// The engine's error about a table whose number of elements overflows.
const BEYOND_COUNTING: &str = "overflow calculating new table size";

/// The state of a guest's store.
pub(crate) struct Meter {
    /// Bytes of all memories together.
    memory: Allowance,
    /// Elements of all tables together.
    tables: Allowance,
    /// Whether the machine had no memory for a growth that the guest's limit allows.
    pub(crate) host_is_short: bool,
    pub(crate) trace: Trace,
    pub(crate) wasi: VirtualWorld,
}

/// A limited amount that a guest's memories, or its tables, share.
struct Allowance {
    used: usize,
    limit: usize,
    /// The amount of the last growth, which may still fail after it was allowed.
    last: usize,
    refused: bool,
}

impl Meter {
    /// Makes the state of a guest that trains with `seed`.
    pub(crate) fn new(limits: Limits, trace: Trace, seed: u64) -> Self {
        let memory = usize::try_from(limits.memory).unwrap_or(usize::MAX);
        Self {
            memory: Allowance::of(memory),
            tables: Allowance::of(TABLE_ELEMENTS),
            host_is_short: false,
            trace,
            wasi: VirtualWorld::new(seed),
        }
    }

    /// Returns the bytes of all memories together, which never shrink.
    pub(crate) fn memory_used(&self) -> u64 {
        self.memory.used as u64
    }

    /// Logs the lines that the guest has printed without a line end.
    pub(crate) fn end_lines(&mut self) {
        self.wasi.end_lines().for_each(|line| self.trace.add_line(&line));
    }

    /// Returns whether a request for memory or table elements was refused; a later failure is probably a consequence.
    pub(crate) fn refused(&self) -> bool {
        self.memory.refused || self.tables.refused
    }
}

impl Allowance {
    fn of(limit: usize) -> Self {
        Self { used: 0, limit, last: 0, refused: false }
    }

    fn grow(&mut self, current: usize, desired: usize) -> bool {
        let growth = desired.saturating_sub(current);
        if growth > self.limit - self.used {
            self.refused = true;
            return false;
        }
        self.used += growth;
        self.last = growth;
        true
    }

    fn give_back(&mut self) {
        self.used -= std::mem::take(&mut self.last);
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        // A memory cannot grow beyond its declared maximum, whatever the limit.
        Ok(maximum.is_none_or(|maximum| desired <= maximum) && self.memory.grow(current, desired))
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        // A size that such a memory cannot have fails before the limit is checked, and is the guest's own fault.
        if !error.to_string().contains(BEYOND_ITS_TYPE) {
            self.memory.give_back();
            self.host_is_short = true;
        }
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(maximum.is_none_or(|maximum| desired <= maximum) && self.tables.grow(current, desired))
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        if !error.to_string().contains(BEYOND_COUNTING) {
            self.tables.give_back();
            self.host_is_short = true;
        }
        Ok(())
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn tables(&self) -> usize {
        INSTANCES
    }

    fn memories(&self) -> usize {
        INSTANCES
    }
}

#[cfg(test)]
mod tests {
    use super::{Meter, TABLE_ELEMENTS};
    use crate::{Limits, Trace};
    use wasmtime::{ResourceLimiter, format_err};

    fn meter() -> Meter {
        Meter::new(Limits { fuel: 0, memory: 100, timeout: 1 }, Trace::default(), 0)
    }

    #[test]
    fn memories_share_one_limit() {
        let mut meter = meter();
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(!meter.memory_growing(0, 60, None).unwrap());
        assert!(meter.refused());
        assert!(meter.memory_growing(60, 100, None).unwrap());
    }

    #[test]
    fn a_growth_that_fails_in_the_host_is_given_back_and_not_held_against_the_guest() {
        let mut meter = meter();
        assert!(meter.memory_growing(0, 100, None).unwrap());
        meter.memory_grow_failed(format_err!("no memory")).unwrap();
        assert!(meter.host_is_short && !meter.refused());
        assert!(meter.memory_growing(0, 100, None).unwrap());
    }

    #[test]
    fn a_size_beyond_its_type_gives_nothing_back() {
        let engine = wasmtime::Engine::default();
        let mut store = wasmtime::Store::new(&engine, meter());
        store.limiter(|meter| meter);
        let memory = wasmtime::Memory::new(&mut store, wasmtime::MemoryType::new(0, None)).unwrap();
        assert!(memory.grow(&mut store, 1 << 16).is_err(), "within the type, beyond the limit");
        assert!(store.data().refused());
        assert!(memory.grow(&mut store, (1 << 16) + 1).is_err(), "beyond the type");
        assert!(!store.data().host_is_short);
    }

    #[test]
    fn tables_share_one_limit() {
        let engine = wasmtime::Engine::default();
        let mut store = wasmtime::Store::new(&engine, meter());
        store.limiter(|meter| meter);
        let mut table = || {
            let ty = wasmtime::TableType::new(wasmtime::RefType::FUNCREF, 0, None);
            let table = wasmtime::Table::new(&mut store, ty, wasmtime::Ref::Func(None)).unwrap();
            table.grow(&mut store, TABLE_ELEMENTS as u64 / 2, wasmtime::Ref::Func(None)).is_ok()
        };
        assert!(table() && table() && !table());
        assert!(store.data().refused());
    }

    #[test]
    fn its_own_maximum_is_no_refusal() {
        let mut meter = meter();
        assert!(!meter.memory_growing(0, 20, Some(10)).unwrap());
        assert!(!meter.refused());
    }
}
