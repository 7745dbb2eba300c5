//! The contents of suites.

use std::collections::HashSet;

use super::*;

#[test]
fn every_suite_passes_its_own_checks_and_names_are_unique() {
    let mut names = HashSet::new();
    for suite in regression_suites() {
        assert_eq!(suite.options.check(), Ok(()), "{}", suite.name);
        for problem in &suite.problems {
            assert!(problem.name.starts_with(&format!("{}/", suite.name)), "{}", problem.name);
            assert!(names.insert(problem.name.clone()), "{}", problem.name);
        }
    }
    assert!(regression_suite("nonesuch").is_none());
}

#[test]
fn sizes_are_the_papers() {
    let count = |name: &str| regression_suite(name).unwrap().problems.len();
    assert_eq!(
        ["line", "homoscedastic", "gap", "boston"].map(|name| count(&format!("coverage/{name}"))),
        [500, 100, 100, 100]
    );
    assert_eq!((count("coverage/constant"), count("coverage/zero")), (2500, 100));
    assert_eq!((count("coverage/uci"), count("coverage/tables")), (8 * 20 + 5, 800));
    assert_eq!((count("correlations/synthetic"), count("correlations/uci")), (250, 80));
    assert_eq!((count("correlations/active"), count("correlations/active-synthetic")), (320, 1000));
    assert_eq!(count("correlations/active-oracle"), 1000);
    let options = regression_suite("correlations/synthetic").unwrap().options;
    assert_eq!((options.pool, options.test, options.batch, options.moment_draws), (500, 200, 5, 1000));
}

#[test]
fn agents_are_compared_at_all_test_rows_of_the_papers_tables() {
    let options = regression_suite("correlations/uci").unwrap().options;
    for name in TABLES {
        let rows = (f64::from(uci_card(name).unwrap().rows) * options.test_share).round() as u32;
        assert!(rows <= options.belief_rows && rows <= options.exact_rows, "{name}: {rows}");
    }
}

#[test]
fn names_tell_what_shares_data() {
    let find = |suite: &str, name: &str| {
        regression_suite(suite).unwrap().problems.into_iter().find(|problem| problem.name == name).unwrap()
    };
    let expected = [
        ("coverage/line", "coverage/line/sim17", "", None),
        ("coverage/boston", "coverage/boston/sim3", "", Some("boston")),
        ("coverage/tables", "coverage/tables/yacht/sim3", "", Some("yacht")),
        ("coverage/uci", "coverage/uci/boston/split0", "boston", Some("boston")),
        ("correlations/synthetic", "correlations/synthetic/d5/set17", "d5", None),
        ("correlations/synthetic-own", "correlations/synthetic-own/d5/set17", "", None),
        ("correlations/uci", "correlations/uci/boston/seed3", "boston", Some("boston")),
        ("correlations/active", "correlations/active/boston/seed3/batch-mig", "boston", Some("boston")),
        ("correlations/active-synthetic", "correlations/active-synthetic/d5/set17/mig", "d5", None),
        ("correlations/active-oracle", "correlations/active-oracle/d5/set17/oracle-mig", "d5", None),
    ];
    for (suite, name, cluster, table) in expected {
        let problem = find(suite, name);
        assert_eq!((problem.coordinates.cluster.as_str(), problem.table()), (cluster, table), "{name}");
        assert_eq!(problem.digest(), None, "{name}");
    }
    let active = find("correlations/active", "correlations/active/boston/seed3/batch-mig");
    assert_eq!(active.stream_name(), "correlations/active/boston/seed3");
}
