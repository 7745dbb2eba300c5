//! Finds the contour along which a function on a grid crosses a level: the boundary between two decisions.

/// Returns line segments, in cells from the upper left corner, along which a grid of values crosses `level`, by
/// marching squares over the centres of cells with linear interpolation.
pub(crate) fn contour(values: &[f32], cells: usize, level: f32) -> Vec<[(f64, f64); 2]> {
    let value = |x: usize, y: usize| f64::from(values[y * cells + x] - level);
    let mut segments = Vec::new();
    for y in 0..cells.saturating_sub(1) {
        for x in 0..cells - 1 {
            // Goes around the square: its corners, and the crossing of each side.
            let corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
            let crossings: Vec<(f64, f64)> = (0..4)
                .filter_map(|side| {
                    let (from, to) = (corners[side], corners[(side + 1) % 4]);
                    crossing((from, value(from.0, from.1)), (to, value(to.0, to.1)))
                })
                .collect();
            // There are two crossings, or four at a saddle, where neighbouring ones belong together.
            segments.extend(crossings.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
        }
    }
    segments
}

/// Returns the spot between two corners at which the sign changes.
fn crossing((from, a): ((usize, usize), f64), (to, b): ((usize, usize), f64)) -> Option<(f64, f64)> {
    if (a < 0.0) == (b < 0.0) {
        return None;
    }
    let part = a / (a - b);
    let between = |from: usize, to: usize| from as f64 + (to as f64 - from as f64) * part + 0.5;
    Some((between(from.0, to.0), between(from.1, to.1)))
}

#[cfg(test)]
mod tests {
    use super::contour;

    #[test]
    fn a_slope_is_crossed_along_a_straight_line() {
        // Columns have values 0, 1, 2, 3: the level 1.25 lies a quarter beyond the centre of column 1.
        let values: Vec<f32> = (0..16).map(|i| (i % 4) as f32).collect();
        let segments = contour(&values, 4, 1.25);
        assert_eq!(segments.len(), 3);
        assert!(segments.iter().flatten().all(|(x, _)| *x == 1.75), "{segments:?}");
    }

    #[test]
    fn a_peak_is_ringed_and_a_plain_is_not() {
        let mut values = [0.0_f32; 9];
        values[4] = 1.0;
        assert_eq!(contour(&values, 3, 0.5).len(), 4);
        assert!(contour(&[0.5; 9], 3, 0.5).is_empty());
    }
}
