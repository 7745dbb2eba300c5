use jointly_sdk::Rng;

use super::*;

/// Step of a central difference in double precision.
const STEP: f64 = 1e-5;
/// Tolerance for a number of order one that was computed in single precision.
const TOLERANCE: f64 = 3e-5;

/// Returns the parameters without padding: rows of four gates.
fn unpadded(lstm: &Lstm) -> Vec<f64> {
    let padded = vectors(lstm.units) * LANES;
    let gates = floats(&lstm.parameters).chunks_exact(padded);
    gates.flat_map(|gate| gate[..lstm.units].iter().map(|value| f64::from(*value))).collect()
}

/// Computes the last hidden state in double precision, with exact exponentials and no vectors.
fn plain(lstm: &Lstm, parameters: &[f64], embeddings: &[f64], text: &[u32]) -> Vec<f64> {
    let (width, units) = (lstm.width, lstm.units);
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (mut hidden, mut cells) = (vec![0.0; units], vec![0.0; units]);
    for word in text {
        let x = &embeddings[*word as usize * width..][..width];
        let read: Vec<f64> = x.iter().chain(&hidden).copied().chain([1.0]).collect();
        let gate = |gate: usize, unit: usize| -> f64 {
            let row = |r: usize| parameters[r * GATES * units + gate * units + unit];
            read.iter().enumerate().map(|(r, value)| value * row(r)).sum()
        };
        for (unit, cell) in cells.iter_mut().enumerate() {
            let fresh = sigmoid(gate(0, unit)) * gate(2, unit).tanh();
            *cell = sigmoid(gate(1, unit)) * *cell + fresh;
        }
        hidden = (0..units).map(|unit| sigmoid(gate(3, unit)) * cells[unit].tanh()).collect();
    }
    hidden
}

fn random(len: usize, rng: &mut Rng) -> Vec<f32> {
    (0..len).map(|_| rng.normal()).collect()
}

/// Texts of different lengths over five words, one of them empty and one with a repeated word.
const TEXTS: [&[u32]; 5] = [&[0, 1, 2, 3], &[4], &[], &[2, 2, 0, 2, 1, 4, 4], &[3, 1]];

const WORDS: usize = 5;

fn run(lstm: &Lstm, embeddings: &[f32], traces: &mut [Trace; 5]) -> Vec<Vec<f32>> {
    let mut projections = Vec::new();
    lstm.project(embeddings, &mut projections);
    let texts = TEXTS.iter().zip(traces);
    texts.map(|(text, trace)| lstm.forward(&projections, text.iter().copied(), trace).to_vec()).collect()
}

#[test]
fn two_words_give_the_state_of_a_calculation_by_hand() {
    // One unit and one number a word. Gates at the first word, x = 1: i = sigmoid(0) = 1/2, g = tanh(1), f has no cell
    // to keep, o = sigmoid(0) = 1/2. So c = tanh(1) / 2 = 0.380797 and h = tanh(c) / 2 = 0.181700. At the second word, x
    // = 0, only h acts, by 1 on the forget gate and by 2 on the candidate: f = sigmoid(h) = 0.545300, g = tanh(2 h) =
    // 0.348205, so c = f 0.380797 + g / 2 = 0.381751, and h = tanh(c) / 2 = 0.182114.
    let mut lstm = Lstm::new(1, 1, &mut Rng::new(1, 0));
    let rows = [[0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 2.0, 0.0], [0.0; 4]];
    let padded = vectors(1) * LANES;
    for (gate, value) in floats_mut(&mut lstm.parameters).chunks_exact_mut(padded).zip(rows.into_iter().flatten()) {
        gate[0] = value;
    }
    let mut projections = Vec::new();
    lstm.project(&[1.0, 0.0], &mut projections);
    let mut trace = Trace::default();
    for (text, expected) in [(&[0][..], 0.181_700), (&[0, 1], 0.182_114)] {
        let found = lstm.forward(&projections, text.iter().copied(), &mut trace)[0];
        assert!((f64::from(found) - expected).abs() < 2e-6, "{found} {expected}");
    }
}

#[test]
fn gradients_agree_with_finite_differences_in_double_precision() {
    for (width, units) in [(1, 1), (3, 5), (9, 8), (4, 17), (7, 32)] {
        let mut rng = Rng::new(2, units as u64);
        let lstm = Lstm::new(width, units, &mut rng);
        let embeddings = random(WORDS * width, &mut rng);
        let slopes: Vec<Vec<f32>> = TEXTS.iter().map(|_| random(units, &mut rng)).collect();
        let (mut traces, mut back) = (Default::default(), Backward::default());
        // Twice, to detect state left behind by an earlier step.
        let mut found = Vec::new();
        for _ in 0..2 {
            found = run(&lstm, &embeddings, &mut traces);
            back.start(&lstm, WORDS);
            traces.iter_mut().zip(&slopes).for_each(|(trace, slopes)| lstm.backward(trace, slopes, &mut back));
            back.end(&lstm, &embeddings);
        }
        let mut parameters = unpadded(&lstm);
        let mut exact: Vec<f64> = embeddings.iter().map(|value| f64::from(*value)).collect();
        for (text, found) in TEXTS.iter().zip(&found) {
            let expected = plain(&lstm, &parameters, &exact, text);
            let close = found.iter().zip(&expected).all(|(a, b)| (f64::from(*a) - b).abs() < TOLERANCE);
            assert!(close, "{width} {units} {text:?} {found:?} {expected:?}");
        }
        let objective = |parameters: &[f64], exact: &[f64]| -> f64 {
            let texts = TEXTS.iter().zip(&slopes);
            let one = |(text, slopes): (&&[u32], &Vec<f32>)| -> f64 {
                let out = plain(&lstm, parameters, exact, text);
                out.iter().zip(slopes).map(|(a, b)| a * f64::from(*b)).sum()
            };
            texts.map(one).sum()
        };
        let gradient = unpadded(&Lstm { parameters: back.gradient.clone(), ..lstm.clone() });
        for at in 0..parameters.len() {
            let value = parameters[at];
            let mut shifted = |by: f64| {
                parameters[at] = value + by;
                objective(&parameters, &exact)
            };
            let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
            parameters[at] = value;
            let close = (difference - gradient[at]).abs() < TOLERANCE * (1.0 + difference.abs());
            assert!(close, "{width} {units} {at}: {difference} {}", gradient[at]);
        }
        let row = vectors(width) * LANES;
        for at in 0..exact.len() {
            let value = exact[at];
            let mut shifted = |by: f64| {
                exact[at] = value + by;
                objective(&parameters, &exact)
            };
            let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
            exact[at] = value;
            let found = f64::from(floats(&back.by_embeddings)[at / width * row + at % width]);
            assert!((difference - found).abs() < TOLERANCE * (1.0 + difference.abs()), "{at}: {difference} {found}");
        }
    }
}

#[test]
fn gates_are_right_far_from_zero_and_keep_a_nan() {
    for x in [-1e30f32, -200.0, -80.0, -20.0, -1.0, -1e-3, 0.0, 1e-3, 0.5, 3.0, 80.0, 500.0, 1e30] {
        let exact = f64::from(x);
        for (found, expected) in
            [(sigmoid(Lanes::splat(x)), 1.0 / (1.0 + (-exact).exp())), (tanh(Lanes::splat(x)), exact.tanh())]
        {
            let found = f64::from(found.to_array()[0]);
            assert!((found - expected).abs() < 5e-7, "{x}: {found} {expected}");
        }
    }
    assert!(sigmoid(Lanes::splat(f32::NAN)).to_array()[0].is_nan());
}

#[test]
fn the_recurrent_weights_start_with_orthonormal_rows_and_zero_padding() {
    for units in [1, 5, 32] {
        let lstm = Lstm::new(3, units, &mut Rng::new(4, units as u64));
        let rows: Vec<&[f32]> = floats(lstm.recurrent()).chunks_exact(lstm.stride() * LANES).collect();
        for (i, one) in rows.iter().enumerate() {
            for (j, other) in rows.iter().enumerate() {
                let product: f32 = one.iter().zip(*other).map(|(a, b)| a * b).sum();
                assert!((product - f32::from(u8::from(i == j))).abs() < 1e-5, "{i} {j}: {product}");
            }
            let padded = vectors(units) * LANES;
            assert!(one.chunks_exact(padded).all(|gate| gate[units..].iter().all(|weight| *weight == 0.0)));
        }
    }
}
