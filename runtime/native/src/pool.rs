//! The idle connections of a native agent, and how a new one is made.

use std::io;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use jointly_core::Trace;

use crate::connection::Connection;
use crate::process::Process;
use crate::session::Session;
use crate::source::Source;

/// The connections of an agent that are not in use.
pub(crate) struct Pool {
    source: Source,
    idle: Mutex<Vec<Session>>,
}

impl Pool {
    pub(crate) fn new(source: Source) -> Self {
        Self { source, idle: Mutex::default() }
    }

    /// Returns an idle connection, if there is one.
    pub(crate) fn idle(&self) -> Option<Session> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps a connection for the next training.
    pub(crate) fn keep(&self, session: Session) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }

    /// Starts a process or connects to the socket.
    pub(crate) fn open(&self, trace: &Trace) -> io::Result<Session> {
        let log_to = Arc::new(Mutex::new(trace.clone()));
        let mut command = match &self.source {
            Source::Socket(path) => {
                return Ok(Session::new(Connection::new(UnixStream::connect(path)?), None, log_to));
            }
            Source::Command(command) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", command]);
                shell
            }
            Source::Python(file) => {
                let mut python = Command::new("python3");
                python.arg(file);
                python
            }
        };
        // Text that an agent prints is shown when it is printed, not when a buffer is full.
        command.env("PYTHONUNBUFFERED", "1");
        let (process, stream) = Process::start(command, log_to.clone())?;
        Ok(Session::new(Connection::new(stream), Some(process), log_to))
    }
}
