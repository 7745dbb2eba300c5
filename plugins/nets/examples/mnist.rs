//! Trains agents on the images of an idx file outside the sandbox, and scores them on other images, unchanged and
//! rotated by 60 degrees. The arguments are the files of images and labels, the number of training images, the number
//! of validation images that follow, and what is scored, `validation` or `test` (the rest); then agents, each with its
//! settings after colons:
//!
//!     RUSTFLAGS=-Ctarget-cpu=x86-64-v3 cargo run --release -p jointly-nets --example mnist -- \
//!         images.gz labels.gz 8000 1000 test mlp dropout:rate=0.2:network=lenet
//!
//! Settings of the example itself: `draws`, the number of draws whose mean is scored, and `seed`.

use std::process::Command;
use std::time::Instant;

use jointly_agent_bbb::BayesByBackprop;
use jointly_agent_dropout::Dropout;
use jointly_agent_ensemble::DeepEnsemble;
use jointly_agent_ll_dropout::LastLayerDropout;
use jointly_agent_ll_svi::LastLayerSvi;
use jointly_agent_mlp::Mlp;
use jointly_agent_temperature_scaling::TemperatureScaling;
use jointly_sdk::{Dataset, ImageShape, InputClassifier, Inputs, Matrix, Setting, Task};

const SIDE: usize = 28;
const CLASSES: usize = 10;

/// Angles in degrees by which the scored images are rotated.
const ANGLES: [f64; 2] = [0.0, 60.0];

/// Default number of draws whose mean is scored.
const DRAWS: u64 = 100;

/// Rows per call of the agent.
const CALL: usize = 1500;

/// Examples by use.
struct Data {
    train: Dataset<Inputs>,
    validation: Dataset<Inputs>,
    /// The scored examples, for each angle.
    scored: Vec<Dataset<Inputs>>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [images, labels, train, validation, scored, agents @ ..] = &arguments[..] else {
        panic!("images, labels, how many to train on and to validate on, what is scored, agents");
    };
    let counts = [train, validation].map(|count| count.parse().expect("how many images"));
    let data = data(&idx(images)[16..], &idx(labels)[8..], counts, scored == "validation");
    println!("{:<60} {:>8} {:>26} {:>26} {:>8}", "agent", "train s", "accuracy NLL Brier", "turned", "ask s");
    for spec in agents {
        let mut parts = spec.split(':');
        let name = parts.next().unwrap_or_default();
        let mut settings: Vec<Setting> = parts
            .map(|part| {
                let (name, value) = part.split_once('=').expect("a setting is name=value");
                Setting { name: name.into(), value: value.into() }
            })
            .collect();
        let mut own = |name: &str| {
            let place = settings.iter().position(|setting| setting.name == name);
            place.map(|place| settings.remove(place).value.parse().expect("a number"))
        };
        let (draws, seed) = (own("draws").unwrap_or(DRAWS), own("seed").unwrap_or(0));
        let score = match name {
            "mlp" => score::<Mlp>,
            "temperature-scaling" => score::<TemperatureScaling>,
            "dropout" => score::<Dropout>,
            "ensemble" => score::<DeepEnsemble>,
            "bbb" => score::<BayesByBackprop>,
            "ll-svi" => score::<LastLayerSvi>,
            "ll-dropout" => score::<LastLayerDropout>,
            other => panic!("there is no {other}"),
        };
        println!("{spec:<60} {}", score(&data, &settings, draws, seed));
    }
}

/// Trains an agent and scores the mean of its draws.
fn score<A: InputClassifier>(data: &Data, settings: &[Setting], draws: u64, seed: u64) -> String {
    let image = ImageShape { height: SIDE, width: SIDE, channels: 1 };
    let numbers = SIDE * SIDE;
    let task = Task { image: Some(image), ..Task::new(numbers, CLASSES) };
    let start = Instant::now();
    let agent = A::train(&task, &data.train, Some(&data.validation), settings, seed);
    let agent = agent.unwrap_or_else(|failure| panic!("{failure}"));
    let mut line = vec![format!("{:>8.1}", start.elapsed().as_secs_f64())];
    let mut canonical: Vec<u64> = (0..draws).map(|draw| agent.canonical_draw(draw)).collect();
    canonical.sort_unstable();
    canonical.dedup();
    let start = Instant::now();
    for scored in &data.scored {
        let mut probs = vec![0f64; scored.labels.len() * CLASSES];
        for (call, sums) in probs.chunks_mut(CALL * CLASSES).enumerate() {
            let rows = sums.len() / CLASSES;
            let values = scored.inputs.numbers.values()[call * CALL * numbers..][..rows * numbers].to_vec();
            let inputs = inputs(rows, values);
            for draws in canonical.chunks(50) {
                let mut out = vec![0.0; draws.len() * rows * CLASSES];
                agent.sample_probs(&inputs, draws, &mut out).expect("inputs of the task");
                for draw in out.chunks(rows * CLASSES) {
                    sums.iter_mut().zip(draw).for_each(|(sum, p)| *sum += f64::from(*p) / canonical.len() as f64);
                }
            }
        }
        let (mut hits, mut nll, mut brier) = (0, 0.0, 0.0);
        for (row, label) in probs.chunks(CLASSES).zip(&scored.labels) {
            let p = row[*label as usize];
            hits += usize::from(row.iter().all(|other| *other <= p));
            nll -= p.ln();
            brier += row.iter().map(|p| p * p).sum::<f64>() - 2.0 * p + 1.0;
        }
        let count = scored.labels.len() as f64;
        line.push(format!("{:>9.2}% {:>7.4} {:>7.4}", 100.0 * hits as f64 / count, nll / count, brier / count));
    }
    line.push(format!("{:>8.1}", start.elapsed().as_secs_f64()));
    line.join(" ")
}

/// Returns the bytes of an idx file, which may be compressed.
fn idx(path: &str) -> Vec<u8> {
    let output = Command::new("gzip").args(["-dcf", path]).output().expect("gzip runs");
    assert!(output.status.success(), "{path} cannot be read");
    output.stdout
}

fn inputs(rows: usize, values: Vec<f32>) -> Inputs {
    let numbers = Matrix::new(rows, SIDE * SIDE, values).expect("a row an image");
    numbers.into()
}

fn data(images: &[u8], labels: &[u8], [train, validation]: [usize; 2], on_validation: bool) -> Data {
    let part = |from: usize, to: usize, angle: f64| {
        let images = images[from * SIDE * SIDE..to * SIDE * SIDE].chunks(SIDE * SIDE);
        let values = images.flat_map(|image| turned(image, angle)).collect();
        let labels = labels[from..to].iter().map(|label| u32::from(*label)).collect();
        Dataset { inputs: inputs(to - from, values), labels }
    };
    let split = train + validation;
    let (from, to) = if on_validation { (train, split) } else { (split, labels.len()) };
    Data {
        train: part(0, train, 0.0),
        validation: part(train, split, 0.0),
        scored: ANGLES.into_iter().map(|angle| part(from, to, angle)).collect(),
    }
}

/// Returns an image rotated around its centre with bilinear interpolation; pixels from outside are black.
fn turned(image: &[u8], degrees: f64) -> Vec<f32> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let middle = (SIDE - 1) as f64 / 2.0;
    let at = |y: isize, x: isize| {
        let inside = (0..SIDE as isize).contains(&y) && (0..SIDE as isize).contains(&x);
        if inside { f64::from(image[y as usize * SIDE + x as usize]) / 255.0 } else { 0.0 }
    };
    let pixel = |place: usize| {
        let (y, x) = ((place / SIDE) as f64 - middle, (place % SIDE) as f64 - middle);
        let (y, x) = (cos * y - sin * x + middle, sin * y + cos * x + middle);
        let (top, left) = (y.floor(), x.floor());
        let (down, right) = (y - top, x - left);
        let (top, left) = (top as isize, left as isize);
        let line = |y: isize| at(y, left) * (1.0 - right) + at(y, left + 1) * right;
        (line(top) * (1.0 - down) + line(top + 1) * down) as f32
    };
    (0..SIDE * SIDE).map(pixel).collect()
}
