//! Draws sheets of shifted images for visual inspection: `shifts FOLDER` writes one portable pixmap each for digits,
//! out-of-distribution drawings, grey, colour and large images.
//!
//! Each row is a shift, from no shift at the left to the strongest at the right. The host draws colour and large images
//! too; colour images are corrupted with CIFAR-10-C's constants, large ones with ImageNet-C's. It prints how far each
//! shift moves digits, as the root mean square difference at each severity, and its cost: the mean over severities, in
//! microseconds an image.

use std::fs;
use std::hint::black_box;
use std::io::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use jointly_classification::shift::{Input, Pixels, Shift, ShiftLevel, digits};
use jointly_core::ImageShape;
use jointly_core::stream;

/// Pixels between images.
const GAP: usize = 2;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: shifts FOLDER");
        return ExitCode::FAILURE;
    };
    match sheets(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to write to {folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn sheets(folder: &Path) -> Result<(), Error> {
    let drawn = |class: u32, index: u64| {
        digits::digit_of(class, &mut stream(0, "sheet", "digit", u64::from(class) + 10 * index))
    };
    let hands: Vec<Vec<Pixels>> =
        (0..digits::CLASSES).map(|class| (0..20).map(|index| drawn(class, index)).collect()).collect();
    let outsider = |index: u64| digits::outsider(&mut stream(0, "sheet", "outsider", index));
    let others: Vec<Vec<Pixels>> = (0..5).map(|row| (0..20).map(|k| outsider(20 * row + k)).collect()).collect();
    write(&folder.join("digits.ppm"), &hands)?;
    write(&folder.join("outsiders.ppm"), &others)?;
    write(&folder.join("grey.ppm"), &shifted(&[drawn(3, 1), drawn(8, 3)]))?;
    write(&folder.join("colour.ppm"), &shifted(&[scene(32), scene(33)]))?;
    write(&folder.join("large.ppm"), &shifted(&[scene(224)]))?;
    let hands: Vec<Pixels> = hands.into_iter().flatten().collect();
    distances(&hands);
    costs(&[(drawn(8, 3), 50), (scene(32), 50), (scene(224), 2)]);
    Ok(())
}

/// Prints the root mean square difference of every shift at each severity.
fn distances(images: &[Pixels]) {
    for shift in image_shifts() {
        let mean = |level: ShiftLevel| {
            let square = |(index, image): (usize, &Pixels)| {
                let shifted = apply(level, image, index as u64);
                let pairs = image.values().iter().zip(shifted.values());
                pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / image.values().len() as f64
            };
            (images.iter().enumerate().map(square).sum::<f64>() / images.len() as f64).sqrt()
        };
        print!("{:<16}", shift.name());
        for level in levels(shift) {
            print!(" {:.3}", mean(level));
        }
        println!();
    }
}

/// Prints the cost of each image shift; each image is shifted as many times as its pair says.
fn costs(images: &[(Pixels, u64); 3]) {
    println!("{:<16} {:>12} {:>12} {:>14}", "shift", "28 x 28 x 1", "32 x 32 x 3", "224 x 224 x 3");
    for shift in image_shifts() {
        let [grey, colour, large] = images.each_ref().map(|(image, times)| {
            let start = Instant::now();
            for index in 0..*times {
                for level in levels(shift) {
                    black_box(apply(level, image, index));
                }
            }
            start.elapsed().as_secs_f64() * 1e6 / (times * shift.severities().len() as u64) as f64
        });
        println!("{:<16} {grey:>12.0} {colour:>12.0} {large:>14.0}", shift.name());
    }
}

fn image_shifts() -> impl Iterator<Item = Shift> {
    Shift::ALL.into_iter().filter(|shift| shift.input() == Input::Image)
}

fn levels(shift: Shift) -> impl Iterator<Item = ShiftLevel> {
    shift.severities().iter().map(move |&severity| shift.at(severity).expect("listed severities are valid"))
}

fn apply(level: ShiftLevel, image: &Pixels, index: u64) -> Pixels {
    level.apply(image, &mut level.stream(0.into(), "sheet", index)).expect("a shift of images takes images")
}

/// Returns one row per shift: each image unshifted, then at every severity.
fn shifted(images: &[Pixels]) -> Vec<Vec<Pixels>> {
    let row = |shift: Shift| {
        let strip = |(index, image): (usize, &Pixels)| {
            let shifted = levels(shift).map(|level| apply(level, image, index as u64));
            [image.clone()].into_iter().chain(shifted).collect::<Vec<_>>()
        };
        images.iter().enumerate().flat_map(strip).collect()
    };
    image_shifts().map(row).collect()
}

/// A landscape: sky and a sun, hills, a field with a fence and a red house with a dark window.
fn scene(side: usize) -> Pixels {
    let color = |x: f64, y: f64| {
        let hill = 0.45 + 0.08 * (x * 7.0).sin() + 0.03 * (x * 17.0).sin();
        let sun = (x - 0.78).hypot(y - 0.2) < 0.1;
        let house = (0.25..0.55).contains(&x) && (0.48..0.75).contains(&y);
        let roof = (0.3..0.48).contains(&y) && (x - 0.4).abs() < y - 0.28;
        let window = (0.3..0.38).contains(&x) && (0.55..0.65).contains(&y);
        let fence = y > 0.78 && y < 0.92 && (x * 12.0).fract() < 0.3;
        match () {
            () if window => [0.1, 0.12, 0.2],
            () if house => [0.75, 0.25, 0.2],
            () if roof => [0.35, 0.2, 0.15],
            () if fence => [0.9, 0.88, 0.8],
            () if sun => [1.0, 0.9, 0.4],
            () if y < hill => [0.45 + 0.2 * y, 0.65 + 0.2 * y, 0.9],
            () => [0.25, 0.45 + 0.2 * (x * 60.0).sin().powi(2) * (y - hill), 0.2],
        }
    };
    let places = (0..side * side).map(|place| (place % side, place / side));
    let at = |i: usize| (i as f64 + 0.5) / side as f64;
    let values = places.flat_map(|(x, y)| color(at(x), at(y))).collect();
    let shape = ImageShape::new(side, side, 3).expect("a scene has a side");
    Pixels::new(shape, values).expect("colours are within 0 and 1")
}

/// Writes rows of images as a portable pixmap.
fn write(path: &Path, rows: &[Vec<Pixels>]) -> Result<(), Error> {
    let cell = rows.iter().flatten().map(|image| image.shape().height()).max().unwrap_or(1) + GAP;
    let columns = rows.iter().map(Vec::len).max().unwrap_or(1);
    let (width, height) = (cell * columns, cell * rows.len());
    let mut bytes = vec![255; width * height * 3];
    for (top, row) in rows.iter().enumerate() {
        for (left, image) in row.iter().enumerate() {
            let (shape, source) = (image.shape(), image.to_bytes());
            for i in 0..shape.height() {
                for j in 0..shape.width() {
                    let pixel = &source[(i * shape.width() + j) * shape.channels()..][..shape.channels()];
                    let to = ((top * cell + i) * width + left * cell + j) * 3;
                    for (k, byte) in bytes[to..to + 3].iter_mut().enumerate() {
                        *byte = pixel[k % shape.channels()];
                    }
                }
            }
        }
    }
    fs::write(path, [format!("P6 {width} {height} 255\n").into_bytes(), bytes].concat())
}
