//! The reasons for which an entry cannot take part: a secret or a component that was not revealed, or one that this host
//! cannot run.

use std::fmt;

use anyhow::Result;
use jointly_host::{LoadError, Runtime};
use jointly_record::kept::Kept;

use crate::entry::ContestEntry;
use crate::folder::ContestFolder;

/// Something that an entry lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The entrant's secret is not revealed.
    Secret,
    /// The component is not in the folder.
    Component,
    /// The component is not the agent that the entry says, or cannot be run.
    Fitness(String),
    /// The compiler reached its limits, which it might not on another machine.
    Compilation(String),
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret => f.write_str("its secret is not revealed"),
            Self::Component => f.write_str("its component is not in agents/"),
            Self::Fitness(why) => write!(f, "its component cannot take part: {why}"),
            Self::Compilation(why) => {
                write!(f, "its component cannot be compiled here, and might be on another machine: {why}")
            }
        }
    }
}

impl Lack {
    /// Returns all that an entry lacks to take part.
    ///
    /// # Errors
    /// When the file of its secret holds another one.
    pub(crate) fn of(folder: &ContestFolder, runtime: &Runtime, entry: &ContestEntry) -> Result<Vec<Self>> {
        let mut lacks = Vec::new();
        if let Some(commitment) = &entry.commitment
            && folder.secret(commitment)?.is_none()
        {
            lacks.push(Self::Secret);
        }
        if folder.has_component(entry) {
            lacks.extend(unfit(folder, runtime, entry));
        } else {
            lacks.push(Self::Component);
        }
        Ok(lacks)
    }
}

/// Returns why the component of an entry cannot take part, if it cannot.
fn unfit(folder: &ContestFolder, runtime: &Runtime, entry: &ContestEntry) -> Option<Lack> {
    let plan = &folder.rules.plan;
    let bytes = match folder.files().whole(Kept::Agent, &entry.digest) {
        Ok(bytes) => bytes,
        Err(error) => return Some(Lack::Fitness(format!("{error:#}"))),
    };
    let agent = match runtime.load(&bytes, plan.limits) {
        Ok(agent) => agent,
        Err(error) => return Some(of_load_error(&error)),
    };
    let (own, interface) = (&agent.description().name, (plan.kind().interface)(&plan.suite));
    if *own != entry.agent {
        return Some(Lack::Fitness(format!("it calls itself {own}")));
    }
    (!agent.supports(interface)).then(|| Lack::Fitness(format!("it does not support {interface}")))
}

/// Tells what another machine might compile from what no machine runs.
fn of_load_error(error: &LoadError) -> Lack {
    let of_machine = matches!(error, LoadError::CompileTime(_) | LoadError::CompileMemory(_) | LoadError::Compiler(_));
    if of_machine { Lack::Compilation(error.to_string()) } else { Lack::Fitness(error.to_string()) }
}

#[cfg(test)]
mod tests {
    use jointly_host::LoadError;

    use super::of_load_error;

    #[test]
    fn a_component_that_reaches_the_compilers_limits_lacks_something_too() {
        let told = |error: &LoadError| of_load_error(error).to_string();
        let slow = LoadError::CompileTime(30);
        let expected = "its component cannot be compiled here, and might be on another machine: ";
        assert_eq!(told(&slow), format!("{expected}{slow}"));
        assert!(told(&LoadError::NotWasm).starts_with("its component cannot take part: not WebAssembly"));
    }
}
