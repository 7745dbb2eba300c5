//! A process of a native agent: its connection, its log, and how it ended.

use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use jointly_core::Trace;
use jointly_core::trace::LINE_BYTES;
use rustix::process::{Pid, Signal};

/// How long a process that has closed its connection may take to end, and its log to be read.
const ENDING: Duration = Duration::from_secs(1);
/// The interval between checks of the exit status.
const LOOK: Duration = Duration::from_millis(5);

/// The trace that receives the log of a process: that of the unit for which it works.
pub(crate) type LogTo = Arc<Mutex<Trace>>;

/// A running process. When it is dropped, after its connection, it may end by itself for a while; then it is killed.
pub(crate) struct Process {
    child: Arc<Mutex<Child>>,
    group: Pid,
    patience: Duration,
    log: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a process whose standard input and output are the returned stream.
    pub(crate) fn start(mut command: Command, log_to: LogTo) -> std::io::Result<(Self, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        command.stdin(Stdio::from(OwnedFd::from(theirs.try_clone()?)));
        command.stdout(Stdio::from(OwnedFd::from(theirs)));
        command.stderr(Stdio::piped());
        // A group of its own, so that what `sh` or the agent starts can be ended with it.
        let mut child = command.process_group(0).spawn()?;
        let group = Pid::from_child(&child);
        groups().push(group);
        // The command holds our copies of the other end; while they are open, the end of the process is not seen.
        drop(command);
        let stderr = child.stderr.take();
        let log = stderr.map(|stderr| thread::spawn(move || copy(stderr, &log_to)));
        Ok((Self { child: Arc::new(Mutex::new(child)), group, patience: ENDING, log }, ours))
    }

    /// Says how the process ended, after its connection was closed.
    pub(crate) fn ending(&mut self) -> String {
        let end = Instant::now() + ENDING;
        while Instant::now() < end {
            if let Some(status) = status(&self.child) {
                // The last lines of the log may still be on their way.
                while Instant::now() < end && self.log.as_ref().is_some_and(|log| !log.is_finished()) {
                    thread::sleep(LOOK);
                }
                return format!("the process ended ({status})");
            }
            thread::sleep(LOOK);
        }
        "the process closed its connection".to_owned()
    }
}

impl Process {
    /// Returns whether the process has ended.
    pub(crate) fn has_ended(&self) -> bool {
        status(&self.child).is_some()
    }

    /// Returns what says whether the process has ended, for a connection that a child of it may hold open.
    pub(crate) fn watch(&self) -> impl Fn() -> bool + Send + 'static {
        let child = self.child.clone();
        move || status(&child).is_some()
    }

    /// Kills it at once when it is dropped: it has shown that it does not keep the protocol.
    pub(crate) fn lose_patience(&mut self) {
        self.patience = Duration::ZERO;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let end = Instant::now() + self.patience;
        while Instant::now() < end && !self.has_ended() {
            thread::sleep(LOOK);
        }
        kill(self.group);
        groups().retain(|group| *group != self.group);
        // It has ended, or is ending: the wait leaves no process without a parent.
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).wait();
    }
}

/// The groups of all processes that run.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all processes of native agents, for a command that ends in the middle of its work.
pub fn kill_all() {
    groups().drain(..).for_each(kill);
}

fn kill(group: Pid) {
    // There is none left if all of the group have ended.
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

fn status(child: &Mutex<Child>) -> Option<ExitStatus> {
    child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().ok().flatten()
}

/// Copies standard error line by line into the trace of the unit that runs, until it is closed.
fn copy(stderr: ChildStderr, log_to: &LogTo) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match stderr.by_ref().take(LINE_BYTES as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                log_to.lock().unwrap_or_else(PoisonError::into_inner).add_line(text.trim_end());
            }
        }
    }
}
