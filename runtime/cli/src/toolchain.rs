//! The tools that building an agent needs: which are missing on this machine, and how to get them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::language::Language;

/// A tool that a build needs.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    found: fn() -> bool,
    source: Source,
}

/// Where a tool comes from.
enum Source {
    /// A package of Debian and its derivatives.
    Debian(&'static str),
    /// A command that installs it, or the page that offers it.
    Command(&'static str),
    /// A source that depends on this machine.
    Fitting(fn() -> Source),
}

const RUST: &[Tool] = &[
    Tool {
        name: "cargo",
        found: || on_path("cargo"),
        source: Source::Command("curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"),
    },
    Tool {
        name: "Rust's target wasm32-unknown-unknown",
        found: has_rust_target,
        source: Source::Fitting(source_of_rust_target),
    },
];

const C: &[Tool] = &[
    MAKE,
    Tool { name: "clang", found: || on_path("clang"), source: Source::Debian("clang") },
    Tool { name: "wasm-ld", found: || on_path("wasm-ld"), source: Source::Debian("lld") },
    Tool {
        name: "a C library for WebAssembly",
        found: || clang_has("-print-file-name=libc.a"),
        source: Source::Debian("wasi-libc"),
    },
    Tool {
        name: "clang's own library for WebAssembly",
        found: || clang_has("-print-libgcc-file-name"),
        source: Source::Debian("libclang-rt-dev-wasm32"),
    },
];

const PYTHON: &[Tool] = &[
    MAKE,
    Tool { name: "python3", found: || on_path("python3"), source: Source::Debian("python3") },
    Tool { name: "Python's venv", found: has_venv, source: Source::Debian("python3-venv") },
];

const JAVASCRIPT: &[Tool] = &[
    Tool { name: "node 20 or later", found: has_node, source: Source::Fitting(source_of_node) },
    Tool { name: "npm", found: || on_path("npm"), source: Source::Debian("npm") },
];

/// The oldest Node.js that componentize-js runs on.
const OLDEST_NODE: u32 = 20;

const MAKE: Tool = Tool { name: "make", found: || on_path("make"), source: Source::Debian("make") };

/// Returns the tools that a language's build needs and this machine lacks.
pub(crate) fn missing(language: Language) -> Vec<&'static Tool> {
    let tools = match language {
        Language::Rust => RUST,
        Language::C => C,
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
    };
    tools.iter().filter(|tool| !(tool.found)()).collect()
}

/// Returns the commands that install tools, with all Debian packages in one command.
pub(crate) fn commands(tools: &[&Tool]) -> Vec<String> {
    let (mut packages, mut own) = (Vec::new(), Vec::new());
    for tool in tools {
        tool.source.sort(&mut packages, &mut own);
    }
    let debian = (!packages.is_empty()).then(|| format!("sudo apt-get install {}", packages.join(" ")));
    debian.into_iter().chain(own).collect()
}

impl Source {
    /// Adds the source to the Debian packages or to the other commands.
    fn sort(&self, packages: &mut Vec<&'static str>, own: &mut Vec<String>) {
        match self {
            Self::Debian(package) => packages.push(package),
            Self::Command(command) => own.push((*command).to_owned()),
            Self::Fitting(source) => source().sort(packages, own),
        }
    }
}

fn on_path(program: &str) -> bool {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(&file).is_file()))
}

/// Returns the output of a program, if it exists and succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn has_rust_target() -> bool {
    let root = output("rustc", &["--print", "sysroot"]);
    root.is_some_and(|root| Path::new(&root).join("lib/rustlib/wasm32-unknown-unknown/lib").is_dir())
}

/// Returns where to get the Rust target; Rust from a Linux distribution comes without rustup.
fn source_of_rust_target() -> Source {
    if on_path("cargo") && !on_path("rustup") {
        Source::Debian("libstd-rust-dev-wasm32")
    } else {
        Source::Command("rustup target add wasm32-unknown-unknown")
    }
}

fn has_node() -> bool {
    output("node", &["--version"]).and_then(|version| major(&version)).is_some_and(|major| major >= OLDEST_NODE)
}

/// Parses the major version, such as 20 from `v20.11.1`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Returns where to get Node.js. If the distribution's is installed but too old, as in Debian 12, its packages do not
/// help.
fn source_of_node() -> Source {
    if on_path("node") { Source::Command("https://nodejs.org/en/download") } else { Source::Debian("nodejs") }
}

/// Returns whether clang finds a file for WebAssembly; for one that it does not find, it prints the bare name.
fn clang_has(question: &str) -> bool {
    let path = output("clang", &["--target=wasm32-wasi", "-rtlib=compiler-rt", question]).map(PathBuf::from);
    path.is_some_and(|path| path.is_absolute() && path.is_file())
}

/// Returns whether Python can make virtual environments; Debian has this in a separate package, without which
/// `python3 -m venv` fails.
fn has_venv() -> bool {
    output("python3", &["-c", "import ensurepip, venv"]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("v9.0.0"), Some(9));
        assert_eq!(major("20.1"), None);
        assert_eq!(major("v"), None);
    }

    #[test]
    fn packages_are_got_by_one_command() {
        let all: Vec<&Tool> = C.iter().collect();
        assert_eq!(commands(&all), ["sudo apt-get install make clang lld wasi-libc libclang-rt-dev-wasm32"]);
        let all: Vec<&Tool> = RUST.iter().collect();
        assert_eq!(commands(&all).len(), 2);
        assert!(commands(&[]).is_empty());
    }
}
