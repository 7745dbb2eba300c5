//! The choice between the two sets of published constants.

use jointly_core::image_shape::ImageShape;

/// The shorter side, in pixels, from which a colour image counts as large: the first whole number beyond the geometric
/// mean of 32 and 224, the sizes for which the constants were published.
const LARGE: usize = 85;

/// The image set whose published constants are used; suites, examples and tests of all shifts choose it by
/// [`Scale::of`].
///
/// Constants are not rescaled: a blur of 3 pixels is 3 pixels at any size. Only the lengths of the elastic transform
/// were published as fractions of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// CIFAR-10-C's constants, for 32 pixels.
    Small,
    /// ImageNet-C's constants, for 224 pixels.
    Large,
}

impl Scale {
    /// Returns the constants for an image: ImageNet-C's if it is grey or its shorter side has at least 85 pixels, else
    /// CIFAR-10-C's.
    ///
    /// CIFAR-10-C's constants are mild, for detailed photographs of 32 pixels; under them a digit, which is a few thick
    /// lines, hardly changes.
    pub(super) fn of(shape: ImageShape) -> Self {
        if shape.channels() == 1 || shape.side() >= LARGE { Self::Large } else { Self::Small }
    }
}

/// One constant, or one set of constants, for each severity.
pub(super) struct Constants<T> {
    pub(super) small: [T; 5],
    pub(super) large: [T; 5],
}

/// An index into the five severities, from 0.
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
