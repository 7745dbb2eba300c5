//! The problems of a run: trains and scores an agent on one of them.

use std::any::Any;

use jointly_core::digest;
use jointly_host::{Failure, Trace};
use jointly_record::plan::Plan;
use jointly_record::unit::{Outcome, Unit};

use crate::activity::Activity;
use crate::agent::Agent;
use crate::contestant::Contestant;
use crate::cost::Cost;

/// The problems of a run, all of one kind, in the plan's order.
pub trait ProblemSet: Any + Send + Sync {
    /// Trains an agent on a problem and scores it. `report` receives the fraction done of the work after training, up
    /// to 1.
    ///
    /// # Errors
    /// When the agent fails, or the machine cannot run it.
    fn carry_out(
        &self,
        participants: Participants,
        unit: Unit,
        trace: &Trace,
        report: &mut dyn FnMut(f64),
    ) -> Result<(Outcome, Option<Belief>), Failure>;

    /// Measures the cost of a unit without carrying out all of it; returns `None` if only a whole unit gives its cost.
    fn measure(&self, _: Participants, _: Unit, _: &Activity) -> Option<Result<Cost, Failure>> {
        None
    }

    /// Warns about options of the plan that are possible but not advisable, and about data that no agent can learn from.
    fn warnings(&self, _plan: &Plan) -> Vec<String> {
        Vec::new()
    }
}

/// The participants of a run and its plan.
#[derive(Clone, Copy)]
pub struct Participants<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The plan's agents.
    pub agents: &'a [Contestant],
    /// The agent that predicts in active learning, if it is not the one that selects.
    pub predictor: Option<&'a Agent>,
}

/// An agent's predictions at a problem's test inputs.
pub struct Belief {
    /// The digest that the result names.
    pub digest: String,
    /// The bytes with that digest.
    pub bytes: Vec<u8>,
}

impl Belief {
    /// Returns the predictions in these bytes, under their digest.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self { digest: digest(&bytes), bytes }
    }
}
