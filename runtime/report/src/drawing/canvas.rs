//! A sheet of vector graphics, and the marks that can be put on it.

use crate::drawing::lettering;
use crate::drawing::markup::{Attribute, Markup};
use crate::drawing::palette::{Marker, Style};

/// A place on the sheet, in pixels from its upper left corner.
pub(crate) type Spot = (f64, f64);

/// A rectangle on the sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Returns whether two rectangles share more than an edge.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }

    /// Returns whether another rectangle lies completely within this one.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right() <= self.right()
            && self.top <= other.top
            && other.bottom() <= self.bottom()
    }
}

/// The part of a text that is placed at its spot.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A sheet under construction.
#[derive(Clone, Debug)]
pub(crate) struct Canvas {
    width: f64,
    height: f64,
    marks: Markup,
}

/// Half the size of a marker, in pixels.
const MARKER: f64 = 4.0;
/// Half the width of an error bar's caps.
const CAP: f64 = 3.0;
/// Length of a line in a legend, and height of a legend's row.
const LEGEND_LINE: f64 = 30.0;
const LEGEND_HEIGHT: f64 = 20.0;

impl Canvas {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, marks: Markup::new() }
    }

    pub(crate) fn line(&mut self, from: Spot, to: Spot, class: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(pixels);
        self.marks.empty("line", &[("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2), ("class", class)]);
    }

    /// Draws a rectangle with further attributes.
    pub(crate) fn rect(&mut self, area: Area, attributes: &[Attribute], title: &str) {
        let [x, y, width, height] = [area.left, area.top, area.width, area.height].map(pixels);
        let mut all: Vec<Attribute> = vec![("x", &x), ("y", &y), ("width", &width), ("height", &height)];
        all.extend(attributes);
        self.titled("rect", &all, title);
    }

    pub(crate) fn text(&mut self, at: Spot, anchor: Anchor, class: &str, text: &str) {
        let (x, y) = (pixels(at.0), pixels(at.1));
        self.marks.element("text", &[("x", &x), ("y", &y), ("text-anchor", anchor.name()), ("class", class)], text);
    }

    /// Writes a word instead of a point, in an agent's colour.
    pub(crate) fn word(&mut self, at: Spot, colour: &str, word: &str, title: &str) {
        let (x, y, fill) = (pixels(at.0), pixels(at.1), format!("fill:{colour}"));
        self.marks
            .open("text", &[("x", &x), ("y", &y), ("text-anchor", "middle"), ("class", "word"), ("style", &fill)]);
        self.marks.element("title", &[], title);
        self.marks.text(word);
        self.marks.close("text");
    }

    /// Sets the height, for a sheet whose height depends on its contents.
    pub(crate) fn set_height(&mut self, height: f64) {
        self.height = height;
    }

    /// Draws a legend of names with markers and lines, from left to right, in as many rows as needed. Returns its
    /// height.
    pub(crate) fn legend(&mut self, at: Spot, room: f64, entries: &[(&str, Style)]) -> f64 {
        self.key(at, room, entries, (LEGEND_LINE, true))
    }

    /// Draws a legend with lines only.
    pub(crate) fn lines(&mut self, at: Spot, room: f64, entries: &[(&str, Style)]) -> f64 {
        self.key(at, room, entries, (LEGEND_LINE, false))
    }

    /// Draws a legend with markers only.
    pub(crate) fn markers(&mut self, at: Spot, room: f64, entries: &[(&str, Style)]) -> f64 {
        self.key(at, room, entries, (0.0, true))
    }

    fn key(&mut self, (left, top): Spot, room: f64, entries: &[(&str, Style)], (line, marked): (f64, bool)) -> f64 {
        let (mut x, mut y) = (left, top);
        for (name, style) in entries {
            let needed = line + 8.0 + lettering::width(name, 12.0) + 22.0;
            if x > left && x + needed > left + room {
                (x, y) = (left, y + LEGEND_HEIGHT);
            }
            if line > 0.0 {
                self.polyline(&[(x, y), (x + line, y)], style);
            }
            if marked {
                self.marker((x + line / 2.0, y), style, true, "");
            }
            self.text((x + line + 8.0, y + 4.0), Anchor::Start, "label", name);
            x += needed;
        }
        y - top + LEGEND_HEIGHT
    }

    /// Writes a text that reads upwards, centred on the spot.
    pub(crate) fn upright(&mut self, at: Spot, class: &str, text: &str) {
        let turn = format!("translate({} {}) rotate(-90)", pixels(at.0), pixels(at.1));
        self.marks.element("text", &[("transform", &turn), ("text-anchor", "middle"), ("class", class)], text);
    }

    /// Draws an image that fills an area.
    pub(crate) fn image(&mut self, area: Area, uri: &str) {
        let [x, y, width, height] = [area.left, area.top, area.width, area.height].map(pixels);
        let attributes = [("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height), ("href", uri)];
        self.marks.empty("image", &[&attributes[..], &[("preserveAspectRatio", "none")]].concat());
    }

    /// Draws an image with sharp pixels, and a title that appears when the pointer rests on it.
    pub(crate) fn pixelated(&mut self, area: Area, uri: &str, title: &str) {
        let [x, y, width, height] = [area.left, area.top, area.width, area.height].map(pixels);
        let attributes = [("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height), ("href", uri)];
        let style = [("class", "pixels"), ("preserveAspectRatio", "none")];
        self.titled("image", &[&attributes[..], &style].concat(), title);
    }

    /// Draws a training example, with a marker for its class, in a colour with a light rim.
    pub(crate) fn example(&mut self, at: Spot, other: bool, size: f64, colour: &str) {
        let marker = if other { Marker::Triangle } else { Marker::Circle };
        let path = outline(marker, at, size);
        let attributes = [("d", path.as_str()), ("fill", colour), ("stroke", "#ffffff"), ("stroke-width", "1")];
        self.marks.empty("path", &attributes);
    }

    /// Draws a path with further attributes.
    pub(crate) fn path(&mut self, path: &str, attributes: &[Attribute], title: &str) {
        let mut all: Vec<Attribute> = vec![("d", path)];
        all.extend(attributes);
        self.titled("path", &all, title);
    }

    /// Draws straight lines from spot to spot, in an agent's colour and dashes.
    pub(crate) fn polyline(&mut self, spots: &[Spot], style: &Style) {
        let points: Vec<String> = spots.iter().map(|(x, y)| format!("{},{}", pixels(*x), pixels(*y))).collect();
        let stroke = format!("stroke:{}", style.colour);
        let mut attributes: Vec<Attribute> = vec![("class", "series"), ("style", &stroke)];
        let points = points.join(" ");
        attributes.push(("points", &points));
        if !style.dashes.is_empty() {
            attributes.push(("stroke-dasharray", style.dashes));
        }
        self.marks.empty("polyline", &attributes);
    }

    /// Draws an agent's marker, filled or hollow.
    pub(crate) fn marker(&mut self, at: Spot, style: &Style, filled: bool, title: &str) {
        let fill = if filled { style.colour } else { "none" };
        let paint = format!("fill:{fill};stroke:{}", style.colour);
        self.titled(
            "path",
            &[("d", &outline(style.marker, at, MARKER)), ("class", "marker"), ("style", &paint)],
            title,
        );
    }

    /// Draws an error bar between two spots, with caps across it.
    pub(crate) fn error_bar(&mut self, from: Spot, to: Spot, colour: &str) {
        let across = if from.0 == to.0 { (CAP, 0.0) } else { (0.0, CAP) };
        let bar =
            |(ax, ay): Spot, (bx, by): Spot| format!("M{} {}L{} {}", pixels(ax), pixels(ay), pixels(bx), pixels(by));
        let cap = |(x, y): Spot| bar((x - across.0, y - across.1), (x + across.0, y + across.1));
        let path = bar(from, to) + &cap(from) + &cap(to);
        self.marks.empty("path", &[("d", &path), ("class", "error"), ("style", &format!("stroke:{colour}"))]);
    }

    /// Draws a thick line between two spots.
    pub(crate) fn bar(&mut self, from: Spot, to: Spot, colour: &str) {
        let path = format!("M{} {}L{} {}", pixels(from.0), pixels(from.1), pixels(to.0), pixels(to.1));
        self.marks.empty("path", &[("d", &path), ("class", "median"), ("style", &format!("stroke:{colour}"))]);
    }

    /// Draws a light background for an error bar on a coloured area.
    pub(crate) fn halo(&mut self, from: Spot, to: Spot) {
        self.line(from, to, "halo");
    }

    /// Marks a published value.
    pub(crate) fn published(&mut self, at: Spot, title: &str) {
        self.titled("path", &[("d", &outline(Marker::Diamond, at, MARKER)), ("class", "published")], title);
    }

    /// Draws the torn end of a bar that goes on, downwards from a spot.
    pub(crate) fn torn(&mut self, (x, y): Spot, height: f64) {
        let step = height / 4.0;
        let teeth = [(-8.0, 0.0), (-3.0, 1.0), (-8.0, 2.0), (-3.0, 3.0), (-8.0, 4.0)];
        let teeth = teeth.map(|(dx, rows)| format!("{} {}", pixels(x + dx), pixels(y + rows * step)));
        self.marks.empty("path", &[("d", &format!("M{}", teeth.join("L"))), ("class", "torn")]);
    }

    /// Draws marks that are cut off at the edges of an area; their spots are still in the sheet's coordinates.
    pub(crate) fn clipped(&mut self, area: Area, draw: impl FnOnce(&mut Self)) {
        let [x, y, width, height] = [area.left, area.top, area.width, area.height].map(pixels);
        let view = format!("{x} {y} {width} {height}");
        let attributes = [("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height), ("viewBox", &*view)];
        self.marks.open("svg", &attributes);
        draw(self);
        self.marks.close("svg");
    }

    /// Returns the sheet as part of a page, with a name for readers who cannot see it.
    pub(crate) fn inline(&self, name: &str) -> Markup {
        self.sheet(&[("role", "img"), ("aria-label", name)], "")
    }

    /// Returns the sheet as a file of its own.
    pub(crate) fn standalone(&self, style: &'static str) -> Markup {
        self.sheet(&[("xmlns", "http://www.w3.org/2000/svg")], style)
    }

    fn sheet(&self, attributes: &[Attribute], style: &'static str) -> Markup {
        let (width, height) = (pixels(self.width), pixels(self.height));
        let view = format!("0 0 {width} {height}");
        let mut all = attributes.to_vec();
        all.extend([("width", &*width), ("height", &*height), ("viewBox", &*view)]);
        let mut sheet = Markup::new();
        sheet.open("svg", &all);
        if !style.is_empty() {
            sheet.open("style", &[]);
            sheet.verbatim(style);
            sheet.close("style");
        }
        sheet.push(&self.marks);
        sheet.close("svg");
        sheet
    }

    /// Draws an element with a title that appears when the pointer rests on it.
    fn titled(&mut self, tag: &'static str, attributes: &[Attribute], title: &str) {
        if title.is_empty() {
            return self.marks.empty(tag, attributes);
        }
        self.marks.open(tag, attributes);
        self.marks.element("title", &[], title);
        self.marks.close(tag);
    }
}

/// Returns the outline of a marker; `size` is half its size.
fn outline(marker: Marker, (x, y): Spot, size: f64) -> String {
    let polygon = |corners: &[Spot]| {
        let corner = |(dx, dy): &Spot| format!("{} {}", pixels(x + size * dx), pixels(y + size * dy));
        format!("M{}Z", corners.iter().map(corner).collect::<Vec<_>>().join("L"))
    };
    match marker {
        Marker::Circle => {
            let r = pixels(size);
            let (left, right, y) = (pixels(x - size), pixels(x + size), pixels(y));
            format!("M{left} {y}A{r} {r} 0 1 1 {right} {y}A{r} {r} 0 1 1 {left} {y}Z")
        }
        Marker::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Marker::Triangle => polygon(&[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)]),
        Marker::Wedge => polygon(&[(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)]),
        Marker::Diamond => polygon(&[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)]),
        Marker::Bar => polygon(&[(-0.45, -1.3), (0.45, -1.3), (0.45, 1.3), (-0.45, 1.3)]),
    }
}

/// Formats a length to a hundredth of a pixel, which is finer than any screen.
fn pixels(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Area, Canvas, pixels};

    #[test]
    fn lengths_have_no_needless_digits() {
        assert_eq!([1.0, 0.126, -0.001, 10.5].map(pixels), ["1", "0.13", "0", "10.5"]);
    }

    #[test]
    fn rectangles_that_touch_do_not_overlap() {
        let area = Area { left: 0.0, top: 0.0, width: 10.0, height: 10.0 };
        assert!(!area.overlaps(&Area { left: 10.0, ..area }));
        assert!(area.overlaps(&Area { left: 9.0, top: -9.0, ..area }));
        assert!(area.holds(&area) && !area.holds(&Area { left: 1.0, ..area }));
    }

    #[test]
    fn a_sheet_alone_says_what_it_is() {
        let mut canvas = Canvas::new(10.0, 20.0);
        canvas.line((0.0, 1.0), (2.0, 3.5), "axis");
        let text = canvas.standalone("").into_string();
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"20\""), "{text}");
        assert!(text.contains("<line x1=\"0\" y1=\"1\" x2=\"2\" y2=\"3.5\" class=\"axis\"/>"), "{text}");
    }
}
