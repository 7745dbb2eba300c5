//! User-supplied images: a folder with one folder for each class.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jointly_core::printable::ShowPath as _;
use jointly_core::{ImageShape, MAX_CLASSES, Task};

use super::super::MAX_DATA_BYTES;
use super::super::error::{DataDefect, DataError};
use super::super::open::plain;
use super::examples::{Labelled, Rows, ShiftData};
use super::picture::{Colours, MAX_PICTURE_BYTES, Picture, is_named};

/// The name of a dataset of images in errors.
const IMAGES: &str = "images";
/// The fewest images of a folder.
const FEWEST: usize = 3;
/// The most sets of OOD inputs.
const MOST_OUTSIDERS: usize = 16;

/// Folders of images, `CLASS/*.png` or `.jpg`, and the size that agents see them at.
///
/// The classes are the folders within `train`, in the order of their names' bytes. Each image is cropped to the largest
/// square about its middle and resized by area averaging; transparency is ignored. All images are in memory, one byte
/// for each value, and may take 512 MiB: 174,000 of 32 pixels in colour, 3,500 of 224.
///
/// Corrupting an image of 224 pixels takes about 11 ms in the mean over corruptions and severities, from 0.2 ms
/// (brightness) to 85 ms (elastic), measured by `cargo run --release -p jointly-classification --example shifts
/// FOLDER`: 80 corruptions of 1,000 images take 15 minutes.
#[derive(Clone, Debug)]
pub struct ImageFolder {
    /// The folder of training images, which are also used for testing if there is no test folder.
    pub train: PathBuf,
    /// The folder of test images, with the same classes or fewer.
    pub test: Option<PathBuf>,
    /// Sets of OOD images by name: each is a folder of images, or of folders of images.
    pub outsiders: Vec<(String, PathBuf)>,
    /// The side of the images that agents see, in pixels.
    pub side: u32,
    /// Whether agents see images in greyscale.
    pub grey: bool,
}

impl ImageFolder {
    /// Reads all images.
    ///
    /// # Errors
    /// When a folder cannot be read or holds no images, there are fewer than two classes, an image is damaged, has more
    /// than 16384 pixels on a side or takes more than 1 GiB to decode, a test class is not a training class, all
    /// images are the same, or they take too much memory.
    pub fn load(&self, name: &str) -> Result<ShiftData, DataError> {
        let refuse = |path: &Path, defect: DataDefect| defect.of(IMAGES, path);
        let channels = if self.grey { 1 } else { 3 };
        let shape = ImageShape::new(self.side as usize, self.side as usize, channels);
        let shape = shape.map_err(|error| refuse(&self.train, DataDefect::Image { reason: error.to_string() }))?;
        if self.outsiders.len() > MOST_OUTSIDERS {
            let (found, expected) = (self.outsiders.len() as u64, format!("at most {MOST_OUTSIDERS}"));
            return Err(refuse(
                &self.train,
                DataDefect::Count { what: "sets of out-of-distribution inputs", found, expected },
            ));
        }
        let classes = subfolders(&self.train).map_err(|defect| refuse(&self.train, defect))?;
        if !(2..=MAX_CLASSES as usize).contains(&classes.len()) {
            let what = format!("it has {} folders of classes, expected 2 to {MAX_CLASSES}", classes.len());
            let remedy = "put the images to train on into a folder for each class, as in train/cat and train/dog";
            return Err(refuse(&self.train, DataDefect::Layout { what, remedy }));
        }
        // All files are listed before any is read, so that a folder that would not fit is refused at once.
        let train = labelled_files(&self.train, &classes)?;
        let test = match &self.test {
            None => None,
            Some(folder) => {
                let there = subfolders(folder).map_err(|defect| refuse(folder, defect))?;
                if let Some(strange) = there.iter().find(|class| classes.binary_search(class).is_err()) {
                    let what = format!("it has the class {}, which has no folder to train on", strange.shown());
                    let remedy = "add that folder, take this one away, or move it to outside if it belongs to no class";
                    return Err(refuse(folder, DataDefect::Layout { what, remedy }));
                }
                Some(labelled_files(folder, &classes)?)
            }
        };
        let mut outsiders = Vec::new();
        for (outsider, folder) in &self.outsiders {
            let mut files = files(folder).map_err(|defect| refuse(folder, defect))?;
            for within in subfolders(folder).map_err(|defect| refuse(folder, defect))? {
                files.extend(self::files(&folder.join(within)).map_err(|defect| refuse(folder, defect))?);
            }
            some(folder, files.len())?;
            outsiders.push((outsider, folder, files));
        }
        let count = |files: &Files| files.paths.len();
        let images = count(&train)
            + test.as_ref().map_or(0, count)
            + outsiders.iter().map(|(_, _, files)| files.len()).sum::<usize>();
        let (images, bytes) = (images as u64, shape.values() as u64);
        if images.saturating_mul(bytes) > MAX_DATA_BYTES {
            return Err(refuse(&self.train, DataDefect::Memory { images, bytes, limit: MAX_DATA_BYTES }));
        }

        let rows = |folder: &Path, files: &[PathBuf]| {
            let mut bytes = Vec::with_capacity(files.len() * shape.values());
            for file in files {
                read(file, shape, &mut bytes).map_err(|defect| refuse(file, defect))?;
            }
            Rows::Pixels { columns: shape.values(), bytes }.differing().map_err(|defect| refuse(folder, defect))
        };
        let labelled =
            |folder: &Path, files: Files| Ok(Labelled { rows: rows(folder, &files.paths)?, labels: files.labels });
        let pool = labelled(&self.train, train)?;
        let test = self.test.as_deref().zip(test).map(|(folder, files)| labelled(folder, files)).transpose()?;
        let mut others = Vec::new();
        for (outsider, folder, files) in outsiders {
            others.push((outsider.clone(), rows(folder, &files)?));
        }
        let task = Task { image: Some(shape), ..Task::new(shape.values() as u32, classes.len() as u32) };
        Ok(ShiftData::new(name, task, pool, test, others))
    }
}

/// Images and their classes.
struct Files {
    paths: Vec<PathBuf>,
    labels: Vec<u32>,
}

fn labelled_files(folder: &Path, classes: &[PathBuf]) -> Result<Files, DataError> {
    let mut all = Files { paths: Vec::new(), labels: Vec::new() };
    for (label, class) in classes.iter().enumerate() {
        let within = folder.join(class);
        if within.is_dir() {
            let paths = files(&within).map_err(|defect| defect.of(IMAGES, &within))?;
            all.labels.resize(all.labels.len() + paths.len(), label as u32);
            all.paths.extend(paths);
        }
    }
    some(folder, all.paths.len())?;
    Ok(all)
}

/// Requires three images, so that each part of the data has one.
fn some(folder: &Path, images: usize) -> Result<(), DataError> {
    if images >= FEWEST {
        return Ok(());
    }
    let what = format!("it has {images} images, expected at least {FEWEST}, ending in .png, .jpg or .jpeg");
    Err(DataDefect::Layout { what, remedy: "add some, or convert those of other formats" }.of(IMAGES, folder))
}

/// Returns the folders within a folder, ordered by the bytes of their names.
fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, DataDefect> {
    let (folders, _) = entries(folder)?;
    Ok(folders.into_values().collect())
}

/// Returns the images directly within a folder, ordered by the bytes of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, DataDefect> {
    let (_, files) = entries(folder)?;
    Ok(files.into_values().map(|name| folder.join(name)).collect())
}

/// Folders and images by name.
type Entries = BTreeMap<Vec<u8>, PathBuf>;

fn entries(folder: &Path) -> Result<(Entries, Entries), DataDefect> {
    let (mut folders, mut files) = (Entries::new(), Entries::new());
    for entry in fs::read_dir(folder).map_err(DataDefect::Io)? {
        let name = entry.map_err(DataDefect::Io)?.file_name();
        let key = name.as_encoded_bytes().to_vec();
        let path = PathBuf::from(name);
        // Names that begin with a dot are hidden files.
        if key.starts_with(b".") {
            continue;
        }
        if folder.join(&path).is_dir() {
            folders.insert(key, path);
        } else if is_named(&path) {
            files.insert(key, path);
        }
    }
    Ok((folders, files))
}

/// Appends an image's values.
fn read(path: &Path, shape: ImageShape, values: &mut Vec<u8>) -> Result<(), DataDefect> {
    let file = plain(path, MAX_PICTURE_BYTES)?;
    let colours = if shape.channels() == 1 { Colours::Grey } else { Colours::Rgb };
    values.extend(square(&Picture::decode(&file, colours)?, shape));
    Ok(())
}

/// Crops an image to the square around its middle, and resizes it.
///
/// # Formula
/// Each new pixel is the mean of what it covers, `sum a_ij x_ij / sum a_ij` with `a_ij` the area that it shares with
/// pixel (i, j), rounded to the nearest byte.
fn square(picture: &Picture, shape: ImageShape) -> Vec<u8> {
    let side = picture.width.min(picture.height);
    let (top, left) = ((picture.height - side) / 2, (picture.width - side) / 2);
    let spans = spans(side, shape.height());
    let mut values = Vec::with_capacity(shape.values());
    for rows in &spans {
        for columns in &spans {
            for channel in 0..shape.channels() {
                let mut sum = 0.0;
                for &(i, down) in rows {
                    for &(j, across) in columns {
                        sum += down * across * f64::from(picture.value(top + i, left + j, channel));
                    }
                }
                values.push((sum + 0.5) as u8);
            }
        }
    }
    values
}

/// Returns, for each of `count` new pixels, which of the `side` old pixels it covers and their shares of it.
fn spans(side: usize, count: usize) -> Vec<Vec<(usize, f64)>> {
    let unit = side as f64 / count as f64;
    let span = |k: usize| {
        // Ends are quotients of integers, which are exact where they fall between pixels.
        let (from, to) = ((k * side) as f64 / count as f64, ((k + 1) * side) as f64 / count as f64);
        let covered = from as usize..(to.ceil() as usize).min(side);
        covered.map(|i| (i, (to.min(i as f64 + 1.0) - from.max(i as f64)) / unit)).collect()
    };
    (0..count).map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::png;
    use super::*;

    #[test]
    fn spans_cover_everything_once() {
        for (side, count) in [(28, 28), (28, 14), (5, 3), (3, 5), (1, 4), (1000, 7)] {
            let mut covered = vec![0.0; side];
            for span in spans(side, count) {
                assert!((span.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
                for (i, share) in span {
                    covered[i] += share;
                }
            }
            assert!(covered.iter().all(|&share| (share - count as f64 / side as f64).abs() < 1e-9));
        }
    }

    #[test]
    fn an_image_of_the_size_is_as_it_was_and_a_wide_one_is_cut() {
        let shape = |side, channels| ImageShape::new(side, side, channels).unwrap();
        let values = |file: &[u8], colours, shape| square(&Picture::decode(file, colours).unwrap(), shape);
        let bytes: Vec<u8> = (0..48).map(|value| value * 5).collect();
        let colour = png(4, 4, |x, y| [0, 1, 2].map(|channel| bytes[3 * (4 * y + x) + channel]));
        assert_eq!(values(&colour, Colours::Rgb, shape(4, 3)), bytes);
        let wide = [[9, 9, 0, 100, 9, 9], [9, 9, 50, 250, 9, 9]];
        let wide = png(6, 2, |x, y| [wide[y][x]]);
        assert_eq!(values(&wide, Colours::Grey, shape(2, 1)), [0, 100, 50, 250]);
        assert_eq!(values(&wide, Colours::Grey, shape(1, 1)), [100]);
        assert_eq!(values(&wide, Colours::Rgb, shape(1, 3)), [100, 100, 100]);
    }
}
