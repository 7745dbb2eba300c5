//! User-supplied tables that replace a suite's: reads them, keeps them in the run's directory and finds them there
//! again.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use jointly_core::digest;
use jointly_data::regression::MAX_ACTIVE_ROWS;
use jointly_record::directory::RunDirectory;
use jointly_record::kept::Kept;
use jointly_record::plan::Plan;
use jointly_record::planned_table::PlannedTable;
use jointly_regression::{
    RegressionProblem, RegressionSuite, Table, TableFile, regression_suite_on, regression_suites,
};

/// Reads files, one table each.
///
/// # Errors
/// When a file is no table, or two tables have the same name.
pub fn read(files: &[PathBuf]) -> Result<Vec<TableFile>> {
    let tables = files.iter().map(|file| TableFile::read(file)).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = tables.iter().map(|file| file.table.name()).collect();
    if let Some(at) = (0..names.len()).find(|&at| names[..at].contains(&names[at])) {
        bail!("two tables have the name {}; rename one of the files", names[at]);
    }
    Ok(tables)
}

/// Returns the suite of that name on these tables, if there is such a suite.
///
/// # Errors
/// When tables are given and the suite has none that they could replace.
pub fn suite(name: &str, files: &[TableFile]) -> Result<Option<RegressionSuite>> {
    let tables: Vec<Table> = files.iter().map(|file| file.table.clone()).collect();
    let Some(suite) = regression_suite_on(name, &tables) else { return Ok(None) };
    if !tables.is_empty() && !has_tables(&suite) {
        let others: Vec<String> = regression_suites().into_iter().filter(has_tables).map(|suite| suite.name).collect();
        bail!("--table takes the place of a suite's tables, and {name} has none: give --suite {}", others.join(" or "));
    }
    Ok(Some(suite))
}

/// Checks that each of these tables makes a problem of the selection, and not only problems that are left out.
///
/// # Errors
/// When a table makes only problems that are left out.
pub fn refuse_idle(files: &[TableFile], asked: &[RegressionProblem], left_out: &[RegressionProblem]) -> Result<()> {
    let made = |problem: &&RegressionProblem, file: &TableFile| problem.table() == Some(file.table.name());
    for file in files.iter().filter(|file| !asked.iter().any(|problem| made(&problem, file))) {
        if let Some(example) = left_out.iter().find(|problem| made(problem, file)) {
            bail!(
                "none of the chosen problems uses the table {}: leave it out, or let --problems match one such as {}",
                file.file,
                example.name
            );
        }
    }
    Ok(())
}

/// Checks that problems do not exceed the size limit of one run.
///
/// # Errors
/// When a table has more rows than its problems can take.
pub fn fit(problems: &[RegressionProblem]) -> Result<()> {
    for problem in problems.iter().filter(|problem| problem.asks_predictor()) {
        let own = problem.table_source().filter(|table| table.card().is_none());
        let rows = own.and_then(Table::data).map_or(0, |table| table.data().rows());
        if rows > MAX_ACTIVE_ROWS {
            bail!(
                "{} has {rows} rows, and active learning is about {MAX_ACTIVE_ROWS} at most: give fewer of them",
                problem.table().unwrap_or_default()
            );
        }
    }
    Ok(())
}

/// Returns whether a suite has problems that are made of tables.
pub fn has_tables(suite: &RegressionSuite) -> bool {
    suite.problems.iter().any(|problem| problem.table().is_some())
}

/// Copies the files into the directory.
///
/// # Errors
/// When a file cannot be written.
pub fn keep(files: &[TableFile], directory: &RunDirectory) -> Result<()> {
    files.iter().try_for_each(|file| directory.keep(Kept::Table(file.format), &file.digest, &file.bytes))
}

/// Reads the plan's tables from the copies in the directory.
///
/// # Errors
/// When a copy is missing, or has another digest.
pub fn held(directory: &RunDirectory, plan: &Plan) -> Result<Vec<TableFile>> {
    let held = |planned: &PlannedTable| {
        let name = planned.kept()?.path(&planned.digest);
        let shown = directory.shown(&name);
        let bytes = directory.read(&name)?.into_owned();
        let found = digest(&bytes);
        if found != planned.digest {
            bail!("{shown} is not the table that the plan names: its digest is {found}");
        }
        Ok(TableFile::from_bytes(&planned.file, bytes, Path::new(&shown))?)
    };
    plan.tables.iter().map(held).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use anyhow::Context;
    use jointly_data::regression::TableFormat;
    use jointly_host::Limits;
    use jointly_record::invented::planned_agent;
    use jointly_regression::RegressionOptions;

    use super::*;
    use crate::data_directories::DataDirectories;
    use crate::plans::{of_regression, planned_table};
    use crate::regression_suite;

    /// Writes a table of forty rows under that name.
    fn file(folder: &tempfile::TempDir, name: &str, slope: f64) -> PathBuf {
        let mut text = "a,b,y\n".to_owned();
        for i in 0..40 {
            writeln!(text, "{i},{},{}", i * 7 % 5, slope * f64::from(i) + f64::from(i * 3 % 4)).unwrap();
        }
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn plan(suite: &RegressionSuite, tables: &[TableFile]) -> Plan {
        let tables = tables.iter().map(planned_table).collect();
        Plan { tables, ..of_regression(suite, 0.into(), Limits::default(), vec![planned_agent()], None) }
    }

    fn ask(suite: &str, pattern: &str, tables: &[TableFile]) -> Result<RegressionSuite> {
        let none = DataDirectories::default();
        let suite = regression_suite::requested(suite, Some(pattern), tables, |_| Ok(()), &none)?;
        suite.context("a suite of regression")
    }

    #[test]
    fn a_directory_alone_makes_the_problems_again() {
        let folder = tempfile::tempdir().unwrap();
        let tables = read(&[file(&folder, "mine.csv", 1.0), file(&folder, "yours.csv", 2.0)]).unwrap();
        let suite = ask("quick/coverage", "quick/coverage/{mine/sim0,uci/yours/split1,line/sim0}", &tables).unwrap();
        let asked = plan(&suite, &tables);
        assert_eq!(asked.override_options(), ["--table mine.csv", "--table yours.csv"]);
        assert_eq!(asked.overrides(), ", table mine.csv, table yours.csv");
        let (directory, _journal) = RunDirectory::for_plan(&folder.path().join("run"), &asked).unwrap();
        keep(&tables, &directory).unwrap();
        let read = directory.plan().unwrap();
        assert_eq!(read, asked);
        let kept = held(&directory, &read).unwrap();
        let again = regression_suite::held(&read, &kept, &DataDirectories::default()).unwrap();
        assert_eq!(plan(&again, &kept), asked);
        // Another table under the same name changes the plan, but not the other conditions of a unit's result.
        let other = tempfile::tempdir().unwrap();
        let other = super::read(&[file(&other, "mine.csv", 3.0), file(&other, "yours.csv", 2.0)]).unwrap();
        let other = plan(&ask("quick/coverage", "*/{mine/sim0,uci/yours/split1,line/sim0}", &other).unwrap(), &other);
        let difference = asked.difference(&other);
        assert_eq!(
            (asked.other_conditions(&other), difference.as_deref()),
            (None, Some("other bytes of the table mine.csv"))
        );
        let mut form = asked.clone();
        form.tables[1].file = "yours.npz".into();
        assert_eq!(form.difference(&asked).as_deref(), Some("tables mine.csv yours.npz, not mine.csv yours.csv"));
        let path = directory.kept(Kept::Table(TableFormat::Csv), &tables[0].digest);
        fs::write(&path, "1,2\n").unwrap();
        let error = held(&directory, &read).unwrap_err().to_string();
        assert!(error.contains("is not the table that the plan names: its digest is sha256:"), "{error}");
    }

    #[test]
    fn plans_without_tables_are_as_they_were() {
        let suite = ask("quick/coverage", "quick/coverage/line/sim0", &[]).unwrap();
        let text = serde_json::to_string(&plan(&suite, &[])).unwrap();
        assert!(!text.contains("table"), "{text}");
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan(&suite, &[]));
        assert_eq!(suite.options, RegressionOptions::default());
    }

    #[test]
    fn suites_without_tables_refuse_them_and_name_those_that_have_some() {
        let folder = tempfile::tempdir().unwrap();
        let tables = read(&[file(&folder, "mine.csv", 1.0)]).unwrap();
        let error = ask("coverage/line", "*", &tables).unwrap_err().to_string();
        assert!(
            error.starts_with("--table takes the place of a suite's tables, and coverage/line has none"),
            "{error}"
        );
        assert!(error.contains("give --suite coverage/boston or coverage/tables or coverage/uci or"), "{error}");
        let twice = [file(&folder, "mine.csv", 1.0), file(&folder, "mine.CSV", 1.0)];
        assert!(read(&twice).unwrap_err().to_string().starts_with("two tables have the name mine; rename one"));
    }

    #[test]
    fn a_table_that_no_problem_asked_for_is_made_of_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let tables = read(&[file(&folder, "mine.csv", 1.0), file(&folder, "yours.csv", 2.0)]).unwrap();
        for (pattern, idle) in [("*/line/sim0", "mine"), ("quick/coverage/{line,mine}/sim[01]", "yours")] {
            let error = ask("quick/coverage", pattern, &tables).unwrap_err().to_string();
            let said = format!(
                "none of the chosen problems uses the table {idle}.csv: leave it out, or let --problems match one such as \
                 quick/coverage/{idle}/sim0"
            );
            assert_eq!(error, said);
        }
        assert!(ask("quick/coverage", "*/{line,mine}/sim0", &tables[..1]).is_ok());
        assert!(ask("quick/coverage", "*/line/sim0", &[]).is_ok());
    }

    #[test]
    fn active_learning_refuses_tables_that_others_take() {
        let folder = tempfile::tempdir().unwrap();
        let text = |rows: usize| (0..rows).map(|i| format!("{i},{}", i % 7)).collect::<Vec<_>>().join("\n");
        for (rows, taken) in [(MAX_ACTIVE_ROWS, true), (MAX_ACTIVE_ROWS + 1, false)] {
            let path = folder.path().join("mine.csv");
            fs::write(&path, text(rows)).unwrap();
            let tables = read(&[path]).unwrap();
            assert!(ask("correlations/uci", "*/seed0", &tables).is_ok());
            let active = ask("correlations/active", "*/seed0/*", &tables).map_err(|error| error.to_string());
            assert_eq!(active.is_ok(), taken);
            let said = "mine has 20001 rows, and active learning is about 20000 at most";
            assert!(active.err().is_none_or(|error| error.starts_with(said)));
        }
    }
}
