//! Compiles agents, in this process or in a child process whose CPU time and memory are limited.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread;

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};

use crate::artifact;
use crate::engine::{Execution, Nans, engine};
use crate::load_error::{LoadError, one_line};
use crate::machine_code::MachineCode;
use jointly_core::printable::clean;

/// The argument by which a command is asked to compile an agent; the second names the mode of execution.
const ARGUMENT: &str = "compile-agent";

/// The CPU time of compiling a file, in seconds: some for any file, and more for each MiB.
const SECONDS: u64 = 20;
const SECONDS_A_MIB: u64 = 10;
/// The seconds after which the system ends a child that has ignored the limit.
const GRACE: u64 = 5;

/// The memory of compiling a file, in MiB: some for any file, and more for each MiB.
const MEMORY: u64 = 1 << 10;
const MEMORY_A_MIB: u64 = 64;

/// The bytes of the machine code of a file: some for any file, and more for each of its bytes.
const CODE: u64 = 64 << 20;
const CODE_A_BYTE: u64 = 8;

/// The most bytes that are kept of what a child says on standard error.
const LAST_WORDS: u64 = 4 << 10;

/// The meaning of the first byte of a child's answer.
const COMPILED: u8 = b'c';
const MALFORMED: u8 = b'm';
const REFUSED: u8 = b'r';

/// Where agents are compiled.
#[derive(Clone, Debug, Default)]
pub enum Compiler {
    /// In this process, whose time and memory nothing limits but the [limits](LoadError::TooLarge) of a file.
    #[default]
    InProcess,
    /// In child processes with limits of CPU time and memory. They run this executable, whose `main` begins with
    /// [`compile_if_asked`](crate::compile_if_asked).
    Child(PathBuf),
}

impl Compiler {
    /// Compiles the agent in a file that has passed its [inspection](artifact::inspect).
    pub(crate) fn compile(&self, execution: Execution, bytes: &[u8]) -> Result<MachineCode, LoadError> {
        match self {
            Self::InProcess => compile(execution, bytes),
            Self::Child(executable) => in_child(executable, execution, bytes),
        }
    }
}

/// Compiles an agent if the arguments of this process ask for it, and returns the exit code, with which `main` should
/// return at once. An executable that calls this first can be a [`Compiler::Child`].
pub fn compile_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let served = match arguments.next().as_deref().and_then(execution_of) {
        Some(execution) => serve(execution),
        None => Err(io::Error::other(format!("{ARGUMENT} is for the command itself: no mode of execution is named"))),
    };
    if let Err(error) = &served {
        let _ = writeln!(io::stderr(), "jointly: {error}");
    }
    Some(if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compile(execution: Execution, bytes: &[u8]) -> Result<MachineCode, LoadError> {
    let component = artifact::component(bytes)?;
    let compile = |nans, component: &[u8]| {
        MachineCode::compile(&engine(execution, nans)?, component).map_err(|error| LoadError::Engine(one_line(&error)))
    };
    let with_sinks = match execution {
        Execution::WithoutSinks => None,
        Execution::Compiled | Execution::Interpreted => jointly_sinks::with_sinks(&component).ok(),
    };
    match with_sinks {
        Some(component) => compile(Nans::ByComponent, &component),
        None => compile(Nans::Everywhere, &component),
    }
}

fn execution_of(name: &std::ffi::OsStr) -> Option<Execution> {
    [Execution::Compiled, Execution::Interpreted, Execution::WithoutSinks]
        .into_iter()
        .find(|execution| name == execution_name(*execution))
}

fn execution_name(execution: Execution) -> &'static str {
    match execution {
        Execution::Compiled => "compiled",
        Execution::Interpreted => "interpreted",
        Execution::WithoutSinks => "without-sinks",
    }
}

/// Reads a file from standard input, under the limits of its size, and writes its code to standard output.
fn serve(execution: Execution) -> io::Result<()> {
    // No child is left behind by a command that is killed, and none writes its memory to the disk.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    limit(Resource::Core, 0, 0)?;
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let (seconds, memory) = allowance(bytes.len());
    limit(Resource::Cpu, seconds, seconds + GRACE)?;
    // Not every system limits the address space.
    let bounded = limit(Resource::As, memory << 20, memory << 20);
    if cfg!(target_os = "linux") {
        bounded?;
    }
    let answer = compile(execution, &bytes);
    let mut out = io::stdout().lock();
    match &answer {
        Ok(code) => out.write_all(&[COMPILED]).and_then(|()| out.write_all(code.bytes()))?,
        Err(LoadError::Malformed(text)) => out.write_all(&[&[MALFORMED], text.as_bytes()].concat())?,
        Err(LoadError::Engine(text)) => out.write_all(&[&[REFUSED], text.as_bytes()].concat())?,
        Err(error) => return Err(io::Error::other(error.to_string())),
    }
    out.flush()
}

/// Limits this process, by no more than it is limited already.
fn limit(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let already = getrlimit(resource).maximum;
    let least = |value: u64| Some(already.map_or(value, |already| already.min(value)));
    Ok(setrlimit(resource, Rlimit { current: least(soft), maximum: least(hard) })?)
}

/// Returns the seconds of CPU time and the MiB of memory that compiling a file of `bytes` bytes may take, within the
/// limits that this process has, which a child inherits.
fn allowance(bytes: usize) -> (u64, u64) {
    let mib = (bytes as u64).div_ceil(1 << 20);
    let within = |resource, unit: u64, value: u64| {
        getrlimit(resource).current.map_or(value, |already| value.min(already / unit))
    };
    let seconds = within(Resource::Cpu, 1, SECONDS + SECONDS_A_MIB * mib);
    (seconds, within(Resource::As, 1 << 20, MEMORY + MEMORY_A_MIB * mib))
}

fn in_child(executable: &Path, execution: Execution, bytes: &[u8]) -> Result<MachineCode, LoadError> {
    let arguments: [OsString; 2] = [ARGUMENT.into(), execution_name(execution).into()];
    let child = Command::new(executable)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| LoadError::Compiler(format!("it cannot be started: {error}")))?;
    let (seconds, memory) = allowance(bytes.len());
    let failed = |error: io::Error| LoadError::Compiler(format!("its answer cannot be read: {error}"));
    let most = CODE + CODE_A_BYTE * bytes.len() as u64;
    let Ended { status, answer, last_words } = converse(child, bytes, most).map_err(failed)?;
    if answer.len() as u64 > most {
        return Err(LoadError::TooLarge { what: "bytes of machine code", value: answer.len() as u64, limit: most });
    }
    if status.success()
        && let Some((first, rest)) = answer.split_first()
    {
        let text = || clean(&String::from_utf8_lossy(rest));
        match *first {
            COMPILED => return Ok(MachineCode::from_child(answer, 1)),
            MALFORMED => return Err(LoadError::Malformed(text())),
            REFUSED => return Err(LoadError::Engine(text())),
            _ => {}
        }
    }
    Err(failure(status, &last_words, seconds, memory))
}

/// How a child ended, and what it wrote.
struct Ended {
    status: ExitStatus,
    answer: Vec<u8>,
    last_words: Vec<u8>,
}

/// Gives a child its input, and reads its answer to the end, or one byte more than `most`.
fn converse(mut child: Child, bytes: &[u8], most: u64) -> io::Result<Ended> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let listener = thread::spawn(move || {
        let (mut kept, Some(mut stderr)) = (Vec::new(), stderr) else { return Vec::new() };
        // What is not kept is read too: a full pipe would stop the child.
        let _ = stderr.by_ref().take(LAST_WORDS).read_to_end(&mut kept);
        let _ = io::copy(&mut stderr, &mut io::sink());
        kept
    });
    // A child that has ended reads no more; its status says why.
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(bytes);
    }
    let mut answer = Vec::new();
    let read = stdout.map(|stdout| stdout.take(most + 1).read_to_end(&mut answer)).transpose();
    if read.is_err() || answer.len() as u64 > most {
        let _ = child.kill();
    }
    let status = child.wait()?;
    let last_words = listener.join().unwrap_or_default();
    read.map(|_| Ended { status, answer, last_words })
}

/// Says why a child has given no answer.
fn failure(status: ExitStatus, last_words: &[u8], seconds: u64, memory: u64) -> LoadError {
    let words = String::from_utf8_lossy(last_words);
    if status.signal() == Some(Signal::XCPU.as_raw()) {
        return LoadError::CompileTime(seconds);
    }
    if words.contains("memory allocation of") {
        return LoadError::CompileMemory(memory);
    }
    let last = words.lines().rfind(|line| !line.trim().is_empty()).map_or(String::new(), |line| format!(": {line}"));
    LoadError::Compiler(clean(&format!("{status}{last}")))
}
