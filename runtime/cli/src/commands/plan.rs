//! `jointly plan`: estimates the cost of a run before it is paid for.

use std::fmt::Write as _;
use std::num::NonZero;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_engine::execution;
use jointly_engine::measurement::{Measurements, measure, measured, measured_units, names};
use jointly_engine::schedule::{makespan, order, shares};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::plan::PlannedAgent;
use jointly_record::quantity::{self, counted};
use jointly_record::shard::MOST;
use jointly_record::unit::Unit;
use jointly_report::table::{self, wrap};
use jointly_score::scores::number;
use serde_json::{Value, json};

use crate::progress::Display;
use crate::request::Request;
use crate::{exit, output};

/// Says what a run would cost: units, fuel, hours on one core, and what several workers would take
///
/// It takes the options of `jointly run`. It runs each agent on one problem of each size with few test inputs, and
/// extrapolates: problems that differ only in seed, split, simulation or temperature cost the same. Seconds are those
/// of this machine, with one unit at a time on otherwise idle cores; fuel is the same everywhere. Nothing is written.
#[derive(Args)]
#[command(mut_arg("out", |it| it.hide(true)), mut_arg("jobs", |it| it.help(JOBS)), mut_arg("reuse", |it| it.hide(true)),
          mut_arg("shard", |it| it.hide(true)), mut_arg("shards", |it| it.hide(true)), mut_arg("timeout", |it| it.hide(true)))]
pub(crate) struct Plan {
    /// A bundled name, a path to a .wasm or .py, exec:COMMAND or socket:PATH, with settings:
    /// ensemble+:size=30,prior-scale=1, agent.py:size=5, 'exec:Rscript agent.R :size=5'. None means all bundled agents that
    /// support the suite
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    /// Cores that units are spread over, on one machine or many [default: the number of cores here]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    workers: Option<u32>,
    /// Print JSON rather than the table, with seconds and fuel of every size of problem
    #[arg(long)]
    json: bool,
    // The headings of its options would stand over those that follow.
    #[command(flatten)]
    request: Request,
}

/// The help of `--jobs`.
const JOBS: &str =
    "Units that are measured at a time: sooner, and less exactly, because cores share caches [default: 1]";

/// The expected cost of a run.
struct Estimate<'a> {
    plan: &'a jointly_record::plan::Plan,
    measurements: Measurements,
    workers: u32,
    /// The time of each unit, problem by problem, in nanoseconds.
    times: Vec<u64>,
}

impl Plan {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        self.request.refuse_running("a plan runs nothing for good; leave it out, and say --workers N")?;
        let workload = self.request.workload(&self.agents)?;
        let jobs = self.request.jobs().map_or(1, NonZero::get);
        let workers = self.workers.or_else(|| u32::try_from(execution::jobs(None::<NonZero<usize>>)).ok()).unwrap_or(1);
        let plan = &workload.plan;
        let display = Display::new(plan, &measured_units(plan), 0, jobs);
        let measurements = measure(&workload, jobs, &display)?;
        drop(display);
        let estimate = Estimate::of(plan, measurements, workers);
        if self.json {
            output::print_json(&estimate.document())?;
        } else {
            output::print(&estimate.text())?;
        }
        Ok(ExitCode::from(if estimate.failures().is_empty() { exit::DONE } else { exit::SOME_FAILED }))
    }
}

/// The total cost of some of the units.
#[derive(Clone, Copy, Default)]
struct Sum {
    units: usize,
    seconds: f64,
    fuel: f64,
    /// The seconds for which fuel is known: neither the host's own work nor a failed unit is metered.
    metered: f64,
}

impl Sum {
    fn add(self, other: Self) -> Self {
        Self {
            units: self.units + other.units,
            seconds: self.seconds + other.seconds,
            fuel: self.fuel + other.fuel,
            metered: self.metered + other.metered,
        }
    }

    fn fuel(self) -> Option<f64> {
        (self.metered > 0.0).then_some(self.fuel)
    }

    fn rate(self) -> Option<f64> {
        self.fuel().map(|fuel| fuel / self.metered)
    }
}

impl<'a> Estimate<'a> {
    fn of(plan: &'a jointly_record::plan::Plan, measurements: Measurements, workers: u32) -> Self {
        let agents = plan.agents.len();
        let mut times = vec![0; agents * plan.problems.len()];
        for (class, problems) in measurements.classes.iter().enumerate() {
            for problem in &problems.problems {
                for agent in 0..agents {
                    times[problem * agents + agent] = (1e9 * measurements.cost(class, agent).seconds) as u64;
                }
            }
        }
        Self { plan, measurements, workers, times }
    }

    /// Returns the cost of all units of an agent.
    fn of_agent(&self, agent: usize) -> Sum {
        let classes = self.measurements.classes.iter().enumerate().map(|(class, problems)| {
            let (cost, units) = (self.measurements.cost(class, agent), problems.problems.len());
            let seconds = cost.seconds * units as f64;
            Sum {
                units,
                seconds,
                fuel: cost.fuel.unwrap_or(0.0) * units as f64,
                metered: cost.fuel.map_or(0.0, |_| seconds),
            }
        });
        classes.fold(Sum::default(), Sum::add)
    }

    fn whole(&self) -> Sum {
        (0..self.plan.agents.len()).map(|agent| self.of_agent(agent)).fold(Sum::default(), Sum::add)
    }

    /// Returns the seconds that the run takes if each worker begins the next unit when it is free.
    fn together(&self) -> f64 {
        let agents = self.plan.agents.len();
        let of_problem = |problem: usize| self.times[problem * agents..][..agents].iter().copied();
        makespan(order(self.plan).into_iter().flat_map(of_problem), self.workers as usize) as f64 / 1e9
    }

    /// Returns the seconds of the slowest shard, with a shard for each worker.
    fn slowest_shard(&self) -> f64 {
        let mut loads = vec![0_u64; self.workers as usize];
        for (shard, time) in shares(self.plan, self.workers).into_iter().zip(&self.times) {
            loads[shard as usize] = loads[shard as usize].saturating_add(*time);
        }
        loads.into_iter().max().unwrap_or(0) as f64 / 1e9
    }

    /// Returns the unit that takes longest, and its seconds.
    fn longest_unit(&self) -> Option<(Unit, f64)> {
        let agents = self.plan.agents.len();
        let (place, time) = self.times.iter().enumerate().max_by_key(|(place, time)| (**time, usize::MAX - place))?;
        Some((Unit { agent: place % agents, problem: place / agents }, *time as f64 / 1e9))
    }

    /// Returns the first failure of each agent that fails.
    fn failures(&self) -> Vec<(usize, usize, String)> {
        let agents = 0..self.plan.agents.len();
        let first = |agent: usize| {
            let mut classes = self.measurements.classes.iter().enumerate();
            classes.find_map(|(class, problems)| {
                let failure = self.measurements.cost(class, agent).failure.as_ref()?;
                Some((agent, measured(problems), failure.to_string()))
            })
        };
        agents.filter_map(first).collect()
    }

    fn text(&self) -> String {
        let whole = self.whole();
        let mut text = format!(
            "{}, {}, seed {}{}: {} in {}",
            self.plan.suite,
            counted(self.plan.problems.len(), "problem"),
            self.plan.seed,
            self.plan.overrides(),
            measured_of(self.measurements.units(), whole.units),
            duration(self.measurements.seconds)
        );
        text = wrap(&text, 2) + "\n\n";
        let mut rows = vec![["agent", "units", "fuel", "fuel a second", "one core"].map(String::from).to_vec()];
        let row = |label: &str, sum: Sum| {
            let count = |fuel: Option<f64>| fuel.map_or_else(|| "-".to_owned(), quantity::count);
            vec![label.to_owned(), sum.units.to_string(), count(sum.fuel()), count(sum.rate()), duration(sum.seconds)]
        };
        let failures = self.failures();
        let of_agent = |(agent, it): (usize, &PlannedAgent)| {
            let mut row = row(&it.label, self.of_agent(agent));
            if failures.iter().any(|(failed, ..)| *failed == agent) {
                "fails".clone_into(&mut row[4]);
            }
            row
        };
        rows.extend(self.plan.agents.iter().enumerate().map(of_agent));
        if self.plan.agents.len() > 1 {
            rows.push(row("all", whole));
        }
        text += &table::render(1, &rows);
        let n = self.workers;
        let without = if failures.is_empty() { "" } else { ", without the units that fail" };
        let mut lines = vec![("on one core".to_owned(), duration(whole.seconds) + without)];
        if n > 1 {
            lines.push((format!("on {n} workers of one run"), duration(self.together())));
            lines.push((format!("as {n} shards of one worker each"), duration(self.slowest_shard())));
        }
        if let Some((unit, seconds)) = self.longest_unit() {
            let (agent, problem) = names(self.plan, unit);
            lines.push(("the longest unit".to_owned(), format!("{}: {agent} on {problem}", duration(seconds))));
        }
        let _ = write!(text, "\n{}", table::described(0, &lines));
        for (agent, problem, failure) in failures {
            let (agent, problem) = names(self.plan, Unit { agent, problem });
            let _ = write!(text, "\n{}", wrap(&format!("{agent} fails on {problem}: {failure}"), 2));
        }
        text
    }

    fn document(&self) -> Value {
        let sum = |sum: Sum| {
            json!({
                "units": sum.units,
                "fuel": sum.fuel().map(number),
                "seconds": number(sum.seconds),
                "fuel_per_second": sum.rate().map(number),
            })
        };
        let agent = |agent: usize| {
            let classes = self.measurements.classes.iter().enumerate().map(|(class, problems)| {
                let cost = self.measurements.cost(class, agent);
                json!({
                    "class": problems.name,
                    "units": problems.problems.len(),
                    "measured": self.plan.problems[measured(problems)].problem,
                    "fuel": cost.fuel.map(number),
                    "seconds": number(cost.seconds),
                    "failure": cost.failure.as_ref().map(ToString::to_string),
                })
            });
            let classes: Vec<Value> = classes.collect();
            let planned = &self.plan.agents[agent];
            let mut document = sum(self.of_agent(agent));
            document["agent"] = json!(planned.label);
            document["digest"] = json!(planned.digest);
            document["each"] = json!(classes);
            document
        };
        let longest = self.longest_unit().map(|(unit, seconds)| {
            let (agent, problem) = names(self.plan, unit);
            json!({ "agent": agent, "problem": problem, "seconds": number(seconds) })
        });
        json!({
            "suite": self.plan.suite,
            "seed": self.plan.seed,
            "version": self.plan.version,
            "problems": self.plan.problems.len(),
            "all": sum(self.whole()),
            "workers": self.workers,
            "together_seconds": number(self.together()),
            "slowest_shard_seconds": number(self.slowest_shard()),
            "longest_unit": longest,
            "measured_units": self.measurements.units(),
            "measuring_seconds": number(self.measurements.seconds),
            "agents": (0..self.plan.agents.len()).map(agent).collect::<Vec<_>>(),
        })
    }
}

/// Says how many of all units were measured.
fn measured_of(measured: usize, all: usize) -> String {
    let were = if measured == 1 { "was" } else { "were" };
    format!("{}, of which {measured} {were} measured", counted(all, "unit"))
}

/// Formats a duration.
fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.9995 => format!("{:.0} ms", 1000.0 * seconds),
        _ if seconds < 99.95 => format!("{seconds:.1} s"),
        _ if seconds < 100.0 * 60.0 => format!("{:.1} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, measured_of};

    #[test]
    fn one_unit_was_measured_and_several_were() {
        assert_eq!(measured_of(1, 1), "1 unit, of which 1 was measured");
        assert_eq!(measured_of(1, 3), "3 units, of which 1 was measured");
        assert_eq!(measured_of(4, 24), "24 units, of which 4 were measured");
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        assert_eq!([0.04, 0.9996, 12.34, 99.9].map(duration), ["40 ms", "1.0 s", "12.3 s", "99.9 s"]);
        assert_eq!([100.0, 5_000.0, 36_000.0, 3.6e6].map(duration), ["1.7 min", "83.3 min", "10.0 h", "1000.0 h"]);
    }
}
