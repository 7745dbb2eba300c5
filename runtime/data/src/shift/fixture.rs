//! Writes PNG files for tests, where an error is a failed test.
#![allow(clippy::missing_panics_doc)]

/// Returns a picture whose pixel in column x and row y is `pixel(x, y)`: one byte for grey, three for colour.
pub fn png<const CHANNELS: usize>(
    width: usize,
    height: usize,
    pixel: impl Fn(usize, usize) -> [u8; CHANNELS],
) -> Vec<u8> {
    let kind = if CHANNELS == 1 { png::ColorType::Grayscale } else { png::ColorType::Rgb };
    let values: Vec<u8> = (0..width * height).flat_map(|place| pixel(place % width, place / width)).collect();
    encoded(width, height, (kind, png::BitDepth::Eight), &[], &values)
}

/// Returns a picture of any kind and depth, with pixels in PNG's encoding and a palette if it needs one.
pub fn encoded(
    width: usize,
    height: usize,
    (kind, depth): (png::ColorType, png::BitDepth),
    palette: &[u8],
    pixels: &[u8],
) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(kind);
    encoder.set_depth(depth);
    if !palette.is_empty() {
        encoder.set_palette(palette);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
    file
}
