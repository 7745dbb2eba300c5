//! Problems made of tables: how tables are attached, and runs on real tables where these are available.

use std::path::PathBuf;

use super::*;
use crate::regression_suite;

/// The directory of real files, on a machine that has them.
const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data");

/// Returns the problems of a suite with these names, their tables attached; `None` if the tables are missing.
fn attached(suite: &str, names: &[&str]) -> Option<Vec<RegressionProblem>> {
    let mut problems = regression_suite(suite).unwrap().problems;
    problems.retain(|problem| names.contains(&problem.name.as_str()));
    assert_eq!(problems.len(), names.len());
    match attach_tables(&mut problems, &[PathBuf::from(REAL)]) {
        Ok(()) => Some(problems),
        Err(TableError::Missing(missing)) => {
            eprintln!("skipped: {missing}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_table_that_is_not_there_is_told_with_its_remedy() {
    let mut problems = regression_suite("coverage/uci").unwrap().problems;
    let message = attach_tables(&mut problems, &[PathBuf::from("/nowhere")]).unwrap_err().to_string();
    assert!(message.starts_with("there is no table boston in /nowhere: put its data.txt"), "{message}");
    assert!(attach_tables(&mut regression_suite("coverage/line").unwrap().problems, &[]).is_ok());
}

#[test]
#[should_panic(expected = "the data of boston are attached")]
fn without_its_table_a_problem_cannot_be_run() {
    run(&problem("coverage/uci", "coverage/uci/boston/split0"), &mut Linear::new(true), &RegressionOptions::default());
}

#[test]
fn boston_by_its_standard_splits() {
    let names = ["coverage/uci/boston/split0", "coverage/uci/boston/split19"];
    let Some(problems) = attached("coverage/uci", &names) else { return };
    let tables: Vec<_> = problems.iter().map(|problem| problem.table_source().and_then(Table::data).unwrap()).collect();
    assert!(std::ptr::eq(tables[0], tables[1]), "read once");
    assert!(problems[0].digest().is_some_and(|digest| digest.starts_with("sha256:")));
    let mut rmse = Vec::new();
    for problem in &problems {
        let mut agent = Linear { noise: 0.5, prior: 10.0, ..Linear::new(true) };
        let unit = run(problem, &mut agent, &RegressionOptions::default()).scores;
        assert_eq!((unit.scores.rows, agent.seen[0].rows(), unit.scores.levels.len()), (51, 455, 4));
        rmse.push(unit.scores.rmse.0);
    }
    // A linear fit has errors of 3.5 to 7 thousand dollars on these prices.
    assert!(rmse.iter().all(|rmse| (3.0..7.5).contains(rmse)), "{rmse:?}");
}

#[test]
fn a_fifth_of_yacht_is_trained_on_and_a_fifth_tested() {
    let Some(problems) =
        attached("correlations/uci", &["correlations/uci/yacht/seed0", "correlations/uci/yacht/seed1"])
    else {
        return;
    };
    let Some(active) = attached("correlations/active", &["correlations/active/yacht/seed0/batch-mig"]) else { return };
    let mut first = Linear::new(true);
    let result = run(&problems[0], &mut first, &RegressionOptions::default());
    let scores = result.scores.correlations.unwrap();
    // 62 of 308 rows to train on and 62 to test on.
    assert_eq!((first.seen[0].rows(), scores.rows, scores.pool, scores.metacorrelation), (62, 62, 0, None));
    assert_eq!(scores.absences, []);
    let mut second = Linear::new(true);
    run(&problems[1], &mut second, &RegressionOptions::default());
    assert_ne!(first.seen, second.seen);
    // Targets are standardised by the training set, inputs by training set and pool.
    let targets = first.seen[0].targets();
    assert!(targets.iter().map(|&y| f64::from(y)).sum::<f64>().abs() < 1e-4);
    let column = |row: usize| f64::from(first.seen[0].inputs().row(row)[5]);
    assert!((0..62).map(column).sum::<f64>().abs() > 1e-4);

    let mut learner = Linear::new(true);
    let rounds = run(&active[0], &mut learner, &RegressionOptions::default()).scores.rounds;
    assert_eq!(learner.seen[0], first.seen[0], "the same split");
    // Three rows a round, ten rounds.
    assert_eq!((rounds.len(), rounds[10].train, rounds[10].queried, rounds[0].oracle), (11, 92, 3, None));
    assert!(rounds[10].rmse.0 < 1.2 * rounds[0].rmse.0, "{rounds:?}");
}

#[test]
fn forests_are_grown_once_for_all_simulations() {
    let Some(problems) = attached("coverage/tables", &["coverage/tables/yacht/sim0", "coverage/tables/yacht/sim1"])
    else {
        return;
    };
    let mut agents = [Linear::new(true), Linear::new(true)];
    let options = RegressionOptions::default();
    let units: Vec<_> = problems.iter().zip(&mut agents).map(|(p, agent)| run(p, agent, &options).scores).collect();
    assert_eq!((agents[0].seen[0].rows(), units[0].scores.rows), (223, 61));
    assert_eq!(agents[0].seen[0].inputs(), agents[1].seen[0].inputs());
    assert_ne!(agents[0].seen[0].targets(), agents[1].seen[0].targets());
    assert_eq!(units[0].coverage.as_ref().unwrap().levels.len(), 4);
    let again = attached("coverage/tables", &["coverage/tables/yacht/sim1"]).unwrap();
    assert_eq!(run(&again[0], &mut Linear::new(true), &options).scores, units[1]);
}
