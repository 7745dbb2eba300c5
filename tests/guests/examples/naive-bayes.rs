//! Naive Bayes for tokens: an agent for texts, categories and numbers that keeps its contract.

use jointly_sdk::{
    Dataset, Description, Failure, InputClassifier, Inputs, Positive, Rng, Setting, Task, Tokens, softmax,
};

/// The most ids of all tables together, times classes; no test needs more.
const MOST_COUNTS: usize = 1 << 22;
/// The number of categories of a number: at or below its column's mean in training, or above it.
const SIDES: usize = 2;

jointly_sdk::settings! {
    struct Settings {
        /// counts of each class, and of each id within a class, before any data are seen
        strength: Positive = "1",
    }
}

/// Each class draws each token of an input from its own distribution, independently of all other tokens.
///
/// Class probabilities and token distributions have Dirichlet priors, which are conjugate: the posterior adds the
/// counts to the prior's strength. A draw is one sample of them all, and its prediction applies Bayes' rule to that
/// sample.
pub struct NaiveBayes {
    classes: usize,
    /// The sizes of the tables: one for all words of a text, or one for each category; then one for each number.
    sizes: Vec<usize>,
    words: bool,
    /// The mean of each column of numbers.
    means: Vec<f32>,
    /// The number of examples of each class and, for each class, the counts of the ids of all tables in a row.
    examples: Vec<u32>,
    counts: Vec<Vec<u32>>,
    strength: f32,
    seed: u64,
}

impl NaiveBayes {
    /// Returns the indices of an input's ids in a row of all tables; padding of texts is left out.
    fn places(&self, inputs: &Inputs, row: usize) -> Vec<usize> {
        let (numbers, tokens) = (inputs.numbers.row(row), inputs.tokens.row(row));
        let sides = numbers.iter().zip(&self.means).map(|(number, mean)| u32::from(number > mean));
        if self.words {
            let words = tokens.iter().filter(|id| **id != 0).map(|id| *id as usize);
            let sides = sides.enumerate().map(|(column, side)| self.sizes[0] + column * SIDES + side as usize);
            return words.chain(sides).collect();
        }
        let ids = tokens.iter().copied().chain(sides);
        let mut first = 0;
        let places = ids.zip(&self.sizes).map(|(id, size)| {
            first += size;
            first - size + id as usize
        });
        places.collect()
    }

    /// Samples the logarithms of class probabilities, up to a common term, and of each class's tables.
    fn sample(&self, draw: u64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut rng = Rng::new(self.seed, draw);
        let strength = f64::from(self.strength);
        let mut gammas = |counts: &[u32]| -> Vec<f64> {
            counts.iter().map(|count| log_gamma_variate(strength + f64::from(*count), &mut rng)).collect()
        };
        let classes = gammas(&self.examples);
        let mut tables: Vec<Vec<f64>> = self.counts.iter().map(|counts| gammas(counts)).collect();
        for row in &mut tables {
            let mut rest = row.as_mut_slice();
            for size in &self.sizes {
                let (table, after) = rest.split_at_mut(*size);
                let sum = log_sum(table);
                for entry in table {
                    *entry -= sum;
                }
                rest = after;
            }
        }
        (classes, tables)
    }
}

/// Returns ln sum_i e^(x_i).
fn log_sum(terms: &[f64]) -> f64 {
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln()
}

/// Samples the logarithm of a Gamma(shape, 1) variate, after Marsaglia and Tsang (2000); it is finite even if the
/// variate underflows.
fn log_gamma_variate(shape: f64, rng: &mut Rng) -> f64 {
    let log_uniform = |rng: &mut Rng| f64::from(1.0 - rng.uniform()).ln();
    if shape < 1.0 {
        let boost = log_uniform(rng) / shape;
        return log_gamma_variate(shape + 1.0, rng) + boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = f64::from(rng.normal());
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && log_uniform(rng) < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d.ln() + v.ln();
        }
    }
}

impl InputClassifier for NaiveBayes {
    fn describe() -> Description {
        let summary = "Bayesian counts of each token in each class, apart from all others";
        Description {
            tokens: true,
            parameters: Settings::parameters(),
            ..Description::new("naive-bayes", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let tokens: Vec<usize> = match &task.tokens {
            Tokens::Absent => Vec::new(),
            Tokens::Text { vocabulary, .. } => vec![*vocabulary as usize],
            Tokens::Categories(sizes) => sizes.iter().map(|size| *size as usize).collect(),
        };
        let sizes: Vec<usize> = tokens.into_iter().chain((0..task.input_dim).map(|_| SIDES)).collect();
        let ids: usize = sizes.iter().sum();
        if ids.saturating_mul(task.num_classes) > MOST_COUNTS {
            return Err(Failure::Unsupported(format!("{ids} ids in {} classes are too many", task.num_classes)));
        }
        let rows = data.inputs.rows();
        let mean = |column: usize| {
            let sum: f64 = (0..rows).map(|row| f64::from(data.inputs.numbers.row(row)[column])).sum();
            (sum / rows.max(1) as f64) as f32
        };
        let mut agent = Self {
            classes: task.num_classes,
            sizes,
            words: matches!(task.tokens, Tokens::Text { .. }),
            means: (0..task.input_dim).map(mean).collect(),
            examples: vec![0; task.num_classes],
            counts: vec![vec![0; ids]; task.num_classes],
            strength: *settings.strength,
            seed,
        };
        for (row, label) in data.labels.iter().enumerate() {
            let class = *label as usize;
            agent.examples[class] += 1;
            for place in agent.places(&data.inputs, row) {
                agent.counts[class][place] += 1;
            }
        }
        Ok(agent)
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let places: Vec<Vec<usize>> = (0..inputs.rows()).map(|row| self.places(inputs, row)).collect();
        let mut out = out.chunks_exact_mut(self.classes);
        for draw in draws {
            let (classes, tables) = self.sample(*draw);
            for (places, out) in places.iter().zip(out.by_ref()) {
                for ((out, class), table) in out.iter_mut().zip(&classes).zip(&tables) {
                    *out = (class + places.iter().map(|place| table[*place]).sum::<f64>()) as f32;
                }
                softmax(out);
            }
        }
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: NaiveBayes);
