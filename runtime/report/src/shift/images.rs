//! Figures S1 to S3 of the paper: a test image under every level of shift, and out-of-distribution images.

use jointly_classification::shift::{DatasetShift, Pixels, ShiftInstance, ShiftLevel};

use crate::drawing::{Anchor, Area, Canvas};
use crate::figure::{Figure, WIDTH, cells, digits};
use crate::picture;
use crate::view::View;

/// The side of an image, and the gap between two.
const TILE: f64 = 58.0;
const GAP: f64 = 6.0;
/// Space for a row's name, and for the severities below its images.
const LABEL: f64 = 106.0;
const FOOT: f64 = 18.0;
const TOP: f64 = 8.0;
/// The maximum number of images of a row that shares its line with another, and of one that does not.
const FEW: usize = 6;
const MOST: usize = 13;

/// Images side by side.
struct Strip {
    name: String,
    images: Vec<(String, Pixels)>,
}

impl Strip {
    /// Returns whether another strip fits beside it.
    fn is_short(&self) -> bool {
        self.images.len() <= FEW
    }
}

/// Draws the sheet; returns `None` if nothing is shifted or out of distribution, or an image cannot be drawn.
pub(super) fn figure(view: &View, instance: &ShiftInstance) -> Option<Figure> {
    let levels = &view.scores.plan.options::<DatasetShift>()?.levels;
    let unshifted = image(instance, instance.test.inputs().numbers().row(0))?;
    let mut numbers = vec![cells(["shift", "severity", "mean absolute change of a pixel, of 1"])];
    let mut strips: Vec<Strip> = Vec::new();
    for shift in shifts(levels) {
        let mut images = vec![("0".to_owned(), unshifted.clone())];
        for level in levels.iter().filter(|level| level.shift() == shift) {
            let Ok(inputs) = instance.shifted(level) else { continue };
            let shifted = image(instance, inputs.numbers().row(0))?;
            let severity = level.severity().to_string();
            numbers.push(cells([shift.name(), &severity, &digits(distance(&unshifted, &shifted))]));
            images.push((severity, shifted));
        }
        // If there are too many, evenly spaced ones are drawn, including the last.
        let every = (images.len() - 1).div_ceil(MOST - 1).max(1);
        let last = images.len() - 1;
        let images = images.into_iter().enumerate().filter(|(i, _)| *i == 0 || (last - i) % every == 0);
        let strip = Strip { name: shift.name().to_owned(), images: images.map(|(_, image)| image).collect() };
        strips.extend((strip.images.len() > 1).then_some(strip));
    }
    strips.sort_by_key(Strip::is_short);
    for set in &instance.outsiders {
        let rows = set.inputs.rows().min(MOST);
        let own = (0..rows).map(|row| Some((String::new(), image(instance, set.inputs.numbers().row(row))?)));
        let images: Vec<_> = own.collect::<Option<_>>()?;
        if !images.is_empty() {
            numbers.push(cells([set.name.as_str(), "-", "-"]));
            strips.push(Strip { name: set.name.clone(), images });
        }
    }
    let drawing = sheet(&strips)?;
    (!strips.is_empty()).then(|| Figure {
        title: "What the shifts do (Figures S1 to S3)".into(),
        caption: format!(
            "The first test input of {}, at severity 0 as it is, under levels of shift that the run has (of many, some): rotations counter-clockwise \
             in degrees, translations to the right in pixels, corruptions by severity. Last, the first out-of-distribution inputs.",
            view.scores.plan.problems.first().map_or("", |planned| planned.problem.as_str())
        ),
        drawing,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// Returns each shift once, in the order of its first level.
fn shifts(levels: &[ShiftLevel]) -> Vec<jointly_classification::shift::Shift> {
    let mut shifts = Vec::new();
    for level in levels {
        if !shifts.contains(&level.shift()) {
            shifts.push(level.shift());
        }
    }
    shifts
}

/// Converts a row of numbers to its image.
fn image(instance: &ShiftInstance, values: &[f32]) -> Option<Pixels> {
    Pixels::new(instance.task.image?, values.iter().map(|x| f64::from(*x)).collect()).ok()
}

fn distance(one: &Pixels, other: &Pixels) -> f64 {
    let pairs = one.values().iter().zip(other.values());
    pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / one.values().len() as f64
}

/// Draws long strips alone and short ones in pairs.
fn sheet(strips: &[Strip]) -> Option<Canvas> {
    let mut canvas = Canvas::new(WIDTH, 0.0);
    let (mut left, mut top) = (0.0, TOP);
    for (number, strip) in strips.iter().enumerate() {
        let name = strip.name.replace('-', " ");
        for (line, words) in lines(&name).iter().enumerate() {
            let y = top + TILE / 2.0 + 4.0 + 13.0 * line as f64;
            canvas.text((left + LABEL - 10.0, y), Anchor::End, "label", words);
        }
        for (place, (severity, image)) in strip.images.iter().enumerate() {
            let x = left + LABEL + place as f64 * (TILE + GAP);
            let shape = image.shape();
            // The longer side fills the tile.
            let scale = TILE / shape.width().max(shape.height()) as f64;
            let (width, height) = (shape.width() as f64 * scale, shape.height() as f64 * scale);
            let area = Area { left: x, top: top + TILE - height, width, height };
            canvas.pixelated(area, &picture::uri(image).ok()?, format!("{} {severity}", strip.name).trim_end());
            canvas.text((x + width / 2.0, top + TILE + 12.0), Anchor::Middle, "tick", severity);
        }
        let beside = left == 0.0 && strip.is_short() && strips.get(number + 1).is_some_and(Strip::is_short);
        if beside {
            left = WIDTH / 2.0;
        } else {
            (left, top) = (0.0, top + TILE + FOOT);
        }
    }
    canvas.set_height(top);
    Some(canvas)
}

/// Breaks a name into lines that fit before the images.
fn lines(name: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 14 => *line = format!("{line} {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_classification::shift::shift_suite;
    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn a_row_a_shift_and_a_row_of_no_class() {
        let levels = ["rotation/90", "fog/1", "fog/5", "contrast/3"];
        let run = shift_run(2, &levels, &[("mlp", shifting(0.9, 0.8))]);
        let scores = run.scores();
        let mut instance = shift_suite("quick/shift").unwrap().problems[0].instance(run.plan.seed);
        instance.test = instance.test.select(&[0]);
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figure = super::figure(&view, &instance).unwrap();
        let picture = figure.drawing.inline("").into_string();
        // Each shift has the unshifted image before it, and 13 images are out of distribution.
        assert_eq!(picture.matches("<image").count(), 4 + 3 + 13, "{picture}");
        assert!(picture.contains("data:image/png;base64,"));
        let rows: Vec<&str> = figure.numbers[0][1..].iter().map(|row| row[0].as_str()).collect();
        assert_eq!(rows, ["rotation", "fog", "fog", "contrast", "letters-and-scribbles"]);
        let change = |row: usize| figure.numbers[0][row][2].parse::<f64>().unwrap();
        assert!(change(2) > 0.0 && change(3) > change(2), "{:?}", figure.numbers);
    }

    #[test]
    fn a_name_has_lines_of_its_own() {
        assert_eq!(super::lines("letters and scribbles"), ["letters and", "scribbles"]);
        assert_eq!(super::lines("fog"), ["fog"]);
    }
}
