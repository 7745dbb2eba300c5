//! The stream of bytes to a native agent, with a deadline for each request.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// A stream whose operations fail once a deadline has passed.
pub(crate) struct Connection {
    stream: UnixStream,
    deadline: Instant,
}

impl Connection {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self { stream, deadline: Instant::now() }
    }

    /// Sets the deadline of all operations from now on.
    pub(crate) fn within(&mut self, timeout: Duration) {
        self.deadline = Instant::now() + timeout;
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

/// Names an expired wait by one kind on every platform.
fn expired(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer).map_err(expired)
    }
}

impl Write for Connection {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(buffer).map_err(expired)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
