//! One connection to a native agent: requests and replies.

use std::io::{ErrorKind, Read, Write};
use std::sync::PoisonError;
use std::time::Duration;

use jointly_core::Trace;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::PROTOCOL;
use crate::array::{self, Announced, Array, Number, announced};
use crate::connection::Connection;
use crate::described::{Described, Reported};
use crate::fault::Fault;
use crate::process::{LogTo, Process};

/// The largest header, in bytes.
const MAX_HEADER: u32 = 16 << 20;

/// A connection to a native agent, with the process if the host started it.
pub(crate) struct Session {
    connection: Connection,
    process: Option<Process>,
    log_to: LogTo,
}

/// The header of a reply, of which each request uses a part.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Reply {
    #[serde(default)]
    pub(crate) arrays: Vec<Announced>,
    #[serde(default)]
    pub(crate) none: bool,
    #[serde(default)]
    pub(crate) trained: bool,
    #[serde(default)]
    pub(crate) dropped: bool,
    protocol: Option<u64>,
    description: Option<Described>,
    progress: Option<f32>,
    log: Option<String>,
    failure: Option<Reported>,
}

impl Session {
    pub(crate) fn new(connection: Connection, process: Option<Process>, log_to: LogTo) -> Self {
        Self { connection, process, log_to }
    }

    /// Sends the log and the progress to a unit's trace from now on.
    pub(crate) fn trace_to(&self, trace: &Trace) {
        *self.log_to.lock().unwrap_or_else(PoisonError::into_inner) = trace.clone();
    }

    /// Returns whether the agent, as far as can be told, waits for a request.
    pub(crate) fn waits(&self) -> bool {
        self.connection.is_idle() && self.process.as_ref().is_none_or(|process| !process.has_ended())
    }

    /// Closes the connection and returns the process, which may still be ending.
    pub(crate) fn close(self) -> Option<Process> {
        self.process
    }

    /// Ends a connection that has failed. What the agent logs because of that is not about the unit.
    pub(crate) fn abandon(mut self) {
        self.trace_to(&Trace::default());
        if let Some(process) = &mut self.process {
            process.lose_patience();
        }
    }

    /// Asks for the agent's description.
    pub(crate) fn describe(&mut self, timeout: Duration) -> Result<Described, Fault> {
        let reply = self.ask(&json!({ "method": "describe", "protocol": PROTOCOL }), &[], timeout)?;
        if reply.protocol != Some(PROTOCOL) {
            let theirs = reply.protocol.map_or("no protocol".to_owned(), |version| format!("protocol {version}"));
            return Err(Fault::Invalid(format!("speaks {theirs} and this command speaks protocol {PROTOCOL}")));
        }
        reply.description.ok_or_else(|| Fault::Invalid("answers `describe` without a description".into()))
    }

    /// Sends a request and reads the header of its reply; progress and log that come before go to the trace.
    pub(crate) fn ask(&mut self, request: &Value, arrays: &[Array], timeout: Duration) -> Result<Reply, Fault> {
        self.connection.within(timeout);
        self.send(request, arrays).map_err(|error| self.fault(&error))?;
        loop {
            let reply = self.header()?;
            if let Some(failure) = reply.failure {
                let trace = self.trace();
                failure.traceback.iter().flat_map(|text| text.lines()).for_each(|line| trace.add_line(line));
                return Err(failure.fault());
            }
            match (reply.progress, &reply.log) {
                (None, None) => return Ok(reply),
                (progress, log) => {
                    let trace = self.trace();
                    if let Some(fraction) = progress {
                        trace.set_progress(fraction);
                    }
                    log.iter().flat_map(|text| text.lines()).for_each(|line| trace.add_line(line));
                }
            }
        }
    }

    /// Reads the arrays of a reply, which must be exactly one, of this name and shape.
    pub(crate) fn only<T: Number>(&mut self, reply: &Reply, name: &str, shape: &[usize]) -> Result<Vec<T>, Fault> {
        expect(reply, &[announced::<T>(name, shape)])?;
        self.values(shape)
    }

    /// Reads the numbers of the next array, which was announced with this shape.
    pub(crate) fn values<T: Number>(&mut self, shape: &[usize]) -> Result<Vec<T>, Fault> {
        let count = shape.iter().product();
        array::read(count, &mut self.connection).map_err(|error| self.fault(&error))
    }

    fn send(&mut self, request: &Value, arrays: &[Array]) -> std::io::Result<()> {
        let mut request = request.clone();
        if !arrays.is_empty() {
            request["arrays"] = arrays.iter().map(|array| json!(array.announced)).collect();
        }
        let header = serde_json::to_vec(&request)?;
        let length = u32::try_from(header.len()).map_err(|_| ErrorKind::InvalidInput)?;
        self.connection.write_all(&[&length.to_le_bytes()[..], &header].concat())?;
        arrays.iter().try_for_each(|array| array.write(&mut self.connection))
    }

    fn header(&mut self) -> Result<Reply, Fault> {
        let mut length = [0; 4];
        self.connection.read_exact(&mut length).map_err(|error| self.fault(&error))?;
        let announced = u32::from_le_bytes(length);
        if announced > MAX_HEADER {
            return Err(self.stray(&length, "a header of more than 16 MiB"));
        }
        let mut header = vec![0; announced as usize];
        self.connection.read_exact(&mut header).map_err(|error| self.fault(&error))?;
        serde_json::from_slice(&header)
            .map_err(|error| self.stray(&header, &format!("a header that cannot be read ({error})")))
    }

    fn fault(&mut self, error: &std::io::Error) -> Fault {
        match error.kind() {
            ErrorKind::TimedOut => Fault::TimedOut(self.connection.timeout().as_secs()),
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => {
                let ending = self.process.as_mut().map(Process::ending);
                Fault::Ended(ending.unwrap_or_else(|| "the server closed the connection".to_owned()))
            }
            _ => Fault::Ended(format!("the connection failed: {error}")),
        }
    }

    /// Describes bytes that are no message; the usual cause is text that a process prints to standard output.
    fn stray(&self, bytes: &[u8], what: &str) -> Fault {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
        let advice = "; standard output is the connection: print to standard error";
        let advice = if self.process.is_some() { advice } else { "" };
        Fault::Invalid(format!("sends {what}, beginning {start:?}{advice}"))
    }

    fn trace(&self) -> Trace {
        self.log_to.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Checks that a reply announces exactly these arrays.
pub(crate) fn expect(reply: &Reply, expected: &[Announced]) -> Result<(), Fault> {
    let text = |arrays: &[Announced]| {
        let each = arrays.iter().map(|Announced { name, dtype, shape }| {
            let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!("{name} {dtype} ({})", shape.join(", "))
        });
        let all: Vec<String> = each.take(4).collect();
        if all.is_empty() { "no array".to_owned() } else { all.join(" and ") }
    };
    if reply.arrays == expected {
        return Ok(());
    }
    Err(Fault::Invalid(format!("answers with {}, expected {}", text(&reply.arrays), text(expected))))
}
