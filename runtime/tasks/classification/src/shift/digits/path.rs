//! Lines and smooth curves through points.

/// Number of segments between two points of a curve.
const SEGMENTS: usize = 6;

/// The least distance between two knots, so that coinciding points divide nothing by 0.
const LEAST_KNOT: f64 = 1e-9;

/// Returns a smooth curve through points, as a polyline; a closed curve ends where it starts.
///
/// # Formula
/// The centripetal Catmull-Rom spline: between points b and c, with a before and d after, knots are spaced by the
/// square root of the distance, which makes neither loops nor cusps within a piece. An end is extended by its mirror
/// image.
///
/// Source: Yuksel et al., Parameterization and applications of Catmull-Rom curves (2011).
pub(super) fn curve(points: &[[f64; 2]], closed: bool) -> Vec<[f64; 2]> {
    let n = points.len();
    if n < 3 {
        return points.to_vec();
    }
    let point = |k: isize| {
        let last = n as isize - 1;
        match k {
            k if closed => points[k.rem_euclid(n as isize) as usize],
            k if k < 0 => mix(points[0], points[1], -1.0),
            k if k > last => mix(points[n - 1], points[n - 2], -1.0),
            k => points[k as usize],
        }
    };
    let pieces = if closed { n } else { n - 1 };
    let mut line = vec![points[0]];
    for piece in 0..pieces as isize {
        let near = [point(piece - 1), point(piece), point(piece + 1), point(piece + 2)];
        line.extend((1..=SEGMENTS).map(|k| between(near, k as f64 / SEGMENTS as f64)));
    }
    line
}

/// Evaluates the spline at a share of its middle piece, by three rounds of linear interpolation.
fn between([a, b, c, d]: [[f64; 2]; 4], share: f64) -> [f64; 2] {
    let knot = |p: [f64; 2], q: [f64; 2]| libm::hypot(p[0] - q[0], p[1] - q[1]).sqrt().max(LEAST_KNOT);
    let t1 = knot(a, b);
    let t2 = t1 + knot(b, c);
    let t3 = t2 + knot(c, d);
    let t = t1 + share * (t2 - t1);
    let (ab, bc, cd) = (mix(a, b, t / t1), mix(b, c, (t - t1) / (t2 - t1)), mix(c, d, (t - t2) / (t3 - t2)));
    let (abc, bcd) = (mix(ab, bc, t / t2), mix(bc, cd, (t - t1) / (t3 - t1)));
    mix(abc, bcd, (t - t1) / (t2 - t1))
}

fn mix(a: [f64; 2], b: [f64; 2], share: f64) -> [f64; 2] {
    [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
}

/// Returns the distance of a point from a polyline, which may be a single point.
pub(super) fn distance(point: [f64; 2], line: &[[f64; 2]]) -> f64 {
    let to = |q: [f64; 2]| (point[0] - q[0]) * (point[0] - q[0]) + (point[1] - q[1]) * (point[1] - q[1]);
    let first = line.first().map_or(f64::INFINITY, |&q| to(q));
    let segment = |ends: &[[f64; 2]]| {
        let (a, b) = (ends[0], ends[1]);
        let (y, x) = (b[0] - a[0], b[1] - a[1]);
        let square = y * y + x * x;
        let share = if square > 0.0 { ((point[0] - a[0]) * y + (point[1] - a[1]) * x) / square } else { 0.0 };
        to(mix(a, b, share.clamp(0.0, 1.0)))
    };
    line.windows(2).map(segment).fold(first, f64::min).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-12;

    #[test]
    fn a_curve_passes_through_its_points() {
        let points = [[0.0, 0.0], [1.0, 0.3], [0.2, 0.9], [0.2, 0.9], [0.7, 0.1]];
        for closed in [false, true] {
            let line = curve(&points, closed);
            for (k, point) in points.iter().enumerate() {
                let near = line[k * SEGMENTS];
                assert!((near[0] - point[0]).abs() < TOLERANCE && (near[1] - point[1]).abs() < TOLERANCE);
            }
            assert!(line.iter().flatten().all(|x| x.is_finite()));
            let apart = libm::hypot(line[0][0] - line[line.len() - 1][0], line[0][1] - line[line.len() - 1][1]);
            assert_eq!(apart < TOLERANCE, closed);
        }
    }

    #[test]
    fn points_of_a_line_make_a_line() {
        let line = curve(&[[0.0, 0.0], [1.0, 2.0], [1.5, 3.0], [3.0, 6.0]], false);
        assert!(line.iter().all(|p| (p[1] - 2.0 * p[0]).abs() < TOLERANCE));
    }

    #[test]
    fn distances_are_from_the_nearest_place() {
        let line = [[0.0, 0.0], [0.0, 2.0], [0.0, 2.0], [2.0, 2.0]];
        for (point, expected) in [([1.0, 1.0], 1.0), ([-3.0, 1.0], 3.0), ([-3.0, -4.0], 5.0), ([3.0, 2.0], 1.0)] {
            assert!((distance(point, &line) - expected).abs() < TOLERANCE);
        }
        assert_eq!(distance([3.0, 4.0], &[[0.0, 0.0]]), 5.0);
        assert_eq!(distance([3.0, 4.0], &[]), f64::INFINITY);
    }
}
