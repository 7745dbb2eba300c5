//! Compares the network and its gradient with plain loops in double precision.

use super::*;
use crate::Image;
use crate::batch_norm::EPSILON;
use crate::plain::convolve;
use crate::simd::LANES;

const IMAGE: Image = Image { height: 7, width: 6, channels: 2 };
const ROWS: usize = 3;
const FEATURES: usize = 64;

/// Step of a central difference in double precision.
const STEP: f64 = 1e-6;

/// Tolerance for features of order one after nineteen layers in single precision, and for the gradient, relative to the
/// largest derivative of its layer.
const TOLERANCE: f64 = 2e-4;
const TOLERANCE_OF_GRADIENT: f64 = 2e-3;

fn images(rows: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng::new(3, seed);
    (0..rows * IMAGE.numbers()).map(|_| rng.uniform()).collect()
}

/// Returns a network with scales and shifts unlike those at the start.
fn resnet() -> Resnet {
    let mut rng = Rng::new(1, 0);
    let mut resnet = Resnet::new(Shape::new(IMAGE, ROWS).unwrap(), &mut rng);
    for layer in resnet.shape.layers() {
        floats_mut(&mut resnet.state[layer.scale()]).fill_with(|| 1.0 + 0.2 * rng.normal());
        floats_mut(&mut resnet.state[layer.shift()]).fill_with(|| 0.3 * rng.normal());
        floats_mut(&mut resnet.state[layer.mean()]).fill_with(|| 0.2 * rng.normal());
        floats_mut(&mut resnet.state[layer.variance()]).fill_with(|| 0.5 + rng.uniform());
    }
    resnet
}

/// Returns the pixels with a border of zeros.
fn border(values: &[f64], Image { height, width, channels }: Image) -> Vec<f64> {
    let mut out = vec![0.0; (height + 2) * (width + 2) * channels];
    for (y, row) in values.chunks(width * channels).enumerate() {
        let from = ((y + 1) * (width + 2) + 1) * channels;
        out[from..from + row.len()].copy_from_slice(row);
    }
    out
}

/// Returns the features of every image: by the statistics of the images together if they train, else by the running
/// ones.
fn plain(shape: &Shape, state: &[f64], images: &[f32], trains: bool) -> Vec<f64> {
    let numbers = |place: std::ops::Range<usize>| &state[place.start * LANES..place.end * LANES];
    let doubles = |image: &[f32]| image.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
    let mut values: Vec<Vec<Vec<f64>>> = vec![images.chunks(IMAGE.numbers()).map(doubles).collect()];
    let mut image = IMAGE;
    let mut shapes = vec![IMAGE];
    for (l, stage) in (0..19).map(|l| (l, l.max(1) - 1)).map(|(l, at)| (l, at / 6)) {
        let (channels, stride) = (16 << stage, if l == 7 || l == 13 { 2 } else { 1 });
        let layer = &shape.layers()[l];
        let weights = numbers(layer.weights());
        let at = |i: usize, f: usize| weights.get(i * channels + f).copied().unwrap_or(0.0);
        let bordered = Image { height: image.height + 2, width: image.width + 2, ..image };
        let read = values.last().unwrap().iter().map(|values| border(values, image));
        let mut sums: Vec<Vec<f64>> = read.map(|read| convolve(&read, bordered, (channels, 3, stride), at)).collect();
        let output = Image { height: image.height.div_ceil(stride), width: image.width.div_ceil(stride), channels };
        assert_eq!(sums[0].len(), output.numbers());
        for c in 0..channels {
            let all: Vec<f64> = sums.iter().flat_map(|sums| sums.iter().skip(c).step_by(channels).copied()).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance = all.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / all.len() as f64;
            let running = (numbers(layer.mean())[c], numbers(layer.variance())[c]);
            let (mean, variance) = if trains { (mean, variance) } else { running };
            let (scale, shift) = (numbers(layer.scale())[c], numbers(layer.shift())[c]);
            for value in sums.iter_mut().flat_map(|sums| sums.iter_mut().skip(c).step_by(channels)) {
                *value = scale * (*value - mean) / (variance + f64::from(EPSILON)).sqrt() + shift;
            }
        }
        if l > 0 && l % 2 == 0 {
            // Of the two layers before, the values at every `stride` pixels of the block's first layer.
            let from = shapes[l - 1];
            let stride = if l == 8 || l == 14 { 2 } else { 1 };
            for (sums, before) in sums.iter_mut().zip(&values[l - 1]) {
                for y in 0..output.height {
                    for x in 0..output.width {
                        for c in 0..from.channels {
                            let taken = before[(y * stride * from.width + x * stride) * from.channels + c];
                            sums[(y * output.width + x) * channels + c] += taken;
                        }
                    }
                }
            }
        }
        sums.iter_mut().flatten().for_each(|value| *value = value.max(0.0));
        values.push(sums);
        image = output;
        shapes.push(output);
    }
    let pixels = image.pixels();
    let mean = |last: &Vec<f64>, c: usize| last.iter().skip(c).step_by(FEATURES).sum::<f64>() / pixels as f64;
    values.last().unwrap().iter().flat_map(|last| (0..FEATURES).map(|c| mean(last, c)).collect::<Vec<_>>()).collect()
}

fn doubles(state: &[Lanes]) -> Vec<f64> {
    floats(state).iter().map(|value| f64::from(*value)).collect()
}

fn assert_close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{found} {expected}");
    }
}

#[test]
fn features_agree_with_plain_loops_and_depend_on_one_image_alone() {
    let resnet = resnet();
    let images = images(BLOCK + 3, 0);
    let found = resnet.features(&images);
    assert_close(&found, &plain(&resnet.shape, &doubles(&resnet.state), &images, false));
    for (image, together) in images.chunks(IMAGE.numbers()).zip(found.chunks(FEATURES)) {
        assert_eq!(resnet.features(image), together);
    }
}

#[test]
fn the_gradient_agrees_with_finite_differences_in_double_precision() {
    let (mut resnet, images) = (resnet(), images(ROWS, 1));
    let mut rng = Rng::new(7, 0);
    let slopes: Vec<f32> = (0..ROWS * FEATURES).map(|_| rng.normal()).collect();
    let state = doubles(&resnet.state);
    let mut steps = ResnetSteps::new(&resnet, ROWS + 1, 1e-3, 0.0);
    // Twice, to detect what an earlier minibatch leaves behind.
    for seed in [9, 1] {
        let mut found = vec![0.0; ROWS * FEATURES];
        let images = self::images(ROWS, seed);
        steps.write(&mut resnet, images.chunks(IMAGE.numbers()), &mut found);
        steps.differentiate(&resnet, slopes.chunks(FEATURES));
        assert_close(&found, &plain(&resnet.shape, &state, &images, true));
    }
    let objective = |state: &[f64]| -> f64 {
        let features = plain(&resnet.shape, state, &images, true);
        features.iter().zip(&slopes).map(|(value, slope)| value * f64::from(*slope)).sum()
    };
    let gradient = doubles(&steps.gradient);
    for layer in resnet.shape.layers() {
        for place in [layer.weights(), layer.scale(), layer.shift()] {
            let place = place.start * LANES..place.end * LANES;
            let largest = gradient[place.clone()].iter().fold(0.0f64, |most, value| most.max(value.abs()));
            assert!(largest > 0.0);
            for at in [rng.below(place.len()), rng.below(place.len())].map(|at| place.start + at) {
                let shifted = |by: f64| {
                    let mut state = state.clone();
                    state[at] += by;
                    objective(&state)
                };
                let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                let error = (difference - gradient[at]).abs();
                assert!(error < TOLERANCE_OF_GRADIENT * largest, "{at}: {difference} {} {largest}", gradient[at]);
            }
        }
        let biases = layer.biases();
        assert!(gradient[biases.start * LANES..biases.end * LANES].iter().all(|slope| *slope == 0.0));
    }
}

#[test]
fn running_statistics_are_the_mean_of_the_first_minibatches() {
    let start = resnet();
    let batches: Vec<Vec<f32>> = (0..3).map(|seed| images(ROWS, seed)).collect();
    let after = |batches: &[Vec<f32>]| {
        let mut resnet = start.clone();
        let mut steps = ResnetSteps::new(&resnet, ROWS, 1e-3, 0.0);
        for images in batches {
            steps.write(&mut resnet, images.chunks(IMAGE.numbers()), &mut [0.0; ROWS * FEATURES]);
        }
        floats(&resnet.state[resnet.shape.parameters()..]).to_vec()
    };
    let together = after(&batches);
    let alone: Vec<Vec<f32>> = batches.iter().map(|images| after(std::slice::from_ref(images))).collect();
    for (at, running) in together.iter().enumerate() {
        let mean = alone.iter().map(|alone| alone[at]).sum::<f32>() / 3.0;
        assert!((running - mean).abs() < 1e-5 * (1.0 + mean.abs()), "{running} {mean}");
    }
}

#[test]
fn images_of_any_side_are_read_and_minibatches_without_room_are_refused() {
    for (height, width, channels) in [(1, 1, 1), (2, 5, 3), (32, 32, 3), (96, 96, 3)] {
        let image = Image { height, width, channels };
        let resnet = Resnet::new(Shape::new(image, 8).unwrap(), &mut Rng::new(0, 0));
        let features = resnet.features(&vec![0.5; 2 * image.numbers()]);
        assert!(features.len() == 2 * FEATURES && features.iter().all(|feature| feature.is_finite()));
    }
    let large = Image { height: 224, width: 224, channels: 3 };
    let error = Shape::new(large, 32).unwrap_err().to_string();
    assert!(error.contains("use a smaller batch-size, or smaller images"), "{error}");
    assert!(Shape::new(large, 4).is_ok());
    assert!(Shape::new(Image { height: usize::MAX, ..large }, 1).is_err());
    assert!(Shape::new(Image { height: 0, ..large }, 1).is_err());
}

#[test]
fn it_has_the_parameters_of_the_paper() {
    // 0.27 million with the last layer of 650: here without it, and with rows of biases that stay zero.
    let shape = Shape::new(Image { height: 32, width: 32, channels: 3 }, 1).unwrap();
    let weights: usize = shape.layers().iter().map(|layer| layer.weights().len() * LANES).sum();
    assert_eq!(weights, 9 * (3 * 16 + 6 * 16 * 16 + 16 * 32 + 5 * 32 * 32 + 32 * 64 + 5 * 64 * 64));
    assert_eq!(shape.layers().len(), 19);
    assert_eq!(shape.features(), FEATURES);
}
