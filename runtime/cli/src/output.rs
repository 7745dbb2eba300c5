//! Writes to standard output and standard error, without a panic when nobody reads them.

use std::io::{self, BufWriter, IsTerminal, Read, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use jointly_host::is_printable;
use jointly_record::directory;

/// The longest message shown, in characters: messages quote files and guests.
const MESSAGE_CHARS: usize = 2_000;

/// Whether texts go to standard error, because a JSON document follows on standard output.
static TO_STDERR: AtomicBool = AtomicBool::new(false);

/// Lets standard output have a JSON document alone: texts go to standard error from now on.
pub(crate) fn leave_stdout_to_json() {
    TO_STDERR.store(true, Ordering::Relaxed);
}

/// Writes text and a final newline to standard output. A reader that has gone away is no error: it has read enough.
pub(crate) fn print(text: &str) -> Result<()> {
    if TO_STDERR.load(Ordering::Relaxed) {
        let _ = writeln!(io::stderr().lock(), "{}", text.trim_end_matches('\n'));
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    let text = text.trim_end_matches('\n');
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("failed to write to standard output"),
    }
}

/// Writes one line to standard output.
pub(crate) fn print_line(text: &str) -> Result<()> {
    print(&one_line(text))
}

/// Writes what a file holds to standard output, part by part.
pub(crate) fn print_from(mut file: impl Read) -> Result<()> {
    print_with(|stdout| io::copy(&mut file, stdout).map(drop))
}

/// Writes a value as indented JSON to standard output, part by part.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print_with(|stdout| directory::write_json(stdout, value))
}

fn print_with(write: impl FnOnce(&mut BufWriter<StdoutLock>) -> io::Result<()>) -> Result<()> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What is left in the buffer cannot be written either.
            drop(stdout.into_parts());
            Ok(())
        }
        written => written.context("failed to write to standard output"),
    }
}

/// Writes one line to standard error, and ignores errors.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", one_line(text));
}

/// Writes one line to standard error if a person is watching.
pub(crate) fn hint(text: &str) {
    if io::stderr().is_terminal() {
        note(text);
    }
}

/// Writes lines of an agent to standard error as they are indented, without what is not printable.
pub(crate) fn quote(lines: &[String]) {
    for line in lines {
        let line: String = line.chars().filter(|c| is_printable(*c)).take(MESSAGE_CHARS).collect();
        let _ = writeln!(io::stderr().lock(), "{line}");
    }
}

/// Returns one printable line of bounded length, whatever the text contains.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| is_printable(*c)).take(MESSAGE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::{MESSAGE_CHARS, one_line};

    #[test]
    fn a_message_is_one_printable_line_of_bounded_length() {
        assert_eq!(one_line("a\n  b\x1b[31m\tc"), "a b[31m c");
        assert_eq!(one_line("a\u{202e}b"), "ab");
        assert_eq!(one_line(&"x".repeat(10 * MESSAGE_CHARS)).len(), MESSAGE_CHARS);
    }
}
