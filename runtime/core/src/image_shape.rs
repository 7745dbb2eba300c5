//! The size of an image.

use thiserror::Error;

/// The longest side of an image, in pixels.
pub const MAX_SIDE: usize = 1 << 13;

/// The valid size of an image: sides of 1 to [`MAX_SIDE`], 1 or 3 channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageShape {
    height: usize,
    width: usize,
    channels: usize,
}

impl ImageShape {
    /// Makes the shape of an image with `height` rows and `width` columns of pixels, each with 1 value (grey) or 3
    /// (RGB).
    ///
    /// # Errors
    /// When a side is 0 or exceeds [`MAX_SIDE`], or the number of channels is neither 1 nor 3.
    pub fn new(height: usize, width: usize, channels: usize) -> Result<Self, ImageShapeError> {
        let side = 1..=MAX_SIDE;
        if side.contains(&height) && side.contains(&width) && matches!(channels, 1 | 3) {
            Ok(Self { height, width, channels })
        } else {
            Err(ImageShapeError { height, width, channels })
        }
    }

    /// Returns the number of rows of pixels.
    pub fn height(self) -> usize {
        self.height
    }

    /// Returns the number of columns of pixels.
    pub fn width(self) -> usize {
        self.width
    }

    /// Returns the number of values per pixel: 1 or 3.
    pub fn channels(self) -> usize {
        self.channels
    }

    /// Returns the number of values of the image.
    pub fn values(self) -> usize {
        self.height * self.width * self.channels
    }

    /// Returns the shorter side, in pixels.
    pub fn side(self) -> usize {
        self.height.min(self.width)
    }
}

/// An invalid size of an image.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "an image of {height} x {width} pixels and {channels} channels cannot be shifted: sides are 1 to {MAX_SIDE}, channels \
     1 (grey) or 3 (red, green, blue)"
)]
pub struct ImageShapeError {
    /// The number of rows of pixels.
    pub height: usize,
    /// The number of columns of pixels.
    pub width: usize,
    /// The number of values per pixel.
    pub channels: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked() {
        for (height, width, channels) in [(0, 1, 1), (1, 0, 1), (1, 1, 2), (1, 1, 0), (MAX_SIDE + 1, 1, 1)] {
            let error = ImageShape::new(height, width, channels).unwrap_err();
            assert_eq!(error, ImageShapeError { height, width, channels });
        }
    }
}
