//! Compares the training of a LeNet with that of a dense network, in alternating turns: operations per second of
//! forward and backward passes and of whole steps, and the extrapolated time of a fit. The arguments are the number of
//! turns and, to fit the LeNet too, files of images and labels in MNIST's format and a number of epochs; the images
//! that are not trained on are the test set.
//!
//!     RUSTFLAGS=-Ctarget-cpu=x86-64-v3 cargo run --release -p jointly-nets --example convolution -- 15

use std::process::Command;
use std::time::Instant;

use jointly_nets::adam::Adam;
use jointly_nets::examples::Examples;
use jointly_nets::layout::stride;
use jointly_nets::loss::CrossEntropy;
use jointly_nets::network::Values;
use jointly_nets::predict::outputs;
use jointly_nets::simd::{LANES, Lanes};
use jointly_nets::{FirstBiases, Front, Image, LENET, Network};
use jointly_sdk::{Dataset, Matrix, Rng, Task};

const IMAGE: Image = Image { height: 28, width: 28, channels: 1 };
const CLASSES: usize = 10;
const BATCH: usize = 128;

/// Training images and epochs of the fit whose time is extrapolated.
const EXAMPLES: usize = 8000;
const EPOCHS: usize = 20;

/// Step size of Adam.
const RATE: f32 = 1e-3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let turns = arguments.first().map_or(15, |turns| turns.parse().expect("the number of turns"));
    measure(turns);
    if let [_, images, labels, epochs] = &arguments[..] {
        fit(&dataset(&idx(images), &idx(labels)), epochs.parse().expect("the number of epochs"));
    }
}

fn task() -> Task {
    Task::new(IMAGE.numbers(), CLASSES)
}

fn lenet(rng: &mut Rng) -> Network {
    Network::convolutional(Front::new(IMAGE, &LENET).expect("the layers fit"), &[128], CLASSES, rng)
}

/// The times of the parts of a step, in seconds.
#[derive(Clone, Copy, Default)]
struct Seconds {
    forward: f64,
    backward: f64,
    step: f64,
}

/// A network in training.
struct Trained {
    network: Network,
    values: Values,
    loss: CrossEntropy,
    adam: Adam,
    gradient: Vec<Lanes>,
}

impl Trained {
    fn new(network: Network) -> Self {
        let len = network.parameters.len();
        Self {
            values: Values::new(&network, BATCH),
            loss: CrossEntropy::new(CLASSES),
            adam: Adam::new(len, RATE),
            gradient: vec![Lanes::splat(0.0); len],
            network,
        }
    }

    fn step(&mut self, examples: &mut Examples<'_>) -> Seconds {
        let start = Instant::now();
        examples.next_batch();
        let (inputs, inputs_stride, rows) = (examples.inputs(), examples.stride(), examples.rows());
        let before = Instant::now();
        self.network.forward(inputs, inputs_stride, rows, &mut self.values);
        let forward = before.elapsed().as_secs_f64();
        let finite = self.loss.differentiate(self.values.outputs(), stride(CLASSES) * LANES, examples.targets());
        assert!(finite, "the loss is not finite");
        let before = Instant::now();
        self.network.backward(inputs, inputs_stride, rows, &mut self.values, &mut self.gradient);
        let backward = before.elapsed().as_secs_f64();
        self.adam.update(&mut self.network.parameters, &self.gradient, 0.0);
        Seconds { forward, backward, step: start.elapsed().as_secs_f64() }
    }
}

/// Returns the multiplications and additions of a forward and of a backward pass at one example, without skipping
/// zeros. The gradient with respect to the inputs of the first layer is not computed.
fn operations(network: &Network) -> (f64, f64) {
    let pixels = network.front().into_iter().flat_map(Front::convolutions).map(|layer| layer.output().pixels());
    let pixels = pixels.chain(std::iter::repeat(1));
    let layers =
        network.blocks().into_iter().zip(pixels).map(|(block, pixels)| 2 * block.inputs * block.outputs * pixels);
    let layers: Vec<usize> = layers.collect();
    let total: usize = layers.iter().sum();
    (total as f64, (2 * total - layers[0]) as f64)
}

fn measure(turns: usize) {
    let data = rectangles(10 * BATCH);
    let mut rng = Rng::new(1, 0);
    let dense = Network::new(&[IMAGE.numbers(), 200, 200, CLASSES], FirstBiases::Zero, &mut rng);
    let mut networks = [("dense 784-200-200-10", dense), ("LeNet", lenet(&mut rng))].map(|(name, network)| {
        let examples = Examples::new(&task(), &data, BATCH, Rng::new(2, 0)).expect("the data fit");
        (name, Trained::new(network), examples, Vec::new())
    });
    for turn in 0..=turns {
        for (_, trained, examples, seconds) in &mut networks {
            let found = trained.step(examples);
            // The first turn warms up memory and caches.
            if turn > 0 {
                seconds.push(found);
            }
        }
    }
    println!("GFLOP/s, batches of {BATCH}, medians of {turns} turns; the step is with Adam, loss and gathering");
    println!("{:<22} {:>9} {:>9} {:>9} {:>12}", "", "forward", "backward", "step", "ms a step");
    let rates = networks.each_ref().map(|(name, trained, _, seconds)| {
        let (forward, backward) = operations(&trained.network);
        let median = |part: fn(&Seconds) -> f64| {
            let mut values: Vec<f64> = seconds.iter().map(part).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let step = median(|seconds| seconds.step);
        let rate = |operations: f64, seconds: f64| operations * BATCH as f64 / seconds / 1e9;
        let rates = [
            rate(forward, median(|seconds| seconds.forward)),
            rate(backward, median(|seconds| seconds.backward)),
            rate(forward + backward, step),
        ];
        println!("{name:<22} {:>9.1} {:>9.1} {:>9.1} {:>12.2}", rates[0], rates[1], rates[2], step * 1e3);
        (rates, step)
    });
    let [(dense, _), (lenet, step)] = rates;
    let ratios = [0, 1, 2].map(|i| lenet[i] / dense[i]);
    println!("{:<22} {:>9.2} {:>9.2} {:>9.2}", "ratio", ratios[0], ratios[1], ratios[2]);
    let steps = EPOCHS * EXAMPLES.div_ceil(BATCH);
    println!(
        "LeNet on {EXAMPLES} images and {EPOCHS} epochs, extrapolated from these steps to {steps}: {:.0} s",
        steps as f64 * step
    );
}

/// Returns images with one bright rectangle each, whose position determines the class; about a fifth of the pixels are
/// not zero.
fn rectangles(count: usize) -> Dataset {
    let mut rng = Rng::new(0, 0);
    let mut inputs = Vec::with_capacity(count * IMAGE.numbers());
    let labels = (0..count).map(|i| (i % CLASSES) as u32).collect();
    for i in 0..count {
        let (left, top) = (i % CLASSES * 2, rng.below(14));
        let inside = |at: usize| (left..left + 10).contains(&(at % 28)) && (top..top + 14).contains(&(at / 28));
        inputs.extend((0..IMAGE.numbers()).map(|at| if inside(at) { 0.5 + 0.5 * rng.uniform() } else { 0.0 }));
    }
    Dataset { inputs: Matrix::new(count, IMAGE.numbers(), inputs).expect("a row an image"), labels }
}

/// Fits the LeNet and prints how many test images are classified correctly.
fn fit(data: &(Dataset, Dataset), epochs: usize) {
    let (train, test) = data;
    let mut examples = Examples::new(&task(), train, BATCH, Rng::new(2, 0)).expect("the data fit");
    let mut trained = Trained::new(lenet(&mut Rng::new(1, 0)));
    let start = Instant::now();
    for _ in 0..epochs * train.labels.len().div_ceil(BATCH) {
        trained.step(&mut examples);
    }
    let seconds = start.elapsed().as_secs_f64();
    let outputs = outputs(&trained.network, test.inputs.values());
    let hit = |(row, label): (&[f32], &u32)| row.iter().all(|value| *value <= row[*label as usize]);
    let hits = outputs.chunks(CLASSES).zip(&test.labels).filter(|pair| hit(*pair)).count();
    let (train, test) = (train.labels.len(), test.labels.len());
    println!("LeNet on {train} images and {epochs} epochs: {seconds:.0} s, {hits} of {test} others right");
}

/// Returns the bytes of an idx file, which may be compressed.
fn idx(path: &str) -> Vec<u8> {
    let output = Command::new("gzip").args(["-dcf", path]).output().expect("gzip runs");
    assert!(output.status.success(), "{path} cannot be read");
    output.stdout
}

/// Returns the first examples as the training set and the others as the test set.
fn dataset(images: &[u8], labels: &[u8]) -> (Dataset, Dataset) {
    let (images, labels) = (&images[16..], &labels[8..]);
    let part = |labels: &[u8], images: &[u8]| {
        let values = images.iter().map(|byte| f32::from(*byte) / 255.0).collect();
        let inputs = Matrix::new(labels.len(), IMAGE.numbers(), values).expect("a row an image");
        Dataset { inputs, labels: labels.iter().map(|label| u32::from(*label)).collect() }
    };
    let split = EXAMPLES.min(labels.len() / 5 * 4);
    let (train_labels, test_labels) = labels.split_at(split);
    let (train, test) = images.split_at(split * IMAGE.numbers());
    (part(train_labels, train), part(test_labels, test))
}
