//! `wasi:sockets`: every access to the network is denied.

use wasmtime::component::LinkerInstance;

use super::link::{absent, answer, failed, function, handle, resource, uncallable};
use crate::meter::Meter;

/// The network: a handle that gives access to nothing.
struct Network;
/// A socket; this resource never exists.
struct TcpSocket;
/// A socket; this resource never exists.
struct UdpSocket;
/// A stream of received datagrams; this resource never exists.
struct IncomingDatagramStream;
/// A stream of sent datagrams; this resource never exists.
struct OutgoingDatagramStream;
/// The answer to a name's look-up; this resource never exists.
struct ResolveAddressStream;

const DENIED: &str = "access-denied";

const TCP_SOCKET: [&str; 28] = [
    "accept",
    "address-family",
    "finish-bind",
    "finish-connect",
    "finish-listen",
    "hop-limit",
    "is-listening",
    "keep-alive-count",
    "keep-alive-enabled",
    "keep-alive-idle-time",
    "keep-alive-interval",
    "local-address",
    "receive-buffer-size",
    "remote-address",
    "send-buffer-size",
    "set-hop-limit",
    "set-keep-alive-count",
    "set-keep-alive-enabled",
    "set-keep-alive-idle-time",
    "set-keep-alive-interval",
    "set-listen-backlog-size",
    "set-receive-buffer-size",
    "set-send-buffer-size",
    "shutdown",
    "start-bind",
    "start-connect",
    "start-listen",
    "subscribe",
];

const UDP_SOCKET: [&str; 13] = [
    "address-family",
    "finish-bind",
    "local-address",
    "receive-buffer-size",
    "remote-address",
    "send-buffer-size",
    "set-receive-buffer-size",
    "set-send-buffer-size",
    "set-unicast-hop-limit",
    "start-bind",
    "stream",
    "subscribe",
    "unicast-hop-limit",
];

/// Links `wasi:sockets/network`.
pub(super) fn network(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    resource::<Network>(instance, "network")?;
    uncallable(instance, "network-error-code")
}

/// Links `wasi:sockets/instance-network`.
pub(super) fn instance_network(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "instance-network", |_, (): ()| Ok((handle::<Network>(),)))
}

/// Links `wasi:sockets/ip-name-lookup`.
pub(super) fn ip_name_lookup(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    absent::<ResolveAddressStream>(instance, "resolve-address-stream", &["resolve-next-address", "subscribe"])?;
    answer(instance, &["resolve-addresses"], &failed(DENIED))
}

/// Links `wasi:sockets/tcp`.
pub(super) fn tcp(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    absent::<TcpSocket>(instance, "tcp-socket", &TCP_SOCKET)
}

/// Links `wasi:sockets/tcp-create-socket`.
pub(super) fn tcp_create_socket(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    answer(instance, &["create-tcp-socket"], &failed(DENIED))
}

/// Links `wasi:sockets/udp`.
pub(super) fn udp(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    absent::<UdpSocket>(instance, "udp-socket", &UDP_SOCKET)?;
    absent::<IncomingDatagramStream>(instance, "incoming-datagram-stream", &["receive", "subscribe"])?;
    absent::<OutgoingDatagramStream>(instance, "outgoing-datagram-stream", &["check-send", "send", "subscribe"])
}

/// Links `wasi:sockets/udp-create-socket`.
pub(super) fn udp_create_socket(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    answer(instance, &["create-udp-socket"], &failed(DENIED))
}
