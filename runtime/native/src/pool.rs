//! The idle connections of a native agent, and how a new one is made.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use jointly_core::failure::{Failure, Phase};
use jointly_core::{Trace, digest};

use crate::connection::Connection;
use crate::described::Described;
use crate::fault::Fault;
use crate::process::Process;
use crate::session::Session;
use crate::source::Source;

/// The connections of an agent that are not in use.
pub(crate) struct Pool {
    source: Source,
    idle: Mutex<Vec<Session>>,
    /// The digest of the first description.
    digest: OnceLock<String>,
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
        Self { source, idle: Mutex::default(), digest: OnceLock::new() }
    }

    /// Returns where the agent is reached.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Returns an idle connection, or makes one.
    pub(crate) fn take(&self, trace: &Trace, timeout: Duration) -> Result<Session, Failure> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // A connection may end between two units, as if it had never been kept.
        if let Some(session) = std::iter::from_fn(idle).find(Session::waits) {
            session.trace_to(trace);
            return Ok(session);
        }
        let again = |error| Fault::Ended(format!("cannot be started again: {error}"));
        let opened = self.open(trace, timeout).map_err(again).and_then(|mut session| {
            let described = session.describe(timeout)?;
            let other = "describes itself in another way than at the start of the run";
            if self.digest_of(&described).ok() == self.digest.get().cloned() {
                Ok(session)
            } else {
                Err(Fault::Invalid(other.into()))
            }
        });
        opened.map_err(|fault| fault.into_failure(Phase::Load, trace))
    }

    /// Keeps a connection for the next training.
    pub(crate) fn keep(&self, session: Session) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }

    /// Remembers a description, and returns the digest of it and of a Python file: all later connections must have it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn remember(&self, described: &Described) -> io::Result<String> {
        let digest = self.digest_of(described)?;
        Ok(self.digest.get_or_init(|| digest).clone())
    }

    fn digest_of(&self, described: &Described) -> io::Result<String> {
        let mut bytes = serde_json::to_vec(described)?;
        if let Source::Python(file) = &self.source {
            bytes.extend(std::fs::read(file)?);
        }
        Ok(digest(&bytes))
    }

    /// Starts a process or connects to the socket.
    pub(crate) fn open(&self, trace: &Trace, timeout: Duration) -> io::Result<Session> {
        let log_to = Arc::new(Mutex::new(trace.clone()));
        let command = match &self.source {
            Source::Socket(path) => {
                let connection = Connection::new(connect(path.clone(), timeout)?, || false);
                return Ok(Session::new(connection, None, log_to));
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
        Ok(Session::new(Connection::new(stream, process.watch()), Some(process), log_to))
    }
}

/// Connects within a time: a server that does not accept makes the call wait without end.
fn connect(path: PathBuf, timeout: Duration) -> io::Result<UnixStream> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(UnixStream::connect(path)));
    receiver.recv_timeout(timeout).map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}
