//! Problems made of a process: one simulated training set, and a test set whose true function is known.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jointly_core::Seed;
use jointly_core::regression::dataset::RegressionTask;
use jointly_core::regression::regressor::Regressor;

use super::run::Run;
use super::table::Table;
use super::unit::{RegressionResult, RegressionUnit};
use crate::evaluate::evaluate;
use crate::fit::{FitError, fit_in};
use crate::noise::Noise;
use crate::process::{Curve, Process, ProcessInstance, Residuals, Simulation, TestSet};
use crate::standardize::AgentUnits;

/// The source of a simulation's data: sections 3.2 to 3.4 and 5.2 to 5.5 of Sluijterman, Cator and Heskes.
#[derive(Clone, Debug)]
pub enum Toy {
    /// A straight line.
    Line,
    /// A curve under noise with the same standard deviation everywhere.
    Homoscedastic,
    /// A curve under noise that grows away from 0.
    Heteroscedastic,
    /// A curve whose inputs have two modes.
    Gap,
    /// A constant under noise.
    Constant,
    /// The zero function under noise that grows away from 0.
    Zero,
    /// A simulation that resembles a table.
    Table(Table),
}

/// One simulation of a process.
#[derive(Clone, Debug)]
pub struct CoverageProblem {
    /// The source of its data.
    pub toy: Toy,
    /// The number of the training set.
    pub simulation: u32,
    instances: Instances,
}

/// The data of one simulation of a function of one input.
#[derive(Clone, Debug)]
pub struct CurveData {
    /// The function and the standard deviation of its noise.
    pub curve: Curve,
    /// The number of the training set.
    pub number: u32,
    /// The data that agents are trained on.
    pub simulation: Simulation,
    /// The test set. All simulations share its inputs; coverage by point is in the order of these inputs.
    pub test: TestSet,
}

/// Process instances shared by the simulations of one process, so that forests are grown once.
#[derive(Clone, Debug, Default)]
struct Instances(Arc<Mutex<BTreeMap<Conditions, Arc<ProcessInstance>>>>);

/// The seed, the noise distribution, and the residuals from which the noise of a table is estimated.
type Conditions = (Seed, Noise, Residuals);

impl CoverageProblem {
    /// Returns `count` simulations of a process.
    pub fn simulations(toy: &Toy, count: u32) -> Vec<Self> {
        let instances = Instances::default();
        let problem = |simulation| Self { toy: toy.clone(), simulation, instances: instances.clone() };
        (0..count).map(problem).collect()
    }

    pub(super) fn table(&self) -> Option<&Table> {
        match &self.toy {
            Toy::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(super) fn table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.toy {
            Toy::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(super) fn task(&self) -> RegressionTask {
        match &self.toy {
            Toy::Table(table) => table.task(),
            _ => RegressionTask { input_dim: 1, noise_std: None },
        }
    }

    /// Returns the units in which agents see the data unless others are chosen. The line is not standardised: it has
    /// unit scale already, and a line through the origin would not pass through it in units that are centred on the
    /// training set's mean. The constant is not either: an estimate that is a multiple of the mean has no meaning where
    /// the mean is 0.
    fn own_units(&self) -> AgentUnits {
        match &self.toy {
            Toy::Line | Toy::Constant => AgentUnits::Data,
            _ => AgentUnits::Standardized,
        }
    }

    fn process(&self, noise: Noise, residuals: Residuals) -> Process {
        match &self.toy {
            Toy::Line => Process::line(noise),
            Toy::Homoscedastic => Process::homoscedastic(noise),
            Toy::Heteroscedastic => Process::heteroscedastic(noise),
            Toy::Gap => Process::gap(noise),
            Toy::Constant => Process::constant(noise),
            Toy::Zero => Process::zero(noise),
            Toy::Table(table) => {
                let process = Process::table(table.name(), table.attached().data().clone(), noise);
                process.expect("a table's targets are checked when it is read").with_residuals(residuals)
            }
        }
    }

    /// Returns the process instance for a seed. The first caller makes it while others wait.
    fn instance(&self, seed: Seed, noise: Noise, residuals: Residuals) -> Arc<ProcessInstance> {
        // A thread that panicked while it held the lock had not inserted anything yet.
        let mut instances = self.instances.0.lock().unwrap_or_else(PoisonError::into_inner);
        let instance = instances.entry((seed, noise, residuals));
        let instance = instance.or_insert_with(|| self.process(noise, residuals).instance(seed).into());
        Arc::clone(instance)
    }

    /// Returns the function of one input, if the data come from one.
    fn curve(&self) -> Option<Curve> {
        match &self.toy {
            Toy::Line => Some(Curve::Line),
            Toy::Homoscedastic => Some(Curve::Homoscedastic),
            Toy::Heteroscedastic => Some(Curve::Heteroscedastic),
            Toy::Gap => Some(Curve::Gap),
            Toy::Constant => Some(Curve::Constant),
            Toy::Zero => Some(Curve::Zero),
            Toy::Table(_) => None,
        }
    }

    pub(super) fn curve_data(&self, seed: Seed, noise: Noise) -> Option<CurveData> {
        let curve = self.curve()?;
        // Curves have no residuals.
        let instance = self.instance(seed, noise, Residuals::default());
        let (number, simulation) = (self.simulation, instance.simulation(self.simulation));
        Some(CurveData { curve, number, simulation, test: instance.test(self.simulation) })
    }

    pub(super) fn run<R: Regressor>(
        &self,
        run: &Run,
        agent: &mut R,
        progress: &mut dyn FnMut(f64),
    ) -> Result<RegressionResult, FitError<R::Error>> {
        let instance = self.instance(run.seed, run.options.noise, run.options.residuals);
        let data = instance.simulation(self.simulation);
        let validation = data.validation.as_ref();
        let units = run.options.agent_units.unwrap_or(self.own_units()).of(&data.train);
        let mut fitted = fit_in(agent, &self.task(), units, &data.train, validation, run.agent_seed())?;
        let test = instance.test(self.simulation);
        let options = run.options.prediction(run.seed, run.name);
        let evaluated = evaluate(&mut fitted, test.data(), Some(&test), &options, progress)?;
        let (scores, coverage) = (evaluated.scores, evaluated.coverage);
        let scores = RegressionUnit { scores, coverage, correlations: None, rounds: Vec::new() };
        Ok(RegressionResult { scores, belief: None })
    }
}

#[cfg(test)]
mod tests {
    use super::Noise;
    use crate::suites::regression_suite;

    #[test]
    fn the_data_of_a_curve_are_those_of_the_process_and_a_table_has_none() {
        let problems = regression_suite("quick/coverage").unwrap().problems;
        let data = |name: &str| {
            let problem = problems.iter().find(|problem| problem.name == format!("quick/coverage/{name}")).unwrap();
            problem.curve_data(3.into(), Noise::Normal)
        };
        let (first, second) = (data("gap/sim0").unwrap(), data("gap/sim2").unwrap());
        assert_eq!((first.number, second.number), (0, 2));
        assert_eq!(first.test, second.test);
        assert_ne!(first.simulation.train, second.simulation.train);
        let inputs = first.test.data().inputs().values().iter();
        for (x, truth) in inputs.zip(first.test.truth()) {
            assert_eq!(first.curve.value(f64::from(*x)), *truth);
        }
        assert!(data("boston/sim0").is_none() && data("uci/yacht/split0").is_none());
    }
}
