//! Where a native agent is reached: a command, a Python file, or a socket.

use std::fmt;
use std::path::PathBuf;

/// Where a native agent is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A command for `sh`.
    Command(String),
    /// A Python file, run with `python3`.
    Python(PathBuf),
    /// A Unix socket on which the agent listens.
    Socket(PathBuf),
}

impl Source {
    /// Reads `exec:COMMAND`, `socket:PATH` or the path of a `.py` file; returns `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(command) = text.strip_prefix("exec:") {
            return Some(Self::Command(command.trim().to_owned()));
        }
        if let Some(path) = text.strip_prefix("socket:") {
            return Some(Self::Socket(path.into()));
        }
        let path = PathBuf::from(text);
        path.extension().is_some_and(|extension| extension == "py").then_some(Self::Python(path))
    }
}

impl fmt::Display for Source {
    /// Writes what [`parse`](Source::parse) reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => write!(f, "exec:{command}"),
            Self::Python(path) => f.write_str(&path.to_string_lossy()),
            Self::Socket(path) => write!(f, "socket:{}", path.to_string_lossy()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn native_agents_are_told_from_components() {
        for text in ["exec:Rscript agent.R --fast", "socket:/tmp/a:b.sock", "agents/mine.py"] {
            assert_eq!(Source::parse(text).unwrap().to_string(), text);
        }
        for text in ["mlp", "agent.wasm", "python", "py"] {
            assert_eq!(Source::parse(text), None);
        }
    }
}
