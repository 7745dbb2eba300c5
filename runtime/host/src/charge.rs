//! What calls of the host cost in fuel, so that a guest that only calls the host ends as soon as another.

use wasmtime::{StoreContextMut, Trap};

use crate::meter::Meter;

/// What every call costs.
pub(crate) const CALL_FUEL: u64 = 1_000;

/// Takes fuel from the guest that calls.
pub(crate) fn charge(store: &mut StoreContextMut<'_, Meter>, fuel: u64) -> wasmtime::Result<()> {
    let left = store.get_fuel()?.checked_sub(fuel).ok_or(Trap::OutOfFuel)?;
    store.set_fuel(left)
}
