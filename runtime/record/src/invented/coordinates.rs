//! Coordinates of invented problems: as the suite has them, or else derived from the problem's name.

use jointly_core::{Coordinates, Repetition};
use jointly_data::card;
use jointly_regression::{Acquisition, Regression};

use crate::plan::{Plan, PlannedProblem};
use crate::suites;

/// Gives each problem of a plan its coordinates.
pub fn place(plan: &mut Plan) {
    plan.problems.iter_mut().for_each(|planned| planned.coordinates = Coordinates::default());
    suites::place(plan);
    let known: Vec<PlannedProblem> = plan.problems.clone();
    let regression = plan.kind().is::<Regression>();
    for planned in plan.problems.iter_mut().filter(|planned| planned.coordinates.is_empty()) {
        let named = named(&plan.suite, &planned.problem, regression);
        let alike = known.iter().find(|known| known.coordinates.group == named.group);
        let cluster = alike.map(|known| known.coordinates.cluster.clone()).unwrap_or_default();
        planned.coordinates = Coordinates { cluster, ..named };
    }
}

/// Parses the coordinates from a name, without the cluster.
fn named(suite: &str, name: &str, regression: bool) -> Coordinates {
    let mut coordinates = Coordinates::default();
    let (mut series, mut group): (Vec<&str>, Vec<&str>) = (vec![suite], Vec::new());
    let rest = name.strip_prefix(suite).map_or(name, |rest| rest.trim_start_matches('/'));
    for part in rest.split('/') {
        if let Some(repetition) = repetition(part) {
            coordinates.repetition = Some(repetition);
            continue;
        }
        series.push(part);
        if Acquisition::ALL.iter().any(|acquisition| acquisition.to_string() == part) {
            coordinates.acquisition = Some(part.to_owned());
        } else if let Some(temperature) = number(part, "temp") {
            coordinates.temperature = Some(temperature);
        } else if let Some(size) = number(part, "t") {
            coordinates.train_size = Some(size);
        } else if part == "tfull" {
            coordinates.train_size = group.iter().find_map(|dataset| card(dataset)).map(|card| card.train_size);
        } else {
            coordinates.input_dim = number(part, "d").or(coordinates.input_dim);
            group.push(part);
        }
    }
    if regression && group.is_empty() {
        group.extend(suite.rsplit('/').next());
    }
    Coordinates { series: series.join("/"), group: group.join("/"), ..coordinates }
}

fn number<T: std::str::FromStr>(part: &str, word: &str) -> Option<T> {
    part.strip_prefix(word)?.parse().ok()
}

fn repetition(part: &str) -> Option<Repetition> {
    let seed = || number(part, "seed").map(Repetition::Seed);
    let simulation = || number(part, "sim").map(Repetition::Simulation);
    let split = || number(part, "split").map(Repetition::Split);
    seed().or_else(simulation).or_else(split).or_else(|| number(part, "set").map(Repetition::Set))
}

#[cfg(test)]
mod tests {
    use jointly_core::Coordinates;

    use super::named;

    /// Checks that suites name problems by their coordinates, so that a person who reads a name and a figure that reads
    /// coordinates agree.
    #[test]
    fn every_suite_names_its_problems_by_their_coordinates() {
        let check = |suite: &str, name: &str, own: &Coordinates, regression: bool| {
            let named = named(suite, name, regression);
            // Names contain neither what is the same for a whole suite nor the number of features or classes of a dataset.
            let input_dim = named.input_dim.and(own.input_dim);
            let own = Coordinates { cluster: String::new(), input_dim, classes: None, ..own.clone() };
            assert_eq!(named, own, "{name}");
        };
        let mut problems = 0;
        for suite in jointly_classification::suites() {
            suite.problems.iter().for_each(|it| check(&suite.name, &it.name, &it.coordinates, false));
            problems += suite.problems.len();
        }
        for suite in jointly_classification::shift::shift_suites() {
            suite.problems.iter().for_each(|it| check(&suite.name, &it.name, &it.coordinates, false));
            problems += suite.problems.len();
        }
        for suite in jointly_regression::regression_suites() {
            suite.problems.iter().for_each(|it| check(&suite.name, &it.name, &it.coordinates, true));
            problems += suite.problems.len();
        }
        assert!(problems > 4_000, "{problems}");
    }
}
