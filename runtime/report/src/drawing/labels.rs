//! Places labels beside points so that no label covers another label or a point.

use crate::drawing::canvas::{Anchor, Area, Canvas, Spot};
use crate::drawing::lettering::width;

/// A label with its place.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    /// The index of its point.
    point: usize,
    area: Area,
    /// Whether a line must join the label with its point, which is far away.
    far: bool,
}

impl Label {
    /// Returns the spot of the label's edge that is nearest to another spot.
    fn nearest(&self, (x, y): Spot) -> Spot {
        (x.clamp(self.area.left, self.area.right()), y.clamp(self.area.top, self.area.bottom()))
    }

    /// Returns the pieces of the line from the point to the label, without its start, because overlapping points cannot
    /// have lines that avoid them all.
    fn leader(&self, at: Spot) -> Vec<Area> {
        const PIECE: f64 = 4.0;
        if !self.far {
            return Vec::new();
        }
        let to = self.nearest(at);
        let length = libm::hypot(to.0 - at.0, to.1 - at.1);
        let pieces = (length / PIECE) as usize;
        let piece = |i: usize| {
            let part = i as f64 * PIECE / length;
            let (x, y) = (at.0 + (to.0 - at.0) * part, at.1 + (to.1 - at.1) * part);
            Area { left: x - 1.0, top: y - 1.0, width: 2.0, height: 2.0 }
        };
        let first = (START / PIECE) as usize;
        (first..pieces).map(piece).collect()
    }
}

/// Size of a label's text.
pub(crate) const SIZE: f64 = 12.0;
/// Space that a point takes, from its centre.
const POINT: f64 = 6.0;
/// Length of a line's start, which may lie over points.
const START: f64 = 14.0;
/// Distances to try, from the point to the label's nearest edge.
const DISTANCES: [f64; 9] = [8.0, 18.0, 28.0, 40.0, 54.0, 70.0, 88.0, 108.0, 130.0];
/// Directions to try, the more readable ones first.
const DIRECTIONS: [(f64, f64); 12] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.8, -0.8),
    (0.8, 0.8),
    (-0.8, -0.8),
    (-0.8, 0.8),
    (0.4, -0.9),
    (-0.4, -0.9),
    (0.4, 0.9),
    (-0.4, 0.9),
];

/// Writes each text beside its point, within `bounds` and clear of all `obstacles`. Returns the number of texts that do not
/// fit, which are left out.
pub(crate) fn write(canvas: &mut Canvas, points: &[(Spot, &str)], obstacles: &[Spot], bounds: Area) -> usize {
    let labels = place(points, obstacles, bounds);
    for label in &labels {
        let (at, text) = points[label.point];
        let Label { area, far, .. } = label;
        if *far {
            canvas.line(at, label.nearest(at), "leader");
        }
        canvas.text((area.left + area.width / 2.0, area.bottom() - 3.5), Anchor::Middle, "label", text);
    }
    points.len() - labels.len()
}

/// Returns the labels that fit.
fn place(points: &[(Spot, &str)], obstacles: &[Spot], bounds: Area) -> Vec<Label> {
    let around = |(x, y): &Spot| Area { left: x - POINT, top: y - POINT, width: 2.0 * POINT, height: 2.0 * POINT };
    let mut taken: Vec<Area> = obstacles.iter().map(around).chain(points.iter().map(|(at, _)| around(at))).collect();
    let mut labels = Vec::new();
    for (point, (at, text)) in points.iter().enumerate() {
        let candidates = DISTANCES.iter().flat_map(|distance| DIRECTIONS.iter().map(move |way| (*distance, *way)));
        let labelled = candidates.map(|(distance, way)| Label {
            point,
            area: beside(*at, text, distance, way),
            far: distance > DISTANCES[0],
        });
        let mut free = labelled.filter(|label| {
            let leader = label.leader(*at);
            let crossed = |other: &Area| other.overlaps(&label.area) || leader.iter().any(|part| other.overlaps(part));
            bounds.holds(&label.area) && !taken.iter().any(crossed)
        });
        if let Some(label) = free.next() {
            taken.push(label.area);
            taken.extend(label.leader(*at));
            labels.push(label);
        }
    }
    labels
}

/// Returns the area of a text at a distance from a spot in a direction.
fn beside((x, y): Spot, text: &str, distance: f64, (right, down): (f64, f64)) -> Area {
    let (width, height) = (width(text, SIZE), SIZE + 2.0);
    let centre = (x + right * distance + right.signum_or_zero() * width / 2.0, y + down * (distance + height / 2.0));
    Area { left: centre.0 - width / 2.0, top: centre.1 - height / 2.0, width, height }
}

trait Direction {
    /// Returns -1, 0 or 1.
    fn signum_or_zero(self) -> f64;
}

impl Direction for f64 {
    fn signum_or_zero(self) -> f64 {
        if self == 0.0 { 0.0 } else { self.signum() }
    }
}

#[cfg(test)]
mod tests {
    use super::{POINT, place};
    use crate::drawing::canvas::{Area, Spot};
    use proptest::prelude::*;

    const BOUNDS: Area = Area { left: 0.0, top: 0.0, width: 400.0, height: 300.0 };

    #[test]
    fn a_lonely_label_is_right_of_its_point() {
        let labels = place(&[((100.0, 100.0), "mlp")], &[], BOUNDS);
        assert!(labels[0].area.left > 100.0 && !labels[0].far);
    }

    proptest! {
        #[test]
        fn no_label_covers_another_or_a_point(spots in prop::collection::vec((0.0..400.0, 0.0..300.0), 1..25)) {
            let spots: Vec<Spot> = spots;
            let points: Vec<(Spot, &str)> = spots.iter().map(|spot| (*spot, "ensemble+")).collect();
            let labels = place(&points, &[], BOUNDS);
            for (i, label) in labels.iter().enumerate() {
                prop_assert!(BOUNDS.holds(&label.area));
                prop_assert!(labels[..i].iter().all(|other| !other.area.overlaps(&label.area)));
                for (x, y) in &spots {
                    let point = Area { left: x - POINT, top: y - POINT, width: 2.0 * POINT, height: 2.0 * POINT };
                    prop_assert!(!label.area.overlaps(&point));
                }
            }
        }
    }
}
