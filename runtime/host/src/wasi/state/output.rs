//! Printed text of a guest, split into lines for its log.

use std::mem;

use jointly_core::trace::LINE_BYTES;

/// The lines that are being printed.
#[derive(Default)]
pub(in crate::wasi) struct Output([Line; 2]);

/// The start of an unfinished line, limited to what the log would keep.
#[derive(Default)]
struct Line {
    begun: bool,
    kept: Vec<u8>,
}

impl Output {
    /// Adds text that is printed to a stream; every finished line goes to `log`.
    pub(in crate::wasi) fn print(&mut self, stream: u32, mut bytes: &[u8], mut log: impl FnMut(&str)) {
        let line = &mut self.0[usize::from(stream != 0)];
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            line.add(&bytes[..end]);
            log(&line.end());
            bytes = &bytes[end + 1..];
        }
        if !bytes.is_empty() {
            line.add(bytes);
        }
    }

    /// Finishes the lines that have no line end yet.
    pub(in crate::wasi) fn end_lines(&mut self) -> impl Iterator<Item = String> {
        self.0.iter_mut().filter(|line| line.begun).map(Line::end)
    }
}

impl Line {
    fn add(&mut self, bytes: &[u8]) {
        self.begun = true;
        let room = LINE_BYTES - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end(&mut self) -> String {
        self.begun = false;
        String::from_utf8_lossy(&mem::take(&mut self.kept)).trim_end_matches('\r').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, Output};

    fn lines(output: &mut Output, stream: u32, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        output.print(stream, text.as_bytes(), |line| lines.push(line.to_owned()));
        lines
    }

    #[test]
    fn lines_are_whole_however_they_are_printed() {
        let mut output = Output::default();
        assert_eq!(lines(&mut output, 0, "one"), [""; 0]);
        assert_eq!(lines(&mut output, 1, "err\n"), ["err"]);
        assert_eq!(lines(&mut output, 0, " line\r\n\nthe "), ["one line", ""]);
        assert_eq!(lines(&mut output, 1, "last"), [""; 0]);
        assert_eq!(output.end_lines().collect::<Vec<_>>(), ["the ", "last"]);
        assert_eq!(output.end_lines().count(), 0);
    }

    #[test]
    fn a_line_without_an_end_is_bounded() {
        let mut output = Output::default();
        for _ in 0..100 {
            assert_eq!(lines(&mut output, 0, &"x".repeat(100_000)), [""; 0]);
        }
        assert_eq!(output.0[0].kept.len(), LINE_BYTES);
        assert_eq!(lines(&mut output, 0, "y\nz\n"), ["x".repeat(LINE_BYTES).as_str(), "z"]);
    }
}
