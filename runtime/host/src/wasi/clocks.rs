//! `wasi:clocks`: virtual time, which advances when a guest reads a clock and when it sleeps.

use wasmtime::component::LinkerInstance;

use super::io::pollable;
use super::link::{Caller, function};
use super::state::{Datetime, Pollable, STEP};
use crate::meter::Meter;

/// Links `wasi:clocks/monotonic-clock`.
pub(super) fn monotonic(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "now", |store, (): ()| Ok((store.data_mut().wasi.clock.read(),)))?;
    function(instance, "resolution", |_, (): ()| Ok((STEP,)))?;
    function(instance, "subscribe-instant", |store, (when,): (u64,)| Ok((pollable(store, when),)))?;
    function(instance, "subscribe-duration", |store: &mut Caller<'_>, (duration,): (u64,)| {
        let when = store.data_mut().wasi.clock.read().saturating_add(duration);
        Ok::<(wasmtime::component::Resource<Pollable>,), _>((pollable(store, when),))
    })
}

/// Links `wasi:clocks/wall-clock`.
pub(super) fn wall(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "now", |store, (): ()| Ok((store.data_mut().wasi.clock.wall(),)))?;
    function(instance, "resolution", |_, (): ()| {
        Ok((Datetime { seconds: 0, nanoseconds: u32::try_from(STEP).expect("less than a second") },))
    })
}
