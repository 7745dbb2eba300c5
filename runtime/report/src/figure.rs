//! A figure: a drawing, its caption, and its numbers.

use jointly_record::quantity;

use crate::drawing::{Canvas, Markup};
pub(crate) use jointly_record::quantity::counted;

/// Width of a drawing, in pixels; a page scales it to the available width.
pub(crate) const WIDTH: f64 = 980.0;

/// A figure of the page.
pub(crate) struct Figure {
    pub(crate) title: String,
    /// Describes the drawing, its problems and their number, and the error bars.
    pub(crate) caption: String,
    pub(crate) drawing: Canvas,
    /// A table shown with the figure; empty if there is none.
    pub(crate) table: Vec<Vec<String>>,
    /// Tables, each a row of headings and then the numbers.
    pub(crate) numbers: Vec<Vec<Vec<String>>>,
}

impl Figure {
    /// Returns the figure as markup with an id that links lead to.
    pub(crate) fn markup(&self, id: &str) -> Markup {
        let mut markup = Markup::new();
        markup.open("section", &[("class", "figure"), ("id", id)]);
        markup.element("h3", &[], &self.title);
        markup.open("figure", &[]);
        markup.push(&table_of(&self.table, 1));
        markup.push(&self.drawing.inline(&self.title));
        markup.element("figcaption", &[], &self.caption);
        markup.close("figure");
        markup.open("details", &[]);
        markup.element("summary", &[], "The numbers");
        for table in &self.numbers {
            markup.push(&table_of(table, 1));
        }
        markup.close("details");
        markup.close("section");
        markup
    }
}

/// Makes a table whose first row is its heading and whose first `left` columns are texts.
pub(crate) fn table_of(rows: &[Vec<String>], left: usize) -> Markup {
    let mut markup = Markup::new();
    let Some((head, body)) = rows.split_first() else { return markup };
    let class = |column: usize| if column < left { "text" } else { "number" };
    markup.open("div", &[("class", "wide")]);
    markup.open("table", &[]);
    markup.open("thead", &[]);
    markup.open("tr", &[]);
    for (column, cell) in head.iter().enumerate() {
        markup.open("th", &[("class", class(column))]);
        markup.breakable(cell);
        markup.close("th");
    }
    markup.close("tr");
    markup.close("thead");
    markup.open("tbody", &[]);
    for row in body {
        markup.open("tr", &[]);
        for (column, cell) in row.iter().enumerate() {
            markup.open("td", &[("class", class(column))]);
            markup.breakable(cell);
            markup.close("td");
        }
        markup.close("tr");
    }
    markup.close("tbody");
    markup.close("table");
    markup.close("div");
    markup
}

/// Makes the cells of a table row.
pub(crate) fn cells<S: ToString>(texts: impl IntoIterator<Item = S>) -> Vec<String> {
    texts.into_iter().map(|text| text.to_string()).collect()
}

/// Formats a number for a table, or a dash for NaN.
pub(crate) fn digits(x: f64) -> String {
    if x.is_nan() { "-".to_owned() } else { quantity::number(x) }
}
