//! `jointly picture`: draws agents' predictions for a problem on the plane, or on a line.

mod belief;
mod line_belief;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use jointly_classification::{Environment, Instance, Problem, Suite};
use jointly_core::printable::ShowPath as _;
use jointly_core::{Seed, Task};
use jointly_engine::contestant::Contestant;
use jointly_engine::kinds::classification::AskedClassification;
use jointly_engine::kinds::regression::AskedRegression;
use jointly_engine::workload::Workload;
use jointly_host::{Execution, Limits, Trace};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::plan::PlannedAgent;
use jointly_record::{directory, guess, suites};
use jointly_regression::{PredictionOptions, RegressionProblem, RegressionSuite, regression_suites};
use jointly_report::picture::{LineRow, LineSheet, Plane, Row, Sheet, grid};

use self::belief::believe;
use self::line_belief::believe as believe_line;
use crate::{exit, output};

/// Draws the predictions of agents for a problem with two inputs, or for a function of one
///
/// For classification: true probabilities, training examples, each agent's mean prediction and functions sampled from
/// it. For regression: the true function, training examples, each agent's mean, its confidence and prediction
/// intervals, and functions sampled from it.
#[derive(Args)]
pub(crate) struct Picture {
    /// A bundled name, a path to a .wasm or .py, exec:COMMAND or socket:PATH, with settings: ensemble+:size=30
    #[arg(value_name = "AGENT", required = true)]
    agents: Vec<AgentSpec>,
    /// The problem, such as testbed/t10/temp0.1/seed0 or coverage/gap/sim0
    #[arg(long, value_name = "ID")]
    problem: String,
    /// Master seed, as for `jointly run`
    #[arg(long, value_name = "N", default_value_t)]
    seed: Seed,
    /// Sampled functions to draw of each agent
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=8))]
    draws: u8,
    /// The level of the intervals on a line, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 90, value_parser = clap::value_parser!(u8).range(1..=99))]
    level: u8,
    /// Where the picture goes [default: named by the problem, in this directory]
    #[arg(long, value_name = "FILE.svg")]
    out: Option<PathBuf>,
}

impl Picture {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        if let Some(kind) = suites::kind_of(&self.problem).filter(|kind| !DRAWN.contains(&kind.name)) {
            bail!(
                "{} is a problem of {}, and only those of classification and regression have pictures: {OTHER}; `jointly \
                 report DIR --format html` shows the results of a run",
                self.problem,
                kind.name
            );
        }
        if let Some(suite) = regression_of(&self.problem)? {
            return self.draw_line(suite);
        }
        let suite = suite_of(&self.problem)?;
        let limits = Limits::default();
        let asked = Box::new(AskedClassification { suite });
        let workload = Workload::of(&self.agents, asked, self.seed, limits, Execution::Compiled)?;
        let problems = workload.problems_as::<Vec<Problem>>().map_or(&[][..], Vec::as_slice);
        let [problem] = problems else { bail!("{} names several problems", self.problem) };
        let instance = problem.instance(self.seed);
        let environment = drawable(problem, &instance)?;
        let truth: Vec<f32> =
            environment.class_probs(&Plane::STANDARD.inputs()).chunks_exact(2).map(|row| row[1]).collect();
        let functions = usize::from(self.draws);
        let planned = workload.plan.agents.iter().zip(&workload.agents);
        let rows: Vec<Row> = planned
            .map(|(planned, agent)| {
                let belief = believe(agent, planned.settings.to_list(), (problem, self.seed), functions, limits);
                Row { label: planned.label.clone(), belief: belief.map_err(|failure| failure.to_string()) }
            })
            .collect();
        let sheet = Sheet {
            problem: &problem.name,
            seed: self.seed,
            train: instance.train(),
            truth: &truth,
            functions,
            rows: &rows,
        };
        let failures = rows.iter().filter_map(|row| Some((row.label.as_str(), row.belief.as_ref().err()?.as_str())));
        self.write(&problem.name, &sheet.to_svg()?, failures)
    }

    /// Draws a function of one input.
    fn draw_line(&self, suite: RegressionSuite) -> Result<ExitCode> {
        let (limits, level, functions) = (Limits::default(), f64::from(self.level) / 100.0, usize::from(self.draws));
        let given = suite.options.clone();
        let asked = Box::new(AskedRegression { suite, tables: Vec::new(), predictor: None });
        let workload = Workload::of(&self.agents, asked, self.seed, limits, Execution::Compiled)?;
        let problems = workload.problems_as::<Vec<RegressionProblem>>().map_or(&[][..], Vec::as_slice);
        let [problem] = problems else { bail!("{} names several problems", self.problem) };
        let data = problem.curve_data(self.seed, given.noise).with_context(|| no_curve(&self.problem))?;
        let (draws, levels) = (given.draws, vec![level]);
        let options = PredictionOptions { draws, levels, ..PredictionOptions::paper(self.seed, problem.stream_name()) };
        let grid = grid(&data);
        let row = |(planned, contestant): (&PlannedAgent, &Contestant)| {
            let Contestant::Agent(agent) = contestant else { bail!("{} does not support regression", planned.label) };
            let mut regressor = agent.regressor(planned.settings.to_list(), limits, Trace::default());
            let belief = believe_line(&mut regressor, (problem, &data), &grid, functions, &options);
            Ok(LineRow { label: planned.label.clone(), belief: belief.map_err(|failure| failure.to_string()) })
        };
        let rows = workload.plan.agents.iter().zip(&workload.agents).map(row).collect::<Result<Vec<_>>>()?;
        let sheet = LineSheet { problem: &problem.name, seed: self.seed, data: &data, level, rows: &rows };
        let failures = rows.iter().filter_map(|row| Some((row.label.as_str(), row.belief.as_ref().err()?.as_str())));
        self.write(&problem.name, &sheet.to_svg(), failures)
    }

    /// Writes the picture, and prints its path and the agents that failed.
    fn write<'f>(
        &self,
        problem: &str,
        picture: &str,
        failures: impl Iterator<Item = (&'f str, &'f str)>,
    ) -> Result<ExitCode> {
        let path = self.out.clone().unwrap_or_else(|| PathBuf::from(problem.replace('/', "-") + ".svg"));
        directory::write_whole(&path, picture.as_bytes(), "make room, or give another place by --out FILE.svg")?;
        output::print(&path.shown().to_string())?;
        let mut failed = false;
        for (label, failure) in failures {
            output::note(&format!("{label} failed: {failure}"));
            failed = true;
        }
        Ok(ExitCode::from(if failed { exit::SOME_FAILED } else { exit::DONE }))
    }
}

/// Returns the suite of regression that a problem's name begins with, reduced to that problem, or `None` if there is no
/// such suite.
fn regression_of(name: &str) -> Result<Option<RegressionSuite>> {
    let holds = |suite: &str| name.strip_prefix(suite).is_some_and(|rest| rest.starts_with('/'));
    let held = regression_suites().into_iter().filter(|suite| holds(&suite.name));
    let Some(mut suite) = held.max_by_key(|suite| suite.name.len()) else { return Ok(None) };
    // `quick` is a prefix of both `quick/coverage` and `quick/real`.
    let other = jointly_classification::suites().into_iter().filter(|other| holds(&other.name));
    if other.map(|other| other.name.len()).max().is_some_and(|length| length > suite.name.len()) {
        return Ok(None);
    }
    let names: Vec<String> = suite.problems.iter().map(|problem| problem.name.clone()).collect();
    suite.problems.retain(|problem| problem.name == name);
    match suite.problems.as_slice() {
        [] => {
            let list = format!("`jointly suites {}` lists all", suite.name);
            let remedy = guess::remedy(name, names.iter().map(String::as_str), &list);
            bail!("no problem of {} is called {name}: {remedy}", suite.name)
        }
        // Checked before any data are looked for.
        [problem] if problem.curve_data(Seed::default(), suite.options.noise).is_none() => bail!("{}", no_curve(name)),
        _ => Ok(Some(suite)),
    }
}

fn no_curve(name: &str) -> String {
    format!("{name} is not a known function of one input; choose one, such as coverage/gap/sim0")
}

/// Returns the suite that a problem's name begins with, reduced to that problem. Refuses problems of real data.
fn suite_of(name: &str) -> Result<Suite> {
    let suites = jointly_classification::suites().into_iter();
    let held = suites.filter(|suite| name.strip_prefix(&suite.name).is_some_and(|rest| rest.starts_with('/')));
    // `testbed` is also a prefix of `testbed/dyadic`.
    let suite = held.max_by_key(|suite| suite.name.len());
    let mut suite = suite.with_context(|| {
        format!("there is no problem {name}; `jointly suites NAME` lists a suite's, such as testbed/t10/temp0.1/seed0")
    })?;
    let example = suite.problems.first().map(|problem| problem.name.clone()).unwrap_or_default();
    let names: Vec<String> = suite.problems.iter().map(|problem| problem.name.clone()).collect();
    suite.problems.retain(|problem| problem.name == name);
    match suite.problems.as_slice() {
        [] => {
            let list = format!("a name looks like {example}, and `jointly suites {}` lists all", suite.name);
            let remedy = guess::remedy(name, names.iter().map(String::as_str), &list);
            bail!("no problem of {} is called {name}: {remedy}", suite.name)
        }
        // Checked before any data are looked for.
        [problem] if problem.real().is_some() => bail!("{}", unknown_truth(name)),
        _ => Ok(suite),
    }
}

/// The kinds whose problems may be on a plane or a line.
const DRAWN: [&str; 2] = ["classification", "regression"];
const OTHER: &str = "choose a synthetic problem with two inputs, such as testbed/t10/temp0.1/seed0";

fn unknown_truth(name: &str) -> String {
    format!("{name} is real data, whose true class probabilities nobody knows; {OTHER}")
}

/// Returns the environment of a problem that can be drawn on the plane.
fn drawable<'i>(problem: &Problem, instance: &'i Instance) -> Result<&'i Environment> {
    let Task { input_dim, num_classes, .. } = problem.task();
    let name = &problem.name;
    let Some(environment) = instance.environment() else { bail!("{}", unknown_truth(name)) };
    if input_dim != 2 {
        bail!("{name} has {input_dim} inputs and a plane has two; {OTHER}");
    }
    if num_classes != 2 {
        bail!("{name} has {num_classes} classes and the picture shows two; {OTHER}");
    }
    Ok(environment)
}

#[cfg(test)]
mod tests {
    use jointly_classification::{EnvironmentSpec, Initialization, Problem, Source, TestInputs};
    use jointly_core::Coordinates;

    use super::{drawable, regression_of, suite_of};

    fn refusal(input_dim: u32, num_classes: u32) -> Option<String> {
        let environment = EnvironmentSpec {
            input_dim,
            num_classes,
            temperature: 0.1,
            hidden: vec![5],
            initialization: Initialization::Testbed,
        };
        let problem = Problem {
            name: "p".into(),
            source: Source::Synthetic { environment, train_size: 3, test_inputs: TestInputs::Independent },
            coordinates: Coordinates::default(),
        };
        drawable(&problem, &problem.instance(0.into())).err().map(|error| error.to_string())
    }

    #[test]
    fn only_two_inputs_and_two_classes_are_drawn() {
        assert_eq!(refusal(2, 2), None);
        assert!(refusal(10, 2).unwrap().contains("has 10 inputs and a plane has two; choose a synthetic problem"));
        assert!(refusal(2, 3).unwrap().contains("has 3 classes"));
    }

    #[test]
    fn a_problem_is_found_in_its_suite() {
        let suite = suite_of("testbed/t10/temp0.1/seed0").unwrap();
        assert_eq!((suite.name.as_str(), suite.problems.len()), ("testbed", 1));
        let refusal = |name: &str| suite_of(name).unwrap_err().to_string();
        // A pattern is not accepted as a name.
        assert!(refusal("testbed/t10/temp0.1/*").starts_with("no problem of testbed is called testbed/t10/temp0.1/*"));
        assert!(refusal("quick/real/iris/t1/seed0").contains("nobody knows; choose a synthetic problem"));
    }

    #[test]
    fn functions_of_one_input_are_told_from_classes_and_from_tables() {
        let suite = regression_of("quick/coverage/gap/sim1").unwrap().unwrap();
        assert_eq!((suite.name.as_str(), suite.problems.len()), ("quick/coverage", 1));
        assert!(regression_of("quick/t10/temp0.1/seed0").unwrap().is_none());
        let refusal = |name: &str| regression_of(name).unwrap_err().to_string();
        assert!(
            refusal("coverage/boston/sim0")
                .ends_with("not a known function of one input; choose one, such as coverage/gap/sim0")
        );
        assert!(refusal("coverage/gap/sim100").starts_with("no problem of coverage/gap is called coverage/gap/sim100"));
    }
}
