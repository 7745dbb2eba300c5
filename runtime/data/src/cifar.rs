//! CIFAR-10's binary files: records of a label and the pixels of three colours.

use super::error::DataDefect;

/// Bytes of an image: 32 x 32 reds, then the greens, then the blues.
const PIXELS: usize = 3072;
/// Bytes of a record: a label and an image.
const RECORD: usize = 1 + PIXELS;

/// Appends the images and labels of a file.
///
/// Each image is converted from one plane for each colour to three values for each pixel, as in other image formats.
///
/// # Errors
/// When the file does not hold whole records.
pub(super) fn parse(bytes: &[u8], pixels: &mut Vec<u8>, labels: &mut Vec<i64>) -> Result<(), DataDefect> {
    let (found, records) = (bytes.len() as u64, bytes.len().div_ceil(RECORD));
    if bytes.is_empty() || !bytes.len().is_multiple_of(RECORD) {
        let why = format!("for whole records of {RECORD}");
        return Err(DataDefect::Length { found, expected: (records.max(1) * RECORD) as u64, why });
    }
    for record in bytes.chunks_exact(RECORD) {
        labels.push(i64::from(record[0]));
        let (red, others) = record[1..].split_at(PIXELS / 3);
        let (green, blue) = others.split_at(PIXELS / 3);
        pixels.extend(red.iter().zip(green).zip(blue).flat_map(|((&red, &green), &blue)| [red, green, blue]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_become_pixels() {
        let mut record = vec![7];
        record.extend((0..3).flat_map(|colour| (0..1024).map(move |place| (place % 80 + 80 * colour) as u8)));
        let (mut pixels, mut labels) = (Vec::new(), Vec::new());
        parse(&[record.clone(), record].concat(), &mut pixels, &mut labels).unwrap();
        assert_eq!((labels, pixels.len()), (vec![7, 7], 2 * PIXELS));
        assert_eq!(pixels[..6], [0, 80, 160, 1, 81, 161]);
        assert_eq!(pixels[PIXELS..PIXELS + 3], [0, 80, 160]);
    }

    #[test]
    fn half_a_record_is_refused() {
        for bytes in [0, 1, RECORD - 1, RECORD + 1] {
            let error = parse(&vec![0; bytes], &mut Vec::new(), &mut Vec::new()).unwrap_err();
            assert!(error.to_string().contains("for whole records of 3073"), "{error}");
        }
    }
}
