//! Calls of WASI that end a guest.

/// A call that ends the guest, as a message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The guest exited, with any status; an agent must stay callable.
    #[error("exited with status {0}; an agent returns a failure instead")]
    Exited(u8),
    /// The guest polled an empty list, which would never return.
    #[error("polled an empty list, which WASI forbids")]
    PolledNothing,
    /// The guest requested more random bytes in one call than the host allows.
    #[error("asked for {0} random bytes in one call; {max} are the most", max = super::state::MOST_BYTES)]
    TooManyBytes(u64),
    /// The guest imported a function with another type than WASI's.
    #[error("called {0} by a type that is not WASI's")]
    Mistyped(String),
    /// The guest called a function on a handle of a resource that never exists.
    #[error("called {0} with a handle that cannot be")]
    Uncallable(String),
}
