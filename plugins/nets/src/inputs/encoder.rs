//! Turns the tokens of inputs into the numbers that a network reads: embeddings, or an LSTM over those of a text.

use jointly_sdk::{Rng, Tokens};

use crate::adam::Adam;
use crate::simd::{LANES, Lanes, floats, floats_mut, vectors};

use super::lstm::{Backward, Lstm, Trace};
use super::tables::{Steps, Tables};

/// Embedding tables, and the LSTM that reads the words of a text if there is one. Both are point estimates; no agent has
/// a posterior over them.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    tables: Tables,
    lstm: Option<Lstm>,
}

impl Encoder {
    /// Makes an untrained encoder; `units` are those of the LSTM.
    pub(super) fn new(tokens: Tokens, width: usize, units: Option<usize>, rng: &mut Rng) -> Self {
        let Some(units) = units else {
            return Self { tables: Tables::new(tokens, width, rng), lstm: None };
        };
        let tables = Tables::uniform(tokens, width, rng);
        Self { tables, lstm: Some(Lstm::new(width, units, rng)) }
    }

    /// The number of values that represent an input's tokens.
    pub(super) fn numbers(&self) -> usize {
        self.lstm.as_ref().map_or(self.tables.numbers(), Lstm::units)
    }

    /// Everything that is trained: the embeddings, then the parameters of the LSTM.
    pub(super) fn values(&self) -> [&[f32]; 2] {
        [self.tables.values(), floats(self.lstm.as_ref().map_or(&[], Lstm::parameters))]
    }

    /// Everything that is trained: the embeddings, then the parameters of the LSTM.
    pub(super) fn values_mut(&mut self) -> [&mut [f32]; 2] {
        let Self { tables, lstm } = self;
        [tables.values_mut(), floats_mut(lstm.as_mut().map_or(&mut [], Lstm::parameters_mut))]
    }

    pub(super) fn is_finite(&self) -> bool {
        self.values().into_iter().flatten().all(|value| value.is_finite())
    }

    /// Writes the values that represent the tokens of each input, from column `from` of rows of `stride` numbers.
    pub(super) fn write(&self, inputs: &[&[u32]], (from, stride): (usize, usize), out: &mut [f32]) {
        let place = from..from + self.numbers();
        let rows = out.chunks_exact_mut(stride).zip(inputs);
        let Some(lstm) = &self.lstm else {
            rows.for_each(|(row, tokens)| self.tables.write(tokens, &mut row[place.clone()]));
            return;
        };
        let (mut words, mut trace) = (Words::default(), Trace::default());
        words.read(lstm, &self.tables, inputs);
        for (row, text) in rows {
            let read = words.of(&self.tables, text);
            row[place.clone()].copy_from_slice(lstm.forward(&words.projections, read, &mut trace));
        }
    }
}

/// The different words of several texts and their projections. Each word is projected once.
#[derive(Debug, Default)]
struct Words {
    /// Index of each table row among the words, or [`NOWHERE`].
    places: Vec<u32>,
    /// The table rows of the words, in the order of their first occurrence.
    rows: Vec<u32>,
    embeddings: Vec<f32>,
    projections: Vec<Lanes>,
}

const NOWHERE: u32 = u32::MAX;

impl Words {
    fn read(&mut self, lstm: &Lstm, tables: &Tables, texts: &[&[u32]]) {
        self.rows.iter().for_each(|row| self.places[*row as usize] = NOWHERE);
        self.places.resize(tables.len(), NOWHERE);
        self.rows.clear();
        self.embeddings.clear();
        for row in texts.iter().flat_map(|text| tables.rows(text)) {
            if self.places[row] == NOWHERE {
                self.places[row] = self.rows.len() as u32;
                self.rows.push(row as u32);
                self.embeddings.extend_from_slice(tables.row(row));
            }
        }
        lstm.project(&self.embeddings, &mut self.projections);
    }

    /// Returns the indices of a text's words, in order and without padding.
    fn of<'a>(&'a self, tables: &'a Tables, text: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        tables.rows(text).map(|row| self.places[row])
    }
}

/// The optimisers of an encoder, and what a minibatch leaves for its gradient.
#[derive(Debug)]
pub(super) struct EncoderSteps {
    tables: Steps,
    lstm: Option<LstmSteps>,
}

#[derive(Debug)]
struct LstmSteps {
    adam: Adam,
    words: Words,
    traces: Vec<Trace>,
    back: Backward,
}

impl EncoderSteps {
    pub(super) fn new(encoder: &Encoder, rate: f32) -> Self {
        let lstm = encoder.lstm.as_ref().map(|lstm| LstmSteps {
            adam: Adam::new(lstm.parameters().len(), rate),
            words: Words::default(),
            traces: Vec::new(),
            back: Backward::default(),
        });
        Self { tables: Steps::new(&encoder.tables, rate), lstm }
    }

    /// Does the same as [`Encoder::write`] for a minibatch, and keeps the states of an LSTM.
    pub(super) fn write(&mut self, encoder: &Encoder, inputs: &[&[u32]], at: (usize, usize), out: &mut [f32]) {
        let (Some(lstm), Some(steps)) = (&encoder.lstm, &mut self.lstm) else {
            return encoder.write(inputs, at, out);
        };
        let LstmSteps { words, traces, .. } = steps;
        words.read(lstm, &encoder.tables, inputs);
        traces.resize_with(inputs.len().max(traces.len()), Trace::default);
        let (from, stride) = at;
        for ((row, text), trace) in out.chunks_exact_mut(stride).zip(inputs).zip(traces) {
            let read = words.of(&encoder.tables, text);
            row[from..from + lstm.units()].copy_from_slice(lstm.forward(&words.projections, read, trace));
        }
    }

    /// Updates the encoder by the gradient with respect to the values that were [written](Self::write) last.
    pub(super) fn step<'s>(
        &mut self,
        encoder: &mut Encoder,
        inputs: &[&[u32]],
        slopes: impl Iterator<Item = &'s [f32]>,
    ) {
        let Encoder { tables, lstm } = encoder;
        if let (Some(lstm), Some(steps)) = (lstm, &mut self.lstm) {
            let LstmSteps { adam, words, traces, back } = steps;
            back.start(lstm, words.rows.len());
            for (trace, slopes) in traces.iter_mut().zip(slopes).take(inputs.len()) {
                lstm.backward(trace, slopes, back);
            }
            back.end(lstm, &words.embeddings);
            let width = tables.width();
            let by_words = floats(&back.by_embeddings).chunks_exact(vectors(width) * LANES);
            for (row, slopes) in words.rows.iter().zip(by_words) {
                self.tables.add_row(*row as usize, &slopes[..width], 1.0);
            }
            adam.update(lstm.parameters_mut(), &back.gradient, 0.0);
            self.tables.step_every_row(tables);
        } else {
            inputs.iter().zip(slopes).for_each(|(tokens, slopes)| self.tables.add(tables, tokens, slopes));
            self.tables.step(tables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: usize = 5;

    fn encoder() -> Encoder {
        Encoder::new(Tokens::Text { vocabulary: 9, length: 5 }, 3, Some(UNITS), &mut Rng::new(1, 0))
    }

    fn written(encoder: &Encoder, texts: &[&[u32]]) -> Vec<f32> {
        let mut out = vec![f32::NAN; texts.len() * UNITS];
        encoder.write(texts, (0, UNITS), &mut out);
        out
    }

    #[test]
    fn neither_padding_nor_other_texts_change_a_bit_and_the_order_of_words_counts() {
        let encoder = encoder();
        let alone = written(&encoder, &[&[4, 1, 7, 0, 0]]);
        let texts: [&[u32]; 5] = [&[8, 8, 8, 8, 8], &[0, 4, 0, 1, 7], &[0; 5], &[4, 1, 7], &[7, 1, 4, 0, 0]];
        let together = written(&encoder, &texts);
        let rows: Vec<&[f32]> = together.chunks(UNITS).collect();
        assert!(rows[1] == alone && rows[3] == alone, "{together:?} {alone:?}");
        assert_eq!(rows[2], [0.0; UNITS]);
        assert!(rows[4] != alone);
    }

    #[test]
    fn steps_write_what_the_encoder_writes_and_lower_the_loss_of_what_a_batch_has() {
        let mut encoder = encoder();
        let mut steps = EncoderSteps::new(&encoder, 1e-2);
        let batches: [&[&[u32]]; 2] = [&[&[4, 1, 7, 0, 0], &[1, 2, 0, 0, 0]], &[&[2, 4, 4, 1, 0]]];
        let unread = encoder.tables.row(8).to_vec();
        let mut losses = Vec::new();
        for _ in 0..200 {
            let mut loss = 0.0;
            for texts in batches {
                // A column of another number stands in front of each row.
                let stride = UNITS + 1;
                let mut rows = vec![7.0; texts.len() * stride];
                steps.write(&encoder, texts, (1, stride), &mut rows);
                let found: Vec<f32> = rows.chunks(stride).flat_map(|row| row[1..].to_vec()).collect();
                assert!(rows.iter().step_by(stride).all(|number| *number == 7.0));
                assert_eq!(found, written(&encoder, texts));
                // Half the squared distance of each value from 0.3.
                let slopes: Vec<f32> = found.iter().map(|value| value - 0.3).collect();
                loss += slopes.iter().map(|slope| slope * slope / 2.0).sum::<f32>();
                steps.step(&mut encoder, texts, slopes.chunks(UNITS));
            }
            losses.push(loss);
        }
        assert!(losses[199] < 1e-3 * losses[0], "{} {}", losses[0], losses[199]);
        assert_eq!(encoder.tables.row(8), unread);
    }
}
