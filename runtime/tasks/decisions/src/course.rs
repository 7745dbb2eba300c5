//! A course of actions: what was observed, and what it has cost.

mod thompson;

use jointly_classification::EvaluateError;
use jointly_core::classifier::Model;
use jointly_core::dataset::Dataset;
use jointly_core::estimate::MAX_DRAWS;
use jointly_core::pick::below;
use jointly_core::stream::{Stream, agent_seed, stream};
use jointly_core::{Real, Seed};

use crate::arms::Arms;
use crate::options::DecisionOptions;
use crate::problem::DecisionProblem;
use crate::schedule::Schedule;
use crate::score::{DecisionScores, Stage, stages};

/// A course of actions on a problem.
///
/// While the course is [not done](Self::is_done), an agent is trained on [what was observed](Self::train) with the
/// [seed](Self::seed) of the round, and [acts](Self::act). The first actions, one for each dimension, are uniformly random:
/// the smallest training sets of the testbed have as many examples.
///
/// Random numbers are those of the problem and of the number of an action, so that all agents see the same first
/// actions, and an action has the same reward for two agents that take it as the same in number.
pub struct Course<'a> {
    problem: &'a DecisionProblem,
    seed: Seed,
    options: &'a DecisionOptions,
    schedule: Schedule,
    arms: Arms,
    /// The actions taken, and the class that each of them had.
    taken: Vec<usize>,
    labels: Vec<u32>,
    rewards: Stream,
    regret: f64,
    stages: Vec<Stage>,
    /// The numbers of actions at which the course will still be recorded, the last first.
    ahead: Vec<u32>,
}

impl<'a> Course<'a> {
    /// Begins a course by its random actions.
    pub fn begin(problem: &'a DecisionProblem, options: &'a DecisionOptions, seed: Seed) -> Self {
        let mut ahead = stages(options.steps);
        ahead.reverse();
        let mut course = Self {
            schedule: problem.schedule(options),
            arms: Arms::sample(problem, seed),
            taken: Vec::new(),
            labels: Vec::new(),
            rewards: stream(seed, "rewards", &problem.name, 0),
            regret: 0.0,
            stages: Vec::new(),
            ahead,
            problem,
            seed,
            options,
        };
        let mut source = stream(seed, "first-actions", &problem.name, 0);
        let end = course.schedule.next(0).unwrap_or(0);
        (0..end).for_each(|_| course.take(below(course.problem.actions() as usize, &mut source)));
        course
    }

    /// Returns the number of actions taken.
    pub fn done(&self) -> u32 {
        self.taken.len() as u32
    }

    /// Returns whether all actions were taken.
    pub fn is_done(&self) -> bool {
        self.schedule.next(self.done()).is_none()
    }

    /// Returns the fraction of actions taken, up to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.done()) / f64::from(self.options.steps)
    }

    /// Returns the examples observed so far, in the order of the actions.
    ///
    /// # Panics
    /// Never: actions and rewards are valid examples of the problem's task.
    pub fn train(&self) -> Dataset {
        let inputs = self.arms.inputs.select(&self.taken);
        Dataset::new(&self.problem.task(), inputs, self.labels.clone()).expect("actions and rewards are examples")
    }

    /// Returns the seed with which an agent trains in this round.
    pub fn seed(&self) -> u64 {
        agent_seed(self.seed, &format!("{}/{}", self.problem.name, self.done()))
    }

    /// Chooses the next batch of actions by Thompson sampling, and observes their rewards.
    ///
    /// # Formula
    /// Step i of a batch of B takes an action a that maximises P(y = 1 | a, f), where f is the agent's draw number n_(i mod
    /// K), K = min(M, B). Ties are broken uniformly at random. The host chooses the numbers n at random, so that a number
    /// tells the agent nothing of its step.
    ///
    /// The agent is audited as by [`evaluate`](jointly_classification::evaluate()): it is asked again for a few of its
    /// draws at a few actions.
    ///
    /// # Errors
    /// Returns errors of the model unchanged, and [`Inconsistent`](EvaluateError::Inconsistent) when it answers the same
    /// question differently.
    ///
    /// # Panics
    /// When the model's answers have a wrong length.
    pub fn act<M: Model>(&mut self, model: &mut M) -> Result<(), EvaluateError<M::Error>> {
        let (seed, done, name) = (self.seed, self.done(), &self.problem.name);
        let steps = self.schedule.next(done).unwrap_or(done) - done;
        let mut source = stream(seed, "draws", name, done.into());
        let numbers = (0..self.options.draws.min(steps)).map(|_| below(MAX_DRAWS as usize, &mut source) as u64);
        let tie = |step: usize| stream(seed, "ties", name, u64::from(done) + step as u64);
        let audit = (stream(seed, "audit", name, done.into()), format!("the batch after {done} actions"));
        let batch = (numbers.collect(), steps as usize);
        let chosen = thompson::choose(model, &self.arms.inputs, batch, tie, audit)?;
        for action in chosen {
            self.take(action as usize);
        }
        Ok(())
    }

    /// Returns the scores of the course.
    pub fn finish(self) -> DecisionScores {
        let (uniform, trainings) = (Real(self.arms.uniform_regret()), self.schedule.trainings() as u32);
        DecisionScores { course: self.stages, uniform, trainings }
    }

    fn take(&mut self, action: usize) {
        let rewarded = self.rewards.uniform() < self.arms.expected(action);
        self.taken.push(action);
        self.labels.push(u32::from(rewarded));
        self.regret += self.arms.regret(action);
        if self.ahead.last() == Some(&self.done()) {
            self.ahead.pop();
            self.stages.push(Stage { steps: self.done(), regret: Real(self.regret) });
        }
    }
}

#[cfg(test)]
mod tests;
