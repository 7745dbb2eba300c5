//! Extension of an image beyond its edge, as in the libraries that made the published corruptions.

/// The rule that extends an axis `a b c d` beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// `a a a | a b c d | d d d`.
    Edge,
    /// `d c b | a b c d | c b a`: mirrored about the middle of the last pixel.
    Mirror,
    /// `c b a | a b c d | d c b`: mirrored about the edge of the last pixel.
    Reflect,
}

impl Border {
    /// Returns the index, on an axis of `n` pixels, of the pixel that stands for any place `i`.
    pub(super) fn index(self, i: isize, n: usize) -> usize {
        let last = n as isize - 1;
        match self {
            Self::Edge => i.clamp(0, last) as usize,
            Self::Mirror if last == 0 => 0,
            Self::Mirror => {
                let i = i.rem_euclid(2 * last);
                i.min(2 * last - i) as usize
            }
            Self::Reflect => {
                let i = i.rem_euclid(2 * last + 2);
                i.min(2 * last + 1 - i) as usize
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(border: Border, n: usize) -> Vec<usize> {
        (-5..n as isize + 5).map(|i| border.index(i, n)).collect()
    }

    #[test]
    fn borders_go_on_as_drawn() {
        assert_eq!(around(Border::Edge, 3), [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]);
        assert_eq!(around(Border::Mirror, 3), [1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1]);
        assert_eq!(around(Border::Reflect, 3), [1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
    }

    #[test]
    fn a_single_pixel_goes_on_for_ever() {
        for border in [Border::Edge, Border::Mirror, Border::Reflect] {
            assert!(around(border, 1).iter().all(|&i| i == 0));
        }
    }
}
