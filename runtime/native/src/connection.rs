//! The stream of bytes to a native agent, with a deadline for each request.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

/// A stream whose operations fail once a deadline has passed.
pub(crate) struct Connection {
    stream: UnixStream,
    timeout: Duration,
    deadline: Instant,
    /// Says whether what is at the other end has ended, though somebody else may still hold the connection open.
    ended: Box<dyn Fn() -> bool + Send>,
}

/// How often it is checked, while nothing arrives, whether the other end has ended.
const LOOK: Duration = Duration::from_millis(500);

impl Connection {
    pub(crate) fn new(stream: UnixStream, ended: impl Fn() -> bool + Send + 'static) -> Self {
        Self { stream, timeout: Duration::ZERO, deadline: Instant::now(), ended: Box::new(ended) }
    }

    /// Sets the deadline of all operations from now on.
    pub(crate) fn within(&mut self, timeout: Duration) {
        self.timeout = timeout;
        self.deadline = Instant::now() + timeout;
    }

    /// Returns the time that all operations together had.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns whether the other end has not closed the connection, nor sent anything unasked.
    pub(crate) fn is_idle(&self) -> bool {
        let peeked = recv(&self.stream, &mut [0], RecvFlags::PEEK | RecvFlags::DONTWAIT);
        peeked.is_err_and(|error| error == Errno::WOULDBLOCK)
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
        loop {
            let left = self.left()?;
            self.stream.set_read_timeout(Some(left.min(LOOK)))?;
            match self.stream.read(buffer).map_err(expired) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut && left > LOOK => {
                    if (self.ended)() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                read => return read,
            }
        }
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
