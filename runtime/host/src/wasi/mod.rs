//! A virtual WASI 0.2: the interfaces that toolchains of other languages import, without access to the machine.
//!
//! Every answer is a function of the guest's seed and of its calls so far. Time advances only when the guest reads a
//! clock or sleeps, random numbers come from the unit's streams, and printed text goes into the bounded log. There are
//! no files and no network: calls that would open one fail with WASI's own error.

mod cli;
mod clocks;
mod fault;
mod filesystem;
mod http;
mod interfaces;
mod io;
mod link;
mod random;
mod sockets;
mod state;

pub(crate) use fault::Fault;
pub(crate) use interfaces::{link, offers};
pub(crate) use state::VirtualWorld;
