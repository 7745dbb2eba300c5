//! Exit codes, and how an error reaches a person.

use std::io;
use std::process::ExitCode;

/// Everything asked for was done.
pub(crate) const DONE: u8 = 0;
/// A defect of this command.
pub(crate) const INTERNAL: u8 = 1;
/// Wrong usage or bad input; nothing that was finished is lost.
pub(crate) const BAD_INPUT: u8 = 2;
/// Done, but some agent failed on some problem.
pub(crate) const SOME_FAILED: u8 = 3;
/// Interrupted from the keyboard, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Prints an error as one line and gives the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(broken_pipe) {
        // Whoever read the output has read enough.
        return ExitCode::from(DONE);
    }
    let text = format!("{error:#}");
    eprintln!("jointly: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    ExitCode::from(BAD_INPUT)
}

/// A panic is a defect of this command: say so, and end at once rather than wait for other threads.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("jointly: internal error: {panic}; finished units are kept, and this is worth reporting");
        std::process::exit(i32::from(INTERNAL));
    }));
}
