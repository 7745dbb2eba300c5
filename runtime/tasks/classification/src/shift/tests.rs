//! Invariants of all shifts.

use jointly_core::digest;
use jointly_core::matrix::Matrix;
use jointly_core::stream::{Stream, stream};

use super::fixture::{ODD_SIZES, SCALES, distance, photo, shape};
use super::scale::Scale;
use super::*;

fn images() -> impl Iterator<Item = Shift> {
    Shift::ALL.into_iter().filter(|shift| shift.input() == Input::Image)
}

fn levels(shift: Shift) -> impl Iterator<Item = ShiftLevel> {
    shift.severities().iter().map(move |&severity| shift.at(severity).unwrap())
}

/// Returns a digit, in grey or on a coloured ground.
fn picture(channels: usize, index: u64) -> Pixels {
    let grey = digits::digit_of(8, &mut stream(0, "test", "picture", index));
    let values = grey.values().iter().flat_map(|&x| [x, 0.2 + 0.6 * x, 0.9 - 0.5 * x][..channels].to_vec());
    Pixels::new(shape(28, 28, channels), values.collect()).unwrap()
}

#[test]
fn names_are_read_back() {
    for shift in Shift::ALL {
        assert_eq!(shift.name().parse(), Ok(shift));
        assert_eq!(serde_json::to_string(&shift).unwrap(), format!("{:?}", shift.name()));
        for level in levels(shift) {
            assert_eq!(level.to_string().parse(), Ok(level));
            let json = serde_json::to_string(&level).unwrap();
            assert_eq!(serde_json::from_str::<ShiftLevel>(&json).unwrap(), level);
        }
    }
    assert_eq!(Shift::Rotation.at(45.0).unwrap().to_string(), "rotation/45");
    assert_eq!(Shift::corruptions().count(), 19);
    let error = "tilt/45".parse::<ShiftLevel>().unwrap_err().to_string();
    assert!(error.starts_with("there is no shift \"tilt\": it is one of rotation, translation,"), "{error}");
    for (misspelt, near) in [
        ("rotaion/45", "rotation"),
        ("Gaussian_noise/3", "gaussian-noise"),
        ("frog", "fog"),
        ("brightnes/*", "brightness"),
    ] {
        let error = misspelt.parse::<ShiftLevel>().unwrap_err().to_string();
        assert!(error.ends_with(&format!(": did you mean `{near}`?")), "{error}");
    }
    for without in ["rotation", "rotation/", "rotation/far"] {
        assert_eq!(without.parse::<ShiftLevel>(), Err(ShiftError::Level { text: without.to_owned() }));
    }
}

#[test]
fn severities_are_checked() {
    let wrong = [
        (Shift::Fog, 6.0),
        (Shift::Fog, 1.5),
        (Shift::Fog, -1.0),
        (Shift::Fog, f64::NAN),
        (Shift::Rotation, f64::INFINITY),
        (Shift::Translation, 0.5),
        (Shift::Reassign, 1.1),
        (Shift::FeatureScale, -0.1),
    ];
    for (shift, severity) in wrong {
        assert!(matches!(shift.at(severity), Err(ShiftError::Severity { .. })), "{shift} {severity}");
    }
    let error = Shift::Fog.at(6.0).unwrap_err();
    assert_eq!(error.to_string(), "fog has no severity 6: it takes 0, 1, 2, 3, 4 or 5");
}

#[test]
fn other_data_are_refused() {
    let mut source = stream(0, "test", "other", 0);
    let level = Shift::Reassign.at(0.5).unwrap();
    let error = level.apply(&picture(1, 0), &mut source).unwrap_err();
    assert_eq!(error.to_string(), "reassign shifts tokens, not images");
    let table = Matrix::new(1, 1, vec![1.0]).unwrap();
    let columns = Columns::of(&table).unwrap();
    assert!(level.apply_to_table(&table, &columns, &mut source).is_err());
    assert!(Shift::Fog.at(1.0).unwrap().apply_to_tokens(&[0], 1, &mut source).is_err());
}

#[test]
fn severity_zero_is_no_shift() {
    let mut source = stream(0, "test", "zero", 0);
    for shift in images() {
        assert_eq!(shift.at(0.0).unwrap().apply(&picture(3, 0), &mut source).unwrap(), picture(3, 0));
    }
    let table = Matrix::new(2, 1, vec![1.0, 2.0]).unwrap();
    let columns = Columns::of(&table).unwrap();
    for shift in [Shift::GaussianFeatures, Shift::FeatureScale, Shift::FeatureOffset] {
        assert_eq!(shift.at(0.0).unwrap().apply_to_table(&table, &columns, &mut source).unwrap(), table);
    }
}

#[test]
fn odd_sizes_stay_images() {
    for (height, width) in ODD_SIZES {
        for channels in [1, 3] {
            let shape = shape(height, width, channels);
            let extremes = [photo(shape, 0), Pixels::new(shape, vec![0.0; shape.values()]).unwrap()];
            for image in extremes.iter().chain([&Pixels::new(shape, vec![1.0; shape.values()]).unwrap()]) {
                for level in images().flat_map(levels) {
                    for scale in SCALES {
                        let mut source = level.stream(0.into(), "test", 0);
                        let shifted = level.apply_at(scale, image, &mut source).unwrap();
                        // Every value is checked again.
                        let checked = Pixels::new(shape, shifted.values().to_vec());
                        assert!(checked.is_ok(), "{level} of {shape:?} at {scale:?}: {checked:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_same_stream_gives_the_same_bits() {
    for level in images().flat_map(levels) {
        for channels in [1, 3] {
            let shifted = |seed| level.apply(&picture(channels, 0), &mut level.stream(seed, "test", 7)).unwrap();
            assert_eq!(shifted(0.into()), shifted(0.into()));
            let drawn = !matches!(
                level.shift(),
                Shift::Rotation
                    | Shift::Translation
                    | Shift::DefocusBlur
                    | Shift::ZoomBlur
                    | Shift::GaussianBlur
                    | Shift::Brightness
                    | Shift::Contrast
                    | Shift::Pixelate
                    | Shift::Jpeg
                    | Shift::Saturate
            );
            assert_eq!(shifted(0.into()) != shifted(1.into()), drawn, "{level}");
        }
    }
}

#[test]
fn all_but_saturation_change_grey() {
    for level in images().flat_map(levels) {
        let shifted = level.apply(&picture(1, 0), &mut level.stream(0.into(), "test", 0)).unwrap();
        assert_eq!(shifted != picture(1, 0), level.shift().changes_grey(), "{level}");
    }
}

/// Tests digits in grey and in colour, which suites corrupt with the constants of either image set.
#[test]
fn severity_orders_the_distance_from_the_original() {
    let mut disordered = Vec::new();
    for (scale, channels) in [(Scale::Large, 1), (Scale::Small, 3)] {
        assert_eq!(Scale::of(picture(channels, 0).shape()), scale);
        let pictures: Vec<Pixels> = (0..20).map(|index| picture(channels, index)).collect();
        for shift in Shift::corruptions() {
            let mean = |level: ShiftLevel| {
                let far = |(index, picture): (usize, &Pixels)| {
                    let mut source = level.stream(0.into(), "test", index as u64);
                    distance(picture, &level.apply(picture, &mut source).unwrap())
                };
                pictures.iter().enumerate().map(far).sum::<f64>() / pictures.len() as f64
            };
            let far: Vec<f64> = levels(shift).map(mean).collect();
            let rises = |far: &[f64]| far.is_sorted_by(|a, b| a < b);
            // The published constants do not all grow with severity.
            let ordered = match shift {
                // Two rounds move more than one, whatever the blur.
                Shift::GlassBlur if scale == Scale::Small => far[..3].iter().all(|x| *x < far[3].min(far[4])),
                // Two rounds of distance 1 are like one of distance 2; three of distance 2, and two of more, take
                // pixels from farther away.
                Shift::GlassBlur => far[..2].iter().all(|near| far[2..].iter().all(|x| near < x)),
                // The last two keep less of the image, which is mostly black, and add hardly more ice than the third.
                Shift::Frost if scale == Scale::Small => rises(&far[..3]) && far[1] < far[3] && far[3] < far[4],
                // The fourth adds as much ice as the third, and keeps less of the image.
                Shift::Frost => rises(&far[..3]) && far[3] < far[4] && far[2] < far[4],
                // Three severities of water, two of mud.
                Shift::Spatter => rises(&far[..3]) && rises(&far[3..]),
                // The pull of the corners shrinks while crumples grow.
                Shift::Elastic if scale == Scale::Small => far.is_sorted_by(|a, b| a > b) && far[4] > 0.05,
                // The first two pull most; in the others only the crumples grow.
                Shift::Elastic => rises(&far[2..]),
                Shift::Saturate if channels == 1 => far == [0.0; 5],
                // Two severities remove colour, three add some.
                Shift::Saturate => rises(&far[..2]) && rises(&far[2..]),
                _ => rises(&far),
            };
            if !ordered {
                disordered.push(format!("{shift} by {scale:?}: {far:.4?}"));
            }
        }
    }
    assert!(disordered.is_empty(), "{disordered:#?}");
}

#[test]
fn severities_meet_the_same_noise() {
    // Without clipping, stronger noise is weaker noise times a number: 3/2 by the constants of either image set.
    for channels in [1, 3] {
        let shape = shape(10, 10, channels);
        let image = Pixels::new(shape, vec![0.5; shape.values()]).unwrap();
        let noise = |severity: f64| {
            let level = Shift::GaussianNoise.at(severity).unwrap();
            let noisy = level.apply(&image, &mut level.stream(3.into(), "test", 5)).unwrap();
            noisy.values().iter().map(|x| x - 0.5).collect::<Vec<f64>>()
        };
        for (weak, strong) in noise(1.0).into_iter().zip(noise(2.0)) {
            assert!((strong - weak * 1.5).abs() < 1e-9);
        }
    }
}

/// The start of the digest of the bits of every image that a shift makes of a grey and a coloured digit, at all
/// severities and with the constants of both image sets.
const GOLDEN: [(&str, &str); 21] = [
    ("rotation", "78e266f8ef2aec3b"),
    ("translation", "e7ac1c958a943508"),
    ("gaussian-noise", "d3598649b33afaf4"),
    ("shot-noise", "024a93608917d90d"),
    ("impulse-noise", "c7ae4777759d3ea9"),
    ("speckle-noise", "b7b9dbeada29ac99"),
    ("defocus-blur", "42da800a6de1a58e"),
    ("glass-blur", "d46b499d51ae5a99"),
    ("motion-blur", "82dbda364c79689a"),
    ("zoom-blur", "1c571bacdb35f2aa"),
    ("gaussian-blur", "65d06ca8b683cf51"),
    ("snow", "ca7a4629d52f2ceb"),
    ("frost", "83fbb2e565f51571"),
    ("fog", "a902af686c31099f"),
    ("brightness", "ef14396158aeb5a5"),
    ("contrast", "aa95f0230e08ffb5"),
    ("elastic", "e95ab09ca66dfbbf"),
    ("pixelate", "0af64c240ddeac68"),
    ("jpeg", "75068f0a7d58d86b"),
    ("saturate", "5386cf08f2652176"),
    ("spatter", "00df27f16afab871"),
];
/// The starts of the digests of a hundred digits, and of a hundred letters and scribbles.
const GOLDEN_DIGITS: &str = "6079a4649578ec75";
const GOLDEN_OUTSIDERS: &str = "7005daa9ab759b17";

fn fingerprint<'a>(images: impl Iterator<Item = &'a Pixels>) -> String {
    let bytes: Vec<u8> = images.flat_map(Pixels::values).flat_map(|x| x.to_bits().to_le_bytes()).collect();
    digest(&bytes)["sha256:".len()..][..16].to_owned()
}

#[test]
fn golden_images_never_move() {
    let shifted = |shift: Shift| {
        let mut images = Vec::new();
        for level in levels(shift) {
            for (scale, channels) in [(Scale::Small, 1), (Scale::Small, 3), (Scale::Large, 1), (Scale::Large, 3)] {
                let mut source = level.stream(0.into(), "golden", 0);
                images.push(level.apply_at(scale, &picture(channels, 0), &mut source).unwrap());
            }
        }
        (shift.name(), fingerprint(images.iter()))
    };
    let found: Vec<(&str, String)> = images().map(shifted).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(name, print)| (*name, print.as_str())).collect();
    let drawn = |draw: fn(&mut Stream) -> Pixels| {
        fingerprint((0..100).map(|index| draw(&mut stream(0, "golden", "digits", index))).collect::<Vec<_>>().iter())
    };
    let digits = drawn(|stream| digits::digit(stream).0);
    let outsiders = drawn(digits::outsider);
    assert_eq!((found.as_slice(), digits.as_str(), outsiders.as_str()), (&GOLDEN[..], GOLDEN_DIGITS, GOLDEN_OUTSIDERS));
}
