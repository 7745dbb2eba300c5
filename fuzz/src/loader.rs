//! Arbitrary bytes as an agent's file, and an agent in which some bytes are replaced.

use std::sync::OnceLock;

use jointly_core::{Classifier as _, Dataset, Inputs, Matrix, Model as _, Task};
use jointly_host::{Interface, LoadError, Trace};

use crate::{Ending, LIMITS, is_bounded, is_one_line, is_presentable, is_the_guests, module, puppet, runtime};

/// Loads the bytes as an agent. If that succeeds, trains it on three rows and asks for two draws.
///
/// # Panics
/// When the host breaks a promise: an error is one printable line, an agent has a plain name and the digest of its
/// bytes, its failure is its own, and its answer is a distribution.
pub fn loader(bytes: &[u8]) -> Ending {
    let agent = match runtime().load(bytes, LIMITS) {
        Ok(agent) => agent,
        Err(error) => {
            is_one_line(&error.to_string());
            return match error {
                LoadError::Describe(failure) => is_the_guests(&failure),
                _ => Ending::NotLoaded,
            };
        }
    };
    assert_eq!(agent.digest(), jointly_core::digest(bytes));
    is_presentable(agent.description());
    if !agent.supports(Interface::Classification) {
        return Ending::Answered;
    }
    let task = Task::new(1, 2);
    let inputs: Inputs = Matrix::new(3, 1, vec![-1.0, 0.0, 1.0]).expect("three rows of one number").into();
    let data = Dataset::new(&task, inputs.clone(), vec![0, 1, 1]).expect("labels below the number of classes");
    let trace = Trace::default();
    let answered = agent
        .classifier(Vec::new(), LIMITS, trace.clone())
        .train(&task, &data, None, None, 0)
        .and_then(|mut model| model.sample_probs(&inputs, &[0, 7]));
    is_bounded(&trace);
    match answered {
        Ok(probs) => {
            assert_eq!(probs.len(), 2 * 3 * 2);
            assert!(probs.chunks_exact(2).all(|row| jointly_core::distribution_defect(row).is_none()));
            Ending::Answered
        }
        Err(failure) => is_the_guests(&failure),
    }
}

/// Loads an honest agent in which bytes are replaced: a component, or the module that it is made from, selected by the
/// first byte of the case. Each further group of three bytes is a place (two bytes in little-endian order, modulo the
/// agent's length) and the replacement. Agents that keep their length are accepted as components more often than
/// others.
///
/// # Panics
/// As [`loader`].
pub fn patches(bytes: &[u8]) -> Ending {
    static AGENTS: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    let agents = AGENTS.get_or_init(|| [puppet(&[]), module()]);
    let (which, patches) = bytes.split_first().unwrap_or((&0, &[]));
    let mut agent = agents[usize::from(*which) % agents.len()].clone();
    let length = agent.len();
    for patch in patches.chunks_exact(3) {
        agent[usize::from(u16::from_le_bytes([patch[0], patch[1]])) % length] = patch[2];
    }
    loader(&agent)
}
