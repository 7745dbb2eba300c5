//! Formats tables and paragraphs for a terminal.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm, fill};
use unicode_width::UnicodeWidthStr;

/// The number of spaces between columns.
const GAP: usize = 2;

/// Formats a table with two spaces between columns, the first `left` columns flush left and the others flush right.
/// Columns that would end beyond column 80 go into a table of their own below, beside the first `left` columns again.
#[expect(clippy::missing_panics_doc, reason = "a block is begun before the loop")]
pub fn render(left: usize, rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let begin: usize = widths.iter().take(left).map(|width| width + GAP).sum();
    let (mut blocks, mut end) = (vec![Vec::new()], begin);
    for (column, &width) in widths.iter().enumerate().skip(left) {
        let block = blocks.last_mut().expect("one is begun");
        // A column that is too wide beside the first columns alone would be too wide in any table.
        if end + width > COLUMNS && !block.is_empty() && begin + width <= COLUMNS {
            blocks.push(vec![column]);
            end = begin;
        } else {
            block.push(column);
        }
        end += width + GAP;
    }
    let first: Vec<usize> = (0..left.min(columns)).collect();
    let block = |block: Vec<usize>| {
        let mut text = String::new();
        for row in rows {
            let cell = |&column: &usize| {
                let (cell, width) = (row.get(column)?, widths[column]);
                let gap = " ".repeat(width.saturating_sub(cell.width()));
                Some(if column < left { format!("{cell}{gap}") } else { format!("{gap}{cell}") })
            };
            let cells: Vec<String> = first.iter().chain(&block).filter_map(cell).collect();
            text += cells.join(&" ".repeat(GAP)).trim_end();
            text.push('\n');
        }
        text
    };
    blocks.into_iter().map(block).collect::<Vec<_>>().join("\n")
}

/// The number of columns of a terminal.
const COLUMNS: usize = 80;

/// Breaks a text into lines of at most 80 columns between words; a longer word stays whole. Each line keeps its own
/// indent, and its continuation lines are indented by `more` columns more.
pub fn wrap(text: &str, more: usize) -> String {
    let wrapped = text.lines().map(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let (first, others) = (" ".repeat(indent), " ".repeat(indent + more));
        fill(line.trim_start_matches(' '), options(&first, &others))
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

/// Formats names, each with a text beside it that stays in its own column of a terminal.
pub fn described(indent: usize, rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let others = " ".repeat(indent + width + 2);
    let row = |(name, text): &(String, String)| {
        let first = format!("{}{name}{}  ", " ".repeat(indent), " ".repeat(width - name.width()));
        // Filling an empty text would lose its indent, which is the name.
        let text = if text.is_empty() { first } else { fill(text, options(&first, &others)) };
        text.trim_end().to_owned() + "\n"
    };
    rows.iter().map(row).collect()
}

/// Returns options for lines that end at column 80 and are broken only between words.
fn options<'a>(first: &'a str, others: &'a str) -> Options<'a> {
    Options::new(COLUMNS)
        .initial_indent(first)
        .subsequent_indent(others)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

#[cfg(test)]
mod tests {
    use super::{described, render, wrap};

    #[test]
    fn long_lines_go_on_below_with_an_indent() {
        let words = ["fifteen letters"; 6].join(" ");
        let wrapped = wrap(&format!("  {words}\nshort\n\n{}", "x".repeat(90)), 2);
        let lines: Vec<&str> = wrapped.lines().collect();
        assert_eq!(lines[0], format!("  {} fifteen", ["fifteen letters"; 4].join(" ")));
        assert_eq!(lines[1], "    letters fifteen letters");
        assert_eq!(lines[2..], ["short", "", &"x".repeat(90)]);
    }

    #[test]
    fn a_description_stays_in_its_column() {
        let rows = [("mlp", "a"), ("ensemble", &["fifteen letters"; 6].join(" ")), ("none", "")];
        let text = described(2, &rows.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[3]), ("  mlp       a", "  none"));
        assert_eq!(lines[2], format!("{}fifteen letters fifteen letters", " ".repeat(12)));
        assert!(lines[1].starts_with("  ensemble  fifteen letters") && lines[1].len() <= 80);
    }

    #[test]
    fn columns_line_up() {
        let rows = [["agent", "kl"], ["mlp", "0.1"], ["ensemble", "0.05"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(render(1, &rows), "agent       kl\nmlp        0.1\nensemble  0.05\n");
    }

    #[test]
    fn columns_that_do_not_fit_go_below() {
        let wide = "x".repeat(40);
        let rows = [["#", "agent", "kl", "accuracy", "fuel"], ["1", "mlp", wide.as_str(), "0.5", "1 G"]];
        let fits = render(2, &rows.map(|row| row.map(String::from).to_vec()));
        assert_eq!(fits.lines().count(), 2, "{fits}");
        let rows = [["#", "agent", "kl", "vs", "fuel"], ["1", "mlp", wide.as_str(), wide.as_str(), "1 G"]];
        let text = render(2, &rows.map(|row| row.map(String::from).to_vec()));
        let kl = format!("#  agent  {:>40}\n1  mlp    {wide}\n", "kl");
        assert_eq!(text, format!("{kl}\n#  agent  {:>40}  fuel\n1  mlp    {wide}   1 G\n", "vs"));
        // Exactly 80 columns still fit, and names that leave no space do not break the table up.
        let name = |length: usize| {
            [["agent", "kl", "vs"].map(String::from).to_vec(), vec!["n".repeat(length), "12".into(), "34".into()]]
        };
        assert_eq!(render(1, &name(72)).lines().map(|line| line.chars().count()).collect::<Vec<_>>(), [80, 80]);
        assert_eq!(render(1, &name(73)).lines().count(), 5);
        assert_eq!(render(1, &name(90)).lines().count(), 2);
    }
}
