//! Tests of gradients under noise.

use super::*;
use crate::network::FirstBiases;
use crate::plain;
use crate::simd::floats;
use crate::{Image, Stage};

/// Step of a central difference in double precision.
const STEP: f64 = 1e-5;
/// Tolerance for a number of order one that was computed in single precision.
const TOLERANCE: f64 = 3e-5;

const ROWS: usize = 5;

fn networks() -> Vec<Network> {
    let mut rng = Rng::new(3, 0);
    let image = Image { height: 7, width: 8, channels: 2 };
    let stages = [
        Stage::Convolution { filters: 5, kernel: 3 },
        Stage::Convolution { filters: 9, kernel: 2 },
        Stage::Pooling { size: 2 },
    ];
    let front = |stages: &[Stage]| Front::new(image, stages).unwrap();
    let mut networks = vec![
        Network::new(&[3, 2], FirstBiases::Normal, &mut rng),
        Network::new(&[4, 16, 7, 3], FirstBiases::Normal, &mut rng),
        Network::convolutional(front(&stages), &[11], 3, &mut rng),
        Network::convolutional(front(&stages[..1]), &[], 2, &mut rng),
    ];
    for network in &mut networks {
        for block in network.blocks() {
            let parameters = floats_mut(&mut network.parameters);
            block.biases().for_each(|at| parameters[at] = 0.2 * rng.normal());
        }
    }
    networks
}

fn inputs(network: &Network, rng: &mut Rng) -> Vec<f32> {
    (0..ROWS * network.inputs()).map(|_| rng.normal()).collect()
}

fn images<'a>(network: &Network, inputs: &'a [f32]) -> Images<'a> {
    Images { values: inputs, stride: network.inputs(), count: ROWS }
}

/// Returns the parameters that row `r` sees: the means plus the deviations with the signs of that row.
fn of_row(noisy: &Noisy, means: &[f64], deviations: &[f64], r: usize) -> Vec<f64> {
    let mut parameters = means.to_vec();
    for (b, block) in noisy.blocks.iter().enumerate().filter(|(b, _)| noisy.flips[*b]) {
        let signs = noisy.steps.iter().find_map(|step| match step {
            Step::Linear(linear, at) if *at == b => Some(linear.signs()),
            _ => None,
        });
        let [read, written] = signs.unwrap().map(|numbers| numbers.next_multiple_of(LANES));
        let inputs = &floats(&noisy.signs[b][0])[r * read..];
        let outputs = &floats(&noisy.signs[b][1])[r * written..];
        let channels = signs.unwrap()[0];
        for i in 0..=block.inputs {
            let sign = if i == block.inputs { 1.0 } else { inputs[i % channels] };
            for (j, at) in block.row(i).enumerate() {
                parameters[at] += f64::from(sign * outputs[j]) * deviations[at];
            }
        }
    }
    parameters
}

fn masks(noisy: &Noisy, r: usize) -> Vec<Vec<f64>> {
    let convolutions = noisy.blocks.len() - noisy.rates.len();
    let dense = noisy.masks[convolutions..].iter().zip(&noisy.blocks[convolutions..]);
    let row = |(mask, block): (&Vec<Lanes>, &Block)| {
        let row = floats(mask).chunks_exact(stride(block.inputs) * LANES).nth(r);
        row.map_or(Vec::new(), |row| row[..block.inputs].iter().map(|value| f64::from(*value)).collect())
    };
    dense.map(row).collect()
}

fn doubles(values: &[Lanes]) -> Vec<f64> {
    floats(values).iter().map(|value| f64::from(*value)).collect()
}

#[test]
fn gradients_agree_with_finite_differences_in_double_precision() {
    for network in networks() {
        let blocks = network.blocks();
        let dense = blocks.len() - network.convolutions();
        let all: Vec<bool> = vec![true; blocks.len()];
        let last: Vec<bool> = (0..blocks.len()).map(|b| b + 1 == blocks.len()).collect();
        let none = vec![false; blocks.len()];
        for (rate, flips) in [(0.0, &none), (0.4, &none), (0.0, &all), (0.0, &last), (0.3, &all)] {
            let mut rng = Rng::new(8, blocks.len() as u64);
            let mut noisy = Noisy::new(&network, ROWS + 1).dropping(&vec![rate; dense]).flipping(flips);
            if network.front().is_none() {
                noisy = noisy.differentiating_inputs();
            }
            let deviations: Vec<Lanes> = {
                let mut deviations = network.clone().parameters;
                for value in floats_mut(&mut deviations) {
                    *value *= 0.5 * rng.normal();
                }
                deviations
            };
            let (means, away) = (doubles(&network.parameters), doubles(&deviations));
            // Twice, to detect state left behind by an earlier step.
            for _ in 0..2 {
                let rows = inputs(&network, &mut rng);
                let outputs = network.outputs();
                let slopes: Vec<f32> = (0..ROWS * outputs).map(|_| rng.normal()).collect();
                noisy.draw(ROWS, &mut rng);
                let mut gradient = vec![Lanes::splat(f32::NAN); network.parameters.len()];
                let mut by_deviations = gradient.clone();
                let flip = Deviations { values: &deviations, gradient: &mut by_deviations };
                let found = noisy.differentiate(
                    &network,
                    Some(flip),
                    images(&network, &rows),
                    &mut gradient,
                    |values, stride| {
                        let mut found = Vec::new();
                        for (row, slopes) in values.chunks_exact_mut(stride).zip(slopes.chunks(outputs)) {
                            found.extend(row[..outputs].iter().map(|value| f64::from(*value)));
                            row[..outputs].copy_from_slice(slopes);
                        }
                        found
                    },
                );
                let plain_rows: Vec<f64> = rows.iter().map(|x| f64::from(*x)).collect();
                let objective = |rows: &[f64], means: &[f64], away: &[f64], compare: bool| {
                    let mut total = 0.0;
                    for r in 0..ROWS {
                        let row = &rows[r * network.inputs()..][..network.inputs()];
                        let expected =
                            plain::outputs(&network, &of_row(&noisy, means, away, r), &masks(&noisy, r), row);
                        for (k, expected) in expected.iter().enumerate() {
                            let found = found[r * outputs + k];
                            assert!(
                                !compare || (found - expected).abs() < TOLERANCE * (1.0 + expected.abs()),
                                "{found} {expected}"
                            );
                            total += expected * f64::from(slopes[r * outputs + k]);
                        }
                    }
                    total
                };
                objective(&plain_rows, &means, &away, true);
                let by_inputs: Vec<&[f32]> = noisy.by_inputs().collect();
                assert_eq!(by_inputs.len(), if network.front().is_none() { ROWS } else { 0 });
                for (at, derivative) in by_inputs.iter().flat_map(|row| &row[..network.inputs()]).enumerate() {
                    let shifted = |by: f64| {
                        let mut rows = plain_rows.clone();
                        rows[at] += by;
                        objective(&rows, &means, &away, false)
                    };
                    let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                    let error = (difference - f64::from(*derivative)).abs() / (1.0 + difference.abs());
                    assert!(error < TOLERANCE, "input {at}: {difference} {derivative}");
                }
                let (mut moved, mut compared) = (0, 0);
                for (b, block) in blocks.iter().enumerate() {
                    for at in block.weights().chain(block.biases()) {
                        for (of_deviation, gradient) in [(false, &gradient), (true, &by_deviations)] {
                            let shifted = |by: f64| {
                                let (mut means, mut away) = (means.clone(), away.clone());
                                let which = if of_deviation { &mut away } else { &mut means };
                                which[at] += by;
                                objective(&plain_rows, &means, &away, false)
                            };
                            let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                            let derivative = f64::from(floats(gradient)[at]);
                            let error = (difference - derivative).abs() / (1.0 + difference.abs());
                            assert!(error < TOLERANCE, "{b} at {at} {of_deviation}: {difference} {derivative}");
                            compared += 1;
                            moved += usize::from(difference != 0.0);
                        }
                    }
                }
                assert!(moved > compared / 8, "{moved} of {compared}");
            }
        }
    }
}

#[test]
fn without_noise_the_gradient_is_the_networks() {
    for network in networks() {
        let mut rng = Rng::new(1, 0);
        let rows = inputs(&network, &mut rng);
        let outputs = network.outputs();
        let slopes: Vec<f32> = (0..ROWS * outputs).map(|_| rng.normal()).collect();
        let put = |values: &mut [f32], stride: usize| {
            let rows = values.chunks_exact_mut(stride).zip(slopes.chunks(outputs));
            rows.for_each(|(row, slopes)| row[..outputs].copy_from_slice(slopes));
        };
        let mut noisy = Noisy::new(&network, ROWS);
        noisy.draw(ROWS, &mut rng);
        let mut found = vec![Lanes::splat(f32::NAN); network.parameters.len()];
        noisy.differentiate(&network, None, images(&network, &rows), &mut found, put);

        let inputs_stride = stride(network.inputs()) * LANES;
        let mut with_ones = vec![0.0; ROWS * inputs_stride];
        for (to, from) in with_ones.chunks_mut(inputs_stride).zip(rows.chunks(network.inputs())) {
            to[..from.len()].copy_from_slice(from);
            to[from.len()] = 1.0;
        }
        let mut values = crate::network::Values::new(&network, ROWS);
        network.forward(&with_ones, inputs_stride, ROWS, &mut values);
        put(values.outputs(), stride(outputs) * LANES);
        let mut expected = vec![Lanes::splat(f32::NAN); network.parameters.len()];
        network.backward(&with_ones, inputs_stride, ROWS, &mut values, &mut expected);
        for at in network.blocks().iter().flat_map(|block| block.weights().chain(block.biases())) {
            assert_eq!(floats(&found)[at], floats(&expected)[at], "{at}");
        }
    }
}

#[test]
fn outputs_without_noise_are_the_networks() {
    for network in networks() {
        let rows = inputs(&network, &mut Rng::new(1, 0));
        let mut noisy = Noisy::new(&network, ROWS);
        let (outputs, stride) = noisy.outputs(&network, images(&network, &rows));
        let blank = vec![Vec::new(); network.blocks().len() - network.convolutions()];
        let means = doubles(&network.parameters);
        for (found, row) in outputs.chunks(stride).zip(rows.chunks(network.inputs())) {
            let row: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
            for (found, expected) in found.iter().zip(plain::outputs(&network, &means, &blank, &row)) {
                assert!((f64::from(*found) - expected).abs() < TOLERANCE * (1.0 + expected.abs()));
            }
        }
    }
}

#[test]
fn numbers_are_dropped_and_signs_drawn_as_often_as_they_should_be() {
    const MANY: usize = 3000;
    let network = Network::new(&[6, 10, 2], FirstBiases::Zero, &mut Rng::new(0, 0));
    let rates = [0.2, 0.7];
    let mut noisy = Noisy::new(&network, MANY).dropping(&rates).flipping(&[true, false]);
    noisy.draw(MANY, &mut Rng::new(1, 0));
    for ((mask, block), rate) in noisy.masks.iter().zip(&noisy.blocks).zip(rates) {
        let rows = floats(mask).chunks_exact(stride(block.inputs) * LANES);
        let numbers: Vec<f32> = rows.flat_map(|row| row[..block.inputs].to_vec()).collect();
        let kept = numbers.iter().filter(|factor| **factor == 1.0 / (1.0 - rate)).count();
        let dropped = numbers.iter().filter(|factor| **factor == 0.0).count();
        assert_eq!(kept + dropped, numbers.len());
        // Five standard errors.
        let slack = 5.0 * (rate * (1.0 - rate) / numbers.len() as f32).sqrt();
        assert!((dropped as f32 / numbers.len() as f32 - rate).abs() < slack, "{dropped} for {rate}");
    }
    let sums = noisy.signs[0].each_ref().map(|signs| {
        let width = signs.len() / MANY * LANES;
        let rows = floats(signs).chunks_exact(width);
        (0..6).map(|j| rows.clone().map(|row| row[j]).sum::<f32>()).fold(0.0, |max: f32, sum| max.max(sum.abs()))
    });
    assert!(sums.iter().all(|sum| *sum > 0.0 && *sum < 5.0 * (MANY as f32).sqrt()), "{sums:?}");
    assert!(noisy.signs[1].iter().all(Vec::is_empty));
}
