//! How a guest ends itself in a call of WASI.

/// What a guest did that ends it, as a message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// It left, whatever it meant by that: an agent answers calls until nobody calls.
    #[error("exited with status {0}; an agent returns a failure instead")]
    Exited(u8),
    /// It waits for nothing, which would never end.
    #[error("polled an empty list, which WASI forbids")]
    PolledNothing,
    /// It wants more random bytes at once than the host will hold for it.
    #[error("asked for {0} random bytes in one call; {max} are the most", max = super::random::MOST_BYTES)]
    TooManyBytes(u64),
    /// It imported a function by a type that is not WASI's.
    #[error("called {0} by a type that is not WASI's")]
    Mistyped(String),
    /// It called what takes a handle that nobody can have.
    #[error("called {0} with a handle that cannot be")]
    Uncallable(String),
}
