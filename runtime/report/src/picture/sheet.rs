//! The sheet: the truth above, then a row for each agent.

use anyhow::Result;
use jointly_core::{Dataset, Seed};

use crate::drawing::{Anchor, Area, Canvas, Markup, Spot, shortened};
use crate::picture::belief::{Belief, MEAN_DRAWS};
use crate::picture::colours::{colour, image, scale};
use crate::picture::contour::contour;
use crate::picture::plane::Plane;

const PANEL: f64 = 168.0;
const GAP: f64 = 12.0;
const LEFT: f64 = 44.0;
/// Space above each row for its title and the panels' headings.
const HEAD: f64 = 60.0;
const FOOT: f64 = 44.0;
const TOP: f64 = 26.0;
/// With more examples than this, points are small and left out of the agents' panels.
const MANY: usize = 300;
/// The height of a line of the key.
const KEY: f64 = 22.0;
/// The longest text of a failure, in characters.
const MESSAGE: usize = 110;

/// The style sheet, with literal colours because a stand-alone file is always on white paper.
const STYLE: &str = "
text { font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; fill: #16181d; }
.heading { font-size: 12px; fill: #565c66; }
.name { font-size: 14px; font-weight: 600; }
.tick { font-size: 10.5px; fill: #565c66; }
.note { font-size: 12px; fill: #565c66; }
.frame { fill: none; stroke: #8a9099; stroke-width: 1; }
.boundary { fill: none; stroke: #16181d; stroke-width: 1.1; }
";

/// The contents of the picture.
pub struct Sheet<'a> {
    /// The problem's name.
    pub problem: &'a str,
    /// The master seed.
    pub seed: Seed,
    /// The training examples.
    pub train: &'a Dataset,
    /// True probabilities of class 1 on the cells of the plane.
    pub truth: &'a [f32],
    /// The maximum number of sampled functions in a row.
    pub functions: usize,
    /// One row for each agent.
    pub rows: &'a [Row],
}

/// An agent's row.
pub struct Row {
    /// The agent's label.
    pub label: String,
    /// The agent's predictions, or how it failed.
    pub belief: Result<Belief, String>,
}

impl Sheet<'_> {
    /// Returns the picture as a file's contents.
    ///
    /// # Errors
    /// When an image cannot be encoded.
    pub fn to_svg(&self) -> Result<String> {
        self.markup().map(Markup::into_string)
    }

    fn markup(&self) -> Result<Markup> {
        let columns = (self.functions + 1).max(3) as f64;
        let width = LEFT + columns * (PANEL + GAP) + GAP;
        let row_height = HEAD + PANEL + GAP;
        let height = TOP + row_height * (self.rows.len() + 1) as f64 + FOOT;
        let mut canvas = Canvas::new(width, height);
        canvas.rect(Area { left: 0.0, top: 0.0, width, height }, &[("fill", "#ffffff")], "");
        canvas.text((LEFT, TOP), Anchor::Start, "name", &format!("{}, seed {}", self.problem, self.seed));
        self.first_row(&mut canvas)?;
        for (number, row) in self.rows.iter().enumerate() {
            self.row(&mut canvas, row, TOP + row_height * (number + 1) as f64)?;
        }
        let (across, middle) = ("first input", LEFT + PANEL / 2.0);
        canvas.text((middle, height - FOOT + 22.0), Anchor::Middle, "tick", across);
        Ok(canvas.standalone(STYLE))
    }

    /// Draws the truth with the training examples, and the colour scale.
    fn first_row(&self, canvas: &mut Canvas) -> Result<()> {
        let area = panel(0, TOP);
        heading(canvas, area, "true probability of class 1");
        map(canvas, area, self.truth)?;
        self.points(canvas, area);
        let left = LEFT + PANEL + 3.0 * GAP;
        canvas.image(Area { left, width: 16.0, ..area }, &scale()?);
        canvas.rect(Area { left, width: 16.0, ..area }, &[("class", "frame")], "");
        for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let y = area.bottom() - part * PANEL;
            canvas.text((left + 24.0, y + 4.0), Anchor::Start, "tick", &part.to_string());
        }
        self.key(canvas, (left + 72.0, area.top + 12.0));
        Ok(())
    }

    /// Draws the meaning of the marks, and the number of examples.
    fn key(&self, canvas: &mut Canvas, (x, y): Spot) {
        let labels = self.train.labels();
        for (line, class) in [0, 1].into_iter().enumerate() {
            let y = y + line as f64 * KEY;
            let count = labels.iter().filter(|label| **label == class).count();
            let what = if count == 1 { "example" } else { "examples" };
            canvas.example((x, y), class == 1, 4.0, &colour(f64::from(class)));
            canvas.text((x + 14.0, y + 4.0), Anchor::Start, "note", &format!("{count} {what} of class {class}"));
        }
        let inputs = self.train.inputs().numbers();
        let inside = (0..labels.len()).filter(|row| Plane::STANDARD.place(inputs.row(*row)).is_some()).count();
        if inside < labels.len() {
            let text = format!("{} of them outside the plane", labels.len() - inside);
            canvas.text((x + 14.0, y + 2.0 * KEY + 4.0), Anchor::Start, "note", &text);
        }
        let y = y + 3.0 * KEY;
        canvas.path(&format!("M{} {y}h16", x - 8.0), &[("class", "boundary")], "");
        canvas.text((x + 14.0, y + 4.0), Anchor::Start, "note", "probability 1/2");
    }

    fn row(&self, canvas: &mut Canvas, row: &Row, top: f64) -> Result<()> {
        canvas.text((LEFT, top + 30.0), Anchor::Start, "name", &shortened(&row.label, 90));
        let belief = match &row.belief {
            Ok(belief) => belief,
            Err(message) => {
                let text = shortened(&format!("failed: {message}"), MESSAGE);
                canvas.text((LEFT, top + HEAD), Anchor::Start, "note", &text);
                return Ok(());
            }
        };
        let area = panel(0, top);
        heading(canvas, area, &format!("mean of {MEAN_DRAWS} draws"));
        map(canvas, area, &belief.mean)?;
        if self.train.labels().len() <= MANY {
            self.points(canvas, area);
        }
        for (number, function) in belief.functions.iter().enumerate() {
            let area = panel(number + 1, top);
            heading(canvas, area, &format!("sampled function {}", number + 1));
            map(canvas, area, function)?;
        }
        if belief.functions.len() < self.functions {
            let area = panel(belief.functions.len() + 1, top);
            let text = if belief.functions.len() == 1 { "it has one function" } else { "it has no more functions" };
            canvas.text((area.left, area.top + 14.0), Anchor::Start, "note", text);
        }
        Ok(())
    }

    fn points(&self, canvas: &mut Canvas, area: Area) {
        let size = if self.train.labels().len() <= MANY { 3.4 } else { 2.0 };
        for (row, label) in self.train.labels().iter().enumerate() {
            if let Some((x, y)) = Plane::STANDARD.place(self.train.inputs().numbers().row(row)) {
                let at = (area.left + x * PANEL, area.top + y * PANEL);
                canvas.example(at, *label == 1, size, &colour(f64::from(*label)));
            }
        }
    }
}

/// Draws probabilities as colours, with the decision boundary and a frame.
fn map(canvas: &mut Canvas, area: Area, probabilities: &[f32]) -> Result<()> {
    let cells = Plane::STANDARD.cells();
    canvas.image(area, &image(probabilities, cells)?);
    let side = PANEL / cells as f64;
    let spot = |(x, y): (f64, f64)| format!("{:.1} {:.1}", area.left + x * side, area.top + y * side);
    let lines = contour(probabilities, cells, 0.5);
    let path: Vec<String> = lines.iter().map(|[from, to]| format!("M{}L{}", spot(*from), spot(*to))).collect();
    if !path.is_empty() {
        canvas.path(&path.concat(), &[("class", "boundary")], "");
    }
    canvas.rect(area, &[("class", "frame")], "");
    if area.left == LEFT {
        let reach = Plane::STANDARD.reach();
        for (part, value) in [(0.0, -reach), (0.5, 0.0), (1.0, reach)] {
            let (x, y) = (area.left + part * PANEL, area.bottom() - part * PANEL);
            canvas.text((area.left - 6.0, y + 4.0), Anchor::End, "tick", &value.to_string());
            canvas.text((x, area.bottom() + 13.0), Anchor::Middle, "tick", &value.to_string());
        }
        canvas.upright((area.left - 26.0, area.top + PANEL / 2.0), "tick", "second input");
    }
    Ok(())
}

fn panel(column: usize, top: f64) -> Area {
    Area { left: LEFT + column as f64 * (PANEL + GAP), top: top + HEAD, width: PANEL, height: PANEL }
}

fn heading(canvas: &mut Canvas, area: Area, text: &str) {
    canvas.text((area.left, area.top - 8.0), Anchor::Start, "heading", text);
}
