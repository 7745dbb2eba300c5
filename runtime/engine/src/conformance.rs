//! The contract of an agent as clauses that can be tested, each on small trainings of its own.

mod beliefs;
mod draws;
mod kinds;
mod rows;
mod settings;
mod subject;
mod tasks;
mod training;

use jointly_host::Interface;
use serde::Serialize;

pub use subject::Subject;

use crate::agent::Agent;

/// A clause of the contract.
pub struct Clause {
    name: &'static str,
    says: &'static str,
    /// The agents that it applies to.
    of: Of,
    /// Returns the defect, if there is one.
    test: fn(&Subject) -> Result<(), String>,
}

/// The agents that a clause applies to.
#[derive(Clone, Copy)]
enum Of {
    All,
    Only(Interface),
    /// Classifiers that take tokens.
    Tokens,
    /// Classifiers that use inputs without labels.
    Unlabelled,
    /// Classifiers that may train in parts.
    Parts,
}

/// The outcome of one clause for an agent.
#[derive(Serialize)]
pub struct Verdict {
    /// The clause's name.
    pub clause: &'static str,
    /// Its meaning.
    pub says: &'static str,
    /// The interface through which the agent was called.
    pub interface: Interface,
    /// Whether the agent satisfies the clause.
    pub ok: bool,
    /// The violation, if there is one.
    pub broken: Option<String>,
    /// The largest difference between answers that a component would give to the bit; only for native agents, within
    /// their tolerance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<f32>,
}

/// Every clause, in the order in which an author would fix violations.
pub const CLAUSES: &[Clause] = &[
    Clause {
        name: "probabilities",
        says: "rows are finite, in [0, 1] and sum to 1 within 1e-4",
        of: Of::Only(Interface::Classification),
        test: tasks::answers,
    },
    Clause {
        name: "three-classes",
        says: "three classes work, or are refused as unsupported",
        of: Of::Only(Interface::Classification),
        test: tasks::three_classes,
    },
    Clause {
        name: "functions",
        says: "means are finite and noise is not negative",
        of: Of::Only(Interface::Regression),
        test: tasks::answers,
    },
    Clause {
        name: "moments",
        says: "moments, if any, are a covariance, and the same for a row among others",
        of: Of::Only(Interface::Regression),
        test: beliefs::moments,
    },
    Clause {
        name: "intervals",
        says: "intervals, if any, widen with the level, and are the same for a row among others",
        of: Of::Only(Interface::Regression),
        test: beliefs::intervals,
    },
    Clause {
        name: "no-data",
        says: "training on no examples works",
        of: Of::Only(Interface::Classification),
        test: tasks::no_data,
    },
    Clause {
        name: "no-data",
        says: "training on no examples works, or is refused as unsupported",
        of: Of::Only(Interface::Regression),
        test: tasks::no_data_or_refusal,
    },
    Clause {
        name: "images",
        says: "images of 8 x 8 pixels work, or are refused as unsupported",
        of: Of::Only(Interface::Classification),
        test: kinds::images,
    },
    Clause {
        name: "texts",
        says: "rows of words work, or are refused as unsupported",
        of: Of::Tokens,
        test: kinds::texts,
    },
    Clause {
        name: "categories",
        says: "categories beside numbers work, or are refused as unsupported",
        of: Of::Tokens,
        test: kinds::categories,
    },
    Clause {
        name: "unlabelled",
        says: "training with inputs without labels works, and twice to the same bits",
        of: Of::Unlabelled,
        test: kinds::unlabelled,
    },
    Clause { name: "zero-rows", says: "no rows give an empty answer", of: Of::All, test: tasks::zero_rows },
    Clause { name: "zero-draws", says: "no draws give an empty answer", of: Of::All, test: tasks::zero_draws },
    Clause {
        name: "rows-alone",
        says: "a row alone gives the bits it gives among others",
        of: Of::All,
        test: rows::alone,
    },
    Clause { name: "rows-order", says: "the order of rows changes no bit", of: Of::All, test: rows::order },
    Clause {
        name: "rows-batch",
        says: "another batch around a row changes no bit of it",
        of: Of::All,
        test: rows::batch,
    },
    Clause {
        name: "draws-alone",
        says: "a draw alone gives the bits it gives among others",
        of: Of::All,
        test: draws::alone,
    },
    Clause { name: "draws-order", says: "the order of draws changes no bit", of: Of::All, test: draws::order },
    Clause {
        name: "draws-again",
        says: "a draw names the same function in a later call",
        of: Of::All,
        test: draws::again,
    },
    Clause {
        name: "canonical-draws",
        says: "a canonical draw names the same function",
        of: Of::All,
        test: draws::canonical,
    },
    Clause {
        name: "same-seed",
        says: "two trainings with one seed agree, in fuel too",
        of: Of::All,
        test: training::same_seed,
    },
    Clause {
        name: "parts",
        says: "training in parts gives the functions of training by one call",
        of: Of::Parts,
        test: training::parts,
    },
    Clause {
        name: "other-seed",
        says: "another seed differs, or the agent says it is deterministic",
        of: Of::All,
        test: training::other_seed,
    },
    Clause {
        name: "unknown-setting",
        says: "an unknown setting is refused as invalid",
        of: Of::All,
        test: settings::unknown,
    },
    Clause {
        name: "suggestions",
        says: "the settings that its sweeps suggest are accepted",
        of: Of::All,
        test: settings::suggestions,
    },
    Clause {
        name: "stated-defaults",
        says: "the stated defaults are accepted and are the defaults",
        of: Of::All,
        test: settings::defaults,
    },
];

impl Clause {
    /// Returns whether the clause applies to an agent that is tested through the interface.
    pub fn applies(&self, agent: &Agent, interface: Interface) -> bool {
        let description = agent.description();
        match self.of {
            Of::All => true,
            Of::Only(of) => of == interface,
            Of::Tokens => interface == Interface::Classification && description.tokens,
            Of::Unlabelled => interface == Interface::Classification && description.unlabelled,
            Of::Parts => interface == Interface::Classification && agent.trains_in_parts(),
        }
    }

    /// Tests the clause.
    pub fn hold(&self, subject: &Subject) -> Verdict {
        // A training that ran out of fuel once would do so every time.
        let broken = if subject.is_spent() {
            Some("not tried, because an earlier training used up its fuel; --fuel sets the limit".into())
        } else {
            (self.test)(subject).err()
        };
        let difference = subject.take_difference();
        let (ok, interface) = (broken.is_none(), subject.interface);
        Verdict { clause: self.name, says: self.says, interface, ok, broken, difference }
    }
}
