//! The fuel cost of host calls, so that a guest that only calls the host runs out of fuel like any other.

use wasmtime::{StoreContextMut, Trap};

use crate::meter::Meter;
use crate::prices::UNIT;

/// The fuel that every call costs.
pub(crate) const CALL_FUEL: u64 = 1_000;

/// Charges fuel to the calling guest.
pub(crate) fn charge(store: &mut StoreContextMut<'_, Meter>, fuel: u64) -> wasmtime::Result<()> {
    let left = store.get_fuel()?.checked_sub(fuel.saturating_mul(UNIT)).ok_or(Trap::OutOfFuel)?;
    store.set_fuel(left)
}
