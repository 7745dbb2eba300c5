//! Images of a dataset, pixel by pixel.

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jointly_classification::shift::Pixels;

use crate::picture::png;

/// Returns an image, grey or in colour, as a data URI.
///
/// # Errors
/// When it cannot be encoded.
pub(crate) fn uri(image: &Pixels) -> Result<String> {
    let shape = image.shape();
    let size = (shape.width() as u32, shape.height() as u32);
    let bytes = image.to_bytes();
    let encoded = if shape.channels() == 3 { png::encode_rgb(&bytes, size) } else { png::encode_grey(&bytes, size) };
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(encoded?)))
}

#[cfg(test)]
mod tests {
    use super::uri;
    use jointly_classification::shift::Pixels;
    use jointly_core::ImageShape;

    #[test]
    fn grey_and_colour_are_images_of_their_own_kind() {
        let image = |channels: usize| {
            let shape = ImageShape::new(2, 3, channels).unwrap();
            uri(&Pixels::new(shape, vec![0.5; shape.values()]).unwrap()).unwrap()
        };
        // Width 3, height 2, eight bits, grey or RGB.
        assert!(image(1).starts_with("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAA"), "{}", image(1));
        assert!(image(3).starts_with("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAA"), "{}", image(3));
    }
}
