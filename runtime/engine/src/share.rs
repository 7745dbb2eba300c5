//! The share of a plan's units that a run carries out: those of a shard, or all.

use jointly_record::lines::Lines;
use jointly_record::plan::Plan;
use jointly_record::shard::Shard;
use jointly_record::unit::Unit;

use crate::workload::Workload;
use crate::{execution, schedule};

/// The units of a plan that a run carries out.
pub struct Share {
    agents: usize,
    /// Whether each unit belongs to the share, in the order of [`schedule::shares`].
    mine: Vec<bool>,
}

impl Share {
    /// Selects the units of a shard, or all.
    pub fn of(plan: &Plan, shard: Option<Shard>) -> Self {
        let agents = plan.agents.len();
        let mine = match shard {
            Some(Shard { shard, of }) => schedule::shares(plan, of).into_iter().map(|it| it == shard - 1).collect(),
            None => vec![true; agents * plan.problems.len()],
        };
        Self { agents, mine }
    }

    /// Returns the number of units.
    pub fn size(&self) -> usize {
        self.mine.iter().filter(|mine| **mine).count()
    }

    /// Returns the units that have no result yet, in the order in which they are run.
    pub fn pending(&self, workload: &Workload, lines: &Lines) -> Vec<Unit> {
        let mut units = execution::pending(workload, lines);
        units.retain(|unit| self.mine[unit.problem * self.agents + unit.agent]);
        units
    }
}
