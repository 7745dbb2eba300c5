//! Fits networks to images of digits that the test draws, to check that the parts of training with convolutions work
//! together.

use jointly_nets::adam::Adam;
use jointly_nets::convolution::Images;
use jointly_nets::examples::Examples;
use jointly_nets::last_layer::LastLayer;
use jointly_nets::loss::CrossEntropy;
use jointly_nets::normals::Normals;
use jointly_nets::predict::{Rows, outputs};
use jointly_nets::simd::{Lanes, floats_mut};
use jointly_nets::{
    Deviations, Ensemble, Front, Image, LENET, Network, Noisy, Penalty, Recipe, Stage, layout, predict, start,
};
use jointly_sdk::{Dataset, Failure, Matrix, Rng, Task};

const IMAGE: Image = Image { height: 14, width: 14, channels: 1 };
const CLASSES: usize = 10;
const BATCH: usize = 32;

/// The share of unseen digits that a fit classifies correctly, and that a fit with a wrong gradient does not reach.
const ACCURACY: f32 = 0.9;

/// The segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom.
const DIGITS: [[u8; 7]; CLASSES] = [
    [1, 1, 1, 0, 1, 1, 1],
    [0, 0, 1, 0, 0, 1, 0],
    [1, 0, 1, 1, 1, 0, 1],
    [1, 0, 1, 1, 0, 1, 1],
    [0, 1, 1, 1, 0, 1, 0],
    [1, 1, 0, 1, 0, 1, 1],
    [1, 1, 0, 1, 1, 1, 1],
    [1, 0, 1, 0, 0, 1, 0],
    [1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 0, 1, 1],
];

/// Returns digits of random position, width and brightness, with noise.
fn digits(count: usize, seed: u64) -> Dataset {
    let mut rng = Rng::new(seed, 0);
    let mut inputs = Vec::new();
    for i in 0..count {
        let (width, half) = (4 + rng.below(2), 4);
        let (left, top) = (2 + rng.below(4), 1 + rng.below(4));
        let light = 0.6 + 0.4 * rng.uniform();
        let segment = |x: usize, y: usize| {
            let (across, down) = (x.wrapping_sub(left) <= width, y.wrapping_sub(top));
            let side = |low: usize| across && (low..=low + half).contains(&down);
            let is = [
                across && down == 0,
                side(0) && x == left,
                side(0) && x == left + width,
                across && down == half,
                side(half) && x == left,
                side(half) && x == left + width,
                across && down == 2 * half,
            ];
            is.into_iter().zip(DIGITS[i % CLASSES]).any(|(is, lit)| is && lit == 1)
        };
        for at in 0..IMAGE.numbers() {
            let value = if segment(at % IMAGE.width, at / IMAGE.width) { light } else { 0.0 };
            inputs.push((value + 0.1 * rng.normal()).max(0.0));
        }
    }
    let labels = (0..count).map(|i| (i % CLASSES) as u32).collect();
    Dataset { inputs: Matrix::new(count, IMAGE.numbers(), inputs).unwrap(), labels }
}

fn task() -> Task {
    Task::new(IMAGE.numbers(), CLASSES)
}

fn lenet(seed: u64) -> Network {
    let mut rng = Rng::new(seed, 0);
    let network = Network::convolutional(Front::new(IMAGE, &LENET).unwrap(), &[32], CLASSES, &mut rng);
    start::glorot_again(network, &mut rng)
}

fn accuracy(network: &Network, data: &Dataset) -> f32 {
    let outputs = outputs(network, data.inputs.values());
    let hit = |(row, label): (&[f32], &u32)| row.iter().all(|value| *value <= row[*label as usize]);
    let hits = outputs.chunks(CLASSES).zip(&data.labels).filter(|pair| hit(*pair)).count();
    hits as f32 / data.labels.len() as f32
}

/// Modifications of a training: whether the gradient of the convolutions is negated, the dropout rate, and the scale of
/// the deviations.
#[derive(Clone, Copy, Default)]
struct Changes {
    negated: bool,
    rate: f32,
    scale: f32,
}

fn fit(data: &Dataset, steps: usize, changes: Changes) -> Network {
    let mut network = lenet(4);
    let mut examples = Examples::new(&task(), data, BATCH, Rng::new(5, 0)).unwrap();
    let flips = [changes.scale > 0.0; 4];
    let mut noisy = Noisy::new(&network, BATCH).dropping(&[changes.rate; 2]).flipping(&flips);
    let mut loss = CrossEntropy::new(CLASSES);
    let mut adam = Adam::new(network.parameters.len(), 2e-3);
    let zeros = vec![Lanes::splat(0.0); network.parameters.len()];
    let (mut gradient, mut deviations, mut by_deviations) = (zeros.clone(), zeros.clone(), zeros);
    let (mut rng, mask) = (Rng::new(6, 0), layout::mask_of(&network.blocks()));
    let mut normals = Normals::new(&mut Rng::new(7, 0));
    let convolutions = network.blocks()[1].vectors().end;
    for _ in 0..steps {
        examples.next_batch();
        normals.fill(&mut deviations);
        let scale = Lanes::splat(changes.scale);
        deviations.iter_mut().zip(&mask).for_each(|(value, is)| *value = *value * *is * scale);
        noisy.draw(examples.rows(), &mut rng);
        let images = Images { values: examples.inputs(), stride: examples.stride(), count: examples.rows() };
        let flip = Deviations { values: &deviations, gradient: &mut by_deviations };
        let finite = noisy.differentiate(&network, Some(flip), images, &mut gradient, |outputs, stride| {
            loss.differentiate(outputs, stride, examples.targets())
        });
        assert!(finite);
        if changes.negated {
            for value in floats_mut(&mut gradient[..convolutions]) {
                *value = -*value;
            }
        }
        adam.update(&mut network.parameters, &gradient, 0.0);
    }
    network
}

#[test]
fn a_lenet_learns_digits_by_its_gradient_alone() {
    let (train, test) = (digits(1000, 1), digits(400, 2));
    let fitted = fit(&train, 160, Changes::default());
    let (right, wrong) =
        (accuracy(&fitted, &test), accuracy(&fit(&train, 160, Changes { negated: true, ..Changes::default() }), &test));

    assert!(right > ACCURACY && wrong < ACCURACY, "{right} by the gradient, {wrong} by another");
    let [one, same] = [0; 2].map(|_| outputs(&fit(&train, 10, Changes::default()), test.inputs.values()));
    assert_eq!(one, same);
}

#[test]
fn it_learns_them_under_dropout_and_under_flipped_deviations() {
    let (train, test) = (digits(1000, 1), digits(400, 2));
    for changes in [Changes { rate: 0.3, ..Changes::default() }, Changes { scale: 0.05, ..Changes::default() }] {
        let found = accuracy(&fit(&train, 160, changes), &test);

        assert!(found > ACCURACY, "{found} at rate {} and scale {}", changes.rate, changes.scale);
    }
}

fn small() -> Recipe {
    let stages = [Stage::Convolution { filters: 8, kernel: 3 }, Stage::Pooling { size: 2 }];
    Recipe {
        size: 2,
        front: Some(Front::new(IMAGE, &stages).unwrap()),
        hidden: vec![16],
        steps: 120,
        batch_size: BATCH,
        learning_rate: 3e-3,
        penalty: Penalty { l2: 0.0, adaptive: Some(false) },
        ..Recipe::default()
    }
}

#[test]
fn an_ensemble_of_images_depends_on_the_seed_alone_and_a_row_on_no_other() {
    let (train, test) = (digits(600, 1), digits(100, 2));
    let [one, same, other] = [1, 1, 2].map(|seed| {
        let ensemble = Ensemble::train(&small(), &task(), &train, seed).unwrap();
        let mut out = vec![0.0; 2 * 100 * CLASSES];
        jointly_nets::Finite::sample_probs(&ensemble, &Rows::of(&test.inputs), &[0, 7], &mut out).unwrap();
        (ensemble, out)
    });
    assert_eq!(one.1, same.1);
    assert_ne!(one.1, other.1);
    let mut alone = vec![0.0; CLASSES];
    for row in [0, 33, 99] {
        let input = Matrix::new(1, IMAGE.numbers(), test.inputs.row(row).to_vec()).unwrap();
        one.0.probs(&Rows::of(&input), 7, &mut alone).unwrap();
        assert_eq!(alone, one.1[(100 + row) * CLASSES..][..CLASSES]);
    }
    let is_hit = |(row, label): (&[f32], &u32)| row.iter().all(|p| *p <= row[*label as usize]);
    let hits = one.1.chunks(CLASSES).zip(&test.labels).filter(|pair| is_hit(*pair)).count();

    assert!(hits > 75, "{hits} of 100");
}

#[test]
fn a_network_of_images_is_taken_apart_before_its_last_layer() {
    let train = digits(60, 1);
    for hidden in [vec![16], Vec::new()] {
        let recipe = Recipe { hidden, steps: 20, size: 1, ..small() };
        let network = recipe.start(&task(), 3, 0);
        let apart = LastLayer::of(&network);
        let found = apart.at(&train.inputs).unwrap();
        assert_eq!(found.features.len(), 60 * apart.features());
        assert!(found.features.iter().all(|value| *value >= 0.0));
        let expected = outputs(&network, train.inputs.values());
        let close = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-5 * (1.0 + expected.abs());
        assert!(found.logits.iter().zip(&expected).all(close));
        assert_eq!(LastLayer::train(&recipe, &task(), &train, 3).unwrap().classes(), CLASSES);
    }
}

#[test]
fn inputs_that_are_no_images_are_refused() {
    let task = Task { input_dim: 5, ..task() };
    let data = Dataset { inputs: Matrix::new(1, 5, vec![0.0; 5]).unwrap(), labels: vec![0] };
    assert!(matches!(Ensemble::train(&small(), &task, &data, 0), Err(Failure::Unsupported(_))));
    let mut out = vec![0.0; CLASSES];
    let network = small().start(&self::task(), 0, 0);
    assert!(matches!(predict(&[&network], &Rows::of(&data.inputs), &mut out), Err(Failure::Internal(_))));
}
