//! Encodes Portable Network Graphics with indexed, grey or RGB pixels.

use anyhow::Result;
use png::{BitDepth, ColorType, Compression, Encoder, Filter};

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// Encodes an image of `width` by `height` pixels, row by row, each an index into the palette of at most 256 colours.
///
/// # Errors
/// When the number of pixels does not match the size.
pub(crate) fn encode(pixels: &[u8], size: (u32, u32), palette: &[Rgb]) -> Result<Vec<u8>> {
    encode_as(ColorType::Indexed, pixels, size, palette)
}

/// Encodes grey pixels, from black to white.
///
/// # Errors
/// When the number of pixels does not match the size.
pub(crate) fn encode_grey(pixels: &[u8], size: (u32, u32)) -> Result<Vec<u8>> {
    encode_as(ColorType::Grayscale, pixels, size, &[])
}

/// Encodes RGB pixels, three bytes each.
///
/// # Errors
/// When the number of pixels does not match the size.
pub(crate) fn encode_rgb(pixels: &[u8], size: (u32, u32)) -> Result<Vec<u8>> {
    encode_as(ColorType::Rgb, pixels, size, &[])
}

fn encode_as(kind: ColorType, pixels: &[u8], (width, height): (u32, u32), palette: &[Rgb]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(kind);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    // Images are flat areas with edges, which row filters do not make smaller.
    encoder.set_filter(Filter::NoFilter);
    if !palette.is_empty() {
        encoder.set_palette(palette.as_flattened());
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use png::{Decoder, Transformations};

    use super::*;

    fn decoded(bytes: &[u8]) -> (ColorType, (u32, u32), Vec<u8>) {
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        (reader.output_color_type().0, reader.info().size(), pixels)
    }

    #[test]
    fn the_pixels_come_back() {
        let (red, blue) = ([255, 0, 0], [0, 0, 255]);
        let indexed = encode(&[0, 1, 1, 0, 0, 1], (3, 2), &[red, blue]).unwrap();
        let colours = [red, blue, blue, red, red, blue].concat();
        assert_eq!(decoded(&indexed), (ColorType::Rgb, (3, 2), colours.clone()));
        assert_eq!(decoded(&encode_rgb(&colours, (3, 2)).unwrap()), (ColorType::Rgb, (3, 2), colours));
        let greys = vec![0, 50, 100, 150, 200, 250];
        assert_eq!(decoded(&encode_grey(&greys, (2, 3)).unwrap()), (ColorType::Grayscale, (2, 3), greys));
        assert!(encode_grey(&[0; 5], (2, 3)).is_err());
    }
}
