//! Which of the published constants an image is corrupted with.

use super::pixels::ImageShape;

/// The shorter side from which an image counts as large, in pixels: the first whole number beyond the geometric mean of
/// 32 and 224, the sizes that constants were published for.
const LARGE: usize = 85;

/// The image set whose published constants are used.
///
/// They are taken as they are: a blur of 3 pixels is one of 3 pixels at any size, but for the elastic transform, whose
/// lengths were published as fractions of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// CIFAR-10-C's, made for 32 pixels.
    Small,
    /// ImageNet-C's, made for 224 pixels.
    Large,
}

impl Scale {
    /// The constants for an image: ImageNet-C's where the shorter side has 85 pixels or more, else CIFAR-10-C's.
    pub fn of(shape: ImageShape) -> Self {
        if shape.side() < LARGE { Self::Small } else { Self::Large }
    }
}

/// One constant, or one set of them, a severity.
pub(super) struct Constants<T> {
    pub(super) small: [T; 5],
    pub(super) large: [T; 5],
}

/// A place among the five severities, counted from 0.
pub(super) type Step = usize;

impl<T: Copy> Constants<T> {
    pub(super) fn at(&self, scale: Scale, step: Step) -> T {
        match scale {
            Scale::Small => self.small[step],
            Scale::Large => self.large[step],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_side_decides() {
        let scale = |height, width| Scale::of(ImageShape::new(height, width, 1).unwrap());
        assert_eq!(
            [scale(32, 32), scale(84, 500), scale(85, 85), scale(224, 224)],
            [Scale::Small, Scale::Small, Scale::Large, Scale::Large]
        );
        assert_eq!((32.0 * 224.0_f64).sqrt().ceil() as usize, LARGE);
    }
}
