//! Tests of the agent against the numbers that the training script wrote, and of its draws.

use jointly_nets::predict;
use jointly_testkit::{
    assert_draws_are_functions, assert_draws_disagree, assert_invalid, half_plane, mean_nll, no_examples, plane, probs,
    settings,
};
use serde_json::Value;

use super::*;

/// An input of the network and its outputs, as `train.py` computed them.
struct Example(Value);

impl Example {
    fn read() -> Self {
        Self(serde_json::from_str(include_str!("example.json")).unwrap())
    }

    fn number(&self, name: &str) -> f64 {
        self.0[name].as_f64().unwrap()
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        self.0[name].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    }

    fn rows(&self, name: &str) -> Vec<Vec<f64>> {
        let rows = self.0[name].as_array().unwrap().iter();
        rows.map(|row| row.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()).collect()
    }

    fn matrix(&self, name: &str) -> Matrix {
        let rows = self.rows(name);
        let values = rows.iter().flatten().map(|value| *value as f32).collect();
        Matrix::new(rows.len(), rows[0].len(), values).unwrap()
    }

    fn task(&self) -> Task {
        let temperature = Some(self.number("temperature") as f32);
        Task { temperature, hidden_layers: Some(2), ..Task::new(self.number("dim") as usize, 2) }
    }

    /// The labels, in the order of the inputs.
    fn data(&self) -> Dataset {
        let inputs = self.matrix("inputs");
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for (i, (fraction, count)) in self.numbers("fraction").iter().zip(self.numbers("counts")).enumerate() {
            let ones = (count * (1.0 + fraction) / 2.0).round();
            for label in 0..count as usize {
                values.extend_from_slice(inputs.row(i));
                labels.push(u32::from((label as f64) < ones));
            }
        }
        Dataset { inputs: Matrix::new(labels.len(), inputs.cols(), values).unwrap(), labels }
    }
}

/// A problem of the testbed.
fn testbed(temperature: f32) -> Task {
    Task { hidden_layers: Some(2), ..plane(Some(temperature)) }
}

fn train(task: &Task, data: &Dataset, pairs: &[(&str, &str)]) -> Result<Pfn, Failure> {
    Pfn::train(task, data, None, &settings(pairs), 3)
}

/// Returns the rows of some examples.
fn chosen(data: &Dataset, places: impl IntoIterator<Item = usize>) -> Dataset {
    let places: Vec<usize> = places.into_iter().collect();
    let values = places.iter().flat_map(|at| data.inputs.row(*at)).copied().collect();
    let inputs = Matrix::new(places.len(), data.inputs.cols(), values).unwrap();
    Dataset { inputs, labels: places.iter().map(|at| data.labels[*at]).collect() }
}

#[test]
fn pseudo_observations_are_those_of_the_training_script() {
    let example = Example::read();
    let Labels { inputs, fractions, counts } = Labels::count(&example.data()).unwrap();
    assert_eq!(inputs, example.matrix("inputs"));
    let kernel = Kernel::of(Rows::of(&inputs));
    let covariances = kernel.with(&kernel);
    let (dim, temperature) = (inputs.cols(), example.number("temperature") as f32);
    let found = sites(&Context { fractions: &fractions, counts: &counts, covariances: &covariances, dim, temperature });
    let close = |a: f64, b: f64| (a - b).abs() < 1e-5 * (1.0 + b.abs());
    for (name, found) in [("site_mean", found.means), ("site_variance", found.variances)] {
        let expected = example.numbers(name);
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(|(a, b)| close(*a, *b)), "{name}: {found:?} {expected:?}");
    }
    assert!(close(found.amplitude, example.number("amplitude")), "{}", found.amplitude);
}

/// The networks are normal only in the limit of wide layers; their covariances differ by a few hundredths.
#[test]
fn functions_have_the_moments_of_the_training_script() {
    const FUNCTIONS: usize = 4000;
    let example = Example::read();
    let queries = example.matrix("queries");
    let agent = train(&example.task(), &example.data(), &[("size", &FUNCTIONS.to_string())]).unwrap();
    let draws: Vec<u64> = (0..FUNCTIONS as u64).collect();
    let found = probs(&agent, &queries, 2, &draws);
    let value = |p: &[f32]| f64::from((p[1] / p[0]).ln()) * example.number("temperature");
    let values: Vec<Vec<f64>> = found.chunks(2 * queries.rows()).map(|p| p.chunks(2).map(value).collect()).collect();
    let (means, covariances) = (example.numbers("mean"), example.rows("covariance"));
    for (i, mean) in means.iter().enumerate() {
        let found = values.iter().map(|f| f[i]).sum::<f64>() / FUNCTIONS as f64;
        let error = (covariances[i][i] / FUNCTIONS as f64).sqrt();
        assert!((found - mean).abs() < 5.0 * error, "{i}: {found} {mean}");
        for (j, other) in means.iter().enumerate() {
            let found = values.iter().map(|f| (f[i] - mean) * (f[j] - other)).sum::<f64>() / FUNCTIONS as f64;
            let size = (covariances[i][i] * covariances[j][j]).sqrt();
            assert!((found - covariances[i][j]).abs() < 0.15 * size, "{i} {j}: {found} {}", covariances[i][j]);
        }
    }
}

/// With one example, f(x) + a K(x, x) / (a K(x, x) + s) (t - f(x) - e) has at x the mean a K t / (a K + s) and the
/// variance a K s / (a K + s).
#[test]
fn one_example_is_conditioned_on_by_the_formula() {
    const FUNCTIONS: usize = 4000;
    let (task, data) = (testbed(0.1), chosen(&half_plane(1, 4), [0]));
    let Labels { inputs, fractions, counts } = Labels::count(&data).unwrap();
    let kernel = Kernel::of(Rows::of(&inputs));
    let covariances = kernel.with(&kernel);
    let context =
        Context { fractions: &fractions, counts: &counts, covariances: &covariances, dim: 2, temperature: 0.1 };
    let Sites { means, variances, amplitude } = sites(&context);
    let (prior, noise) = (amplitude * covariances.row(0)[0], variances[0]);
    let (mean, variance) = (prior * means[0] / (prior + noise), prior * noise / (prior + noise));
    let agent = train(&task, &data, &[("size", &FUNCTIONS.to_string())]).unwrap();
    let found = probs(&agent, &data.inputs, 2, &(0..FUNCTIONS as u64).collect::<Vec<_>>());
    let values: Vec<f64> = found.chunks(2).map(|p| 0.1 * f64::from((p[1] / p[0]).ln())).collect();
    let found = values.iter().sum::<f64>() / FUNCTIONS as f64;
    assert!((found - mean).abs() < 5.0 * (variance / FUNCTIONS as f64).sqrt(), "{found} {mean}");
    let found = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / FUNCTIONS as f64;
    assert!((found / variance - 1.0).abs() < 0.15, "{found} {variance}");
}

#[test]
fn without_examples_the_functions_are_environments() {
    let inputs = half_plane(20, 1).inputs;
    let agent = train(&testbed(0.1), &no_examples(2), &[("size", "3")]).unwrap();
    let network = Network::new(&[2, 50, 50, 2], FirstBiases::Normal, &mut Stream::Prior.rng(3, 2)).scaled(10.0);
    let mut expected = vec![0.0; 40];
    predict(&[&network], &jointly_nets::Rows::of(&inputs), &mut expected).unwrap();
    let found = probs(&agent, &inputs, 2, &[2]);
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} {expected:?}");
    assert_draws_disagree(&agent);
}

/// A single function may miss a label close to the boundary, which costs much at a low temperature.
#[test]
fn the_mean_of_functions_agrees_with_the_labels() {
    const FUNCTIONS: usize = 200;
    for temperature in TEMPERATURES {
        let data = half_plane(60, 3);
        let agent = train(&testbed(temperature), &data, &[("size", &FUNCTIONS.to_string())]).unwrap();
        let mut mean = vec![0.0; 120];
        for p in probs(&agent, &data.inputs, 2, &(0..FUNCTIONS as u64).collect::<Vec<_>>()).chunks(120) {
            for (mean, p) in mean.iter_mut().zip(p) {
                *mean += p / FUNCTIONS as f32;
            }
        }
        let loss = mean_nll(&mean, &data.labels);
        // A coin loses .69. At the temperature .5 an environment's labels are nearly random.
        let limit = if temperature < 0.1 { 0.15 } else { 0.6 };
        assert!(loss < limit, "temperature {temperature}: {loss}");
    }
}

#[test]
fn labels_of_one_input_are_counted_wherever_they_stand() {
    let data = half_plane(4, 1);
    let mut many = chosen(&data, [0, 1, 0, 2, 3, 0]);
    many.labels = vec![1, 0, 1, 1, 0, 0];
    let Labels { inputs, fractions, counts } = Labels::count(&many).unwrap();
    assert_eq!(inputs, data.inputs);
    assert_eq!((fractions, counts), (vec![1.0 / 3.0, -1.0, 1.0, -1.0], vec![3.0, 1.0, 1.0, 1.0]));
    let zeros = Dataset { inputs: Matrix::new(2, 2, vec![0.0, 1.0, -0.0, 1.0]).unwrap(), labels: vec![0, 1] };
    assert_eq!(Labels::count(&zeros).unwrap().counts, [2.0]);
}

#[test]
fn the_order_of_examples_does_not_matter() {
    let data = half_plane(12, 5);
    let turned = chosen(&data, (0..12).rev());
    let sites_of = |data: &Dataset| {
        let Labels { inputs, fractions, counts } = Labels::count(data).unwrap();
        let kernel = Kernel::of(Rows::of(&inputs));
        let covariances = kernel.with(&kernel);
        sites(&Context { fractions: &fractions, counts: &counts, covariances: &covariances, dim: 2, temperature: 0.1 })
    };
    let (one, other) = (sites_of(&data), sites_of(&turned));
    let close = |a: &f64, b: &f64| (a - b).abs() < 1e-4 * (1.0 + b.abs());
    assert!(one.means.iter().zip(other.means.iter().rev()).all(|(a, b)| close(a, b)));
    assert!(one.variances.iter().zip(other.variances.iter().rev()).all(|(a, b)| close(a, b)));
    assert!(close(&one.amplitude, &other.amplitude));
}

#[test]
fn a_draw_is_a_function_and_repeats_after_the_last() {
    let data = half_plane(30, 1);
    let agent = train(&testbed(0.1), &data, &[("size", "7")]).unwrap();
    // More rows than a block.
    let inputs = half_plane(BLOCK + 50, 2).inputs;
    assert_draws_are_functions(&agent, &inputs, 2, &[5, 2, 12, 0]);
    assert_eq!((agent.canonical_draw(12), agent.canonical_draw(6)), (5, 6));
    assert_eq!(probs(&agent, &inputs, 2, &[12]), probs(&agent, &inputs, 2, &[5]));
}

#[test]
fn what_its_training_did_not_have_is_refused() {
    let data = half_plane(5, 1);
    let why = |task: Task, data: &Dataset| match train(&task, data, &[]) {
        Err(Failure::Unsupported(why)) => why,
        other => panic!("{:?}", other.err()),
    };
    let image = Some(jointly_sdk::ImageShape { height: 1, width: 2, channels: 1 });
    assert!(why(Task { temperature: None, ..testbed(0.1) }, &data).contains("not stated"));
    assert!(why(testbed(1.0), &data).contains("temperature 1;"));
    assert!(why(plane(Some(0.1)), &data).contains("two hidden layers"));
    assert!(why(Task { hidden_layers: Some(1), ..testbed(0.1) }, &data).contains("two hidden layers"));
    assert!(why(Task { num_classes: 3, ..testbed(0.1) }, &data).contains("3 classes"));
    assert!(why(Task { input_dim: 101, ..testbed(0.1) }, &data).contains("101 features"));
    assert!(why(Task { input_dim: 0, ..testbed(0.1) }, &data).contains("0 features"));
    assert!(why(Task { image, ..testbed(0.1) }, &data).contains("no images"));
    assert!(why(testbed(0.1), &half_plane(1025, 1)).contains("more than 1024 distinct inputs"));
}

#[test]
fn sizes_and_inputs_that_are_too_large_are_told() {
    let data = half_plane(5, 1);
    assert_invalid(train(&testbed(0.1), &data, &[("size", "4294967295")]), "size=4294967295: expected at most 10000");
    let huge = Dataset { inputs: Matrix::new(1, 2, vec![3e38, 3e38]).unwrap(), labels: vec![1] };
    let found = train(&testbed(0.1), &huge, &[("size", "2")]).err();
    assert!(matches!(found, Some(Failure::Diverged(_))), "{found:?}");
}
