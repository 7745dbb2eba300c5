//! A course of actions: what was observed, and what it has cost.

mod lessons;
mod sampled;
mod thompson;

use jointly_classification::{EnvironmentSpec, EvaluateError};
use jointly_core::classifier::Model;
use jointly_core::dataset::Dataset;
use jointly_core::estimate::MAX_DRAWS;
use jointly_core::pick::below;
use jointly_core::regression::dataset::{RegressionTask, Targets};
use jointly_core::regression::regressor::{Belief, Regressor};
use jointly_core::stream::{Stream, agent_seed, stream};
use jointly_core::task::Task;
use jointly_core::{Real, Seed};
use jointly_regression::{FitError, Fitted, PredictionOptions, Standardization, fit_in};

use crate::arms::{Arms, NOISE};
use crate::options::DecisionOptions;
use crate::problem::{DecisionProblem, Setting};
use crate::schedule::Schedule;
use crate::score::{DecisionScores, Lesson, Stage, stages};

use sampled::Question;

/// A course of actions on a problem.
///
/// While the course is [not done](Self::is_done), an agent is trained on what was observed with the [seed](Self::seed) of
/// the round, and acts: on [examples](Self::examples) of classes it [acts](Self::act), [fitted](Self::fit) to those of a
/// search it [searches](Self::search). The first actions are uniformly random: one for each dimension, as the smallest
/// training sets of the testbed have, and two of a search.
///
/// Random numbers are those of the problem and of the number of an action, so that all agents see the same first
/// actions, and an action has the same reward for two agents that take it as the same in number.
pub struct Course<'a> {
    problem: &'a DecisionProblem,
    seed: Seed,
    options: &'a DecisionOptions,
    schedule: Schedule,
    arms: Arms,
    /// The actions taken, and what was observed after each.
    taken: Vec<usize>,
    observed: Vec<f32>,
    outcomes: Stream,
    /// The sum of the regrets of all actions taken, and the least of them.
    regret: f64,
    least: f64,
    stages: Vec<Stage>,
    lessons: Vec<Lesson>,
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
            observed: Vec::new(),
            outcomes: stream(seed, "rewards", problem.stream_name(), 0),
            regret: 0.0,
            least: f64::INFINITY,
            stages: Vec::new(),
            lessons: Vec::new(),
            ahead,
            problem,
            seed,
            options,
        };
        let mut source = stream(seed, "first-actions", problem.stream_name(), 0);
        let end = course.schedule.next(0).unwrap_or(0);
        (0..end).for_each(|_| course.take(below(course.problem.actions() as usize, &mut source)));
        course
    }

    /// Returns the number of actions taken.
    pub fn done(&self) -> u32 {
        self.taken.len() as u32
    }

    /// Returns whether all actions were taken, and the last labels were learnt from.
    pub fn is_done(&self) -> bool {
        let learns = matches!(self.problem.setting, Setting::Labels { .. });
        let learnt = self.lessons.last().is_some_and(|lesson| lesson.labels == self.done());
        self.schedule.next(self.done()).is_none() && (!learns || learnt)
    }

    /// Returns the fraction of actions taken, up to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.done()) / f64::from(self.options.steps)
    }

    /// Returns the description of the task that classifiers receive, and the examples observed so far, in the order of the
    /// actions.
    ///
    /// # Panics
    /// When the problem is a search.
    pub fn examples(&self) -> (Task, Dataset) {
        let (task, inputs) = (self.environment().task(), self.arms.inputs.select(&self.taken));
        let labels = self.observed.iter().map(|&class| class as u32).collect();
        let examples = Dataset::new(&task, inputs, labels).expect("actions and classes are examples");
        (task, examples)
    }

    /// Returns the distribution of the environment.
    ///
    /// # Panics
    /// When the problem is a search.
    pub fn environment(&self) -> &'a EnvironmentSpec {
        match &self.problem.setting {
            Setting::Bandit(environment) | Setting::Labels { environment, .. } => environment,
            Setting::Search { .. } => panic!("a search has no classes"),
        }
    }

    /// Trains an agent on what was observed of a search. It is told the noise, and sees inputs standardised by all
    /// actions and observations by those that it has.
    ///
    /// # Errors
    /// Errors of the agent, unchanged.
    ///
    /// # Panics
    /// When an observation is not finite, which no objective allows.
    pub fn fit<R: Regressor>(&self, agent: &mut R) -> Result<Fitted<R::Belief>, FitError<R::Error>> {
        let task = RegressionTask { input_dim: self.problem.input_dim(), noise_std: Some(NOISE) };
        let train = Targets::new(self.arms.inputs.select(&self.taken), self.observed.clone());
        let train = train.expect("actions and observations are examples");
        let units = Standardization::of_each(&self.arms.inputs, train.targets());
        fit_in(agent, &task, units, &train, None, self.seed())
    }

    /// Returns the seed with which an agent trains in this round.
    pub fn seed(&self) -> u64 {
        agent_seed(self.seed, &self.round())
    }

    /// Chooses the next batch of actions by a classifier's predictions, and observes what comes of them.
    ///
    /// # Formula
    /// In a bandit, by Thompson sampling: step i of a batch of B takes an action a that maximises P(y = 1 | a, f), where f is
    /// the agent's draw number n_(i mod K), K = min(M, B). The host chooses the numbers n at random, so that a number tells the
    /// agent nothing of its step.
    ///
    /// In active learning, the agent is first scored: its KL at tau 1 and 10 by draws 0..M. Then a batch of B has the B inputs
    /// of the highest [priority](crate::Priority) by the same draws; of more than there are, it has all of them again.
    ///
    /// Ties are broken uniformly at random. The agent is audited as by [`evaluate`](jointly_classification::evaluate()): it is
    /// asked again for a few of its draws at a few actions.
    ///
    /// # Errors
    /// Returns errors of the model unchanged, and [`Inconsistent`](EvaluateError::Inconsistent) when it answers the same
    /// question differently.
    ///
    /// # Panics
    /// When the model's answers have a wrong length, or the problem is a search.
    pub fn act<M: Model>(&mut self, model: &mut M) -> Result<(), EvaluateError<M::Error>> {
        let steps = self.batch();
        let chosen = if let Setting::Labels { priority, .. } = self.problem.setting {
            let (place, draws) = ((self.problem.stream_name(), self.seed), self.options.draws);
            self.lessons.push(lessons::lesson(model, self.environment(), place, self.done(), draws)?);
            if steps == 0 {
                return Ok(());
            }
            let source = stream(self.seed, "order", self.problem.stream_name(), self.done().into());
            // By the draws that it was scored by: with others an agent could tell choosing from being scored.
            let question = self.question((0..u64::from(draws)).collect());
            lessons::choose(model, &self.arms.inputs, question, priority, source)?
                .into_iter()
                .cycle()
                .take(steps as usize)
                .collect()
        } else {
            let question = self.question(self.numbers(self.options.draws.min(steps)));
            thompson::choose(model, &self.arms.inputs, question, steps as usize, self.ties())?
        };
        for action in chosen {
            self.take(action);
        }
        Ok(())
    }

    /// Chooses the next batch of a search's actions by the problem's rule, and observes the function there.
    ///
    /// # Formula
    /// [`Thompson`](crate::Rule::Thompson) sampling takes the best action by one draw a step, as [in a bandit](Self::act). By
    /// expected [`Improvement`](crate::Rule::Improvement), step i takes an action x that maximises
    /// `sum_m max(f_m(x) - b_m, 0)`, where the f_m are M draws and b_m is the largest value of f_m at an action taken or
    /// chosen before; ties are broken by the larger mean over draws. What is still equal is chosen uniformly at random. The
    /// host chooses the numbers of the draws.
    ///
    /// # Errors
    /// As for [`Fitted::sample`].
    ///
    /// # Panics
    /// When the problem is no search.
    pub fn search<B: Belief>(&mut self, agent: &mut Fitted<B>) -> Result<(), FitError<B::Error>> {
        let Setting::Search { rule, .. } = self.problem.setting else { panic!("{} is no search", self.problem.name) };
        let steps = self.batch();
        let numbers = self.numbers(rule.functions(self.options.draws, steps));
        let options = PredictionOptions {
            draws: numbers.len() as u32,
            levels: Vec::new(),
            seed: self.seed,
            problem: self.round(),
        };
        let samples = agent.sample(&self.arms.inputs, numbers, &options)?;
        let chosen = rule.choose(&samples, &self.taken, steps as usize, self.ties());
        for action in chosen {
            self.take(action);
        }
        Ok(())
    }

    /// Returns the scores of the course.
    pub fn finish(self) -> DecisionScores {
        let trainings = self.problem.trainings(self.options) as u32;
        let uniform = self.arms.uniform_regret().map(Real);
        DecisionScores { course: self.stages, lessons: self.lessons, uniform, trainings }
    }

    /// Returns the question for the probabilities of draws at all actions in this round.
    fn question(&self, numbers: Vec<u64>) -> Question {
        Question {
            numbers,
            classes: self.environment().num_classes as usize,
            audit: stream(self.seed, "audit", self.problem.stream_name(), self.done().into()),
            place: format!("the batch after {} actions", self.done()),
        }
    }

    /// Returns the name of the round, from which its seeds are made.
    fn round(&self) -> String {
        format!("{}/{}", self.problem.stream_name(), self.done())
    }

    /// Returns the number of actions in the next batch.
    fn batch(&self) -> u32 {
        self.schedule.next(self.done()).unwrap_or(self.done()) - self.done()
    }

    /// Draws the numbers of an agent's draws in this round.
    fn numbers(&self, count: u32) -> Vec<u64> {
        let mut source = stream(self.seed, "draws", self.problem.stream_name(), self.done().into());
        (0..count).map(|_| below(MAX_DRAWS as usize, &mut source) as u64).collect()
    }

    /// Returns what makes the stream that chooses among equally good actions in a step of this round.
    fn ties(&self) -> impl Fn(usize) -> Stream + use<> {
        let (seed, name, done) = (self.seed, self.problem.stream_name().to_owned(), u64::from(self.done()));
        move |step| stream(seed, "ties", &name, done + step as u64)
    }

    fn take(&mut self, action: usize) {
        self.observed.push(self.arms.observe(action, &mut self.outcomes));
        self.taken.push(action);
        let Some(regret) = self.arms.regret(action) else { return };
        self.regret += regret;
        self.least = self.least.min(regret);
        if self.ahead.last() == Some(&self.done()) {
            self.ahead.pop();
            let simple = matches!(self.problem.setting, Setting::Search { .. }).then_some(Real(self.least));
            self.stages.push(Stage { steps: self.done(), regret: Real(self.regret), simple });
        }
    }
}

#[cfg(test)]
mod label_tests;
#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod tests;
