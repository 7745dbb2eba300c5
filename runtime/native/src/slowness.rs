//! Calls a function when an agent takes long to describe itself, as it does while its imports run.

use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::source::Source;

/// How long an agent may take before it is called slow.
const USUAL: Duration = Duration::from_secs(5);

static TELL: OnceLock<fn(&Source)> = OnceLock::new();

/// Sets what is called, once for each agent, while the command waits more than five seconds for its description. The
/// first call counts.
pub fn when_slow(tell: fn(&Source)) {
    let _ = TELL.set(tell);
}

/// Calls what [`when_slow`] has set unless the returned value is dropped before.
pub(crate) fn announced(source: &Source) -> Option<Sender<()>> {
    let (tell, source) = (*TELL.get()?, source.clone());
    let (sender, receiver) = channel::<()>();
    thread::spawn(move || {
        if receiver.recv_timeout(USUAL) == Err(RecvTimeoutError::Timeout) {
            tell(&source);
        }
    });
    Some(sender)
}
