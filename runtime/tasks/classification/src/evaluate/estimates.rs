//! The estimates of a problem, to which answers are added in the order of the questions.

use std::ops::Range;
use std::sync::Arc;

use jointly_core::estimate::DrawError;
use jointly_core::metric::{MarginalScores, Metric};
use jointly_core::tau_samples::TauSamples;
use jointly_core::{JointScore, Real};

use super::Block;
use crate::ProblemScores;
use crate::rule::Rule;

/// Tau-samples that the agent is asked for together.
#[derive(Clone)]
pub(super) struct Part<'a> {
    pub(super) rule: &'a Rule<'a>,
    pub(super) samples: Range<u32>,
    /// The number of functions of a call.
    pub(super) draws: usize,
    /// Whether it is the last part of its tau.
    pub(super) last: bool,
}

/// The agent's answer to one call.
pub(super) struct Answer<'a> {
    pub(super) part: Part<'a>,
    pub(super) test: Arc<TauSamples>,
    pub(super) probs: Vec<f32>,
    /// The number of draws that share each of the functions.
    pub(super) counts: &'a [u64],
    /// Whether it is the first of its part, and whether it is the last.
    pub(super) first: bool,
    pub(super) last: bool,
}

/// The estimates of a problem.
pub(super) struct Estimates<'a> {
    metric: Metric,
    marginals: MarginalScores,
    joint: Vec<(u32, JointScore)>,
    /// The losses and the errors of the tau that is being estimated.
    losses: Vec<f64>,
    errors: DrawError,
    /// The estimates of the part that is being estimated.
    block: Option<Block<'a>>,
}

impl<'a> Estimates<'a> {
    pub(super) fn new(metric: Metric) -> Self {
        Self {
            metric,
            marginals: MarginalScores::default(),
            joint: Vec::new(),
            losses: Vec::new(),
            errors: DrawError::default(),
            block: None,
        }
    }

    /// Adds the answer that follows those that were added.
    pub(super) fn add(&mut self, answer: &Answer<'a>) {
        let (part, test) = (&answer.part, &answer.test);
        if answer.first {
            self.block = Some(Block::new(part.rule, part.samples.clone(), &test.labels));
        }
        let block = self.block.as_mut().expect("the first answer of a part comes before the others");
        block.add(&answer.probs, answer.counts);
        if !answer.last {
            return;
        }
        let block = self.block.take().expect("it was there");
        let log_likelihoods = block.finish(&mut self.marginals, &mut self.errors);
        self.losses.extend(self.metric.losses(&log_likelihoods, test.log_likelihoods.as_deref()));
        if part.last {
            let errors = std::mem::take(&mut self.errors);
            self.joint.push((part.rule.tau, JointScore::of(&std::mem::take(&mut self.losses), &errors)));
        }
    }

    /// Returns the scores.
    pub(super) fn finish(self) -> ProblemScores {
        ProblemScores {
            joint: self.joint,
            accuracy: self.marginals.accuracy(),
            ece: Real(self.marginals.ece()),
            marginal: self.marginals.values(),
            calibration: self.marginals.bins(),
        }
    }
}
