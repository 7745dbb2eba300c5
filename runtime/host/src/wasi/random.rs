//! `wasi:random`: random numbers from streams named by the unit's seed.

use wasmtime::component::LinkerInstance;

use super::Fault;
use super::link::{Caller, function};
use super::state::{MOST_BYTES, Random};
use crate::charge::charge;
use crate::meter::Meter;

/// Links `wasi:random/random`.
pub(super) fn random(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    let of = |random: &mut Random| random.secure.next_u64();
    function(instance, "get-random-bytes", move |store, (count,): (u64,)| Ok((bytes(store, count, of)?,)))?;
    function(instance, "get-random-u64", move |store, (): ()| Ok((of(&mut store.data_mut().wasi.random),)))
}

/// Links `wasi:random/insecure`.
pub(super) fn insecure(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    let of = |random: &mut Random| random.insecure.next_u64();
    function(instance, "get-insecure-random-bytes", move |store, (count,): (u64,)| Ok((bytes(store, count, of)?,)))?;
    function(instance, "get-insecure-random-u64", move |store, (): ()| Ok((of(&mut store.data_mut().wasi.random),)))
}

/// Links `wasi:random/insecure-seed`.
pub(super) fn insecure_seed(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "insecure-seed", |store, (): ()| {
        let stream = &mut store.data_mut().wasi.random.insecure_seed;
        Ok(((stream.next_u64(), stream.next_u64()),))
    })
}

/// Draws this number of bytes, from whole words of a stream in little-endian order.
fn bytes(store: &mut Caller<'_>, count: u64, next: impl Fn(&mut Random) -> u64) -> wasmtime::Result<Vec<u8>> {
    if count > MOST_BYTES {
        return Err(Fault::TooManyBytes(count).into());
    }
    charge(store, count)?;
    let random = &mut store.data_mut().wasi.random;
    let mut bytes = vec![0; count as usize];
    for word in bytes.chunks_mut(size_of::<u64>()) {
        word.copy_from_slice(&next(random).to_le_bytes()[..word.len()]);
    }
    Ok(bytes)
}
