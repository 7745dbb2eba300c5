//! A native agent: where it is reached, and its description.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jointly_core::description::{Description, LONGEST_TEXT};
use jointly_core::failure::{Failure, Phase};
use jointly_core::interface::{Interface, LONGEST_NAME};
use jointly_core::limits::Limits;
use jointly_core::regression::{RegressionTask, Regressor as _, Targets};
use jointly_core::setting::Setting;
use jointly_core::{Classifier as _, Dataset, Matrix, Task, Trace};

use crate::classifier::Takes;
use crate::described::INVALID_SETTING;
use crate::fault::Fault;
use crate::pool::Pool;
use crate::slowness;
use crate::source::Source;
use crate::{NativeClassifier, NativeRegressor};

/// Seconds that an agent may take to refuse its settings.
const TRIAL: u64 = 60;

/// Why a native agent cannot take part; every message fits after "failed to start AGENT: ".
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The process cannot be started, or the socket cannot be reached.
    #[error("{0}; {1}")]
    Unreachable(std::io::Error, &'static str),
    /// It does not describe itself; its log says more.
    #[error("{}", .0.message)]
    Describe(Failure, Vec<String>),
    /// Its name is not valid on a leaderboard.
    #[error("calls itself {0:?}; a name is 1 to {LONGEST_NAME} letters, digits and + . _ - (the description's `name`)")]
    Name(String),
    /// A name or value of the description is not printable or too long.
    #[error("describes {0:?} by a name or value that is not printable or longer than {LONGEST_TEXT} bytes")]
    Text(String),
    /// It supports no kind of task.
    #[error("supports no kind of task: `kinds` of its description is empty")]
    NoKind,
}

/// An agent outside the sandbox. Cheap to clone.
#[derive(Clone)]
pub struct NativeAgent(Arc<Inner>);

struct Inner {
    digest: String,
    description: Description,
    kinds: Vec<Interface>,
    pool: Arc<Pool>,
}

impl StartError {
    /// Returns the log of an agent that ended before it described itself, such as the traceback of a failed import, where
    /// it has more lines than the message quotes.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Describe(_, log) if log.len() > 1 => log,
            _ => &[],
        }
    }
}

impl NativeAgent {
    /// Starts or reaches the agent and asks for its description.
    ///
    /// The digest is that of the description, and of the file for a Python file.
    ///
    /// # Errors
    /// When it cannot be started or reached, or its description cannot be used.
    pub fn start(source: Source, limits: Limits) -> Result<Self, StartError> {
        let (remedy, trace) = (remedy(&source), Trace::default());
        let timeout = Duration::from_secs(limits.timeout);
        if let Source::Python(file) = &source {
            let readable = std::fs::metadata(file);
            readable.map_err(|error| StartError::Unreachable(error, "give the path of a .py"))?;
        }
        let pool = Pool::new(source);
        let mut session = pool.open(&trace, timeout).map_err(|error| StartError::Unreachable(error, remedy))?;
        let told = slowness::announced(pool.source());
        let described = session.describe(timeout);
        drop(told);
        let described = described.map_err(|fault| match fault {
            Fault::Ended(how) if matches!(pool.source(), Source::Python(_)) && how.contains("exit status: 0") => {
                Fault::Ended(format!("{how}; the file of an agent ends with je.serve(MyAgent())"))
            }
            fault => fault,
        });
        let described =
            described.map_err(|fault| StartError::Describe(fault.into_failure(Phase::Load, &trace), trace.log().0))?;
        let kinds: Vec<Interface> = described.kinds.iter().copied().map(Into::into).collect();
        if kinds.is_empty() {
            return Err(StartError::NoKind);
        }
        let digest = pool.remember(&described).map_err(|error| StartError::Unreachable(error, remedy))?;
        let description = Description::from(described);
        if !description.has_plain_name() {
            return Err(StartError::Name(description.name.chars().take(40).collect()));
        }
        if let Some(text) = description.unfit_text() {
            return Err(StartError::Text(text));
        }
        pool.keep(session);
        Ok(Self(Arc::new(Inner { digest, description, kinds, pool: pool.into() })))
    }

    /// Returns where the agent is reached.
    pub fn source(&self) -> &Source {
        self.0.pool.source()
    }

    /// Returns `sha256:` and the digest of the description, and of the file for a Python file.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// Returns the description that the agent gives of itself.
    pub fn description(&self) -> &Description {
        &self.0.description
    }

    /// Returns whether the agent supports a kind of task.
    pub fn supports(&self, interface: Interface) -> bool {
        self.0.kinds.contains(&interface)
    }

    /// Makes a classifier of the agent with these settings; its progress and log go into `trace`. If the agent does not
    /// support classification, training fails.
    pub fn classifier(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> NativeClassifier {
        let Inner { pool, description, .. } = &*self.0;
        let supported = self.supports(Interface::Classification);
        let takes = Takes { tokens: description.tokens, unlabelled: description.unlabelled };
        NativeClassifier::new(supported.then(|| (pool.clone(), takes)), settings, limits, trace)
    }

    /// Makes a regressor of the agent with these settings; its progress and log go into `trace`. If the agent does not
    /// support regression, training fails.
    pub fn regressor(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> NativeRegressor {
        let supported = self.supports(Interface::Regression);
        NativeRegressor::new(supported.then(|| self.0.pool.clone()), settings, limits, trace)
    }

    /// Trains the agent on no examples and returns its message if it refuses the settings as invalid. Any other outcome
    /// says nothing about the settings, and gives `None`.
    #[expect(clippy::missing_panics_doc, reason = "an empty matrix and an empty data set are valid")]
    pub fn refusal(&self, interface: Interface, settings: &[Setting], limits: Limits) -> Option<String> {
        let trace = Trace::default();
        let limits = Limits { timeout: limits.timeout.min(TRIAL), ..limits };
        let failure = match interface {
            Interface::Classification => {
                let task = Task::new(1, 2);
                let nothing = Matrix::new(0, 1, Vec::new()).expect("no rows");
                let nothing = Dataset::new(&task, nothing, Vec::new()).expect("no rows and no labels");
                self.classifier(settings.to_vec(), limits, trace).train(&task, &nothing, None, None, 0).err()
            }
            Interface::Regression => {
                let task = RegressionTask { input_dim: 1, noise_std: None };
                let nothing = Matrix::new(0, 1, Vec::new()).expect("no rows");
                let nothing = Targets::new(nothing, Vec::new()).expect("no rows and no targets");
                self.regressor(settings.to_vec(), limits, trace).train(&task, &nothing, None, 0).err()
            }
        };
        failure.filter(|failure| failure.message.starts_with(INVALID_SETTING)).map(|failure| failure.message)
    }
}

/// Returns what to do where an agent cannot be reached.
fn remedy(source: &Source) -> &'static str {
    match source {
        Source::Socket(path) if Path::new(path).exists() => "is the agent still listening there?",
        Source::Socket(_) => "start the agent, and give the socket on which it listens",
        Source::Python(_) => "install python3, or name another interpreter by exec:COMMAND",
        Source::Command(_) => "give a command that sh can run",
    }
}
