//! The idle connections of a native agent, and how a new one is made.

use std::io;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jointly_core::Trace;
use jointly_core::failure::{Failure, Phase};

use crate::connection::Connection;
use crate::fault::Fault;
use crate::process::Process;
use crate::session::Session;
use crate::source::Source;

/// The connections of an agent that are not in use.
pub(crate) struct Pool {
    source: Source,
    idle: Mutex<Vec<Session>>,
}

impl Drop for Pool {
    /// Closes all connections before it waits for the first process.
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        let processes: Vec<Option<Process>> = idle.into_iter().map(Session::close).collect();
        drop(processes);
    }
}

impl Pool {
    pub(crate) fn new(source: Source) -> Self {
        Self { source, idle: Mutex::default() }
    }

    /// Returns an idle connection, or makes one.
    pub(crate) fn take(&self, trace: &Trace, timeout: Duration) -> Result<Session, Failure> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(session) = idle {
            session.trace_to(trace);
            return Ok(session);
        }
        let again = |error| Fault::Ended(format!("cannot be started again: {error}"));
        let opened = self.open(trace).map_err(again).and_then(|mut session| {
            session.describe(timeout)?;
            Ok(session)
        });
        opened.map_err(|fault| fault.into_failure(Phase::Load, trace))
    }

    /// Keeps a connection for the next training.
    pub(crate) fn keep(&self, session: Session) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }

    /// Starts a process or connects to the socket.
    pub(crate) fn open(&self, trace: &Trace) -> io::Result<Session> {
        let log_to = Arc::new(Mutex::new(trace.clone()));
        let command = match &self.source {
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
                // What is printed before the agent takes standard output as its connection stays in Python's buffer.
                python.arg(file).env_remove("PYTHONUNBUFFERED");
                python
            }
        };
        let (process, stream) = Process::start(command, log_to.clone())?;
        Ok(Session::new(Connection::new(stream), Some(process), log_to))
    }
}
