//! Decodes PNG and JPEG pictures into bytes of grey or of colour.

use std::io::Cursor;
use std::path::Path;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::error::DataDefect;

/// The most rows and columns that a picture may have.
const MAX_PIXELS: usize = 1 << 14;
/// The most bytes of a picture's file, and the most that decoding it may take.
pub(super) const MAX_PICTURE_BYTES: u64 = 1 << 30;
/// The magic bytes of a file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff";
/// The luminance of linear red, green and blue (ITU-R BT.709); in 32 bits their sum is 1.
const LUMINANCE: [f32; 3] = [0.212_647_84, 0.715_179_2, 0.072_173_04];

/// Returns whether a file has the extension of a picture.
pub(super) fn is_named(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("png" | "apng" | "jpg" | "jpeg" | "jfif"))
}

/// The colours that a picture is decoded into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    /// One byte for each pixel.
    Grey,
    /// Three bytes for each pixel: red, green, blue.
    Rgb,
}

/// A decoded picture.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Picture {
    /// The number of rows.
    pub(super) height: usize,
    /// The number of columns.
    pub(super) width: usize,
    /// Bytes for each pixel: 3 for colour, 1 for grey, even if colour was requested for a grey file.
    channels: usize,
    bytes: Vec<u8>,
}

impl Picture {
    /// Decodes a file. Transparency, colour profiles and orientation are ignored; 16-bit numbers are rounded to 8 bits.
    ///
    /// # Errors
    /// When the file is neither PNG nor JPEG, is damaged, has more than 16384 pixels a side, or would take more than 1
    /// GiB.
    pub(super) fn decode(file: &[u8], colours: Colours) -> Result<Self, DataDefect> {
        if file.starts_with(PNG) {
            png(file, colours)
        } else if file.starts_with(JPEG) {
            jpeg(file, colours)
        } else {
            Err(unreadable("it begins as neither PNG nor JPEG does"))
        }
    }

    /// Returns the value of one channel of a pixel; all channels of a grey pixel have the same value.
    pub(super) fn value(&self, row: usize, column: usize, channel: usize) -> u8 {
        self.bytes[(row * self.width + column) * self.channels + channel.min(self.channels - 1)]
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what map_err hands over")]
fn unreadable(reason: impl ToString) -> DataDefect {
    DataDefect::Image { reason: reason.to_string() }
}

/// Checks the sizes that a header states, before memory is allocated for them.
fn check(width: usize, height: usize, bytes_per_pixel: usize) -> Result<(), DataDefect> {
    if width.max(height) > MAX_PIXELS {
        return Err(unreadable(format!("{width} x {height} pixels, at most {MAX_PIXELS} a side are read")));
    }
    let bytes = width as u64 * height as u64 * bytes_per_pixel as u64;
    if bytes > MAX_PICTURE_BYTES {
        return Err(unreadable(format!("decoding it takes {bytes} bytes, at most {MAX_PICTURE_BYTES} may be used")));
    }
    Ok(())
}

fn png(file: &[u8], colours: Colours) -> Result<Picture, DataDefect> {
    let limits = png::Limits { bytes: MAX_PICTURE_BYTES as usize };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    let (width, height) = decoder.read_header_info().map_err(unreadable)?.size();
    let (width, height) = (width as usize, height as usize);
    check(width, height, 0)?;
    // Palettes are converted to colours, and fewer than eight bits to eight.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let (kind, depth) = reader.output_color_type();
    let layout = Layout { channels: kind.samples(), wide: depth == png::BitDepth::Sixteen };
    check(width, height, layout.bytes_per_pixel())?;
    let mut bytes = vec![0; width * height * layout.bytes_per_pixel()];
    reader.next_frame(&mut bytes).map_err(unreadable)?;
    Ok(layout.picture(width, height, bytes, colours))
}

fn jpeg(file: &[u8], colours: Colours) -> Result<Picture, DataDefect> {
    // Excludes instructions that only some processors have.
    let options = DecoderOptions::default().set_strict_mode(false).set_use_unsafe(false);
    let options = options.set_max_width(MAX_PIXELS).set_max_height(MAX_PIXELS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(unreadable)?;
    let (Some((width, height)), Some(space)) = (decoder.dimensions(), decoder.input_colorspace()) else {
        return Err(unreadable("it has no header"));
    };
    let (output, channels) = if space == ColorSpace::Luma { (space, 1) } else { (ColorSpace::RGB, 3) };
    // The decoder holds the pixels and, if a picture comes in several scans, two bytes for each of its coefficients.
    check(width, height, channels + 2 * space.num_components())?;
    decoder.set_options(options.jpeg_set_out_colorspace(output));
    let mut bytes = vec![0; width * height * channels];
    decoder.decode_into(&mut bytes).map_err(unreadable)?;
    Ok(Layout { channels, wide: false }.picture(width, height, bytes, colours))
}

/// The layout of a pixel's bytes.
#[derive(Clone, Copy)]
struct Layout {
    /// 1 for grey, 2 for grey and opacity, 3 for colour, 4 for colour and opacity.
    channels: usize,
    /// Whether a number has two bytes, in big-endian order.
    wide: bool,
}

impl Layout {
    fn bytes_per_pixel(self) -> usize {
        self.channels * (1 + usize::from(self.wide))
    }

    /// Converts pixels to the form of a picture, in place.
    fn picture(self, width: usize, height: usize, mut bytes: Vec<u8>, colours: Colours) -> Picture {
        let step = self.bytes_per_pixel();
        let coloured = self.channels >= 3;
        let channels = if coloured && colours == Colours::Rgb { 3 } else { 1 };
        if step > channels {
            for pixel in 0..width * height {
                let from = &bytes[pixel * step..(pixel + 1) * step];
                let value = |channel: usize| {
                    if self.wide {
                        u16::from_be_bytes([from[2 * channel], from[2 * channel + 1]])
                    } else {
                        u16::from(from[channel])
                    }
                };
                let narrow = |value: u16| if self.wide { ((u32::from(value) + 128) / 257) as u8 } else { value as u8 };
                let new = if coloured && colours == Colours::Grey {
                    [self.luminance([value(0), value(1), value(2)]), 0, 0]
                } else {
                    let at = |channel: usize| if channel < channels { narrow(value(channel)) } else { 0 };
                    [at(0), at(1), at(2)]
                };
                bytes[pixel * channels..(pixel + 1) * channels].copy_from_slice(&new[..channels]);
            }
            bytes.truncate(width * height * channels);
        }
        Picture { height, width, channels, bytes }
    }

    /// Returns the grey value of a colour, rounded to the nearest byte.
    ///
    /// # Formula
    /// `255 (0.2126 r + 0.7152 g + 0.0722 b)` with r, g and b in `[0, 1]`, added up in this order in 32 bits.
    fn luminance(self, rgb: [u16; 3]) -> u8 {
        let unit = 1.0 / if self.wide { f32::from(u16::MAX) } else { f32::from(u8::MAX) };
        let sum = rgb.iter().zip(LUMINANCE).fold(0.0, |sum, (&value, share)| sum + f32::from(value) * unit * share);
        (sum * f32::from(u8::MAX)).round() as u8
    }
}

#[cfg(test)]
mod tests {
    use png::{BitDepth, ColorType};

    use super::super::fixture::{encoded, png};
    use super::*;

    const PHOTO: &[u8] = include_bytes!("gradient.jpg");

    fn values(file: &[u8], colours: Colours) -> Vec<u8> {
        let picture = Picture::decode(file, colours).unwrap();
        let channels = if colours == Colours::Grey { 1 } else { 3 };
        let places = (0..picture.height).flat_map(|row| (0..picture.width).map(move |column| (row, column)));
        places
            .flat_map(|(row, column)| (0..channels).map(move |c| (row, column, c)))
            .map(|(row, column, channel)| picture.value(row, column, channel))
            .collect()
    }

    #[test]
    fn every_kind_of_png_becomes_grey_and_colour() {
        // Pure red, green and blue, white and a mixed colour, with known grey values.
        let colours = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [200, 100, 50]];
        let greys = [54, 182, 18, 255, 118];
        let opaque: Vec<u8> = colours.iter().flat_map(|&[r, g, b]| [r, g, b, 7]).collect();
        // A 16-bit number equal to v / 255 has v as its lower byte as well.
        let wide = |bytes: &[u8]| bytes.iter().flat_map(|&byte| [byte, byte]).collect::<Vec<u8>>();
        let flat = colours.as_flattened();
        let eight = BitDepth::Eight;
        let files = [
            encoded(5, 1, (ColorType::Rgb, eight), &[], flat),
            encoded(5, 1, (ColorType::Rgba, eight), &[], &opaque),
            encoded(5, 1, (ColorType::Rgb, BitDepth::Sixteen), &[], &wide(flat)),
            encoded(5, 1, (ColorType::Rgba, BitDepth::Sixteen), &[], &wide(&opaque)),
            encoded(5, 1, (ColorType::Indexed, eight), flat, &[0, 1, 2, 3, 4]),
            encoded(5, 1, (ColorType::Indexed, BitDepth::Four), flat, &[0x01, 0x23, 0x40]),
        ];
        for file in files {
            assert_eq!(values(&file, Colours::Rgb), flat);
            assert_eq!(values(&file, Colours::Grey), greys);
        }
        let grey = [
            encoded(4, 1, (ColorType::Grayscale, BitDepth::Two), &[], &[0b0001_1011]),
            encoded(4, 1, (ColorType::Grayscale, eight), &[], &[0, 85, 170, 255]),
            encoded(4, 1, (ColorType::GrayscaleAlpha, eight), &[], &[0, 9, 85, 9, 170, 9, 255, 9]),
            // Rounded to the nearest of 256 values.
            encoded(4, 1, (ColorType::Grayscale, BitDepth::Sixteen), &[], &[0, 128, 85, 0, 170, 60, 255, 255]),
        ];
        for file in grey {
            assert_eq!(values(&file, Colours::Grey), [0, 85, 170, 255]);
            assert_eq!(values(&file, Colours::Rgb), [0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255]);
        }
    }

    #[test]
    fn a_photograph_has_the_values_that_are_known_of_it() {
        let rgb = values(PHOTO, Colours::Rgb);
        assert_eq!((rgb.len(), rgb.iter().map(|&value| u32::from(value)).sum::<u32>()), (720, 87403));
        assert_eq!(rgb[..12], [3, 5, 250, 8, 5, 244, 17, 4, 234, 31, 4, 221]);
        assert_eq!(values(PHOTO, Colours::Grey)[..8], [22, 23, 23, 25, 27, 29, 30, 30]);
    }

    #[test]
    fn claims_are_checked_before_memory_is_taken() {
        let message = |file: &[u8]| Picture::decode(file, Colours::Rgb).unwrap_err().to_string();
        assert!(message(b"GIF89a").contains("begins as neither PNG nor JPEG"));
        // Changes the sides, the depth and the colour type in the 13-byte header from byte 16 on, and its checksum.
        let claim = |width: u32, height: u32, depth: u8, kind: u8| {
            let mut file = png(2, 2, |_, _| [0]);
            file[16..20].copy_from_slice(&width.to_be_bytes());
            file[20..24].copy_from_slice(&height.to_be_bytes());
            (file[24], file[25]) = (depth, kind);
            let mut sum = flate2::Crc::new();
            sum.update(&file[12..29]);
            file[29..33].copy_from_slice(&sum.sum().to_be_bytes());
            message(&file)
        };
        assert!(claim(16385, 1, 8, 0).contains("16385 x 1 pixels, at most 16384 a side"));
        assert!(claim(1, u32::MAX >> 1, 8, 0).contains("at most 16384 a side"));
        assert!(claim(16384, 16384, 16, 6).contains("decoding it takes 2147483648 bytes"));
        // A frame's header has its height and width in bytes 5 to 8.
        let frame = PHOTO.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
        let mut large = PHOTO.to_vec();
        large[frame + 5..frame + 9].copy_from_slice(&[0x40, 0, 0x40, 0]);
        assert!(message(&large).contains("decoding it takes 2415919104 bytes"), "{}", message(&large));
        large[frame + 5] = 0x41;
        assert!(Picture::decode(&large, Colours::Rgb).is_err());
    }

    #[test]
    fn damaged_files_are_refused_or_read_and_nothing_else() {
        let whole = png(6, 4, |x, y| [3, x as u8, y as u8]);
        for length in 0..whole.len() - 12 {
            assert!(Picture::decode(&whole[..length], Colours::Rgb).is_err(), "{length} bytes");
        }
        for file in [whole.as_slice(), PHOTO] {
            for at in 0..file.len() {
                let mut spoilt = file.to_vec();
                spoilt[at] ^= 0x55;
                drop(Picture::decode(&spoilt, Colours::Grey));
                drop(Picture::decode(&file[..at], Colours::Rgb));
            }
        }
    }
}
