//! The reasons for which an entry cannot take part: a secret or a component that was not revealed, or one that this host
//! cannot run.

use std::fmt;

use anyhow::{Result, bail};
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
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret => f.write_str("its secret is not revealed"),
            Self::Component => f.write_str("its component is not in agents/"),
            Self::Fitness(why) => write!(f, "its component cannot take part: {why}"),
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
            lacks.extend(unfit(folder, runtime, entry)?.map(Self::Fitness));
        } else {
            lacks.push(Self::Component);
        }
        Ok(lacks)
    }
}

/// Returns why the component of an entry cannot take part, if it cannot.
///
/// # Errors
/// When the compiler reaches its limits, which another machine might not: this must not decide who takes part.
fn unfit(folder: &ContestFolder, runtime: &Runtime, entry: &ContestEntry) -> Result<Option<String>> {
    let plan = &folder.rules.plan;
    let bytes = match folder.files().whole(Kept::Agent, &entry.digest) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Some(format!("{error:#}"))),
    };
    let agent = match runtime.load(&bytes, plan.limits) {
        Ok(agent) => agent,
        Err(error @ (LoadError::CompileTime(_) | LoadError::CompileMemory(_) | LoadError::Compiler(_))) => {
            bail!("{} cannot be compiled here, and might be on another machine: {error}", entry.shown())
        }
        Err(error) => return Ok(Some(error.to_string())),
    };
    let (own, interface) = (&agent.description().name, (plan.kind().interface)(&plan.suite));
    if *own != entry.agent {
        return Ok(Some(format!("it calls itself {own}")));
    }
    Ok((!agent.supports(interface)).then(|| format!("it does not support {interface}")))
}
