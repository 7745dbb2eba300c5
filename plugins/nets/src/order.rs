//! Orders points in the plane so that consecutive points are close to each other.

/// The largest number of strips.
const MAX_STRIPS: usize = 128;

/// The number of cells of a strip, as a multiple of the number of strips: the points of a strip are nearly in order.
const CELLS: usize = 4;

/// Returns the indices of the points along a snake-shaped path through strips.
///
/// The number of strips is three quarters of the root of the number of points: of the factors .5, .7, 1, 1.5 and 2, the
/// path is shortest about there, for normal and for uniform points alike.
pub fn snake(points: &[[f32; 2]]) -> Vec<u32> {
    let strips = (3 * points.len().isqrt() / 4).clamp(1, MAX_STRIPS);
    let cells = CELLS * strips;
    let axis = |i: usize, count: usize| {
        let values = || points.iter().map(move |point| point[i]);
        let min = values().fold(f32::INFINITY, f32::min);
        let max = values().fold(f32::NEG_INFINITY, f32::max);
        // The order matters for speed only, so values that are not finite may land in any cell.
        let step = count as f32 / (max - min);
        move |point: &[f32; 2]| (((point[i] - min) * step) as usize).min(count - 1)
    };
    let (along, strip) = (axis(0, cells), axis(1, strips));
    let places: Vec<u32> = points
        .iter()
        .map(|point| {
            let (along, strip) = (along(point), strip(point));
            (strip * cells + if strip % 2 == 0 { along } else { cells - 1 - along }) as u32
        })
        .collect();
    let mut next = vec![0; strips * cells + 1];
    for place in &places {
        next[*place as usize + 1] += 1;
    }
    let mut total = 0;
    for start in &mut next {
        total += *start;
        *start = total;
    }
    let mut order = vec![0; points.len()];
    for (point, place) in places.iter().enumerate() {
        let next: &mut u32 = &mut next[*place as usize];
        order[*next as usize] = point as u32;
        *next += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    fn is_permutation(mut order: Vec<u32>, len: usize) -> bool {
        order.sort_unstable();
        order.into_iter().eq(0..len as u32)
    }

    #[test]
    fn every_point_occurs_once() {
        let mut rng = Rng::new(0, 0);
        for len in [0, 1, 2, 3, 17, 5000] {
            let points: Vec<[f32; 2]> = (0..len).map(|_| [rng.normal(), rng.normal()]).collect();
            assert!(is_permutation(snake(&points), len), "{len}");
        }
    }

    #[test]
    fn degenerate_points_are_ordered_too() {
        let line: Vec<[f32; 2]> = (0..100).map(|i| [i as f32, 0.0]).collect();
        let points = [[f32::NAN, f32::INFINITY], [f32::NEG_INFINITY, 1.0], [0.0, f32::MAX], [1.0, f32::MIN]];
        for points in [&[[1.0, 1.0]; 50][..], &line, &points] {
            assert!(is_permutation(snake(points), points.len()), "{points:?}");
        }
    }

    #[test]
    fn a_path_through_the_points_is_short() {
        let mut rng = Rng::new(1, 0);
        let points: Vec<[f32; 2]> = (0..1000).map(|_| [rng.uniform(), rng.uniform()]).collect();
        let order = snake(&points);
        let length: f32 = order
            .windows(2)
            .map(|pair| {
                let ([a, b], [c, d]) = (points[pair[0] as usize], points[pair[1] as usize]);
                (a - c).hypot(b - d)
            })
            .sum();
        // In random order the mean step is half a side; the best path through a unit square has a mean step of .71 over
        // the root of the number of points, .0225 here, and one through strips of .92 over it.
        assert!(length < 1000.0 * 0.032, "{length}");
    }
}
