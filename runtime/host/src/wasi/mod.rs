//! A virtual WASI 0.2: what the toolchains of other languages import, with nothing of the machine behind it.
//!
//! Every answer is a function of the guest's seed and of its calls so far. Time passes only as the guest looks at
//! it or sleeps, random numbers come from the unit's streams, what is printed goes into the bounded log, and there
//! are no files and no network: what would give one fails with WASI's own error.

mod cli;
mod clocks;
mod fault;
mod filesystem;
mod http;
mod interfaces;
mod io;
mod link;
mod output;
mod random;
mod sockets;
mod world;

pub(crate) use fault::Fault;
pub(crate) use interfaces::{link, offers};
pub(crate) use world::VirtualWorld;
