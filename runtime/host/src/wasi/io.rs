//! `wasi:io`: input streams at their end, output streams into the log, and polls that return at once.

use wasmtime::component::{ComponentType, LinkerInstance, Lower, Resource, ResourceType};

use super::Fault;
use super::link::{Caller, absent, function, handle, resource};
use super::state::Pollable;
use crate::charge::{CALL_FUEL, charge};
use crate::meter::Meter;
use jointly_core::trace::LINE_BYTES;

/// The most bytes that an output stream accepts in one call.
const ROOM: u64 = 64 << 10;
/// The fuel that each pollable of a poll costs.
const LOOK_FUEL: u64 = 100;

/// The resource of `wasi:io/error`, which never exists: streams fail only because they have ended.
pub(super) struct IoError;
/// The stream of the empty standard input.
pub(super) struct InputStream;
/// A stream into the log; its representation is its index in the output.
pub(super) struct OutputStream;

#[derive(ComponentType, Lower)]
#[component(variant)]
enum StreamError {
    #[component(name = "last-operation-failed")]
    #[expect(dead_code, reason = "a case of the interface that does not arise here")]
    LastOperationFailed(Resource<IoError>),
    #[component(name = "closed")]
    Closed,
}

type Of<T> = wasmtime::Result<(Result<T, StreamError>,)>;

/// Makes a pollable that is ready at a time of the monotonic clock.
pub(super) fn pollable(store: &mut Caller<'_>, time: u64) -> Resource<Pollable> {
    Resource::new_own(store.data_mut().wasi.pollables.add(time))
}

/// Links `wasi:io/error`.
pub(super) fn error(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    absent::<IoError>(instance, "error", &["to-debug-string"])
}

/// Links `wasi:io/poll`.
pub(super) fn poll(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    instance.resource("pollable", ResourceType::host::<Pollable>(), |mut store, place| {
        store.data_mut().wasi.pollables.drop(place);
        charge(&mut store, CALL_FUEL)
    })?;
    function(instance, "[method]pollable.ready", |store, (pollable,): (Resource<Pollable>,)| {
        let wasi = &mut store.data_mut().wasi;
        Ok((wasi.pollables.time(&pollable) <= wasi.clock.read(),))
    })?;
    function(instance, "[method]pollable.block", |store, (pollable,): (Resource<Pollable>,)| {
        let wasi = &mut store.data_mut().wasi;
        wasi.clock.wait_until(wasi.pollables.time(&pollable));
        Ok(())
    })?;
    function(instance, "poll", |store, (list,): (Vec<Resource<Pollable>>,)| Ok((ready(store, &list)?,)))
}

/// Advances the time until a pollable is ready, and returns the indices of all ready ones.
fn ready(store: &mut Caller<'_>, list: &[Resource<Pollable>]) -> wasmtime::Result<Vec<u32>> {
    charge(store, LOOK_FUEL * list.len() as u64)?;
    let wasi = &mut store.data_mut().wasi;
    let times = || list.iter().map(|pollable| wasi.pollables.time(pollable));
    let first = times().min().ok_or(Fault::PolledNothing)?;
    let now = wasi.clock.read().max(first);
    wasi.clock.wait_until(first);
    Ok((0..).zip(times()).filter(|&(_, time)| time <= now).map(|(place, _)| place).collect())
}

/// Links `wasi:io/streams`.
pub(super) fn streams(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    input(instance)?;
    output(instance)
}

fn input(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    resource::<InputStream>(instance, "input-stream")?;
    for read in ["read", "blocking-read"] {
        let name = format!("[method]input-stream.{read}");
        function(instance, &name, |_, (_, _): (Resource<InputStream>, u64)| -> Of<Vec<u8>> {
            Ok((Err(StreamError::Closed),))
        })?;
    }
    for skip in ["skip", "blocking-skip"] {
        let name = format!("[method]input-stream.{skip}");
        function(instance, &name, |_, (_, _): (Resource<InputStream>, u64)| -> Of<u64> {
            Ok((Err(StreamError::Closed),))
        })?;
    }
    function(instance, "[method]input-stream.subscribe", |store, (_,): (Resource<InputStream>,)| {
        Ok((pollable(store, 0),))
    })
}

fn output(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    resource::<OutputStream>(instance, "output-stream")?;
    function(instance, "[method]output-stream.check-write", |_, (_,): (Resource<OutputStream>,)| -> Of<u64> {
        Ok((Ok(ROOM),))
    })?;
    for write in ["write", "blocking-write-and-flush"] {
        let name = format!("[method]output-stream.{write}");
        function(instance, &name, |store, (stream, bytes): (Resource<OutputStream>, Vec<u8>)| -> Of<()> {
            charge(store, bytes.len() as u64)?;
            print(store, &stream, &bytes)
        })?;
    }
    for write in ["write-zeroes", "blocking-write-zeroes-and-flush"] {
        let name = format!("[method]output-stream.{write}");
        function(instance, &name, |store, (stream, count): (Resource<OutputStream>, u64)| -> Of<()> {
            charge(store, count)?;
            // Further bytes would not be kept.
            print(store, &stream, &vec![0; count.min(LINE_BYTES as u64) as usize])
        })?;
    }
    for flush in ["flush", "blocking-flush"] {
        let name = format!("[method]output-stream.{flush}");
        function(instance, &name, |_, (_,): (Resource<OutputStream>,)| -> Of<()> { Ok((Ok(()),)) })?;
    }
    for splice in ["splice", "blocking-splice"] {
        let name = format!("[method]output-stream.{splice}");
        function(instance, &name, |_, (_, _, _): (Resource<OutputStream>, Resource<InputStream>, u64)| -> Of<u64> {
            Ok((Err(StreamError::Closed),))
        })?;
    }
    function(instance, "[method]output-stream.subscribe", |store, (_,): (Resource<OutputStream>,)| {
        Ok((pollable(store, 0),))
    })
}

/// Prints into the log; each line costs as much as a call of `log`.
fn print(store: &mut Caller<'_>, stream: &Resource<OutputStream>, bytes: &[u8]) -> Of<()> {
    let lines = bytes.split(|&byte| byte == b'\n').count() - 1;
    charge(store, CALL_FUEL * lines as u64)?;
    let Meter { wasi, trace, .. } = store.data_mut();
    wasi.output.print(stream.rep(), bytes, |line| trace.add_line(line));
    Ok((Ok(()),))
}

/// Returns the empty standard input.
pub(super) fn stdin() -> Resource<InputStream> {
    handle()
}
