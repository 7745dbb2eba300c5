//! Which of the published constants an image is corrupted with.

use jointly_core::image_shape::ImageShape;

/// The shorter side from which an image in colour counts as large, in pixels: the first whole number beyond the geometric mean of
/// 32 and 224, the sizes that constants were published for.
const LARGE: usize = 85;

/// The image set whose published constants are used: suites, examples and tests of what all shifts keep choose it by
/// [`Scale::of`].
///
/// They are taken as they are: a blur of 3 pixels is one of 3 pixels at any size, but for the elastic transform, whose
/// lengths were published as fractions of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// CIFAR-10-C's, made for 32 pixels.
    Small,
    /// ImageNet-C's, made for 224 pixels.
    Large,
}

impl Scale {
    /// The constants for an image: ImageNet-C's where it is grey or its shorter side has 85 pixels or more, else
    /// CIFAR-10-C's.
    ///
    /// CIFAR-10-C's are mild, for photographs of 32 pixels that hold much detail; a digit is a few thick lines, and under
    /// them hardly changes.
    pub(super) fn of(shape: ImageShape) -> Self {
        if shape.channels() == 1 || shape.side() >= LARGE { Self::Large } else { Self::Small }
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
    fn colour_and_the_shorter_side_decide() {
        let scale = |height, width, channels| Scale::of(ImageShape::new(height, width, channels).unwrap());
        assert_eq!(
            [scale(32, 32, 3), scale(84, 500, 3), scale(85, 85, 3), scale(224, 224, 3)],
            [Scale::Small, Scale::Small, Scale::Large, Scale::Large]
        );
        assert_eq!([scale(14, 14, 1), scale(28, 28, 1), scale(224, 224, 1)], [Scale::Large; 3]);
        assert_eq!((32.0 * 224.0_f64).sqrt().ceil() as usize, LARGE);
    }
}
