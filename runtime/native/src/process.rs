//! A process of a native agent: its connection, its log, and how it ended.

use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use jointly_core::Trace;
use jointly_core::trace::LINE_BYTES;

/// How long a process that has closed its connection may take to end, and its log to be read.
const ENDING: Duration = Duration::from_secs(1);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The trace that receives the log of a process: that of the unit for which it works.
pub(crate) type LogTo = Arc<Mutex<Trace>>;

/// A running process. When it is dropped, after its connection, it may end by itself for a while; then it is killed.
pub(crate) struct Process {
    child: Child,
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
        let mut child = command.spawn()?;
        // The command holds our copies of the other end; while they are open, the end of the process is not seen.
        drop(command);
        let stderr = child.stderr.take();
        let log = stderr.map(|stderr| thread::spawn(move || copy(stderr, &log_to)));
        Ok((Self { child, patience: ENDING, log }, ours))
    }

    /// Says how the process ended, after its connection was closed.
    pub(crate) fn ending(&mut self) -> String {
        let end = Instant::now() + ENDING;
        while Instant::now() < end {
            if let Ok(Some(status)) = self.child.try_wait() {
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
    /// Kills it at once when it is dropped: it has shown that it does not keep the protocol.
    pub(crate) fn lose_patience(&mut self) {
        self.patience = Duration::ZERO;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let end = Instant::now() + self.patience;
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(LOOK);
        }
        // What it started is not followed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
