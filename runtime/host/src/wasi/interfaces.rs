//! The offered interfaces, each with the function that links it.

use wasmtime::component::{Linker, LinkerInstance};

use super::{cli, clocks, filesystem, http, io, random, sockets};
use crate::meter::Meter;

/// The release whose functions are linked. The linker accepts it for any other release of the same minor version.
const RELEASE: &str = "0.2.12";
const MINOR: &str = "0.2.";

type Link = fn(&mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()>;

/// The interfaces that toolchains of C, JavaScript, Python and Rust import, and insecure random numbers.
const OFFERED: [(&str, Link); 29] = [
    ("wasi:cli/environment", cli::environment),
    ("wasi:cli/exit", cli::exit),
    ("wasi:cli/stderr", cli::stderr),
    ("wasi:cli/stdin", cli::stdin),
    ("wasi:cli/stdout", cli::stdout),
    ("wasi:cli/terminal-input", cli::terminal_input),
    ("wasi:cli/terminal-output", cli::terminal_output),
    ("wasi:cli/terminal-stderr", cli::terminal_stderr),
    ("wasi:cli/terminal-stdin", cli::terminal_stdin),
    ("wasi:cli/terminal-stdout", cli::terminal_stdout),
    ("wasi:clocks/monotonic-clock", clocks::monotonic),
    ("wasi:clocks/wall-clock", clocks::wall),
    ("wasi:filesystem/preopens", filesystem::preopens),
    ("wasi:filesystem/types", filesystem::types),
    ("wasi:http/outgoing-handler", http::outgoing_handler),
    ("wasi:http/types", http::types),
    ("wasi:io/error", io::error),
    ("wasi:io/poll", io::poll),
    ("wasi:io/streams", io::streams),
    ("wasi:random/insecure", random::insecure),
    ("wasi:random/insecure-seed", random::insecure_seed),
    ("wasi:random/random", random::random),
    ("wasi:sockets/instance-network", sockets::instance_network),
    ("wasi:sockets/ip-name-lookup", sockets::ip_name_lookup),
    ("wasi:sockets/network", sockets::network),
    ("wasi:sockets/tcp", sockets::tcp),
    ("wasi:sockets/tcp-create-socket", sockets::tcp_create_socket),
    ("wasi:sockets/udp", sockets::udp),
    ("wasi:sockets/udp-create-socket", sockets::udp_create_socket),
];

/// Links all offered interfaces.
pub(crate) fn link(linker: &mut Linker<Meter>) -> wasmtime::Result<()> {
    OFFERED.iter().try_for_each(|(name, link)| link(&mut linker.instance(&format!("{name}@{RELEASE}"))?))
}

/// Returns whether an interface of this name and version is offered.
pub(crate) fn offers(import: &str) -> bool {
    let Some((name, version)) = import.split_once('@') else { return false };
    let patch = version.strip_prefix(MINOR).unwrap_or_default();
    let released = !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit());
    released && OFFERED.iter().any(|(offered, _)| *offered == name)
}

#[cfg(test)]
mod tests {
    use super::offers;

    #[test]
    fn any_release_of_the_minor_version_will_do() {
        for version in ["0.2.0", "0.2.9", "0.2.12", "0.2.400"] {
            assert!(offers(&format!("wasi:cli/stdout@{version}")), "{version}");
        }
        for version in ["0.2", "0.2.", "0.20.1", "0.3.0", "1.0.0", "0.2.0-rc-2023-11-10", "0.2.+1"] {
            assert!(!offers(&format!("wasi:cli/stdout@{version}")), "{version}");
        }
    }

    #[test]
    fn only_what_is_listed_is_offered() {
        assert!(offers("wasi:io/poll@0.2.0"));
        assert!(!offers("wasi:io/poll"));
        assert!(!offers("wasi:keyvalue/store@0.2.0"));
        assert!(!offers("wasi:http/incoming-handler@0.2.0"));
    }
}
