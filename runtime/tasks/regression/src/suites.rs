//! Suites of regression: their problems and how these are run. A suite is data.

use jointly_core::coordinates::{Coordinates, Repetition};
use jointly_data::uci::{uci_card, uci_cards};

use super::problem::{
    Acquisition, ActiveProblem, CorrelationProblem, CoverageProblem, PoolData, RegressionOptions, RegressionProblem,
    RegressionSource, SplitProblem, SyntheticSource, Table, TableSource, Toy,
};
use crate::cross::MOST_ROWS;
use crate::oracle::Functions;

/// Number of simulated training sets of the paper's toys, and of its line (sections 4 and 3.2 of Sluijterman et al.).
const SIMULATIONS: u32 = 100;
const LINES: u32 = 500;
/// Number of simulations of the constant: a quarter of the paper's, which is enough to tell the log-likelihoods of its
/// pair of estimators apart by two standard errors.
const CONSTANTS: u32 = 2500;
/// The level of intervals of one standard deviation either way, which sections 3.3 and 3.4 call 68 %.
const ONE_DEVIATION: f64 = 0.682_689_492_137_085_9;
/// Dimensions of the synthetic datasets, and the number of datasets per dimension (section 5.1 of Wang et al.).
const DIMENSIONS: [u32; 5] = [1, 3, 5, 7, 9];
const SETS: u32 = 50;
/// The tables of Wang et al.: five small ones, then three large ones.
const TABLES: [&str; 8] = ["boston", "concrete", "energy", "wine", "yacht", "kin8nm", "naval", "power"];
/// Number of random partitions of each table.
const REPETITIONS: u32 = 10;
/// Number of splits of a table that has no standard ones.
const SPLITS: u32 = 20;
/// The table that is simulated in the paper.
const BOSTON: &str = "boston";

/// A named list of problems, and how they are run.
#[derive(Clone, Debug)]
pub struct RegressionSuite {
    /// The name used by the command.
    pub name: String,
    /// A summary for users, in one line.
    pub summary: String,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<RegressionProblem>,
    /// How each problem is run.
    pub options: RegressionOptions,
}

impl RegressionSuite {
    /// Returns, as a text for users, the seconds per problem on one core: of the suite's slowest problems, or of the
    /// small tables where some tables are large. They were measured with the bundled agents at their defaults by
    /// `jointly run AGENT --jobs 1`. Bootstrap has 50 networks. gp is slow on 1000 rows, since its cost grows with
    /// their cube.
    pub fn cost(&self) -> &'static str {
        match self.name.as_str() {
            "coverage/line" => {
                "on one core, seconds a problem: linear 0.01, gp 0.02, bootstrap and concrete-dropout 0.2"
            }
            "coverage/constant" => "on one core, seconds a problem: target-average 0.01",
            "coverage/homoscedastic" | "coverage/heteroscedastic" | "coverage/gap" | "coverage/zero" => {
                "on one core, seconds a problem: linear 0.01, concrete-dropout 1.5, bootstrap 4.5, gp 13"
            }
            "quick/coverage" => {
                "on one core, seconds a problem: linear 0.01, concrete-dropout 1.5, bootstrap 4.5, gp 13; on tables, bootstrap 1; \
                 on line, 0.2"
            }
            "coverage/boston" => "on one core, seconds a problem: bootstrap 1",
            "coverage/tables" => "on one core, seconds a problem: bootstrap 1 on 366 rows, more on tables with more",
            "correlations/synthetic" | "correlations/synthetic-own" => {
                "on one core, seconds a problem: gp 0.1, ensemble 0.2, dropout 0.3, bbb and nng 0.8, hmc 4, fbnn 5"
            }
            "quick/correlations" => {
                "on one core, seconds a problem: gp 0.1, ensemble 0.2, dropout 0.3, bbb and nng 0.8, hmc 4, fbnn 5; on tables as \
                 in correlations/uci"
            }
            "correlations/active-synthetic" => {
                "on one core, seconds a problem, which is eleven trainings: gp 0.7, ensemble 1.4, hmc 40"
            }
            "correlations/active-oracle" => {
                "on one core, seconds a problem: eleven trainings of the agent, and 0.4 of the oracle"
            }
            "correlations/active" => {
                "on one core, seconds a problem, which is eleven trainings: about eleven times those of correlations/uci"
            }
            "quick/active" => {
                "on one core, seconds a problem, which is four trainings: gp 0.2, hmc 10; on tables, about four times \
                 those of correlations/uci"
            }
            // The remaining suites use splits of tables: coverage/uci and correlations/uci.
            _ => {
                "on one core, seconds a problem: on small tables, dropout and ensemble 1 to 2, gp 1 to 3, bbb and nng 3 to 5, \
                 fbnn 8, hmc 5 to 15; more on large ones"
            }
        }
    }
}

/// Returns all suites of regression that come with the runtime.
pub fn regression_suites() -> Vec<RegressionSuite> {
    suites_on(&[])
}

/// Returns the suite of this name, if there is one.
pub fn regression_suite(name: &str) -> Option<RegressionSuite> {
    regression_suite_on(name, &[])
}

/// Returns the suite of this name with `tables` instead of its own tables; if `tables` is empty, the suite keeps its
/// own. Problems that use no table stay as they are.
///
/// Each table gets as many simulations, splits and repetitions as the suite's own: `coverage/tables/NAME/sim0`, and in
/// `coverage/boston` `coverage/boston/NAME/sim0`. A user-supplied table has 20
/// [splits](jointly_data::regression::RegressionTable::split).
pub fn regression_suite_on(name: &str, tables: &[Table]) -> Option<RegressionSuite> {
    suites_on(tables).into_iter().find(|suite| suite.name == name)
}

fn suites_on(tables: &[Table]) -> Vec<RegressionSuite> {
    let mut suites = coverage_suites(tables);
    suites.extend(correlation_suites(tables));
    suites.extend(quick_suites(tables));
    suites
}

/// Returns `others`, or if there are none the tables of these names.
fn tables_or(others: &[Table], names: &[&str]) -> Vec<Table> {
    if others.is_empty() { names.iter().map(|name| table(name)).collect() } else { others.to_vec() }
}

fn coverage_suites(tables: &[Table]) -> Vec<RegressionSuite> {
    let one_deviation = || RegressionOptions { levels: vec![ONE_DEVIATION], ..RegressionOptions::default() };
    let simulated = |name: &str, summary: &str, toy: &Toy, count| {
        suite(name, summary, simulations(name, last(name), toy, count), RegressionOptions::default())
    };
    let resembling = |name: &str, tables: Vec<Table>| -> Vec<RegressionProblem> {
        let each = |table: Table| {
            let group = table.name().to_owned();
            simulations(&format!("{name}/{group}"), &group, &Toy::Table(table), SIMULATIONS)
        };
        tables.into_iter().flat_map(each).collect()
    };
    let boston = match tables {
        [] => simulations("coverage/boston", BOSTON, &Toy::Table(table(BOSTON)), SIMULATIONS),
        others => resembling("coverage/boston", others.to_vec()),
    };
    let names: Vec<&str> = uci_cards().iter().map(|card| card.name).collect();
    let others: Vec<&str> = names.iter().copied().filter(|name| *name != BOSTON).collect();
    let splits =
        tables_or(tables, &names).into_iter().flat_map(|table| splits("coverage/uci", table.name(), &table, SPLITS));
    vec![
        simulated(
            "coverage/line",
            "a straight line by 25 points, whose perfect intervals are known: 500 simulations of 500 test points",
            &Toy::Line,
            LINES,
        ),
        simulated(
            "coverage/homoscedastic",
            "a curve under noise of the same spread everywhere: 100 simulations of 1000 training and test points",
            &Toy::Homoscedastic,
            SIMULATIONS,
        ),
        simulated(
            "coverage/heteroscedastic",
            "a curve under noise that grows away from 0: 100 simulations of 1000 training and test points",
            &Toy::Heteroscedastic,
            SIMULATIONS,
        ),
        simulated(
            "coverage/gap",
            "a curve whose inputs leave a gap: 100 simulations of 1000 training and test points",
            &Toy::Gap,
            SIMULATIONS,
        ),
        suite(
            "coverage/constant",
            "100 under noise of spread 5, for estimators that are wrong by a factor: 2500 simulations of 100 training and 500 \
             test points, intervals of one standard deviation",
            simulations("coverage/constant", "constant", &Toy::Constant, CONSTANTS),
            one_deviation(),
        ),
        suite(
            "coverage/zero",
            "0 under noise that grows away from 0: 100 simulations of 1000 training and test points, intervals of one \
             standard deviation",
            simulations("coverage/zero", "zero", &Toy::Zero, SIMULATIONS),
            one_deviation(),
        ),
        suite(
            "coverage/boston",
            "house prices drawn anew from two random forests: 100 simulations of 366 training, 40 validation and 100 test rows",
            boston,
            RegressionOptions::default(),
        ),
        suite(
            "coverage/tables",
            "the same simulation from each other table: 100 simulations a table; --problems chooses some",
            resembling("coverage/tables", tables_or(tables, &others)),
            RegressionOptions::default(),
        ),
        suite(
            "coverage/uci",
            "nine tables by their standard splits of 90 and 10 %: 20 splits each, protein 5",
            splits.collect(),
            RegressionOptions::default(),
        ),
    ]
}

fn correlation_suites(tables: &[Table]) -> Vec<RegressionSuite> {
    let tables = tables_or(tables, &TABLES);
    vec![
        suite(
            "correlations/synthetic",
            "correlations against the oracle's after 5 d points in 1 to 9 dimensions: 50 datasets a dimension, all of one \
             function, 500 pool and 200 test points",
            correlations(synthetic("correlations/synthetic", &DIMENSIONS, SETS, Functions::Shared)),
            RegressionOptions::default(),
        ),
        suite(
            "correlations/synthetic-own",
            "the same with a function for each dataset, and the paper's 200 pool and 500 test points",
            correlations(synthetic("correlations/synthetic-own", &DIMENSIONS, SETS, Functions::Own)),
            RegressionOptions { pool: 200, test: 500, ..RegressionOptions::default() },
        ),
        suite(
            "correlations/uci",
            "cross-normalised likelihoods on eight tables after a fifth of the rows: 10 random splits each",
            correlations(repeated("correlations/uci", &tables, REPETITIONS)),
            // All test points of these tables: searching fewer for the most correlated ones changes XLL.
            RegressionOptions { belief_rows: MOST_ROWS, exact_rows: MOST_ROWS, ..RegressionOptions::default() },
        ),
        suite(
            "correlations/active",
            "transductive active learning on eight tables: from 20 to 30 % of the rows in 10 rounds, four acquisitions, 10 \
             random splits each",
            active(&repeated("correlations/active", &tables, REPETITIONS), &Acquisition::BY_AGENT),
            RegressionOptions::default(),
        ),
        suite(
            "correlations/active-synthetic",
            "transductive active learning from 5 d points in 1 to 9 dimensions, scored by the oracle too: 10 rounds, four \
             acquisitions, 50 datasets a dimension",
            active(
                &synthetic("correlations/active-synthetic", &DIMENSIONS, SETS, Functions::Shared),
                &Acquisition::BY_AGENT,
            ),
            RegressionOptions::default(),
        ),
        suite(
            "correlations/active-oracle",
            "the same data, where the oracle selects the points and agents predict: the best that each acquisition can do",
            active(
                &synthetic("correlations/active-oracle", &DIMENSIONS, SETS, Functions::Shared),
                &Acquisition::BY_ORACLE,
            ),
            RegressionOptions::default(),
        ),
    ]
}

/// Returns short versions of each kind of suite, which run in minutes.
fn quick_suites(tables: &[Table]) -> Vec<RegressionSuite> {
    let tables = tables_or(tables, &[BOSTON, "yacht"]);
    let toys = [
        ("line", Toy::Line),
        ("homoscedastic", Toy::Homoscedastic),
        ("heteroscedastic", Toy::Heteroscedastic),
        ("gap", Toy::Gap),
    ];
    let mut coverage: Vec<_> =
        toys.iter().flat_map(|(name, toy)| simulations(&format!("quick/coverage/{name}"), name, toy, 3)).collect();
    for table in &tables {
        let series = format!("quick/coverage/{}", table.name());
        coverage.extend(simulations(&series, table.name(), &Toy::Table(table.clone()), 3));
        coverage.extend(splits("quick/coverage/uci", &format!("uci/{}", table.name()), table, 2));
    }
    let data = |name: &str| {
        let mut data = synthetic(name, &[1, 5], 3, Functions::Shared);
        data.extend(repeated(name, &tables, 2));
        data
    };
    let options = RegressionOptions { moment_draws: 250, random_batches: 100, ..RegressionOptions::default() };
    vec![
        suite(
            "quick/coverage",
            "a glance at coverage in minutes: 3 simulations of each toy and of boston and yacht, and 2 standard splits",
            coverage,
            RegressionOptions::default(),
        ),
        suite(
            "quick/correlations",
            "a glance at correlations in minutes: 3 datasets in 1 and 5 dimensions, boston and yacht twice",
            correlations(data("quick/correlations")),
            options.clone(),
        ),
        suite(
            "quick/active",
            "a glance at active learning in minutes: 3 rounds of batch-mig and random on the same data as quick/correlations",
            active(&data("quick/active"), &[Acquisition::BatchMig, Acquisition::Random]),
            RegressionOptions { rounds: 3, ..options },
        ),
    ]
}

fn suite(name: &str, summary: &str, problems: Vec<RegressionProblem>, options: RegressionOptions) -> RegressionSuite {
    RegressionSuite { name: name.to_owned(), summary: summary.to_owned(), problems, options }
}

fn table(name: &str) -> Table {
    Table::known(uci_card(name).expect("a table that suites know"))
}

/// Returns the last part of a suite's name, which is the name of the process in a suite of one process.
fn last(suite: &str) -> &str {
    suite.rsplit('/').next().unwrap_or(suite)
}

/// Makes simulations of a process, with names that begin with the series. They are independent given the process's
/// truth and test inputs, which stay the same.
fn simulations(series: &str, group: &str, toy: &Toy, count: u32) -> Vec<RegressionProblem> {
    let problem = |coverage: CoverageProblem| RegressionProblem {
        name: format!("{series}/sim{}", coverage.simulation),
        coordinates: Coordinates {
            repetition: Some(Repetition::Simulation(coverage.simulation)),
            ..coordinates(series, group)
        },
        source: RegressionSource::Coverage(coverage),
    };
    CoverageProblem::simulations(toy, count).into_iter().map(problem).collect()
}

fn coordinates(series: &str, group: &str) -> Coordinates {
    Coordinates { series: series.to_owned(), group: group.to_owned(), ..Coordinates::default() }
}

/// Makes problems of a table's splits, at most `most` of them.
fn splits(suite: &str, group: &str, table: &Table, most: u32) -> Vec<RegressionProblem> {
    let series = format!("{suite}/{}", table.name());
    let problem = |split| RegressionProblem {
        name: format!("{series}/split{split}"),
        coordinates: Coordinates {
            cluster: table.name().to_owned(),
            repetition: Some(Repetition::Split(split)),
            ..coordinates(&series, group)
        },
        source: RegressionSource::Split(SplitProblem { table: table.clone(), split }),
    };
    (0..table.card().map_or(most, |card| most.min(card.splits))).map(problem).collect()
}

/// Data of a suite with their name and coordinates; several kinds of problems can use them.
struct Named {
    name: String,
    data: PoolData,
    coordinates: Coordinates,
}

fn synthetic(suite: &str, dimensions: &[u32], sets: u32, functions: Functions) -> Vec<Named> {
    let named = |input_dim, set| {
        let data = PoolData::Synthetic(SyntheticSource { input_dim, set, functions });
        let group = format!("d{input_dim}");
        let series = format!("{suite}/{group}");
        let cluster = match functions {
            Functions::Shared => group.clone(),
            Functions::Own => String::new(),
        };
        let repetition = Some(Repetition::Set(set));
        let coordinates =
            Coordinates { cluster, input_dim: Some(input_dim), repetition, ..coordinates(&series, &group) };
        Named { name: format!("{series}/set{set}"), data, coordinates }
    };
    dimensions.iter().flat_map(|&input_dim| (0..sets).map(move |number| named(input_dim, number))).collect()
}

fn repeated(suite: &str, tables: &[Table], repetitions: u32) -> Vec<Named> {
    let named = |table: &Table, repetition| {
        let data = PoolData::Table(TableSource { table: table.clone(), repetition });
        let group = table.name();
        let series = format!("{suite}/{group}");
        let coordinates = Coordinates {
            cluster: group.to_owned(),
            repetition: Some(Repetition::Seed(repetition)),
            ..coordinates(&series, group)
        };
        Named { name: format!("{series}/seed{repetition}"), data, coordinates }
    };
    tables.iter().flat_map(|table| (0..repetitions).map(move |number| named(table, number))).collect()
}

fn correlations(data: Vec<Named>) -> Vec<RegressionProblem> {
    let problem = |Named { name, data, coordinates }| RegressionProblem {
        name,
        source: RegressionSource::Correlations(CorrelationProblem { data }),
        coordinates,
    };
    data.into_iter().map(problem).collect()
}

/// Makes problems by each acquisition on the same data; the problems of one acquisition are a series.
fn active(data: &[Named], acquisitions: &[Acquisition]) -> Vec<RegressionProblem> {
    let problem = |Named { name, data, coordinates }: &Named, acquisition: Acquisition| RegressionProblem {
        name: format!("{name}/{acquisition}"),
        source: RegressionSource::Active(ActiveProblem { data: data.clone(), acquisition }),
        coordinates: Coordinates {
            series: format!("{}/{acquisition}", coordinates.series),
            cluster: if coordinates.cluster.is_empty() { name.clone() } else { coordinates.cluster.clone() },
            acquisition: Some(acquisition.to_string()),
            ..coordinates.clone()
        },
    };
    let each = |named| acquisitions.iter().map(move |&acquisition| problem(named, acquisition));
    data.iter().flat_map(each).collect()
}

#[cfg(test)]
mod tests;
