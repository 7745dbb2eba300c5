//! Results as a Parquet file, for analysis elsewhere: one row for each unit that has a result.

mod columns;

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use jointly_score::scores::{AgentScores, Scores};
use parquet::basic::{LogicalType, Repetition, Type as Stored};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use columns::{Cell, Column, Kind};

/// The most rows that are held and written together, the most cells, and about the most bytes of text: plans from
/// strangers may have many columns, and long labels and messages.
const ROWS: usize = 1 << 16;
const CELLS: usize = 1 << 23;
const TEXT: usize = 64 << 20;
/// The most columns: every setting that some agent was given has one.
const MOST_COLUMNS: usize = 4_096;

/// Writes a row for each unit of the scores that has a result, agent by agent, in the plan's order. The same results give
/// the same bytes.
///
/// # Errors
/// When there are too many columns, a journal can no longer be read, or the writer fails.
pub fn write(scores: &Scores, writer: impl Write + Send) -> Result<()> {
    let columns = columns::of(scores);
    ensure!(columns.len() <= MOST_COLUMNS, "there are {} columns, more than {MOST_COLUMNS}", columns.len());
    let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("units").with_fields(fields).build()?;
    let mut properties = WriterProperties::builder().set_created_by("jointly".to_owned());
    for column in columns.iter().filter(|column| column.kind == Kind::Number) {
        // Hardly a number occurs twice.
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(column.name.as_str()), false);
    }
    let mut file = File {
        writer: SerializedFileWriter::new(writer, Arc::new(schema), Arc::new(properties.build()))?,
        held: columns.iter().map(|column| Held::new(column.kind)).collect(),
        most: (CELLS / columns.len()).min(ROWS),
        columns,
        rows: 0,
        text: 0,
    };
    scores.each_agent(|agent| file.add(agent))?;
    file.write_rows()?;
    file.writer.close()?;
    Ok(())
}

/// Returns the description of a column.
fn field(column: &Column) -> Result<Type> {
    let (stored, logical) = match column.kind {
        Kind::Text => (Stored::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Number => (Stored::DOUBLE, None),
        Kind::Count => (Stored::INT64, Some(LogicalType::integer(64, false))),
    };
    let field = Type::primitive_type_builder(&column.name, stored).with_repetition(Repetition::OPTIONAL);
    field.with_logical_type(logical).build().with_context(|| format!("failed to describe the column {}", column.name))
}

/// A file that is being written.
struct File<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    /// The cells of each column that are not written yet.
    held: Vec<Held>,
    /// The number of rows that are not written yet, and the most that there may be.
    rows: usize,
    most: usize,
    /// The bytes of text in them.
    text: usize,
}

/// Cells of one column.
struct Held {
    values: Values,
    /// 1 for each row that has a value, and 0 for each other row.
    present: Vec<i16>,
}

/// Values of one type.
enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<f64>),
    Count(Vec<i64>),
}

impl Held {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Text => Values::Text(Vec::new()),
            Kind::Number => Values::Number(Vec::new()),
            Kind::Count => Values::Count(Vec::new()),
        };
        Self { values, present: Vec::new() }
    }

    /// Adds a cell, which is empty unless it is of the column's type.
    fn add(&mut self, cell: &Cell) {
        match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => values.push(text.as_bytes().to_vec().into()),
            (Values::Number(values), Cell::Number(number)) => values.push(*number),
            // The column is declared unsigned, so readers take the bits as they are.
            (Values::Count(values), Cell::Count(count)) => values.push(count.cast_signed()),
            _ => return self.present.push(0),
        }
        self.present.push(1);
    }

    fn clear(&mut self) {
        self.present.clear();
        match &mut self.values {
            Values::Text(values) => values.clear(),
            Values::Number(values) => values.clear(),
            Values::Count(values) => values.clear(),
        }
    }
}

impl<W: Write + Send> File<W> {
    fn add(&mut self, agent: &AgentScores) -> Result<()> {
        for unit in agent.units() {
            for (column, held) in self.columns.iter().zip(&mut self.held) {
                let cell = column.cell(agent, &unit);
                self.text += if let Cell::Text(text) = &cell { text.len() } else { 0 };
                held.add(&cell);
            }
            self.rows += 1;
            if self.rows == self.most || self.text > TEXT {
                self.write_rows()?;
            }
        }
        Ok(())
    }

    /// Writes the rows that are held.
    fn write_rows(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for held in &mut self.held {
            let mut column = group.next_column()?.context("the file has fewer columns than the table")?;
            let present = Some(held.present.as_slice());
            match &held.values {
                Values::Text(values) => column.typed::<ByteArrayType>().write_batch(values, present, None)?,
                Values::Number(values) => column.typed::<DoubleType>().write_batch(values, present, None)?,
                Values::Count(values) => column.typed::<Int64Type>().write_batch(values, present, None)?,
            };
            column.close()?;
            held.clear();
        }
        group.close()?;
        (self.rows, self.text) = (0, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write as _;

    use jointly_core::round_significant;
    use jointly_record::directory::RunDirectory;
    use jointly_record::invented::{Got, InventedRun};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::run_results::RunResults;
    use jointly_score::scores::Scores;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::Value;

    use super::write;

    const PROBLEMS: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];

    /// Writes scores and reads them back, row by row.
    fn rows(bytes: &[u8]) -> Vec<BTreeMap<String, Field>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| row.unwrap().get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect())
            .collect()
    }

    fn written(scores: &Scores) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(scores, &mut bytes).unwrap();
        bytes
    }

    fn run() -> InventedRun {
        let agents: [(&str, &[Got]); 3] = [
            ("mlp", &[Got::Scored(1.0 / 3.0), Got::Scored(f64::INFINITY)]),
            ("mlp:steps=7", &[Got::Failed, Got::Scored(2.0)]),
            ("prior", &[Got::Missing, Got::Scored(3.0)]),
        ];
        let mut run = InventedRun::new("quick", &PROBLEMS, &agents);
        run.results[0].seconds = Some(0.25);
        run
    }

    #[test]
    fn what_is_read_back_is_what_scores_json_has() {
        let run = run();
        let scores = run.scores();
        let json = serde_json::to_value(&scores).unwrap();
        let rows = rows(&written(&scores));
        assert_eq!(rows.len(), 5);
        let text = |field: &Field| if let Field::Str(text) = field { text.clone() } else { panic!("{field:?}") };
        let number = |field: &Field| match field {
            Field::Double(number) => round_significant(*number),
            Field::ULong(count) => *count as f64,
            other => panic!("{other:?}"),
        };
        let real = |value: &Value| match value.as_str() {
            Some(text) => text.parse().unwrap(),
            None => value.as_f64().unwrap(),
        };
        let mut compared = 0;
        let mut next = rows.iter();
        for (agent, planned) in json["agents"].as_array().unwrap().iter().zip(&run.plan.agents) {
            let failed = agent["failures"].as_array().unwrap();
            for problem in PROBLEMS {
                let scored = agent["problems"].as_array().unwrap().iter().find(|own| own["problem"] == problem);
                let failure = failed.iter().find(|own| own["problem"] == problem);
                let Some(result) = scored.or(failure) else { continue };
                let row = next.next().unwrap();
                assert_eq!((text(&row["label"]), text(&row["problem"])), (planned.label.clone(), problem.to_owned()));
                assert_eq!(row["failure_message"] != Field::Null, failure.is_some(), "{row:?}");
                if failure.is_some() {
                    assert_eq!(text(&row["failure_kind"]), result["kind"]);
                    assert_eq!(row["kl_tau1"], Field::Null);
                    continue;
                }
                for (name, value) in result.as_object().unwrap().iter().filter(|(name, _)| *name != "problem") {
                    let Some(parts) = value.as_object() else {
                        assert_eq!(number(&row[name]), real(value), "{name}");
                        continue;
                    };
                    for (part, value) in parts {
                        let column = if part == "mean" { name.clone() } else { format!("{name}_{part}") };
                        let (held, own) = (number(&row[&column]), real(value));
                        assert!(held == own || held.is_nan() && own.is_nan(), "{column}: {held} and {own}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 30 && next.next().is_none());
        assert_eq!((&rows[0]["seconds"], &rows[2]["setting.steps"]), (&Field::Double(0.25), &Field::Str("7".into())));
        assert_eq!((&rows[0]["setting.steps"], &rows[0]["temperature"]), (&Field::Null, &Field::Double(0.1)));
    }

    #[test]
    fn results_that_are_read_again_make_the_same_bytes() {
        let run = run();
        let folder = tempfile::tempdir().unwrap();
        let (directory, mut journal) = RunDirectory::for_plan(folder.path(), &run.plan).unwrap();
        run.results.iter().rev().for_each(|result| journal.append(result).unwrap());
        let results = RunResults::of(&run.plan, &directory, journal.lines()).unwrap();
        let scores = results.scores(&run.plan, &directory).unwrap();
        assert!(scores.agents.iter().all(|agent| agent.problems.is_empty()));
        assert_eq!(written(&scores), written(&run.scores()));
    }
}
