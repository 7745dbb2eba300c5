//! The bindings that wit-bindgen generates from the interface, split into parts so that an agent's module includes
//! only those that it needs: the worlds of `wit/` are `agent` combined with `classification` and with `regression`.
//!
//! They are kept, and not made when an agent is built, because compiling the generator took most of the time of an
//! agent's first build. `tests/bindings.rs` compares them with the interface and writes them again.
#![allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]

#[rustfmt::skip]
pub mod agent;
#[rustfmt::skip]
pub mod classification;
#[rustfmt::skip]
pub mod regression;
