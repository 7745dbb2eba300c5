//! Images as input of shifts: values from 0 to 1, row by row, channels last.

use jointly_core::image_shape::ImageShape;

use super::error::ShiftError;
use super::plane::Plane;

/// The largest value of a byte.
const WHITE: f64 = 255.0;

/// An image: the value of channel c at row i and column j is `values()[(i * width + j) * channels + c]`, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    shape: ImageShape,
    values: Vec<f64>,
}

impl Pixels {
    /// Creates an image from values.
    ///
    /// # Errors
    /// When the values do not fill the shape, or one is not within 0 and 1.
    pub fn new(shape: ImageShape, values: Vec<f64>) -> Result<Self, ShiftError> {
        if values.len() != shape.values() {
            return Err(ShiftError::Length { expected: shape.values(), found: values.len() });
        }
        match values.iter().position(|x| !(0.0..=1.0).contains(x)) {
            None => Ok(Self { shape, values }),
            Some(index) => Err(ShiftError::Value { index, value: values[index] }),
        }
    }

    /// Creates an image from bytes, each divided by 255.
    ///
    /// # Errors
    /// When the bytes do not fill the shape.
    pub fn from_bytes(shape: ImageShape, bytes: &[u8]) -> Result<Self, ShiftError> {
        Self::new(shape, bytes.iter().map(|&byte| f64::from(byte) / WHITE).collect())
    }

    /// Returns the values as bytes, rounded to the nearest.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.values.iter().map(|&x| (x * WHITE + 0.5) as u8).collect()
    }

    /// Returns the image's size.
    pub fn shape(&self) -> ImageShape {
        self.shape
    }

    /// Returns all values, row by row, channels last.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Creates an image from values clipped to [0, 1].
    pub(super) fn clipped(shape: ImageShape, mut values: Vec<f64>) -> Self {
        debug_assert_eq!(values.len(), shape.values());
        debug_assert!(values.iter().all(|x| !x.is_nan()), "a shift makes numbers of numbers");
        for x in &mut values {
            *x = x.clamp(0.0, 1.0);
        }
        Self { shape, values }
    }

    /// Replaces each value, in order, and clips it.
    pub(super) fn map(&self, value: impl FnMut(f64) -> f64) -> Self {
        Self::clipped(self.shape, self.values.iter().copied().map(value).collect())
    }

    /// Replaces each pixel's channels, given the pixel's index (i * width + j), and clips them.
    pub(super) fn map_pixels(&self, mut change: impl FnMut(usize, &mut [f64])) -> Self {
        let mut values = self.values.clone();
        for (place, pixel) in values.chunks_exact_mut(self.shape.channels()).enumerate() {
            change(place, pixel);
        }
        Self::clipped(self.shape, values)
    }

    /// Returns one channel.
    pub(super) fn plane(&self, channel: usize) -> Plane {
        let values = self.values.iter().skip(channel).step_by(self.shape.channels()).copied().collect();
        Plane::new(self.shape.height(), self.shape.width(), values)
    }

    /// Replaces each channel by one of the same size, and clips it.
    pub(super) fn map_planes(&self, mut change: impl FnMut(&Plane) -> Plane) -> Self {
        let channels = self.shape.channels();
        let mut values = vec![0.0; self.values.len()];
        for channel in 0..channels {
            let plane = change(&self.plane(channel));
            for (value, &new) in values.iter_mut().skip(channel).step_by(channels).zip(plane.values()) {
                *value = new;
            }
        }
        Self::clipped(self.shape, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        let shape = ImageShape::new(1, 2, 1).unwrap();
        assert!(matches!(Pixels::new(shape, vec![0.0; 3]), Err(ShiftError::Length { expected: 2, found: 3 })));
        for bad in [-0.1, 1.1, f64::INFINITY] {
            assert_eq!(Pixels::new(shape, vec![0.0, bad]), Err(ShiftError::Value { index: 1, value: bad }));
        }
        assert!(matches!(Pixels::new(shape, vec![f64::NAN, 0.0]), Err(ShiftError::Value { index: 0, .. })));
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        let shape = ImageShape::new(16, 16, 1).unwrap();
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(Pixels::from_bytes(shape, &bytes).unwrap().to_bytes(), bytes);
    }

    #[test]
    fn planes_are_channels() {
        let shape = ImageShape::new(1, 2, 3).unwrap();
        let image = Pixels::new(shape, vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5]).unwrap();
        assert_eq!(image.plane(1).values(), [0.1, 0.4]);
        assert_eq!(image.map_planes(Plane::clone), image);
    }
}
