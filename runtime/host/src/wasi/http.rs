//! `wasi:http`: outgoing requests can be made, ignore their settings, and are denied when they are sent; no requests
//! arrive.

use wasmtime::component::{LinkerInstance, Resource, Val};

use super::link::{absent, answer, function, handle, resource, uncallable};
use crate::meter::Meter;

/// Headers, which stay empty.
struct Fields;
/// A request to send; it ignores its settings.
struct OutgoingRequest;
/// The timeouts of a request, which are not stored.
struct RequestOptions;
/// A response to a request that never arrived.
struct OutgoingResponse;
/// An incoming request; this resource never exists.
struct IncomingRequest;
/// An incoming response; this resource never exists.
struct IncomingResponse;
/// An incoming body; this resource never exists.
struct IncomingBody;
/// An outgoing body; this resource never exists, because requests refuse to have one.
struct OutgoingBody;
/// The place for a response to a request; this resource never exists.
struct ResponseOutparam;
/// The trailers of an incoming body; this resource never exists.
struct FutureTrailers;
/// A future response; this resource never exists.
struct FutureIncomingResponse;

/// Links `wasi:http/outgoing-handler`.
pub(super) fn outgoing_handler(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    answer(instance, &["handle"], &failed_with("HTTP-request-denied"))
}

/// Links `wasi:http/types`.
pub(super) fn types(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    fields(instance)?;
    outgoing(instance)?;
    absent::<IncomingRequest>(
        instance,
        "incoming-request",
        &["authority", "consume", "headers", "method", "path-with-query", "scheme"],
    )?;
    absent::<IncomingResponse>(instance, "incoming-response", &["consume", "headers", "status"])?;
    absent::<IncomingBody>(instance, "incoming-body", &["stream"])?;
    absent::<OutgoingBody>(instance, "outgoing-body", &["write"])?;
    absent::<ResponseOutparam>(instance, "response-outparam", &["send-informational"])?;
    absent::<FutureTrailers>(instance, "future-trailers", &["get", "subscribe"])?;
    absent::<FutureIncomingResponse>(instance, "future-incoming-response", &["get", "subscribe"])?;
    let taking = [
        "[static]incoming-body.finish",
        "[static]outgoing-body.finish",
        "[static]response-outparam.set",
        "http-error-code",
    ];
    taking.into_iter().try_for_each(|name| uncallable(instance, name))
}

fn fields(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    resource::<Fields>(instance, "fields")?;
    function(instance, "[constructor]fields", |_, (): ()| Ok((handle::<Fields>(),)))?;
    function(instance, "[method]fields.clone", |_, (_,): (Resource<Fields>,)| Ok((handle::<Fields>(),)))?;
    let changes = ["[static]fields.from-list", "[method]fields.append", "[method]fields.delete", "[method]fields.set"];
    answer(instance, &changes, &failed_with("forbidden"))?;
    answer(instance, &["[method]fields.entries", "[method]fields.get"], &Val::List(Vec::new()))?;
    answer(instance, &["[method]fields.has"], &Val::Bool(false))
}

fn outgoing(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    resource::<OutgoingRequest>(instance, "outgoing-request")?;
    resource::<OutgoingResponse>(instance, "outgoing-response")?;
    resource::<RequestOptions>(instance, "request-options")?;
    function(instance, "[constructor]outgoing-request", |_, (_,): (Resource<Fields>,)| {
        Ok((handle::<OutgoingRequest>(),))
    })?;
    function(instance, "[constructor]outgoing-response", |_, (_,): (Resource<Fields>,)| {
        Ok((handle::<OutgoingResponse>(),))
    })?;
    function(instance, "[constructor]request-options", |_, (): ()| Ok((handle::<RequestOptions>(),)))?;
    function(instance, "[method]outgoing-request.headers", |_, (_,): (Resource<OutgoingRequest>,)| {
        Ok((handle::<Fields>(),))
    })?;
    function(instance, "[method]outgoing-response.headers", |_, (_,): (Resource<OutgoingResponse>,)| {
        Ok((handle::<Fields>(),))
    })?;
    let changes = [
        "[method]outgoing-request.body",
        "[method]outgoing-request.set-authority",
        "[method]outgoing-request.set-method",
        "[method]outgoing-request.set-path-with-query",
        "[method]outgoing-request.set-scheme",
        "[method]outgoing-response.body",
        "[method]outgoing-response.set-status-code",
        "[method]request-options.set-between-bytes-timeout",
        "[method]request-options.set-connect-timeout",
        "[method]request-options.set-first-byte-timeout",
    ];
    answer(instance, &changes, &Val::Result(Err(None)))?;
    let unset = [
        "[method]outgoing-request.authority",
        "[method]outgoing-request.path-with-query",
        "[method]outgoing-request.scheme",
        "[method]request-options.between-bytes-timeout",
        "[method]request-options.connect-timeout",
        "[method]request-options.first-byte-timeout",
    ];
    answer(instance, &unset, &Val::Option(None))?;
    answer(instance, &["[method]outgoing-request.method"], &Val::Variant("get".to_owned(), None))?;
    answer(instance, &["[method]outgoing-response.status-code"], &Val::U16(200))
}

/// Returns the answer of a call that fails with the case of a variant.
fn failed_with(code: &str) -> Val {
    Val::Result(Err(Some(Box::new(Val::Variant(code.to_owned(), None)))))
}
