//! The agent `ivon`: a mean-field Gaussian posterior over a network's parameters, learnt at the cost of Adam.

mod posterior;

use std::f32::consts::PI;

use jointly_nets::inputs::{Auto, Fitted, Setup, Sort};
use jointly_nets::normals::Normals;
use jointly_nets::penalty::{adaptive_factor, is_adaptive};
use jointly_nets::simd::Lanes;
use jointly_nets::{Network, Penalty, Rows, Stream, each_draw, predict, sweeps};
use jointly_sdk::{
    Count, Dataset, Description, Failure, Fraction, InputClassifier, Inputs, Positive, Progress, Setting, Task,
};

use posterior::{Constants, Ivon};

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 64) {
        /// step size of the first step, as in gradient descent; a cosine schedule lowers it to zero at the end
        learning_rate: Positive = "0.3",
        /// effective number of examples over their number: above 1 the posterior is narrower, below 1 wider
        ess: Positive = "1",
        /// divide that number by the input's dimension and the root of the temperature; auto is yes for up to 100
        /// plain numbers, no for other inputs
        adaptive: Auto<bool> = "auto",
        /// initial Hessian of each parameter
        hess_init: Positive = "10",
        /// decay factor of the mean gradient per step
        beta1: Fraction = "0.9",
        /// decay factor of the Hessian per step
        beta2: Fraction = "0.999",
        /// precision of the prior over the effective number of examples; auto is that of a standard normal prior
        weight_decay: Auto<Positive> = "auto",
        /// networks sampled in each step
        samples: Count = "1",
    }
}

impl Settings {
    /// Returns the constants of training on `examples` examples. Without examples, all precision comes from the
    /// prior.
    fn constants(&self, task: &Task, examples: usize) -> Constants {
        let adaptive = self.adaptive.0.unwrap_or(Sort::of(task) == Sort::Numbers && is_adaptive(None, task));
        // A task without numeric inputs counts as having one.
        let signal = || adaptive_factor(&Task { input_dim: task.input_dim.max(1), ..task.clone() });
        let ess = *self.ess * examples.max(1) as f32 / if adaptive { signal() } else { 1.0 };
        Constants {
            ess,
            weight_decay: self.weight_decay.or(1.0 / ess),
            hess_init: if examples == 0 { 0.0 } else { *self.hess_init },
            beta1: *self.beta1,
            beta2: *self.beta2,
        }
    }
}

/// Step size of Adam for the embedding tables, which are point estimates.
const TABLE_RATE: f32 = 1e-3;

/// Improved variational online Newton: a draw is one network from the posterior, the same for all rows of all calls.
///
/// # Formula
///
/// Minimises lambda E [mean cross-entropy at w] + KL(q || p), where w ~ q with an independent normal distribution for
/// each parameter, p is normal with mean zero and precision lambda delta, and lambda is the setting ess times the
/// number of examples, over d sqrt(temperature) if adaptive. `Ivon` defines the update. The step size at step t of n
/// is a (h_0 + delta) (1 + cos(pi t / n)) / 2, with a the learning rate and h_0 the initial Hessian.
///
/// Embedding tables are point estimates, which Adam updates at each sample. Without examples the posterior is the
/// prior.
///
/// The defaults were chosen on problems of the suites quick and quick/shift, under master seeds 11 to 13. With an
/// initial Hessian of 1 the posterior starts so wide that little is learnt from few examples; with 30 or 100 the
/// posterior is still too narrow after 1000 steps. With beta2=0.99 the noise in the estimate of the Hessian makes
/// some trainings diverge.
#[derive(Debug)]
pub struct VariationalOnlineNewton {
    /// The trained network, whose parameters are the means.
    fitted: Fitted,
    /// The standard deviations; zero where a row is padded.
    scales: Vec<Lanes>,
    seed: u64,
}

impl VariationalOnlineNewton {
    /// Returns the network that a draw names.
    fn network(&self, draw: u64) -> Network {
        let mut noise = vec![Lanes::splat(0.0); self.scales.len()];
        Normals::new(&mut Stream::Parameters.rng(self.seed, draw)).fill(&mut noise);
        let mut network = self.fitted.network.clone();
        for (value, (noise, scale)) in network.parameters.iter_mut().zip(noise.iter().zip(&self.scales)) {
            *value = noise.mul_add(*scale, *value);
        }
        network
    }
}

impl InputClassifier for VariationalOnlineNewton {
    fn describe() -> Description {
        let summary = "a normal posterior of each parameter of a network, learnt at the cost of Adam";
        Description {
            citation:
                "Shen, Daheim, Cong, Nickl, Marconi, Bazan, Yokota, Gurevych, Cremers, Khan and Möllenhoff, Variational \
                       learning is effective for large deep networks, ICML 2024"
                    .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("learning-rate", &["0.1", "0.3", "1"]),
                sweeps::one("ess", &["0.3", "1", "3", "10"]),
                sweeps::one("hess-init", &["1", "3", "10", "30"]),
                sweeps::one("beta2", &["0.999", "0.9999", "0.99999"]),
                sweeps::one("weight-decay", &["auto", "1e-4", "1e-3", "1e-2"]),
            ],
            ..Description::new("ivon", env!("CARGO_PKG_VERSION"), summary)
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
        let design = settings
            .design(task, TABLE_RATE, Penalty::NONE)?
            .with_uncertain_convolutions("ivon has a posterior over them")?;
        // Seven arrays: the means, the Hessian, the mean gradient, a sample, its noise and two sums.
        let setup = Setup::new(&design, task, data, 7, seed)?;
        let constants = settings.constants(task, setup.examples());
        let first_rate = *settings.learning_rate * (constants.hess_init + constants.weight_decay);
        let steps = setup.steps();

        let mut progress = Progress::new(steps);
        let (mut course, mut network) = setup.course(0, &mut progress);
        if setup.examples() == 0 {
            network.parameters.fill(Lanes::splat(0.0));
        }
        let mut ivon = Ivon::new(&network, constants);
        let mut sampled = network.clone();
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        let mut normals = Normals::new(&mut Stream::Noise.rng(seed, 0));
        let mut step = 0;
        while course.next_batch()? {
            for _ in 0..*settings.samples {
                ivon.sample(&network.parameters, &mut normals, &mut sampled.parameters);
                course.differentiate(&sampled, None, &mut gradient);
                ivon.add(&gradient);
            }
            ivon.step(first_rate * annealed(step, steps), &mut network.parameters);
            step += 1;
        }
        Ok(Self { fitted: course.end(network)?, scales: ivon.scales()?, seed })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let read = self.fitted.read(inputs)?;
        let rows = Rows::of(&read);
        each_draw(draws, out, |draw, out| predict(&[&self.network(draw)], &rows, out))
    }
}

/// Returns the factor of the step size at a step: half a cosine, from one to zero.
fn annealed(step: usize, steps: usize) -> f32 {
    f32::midpoint(1.0, libm::cosf(PI * step as f32 / steps as f32))
}

jointly_sdk::export!(input_classifier: VariationalOnlineNewton);

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats;
    use jointly_sdk::Matrix;
    use jointly_testkit::trials::{self, Trial, sample, trials};
    use jointly_testkit::{assert_invalid, settings};

    use super::*;

    jointly_testkit::trials!(
        VariationalOnlineNewton,
        &[("hidden", "20"), ("epochs", "60"), ("batch-size", "16"), ("ess", "10"), ("learning-rate", "0.1")]
    );

    fn trained(trial: &Trial, pairs: &[(&str, &str)]) -> Result<VariationalOnlineNewton, Failure> {
        VariationalOnlineNewton::train(&trial.task, &trial.train, None, &settings(pairs), 1)
    }

    /// Computes the mean-field posterior of a logistic regression on one number, by numerical integration. By
    /// symmetry the second class has the mean of each parameter and the first its negative. Returns the means and the
    /// standard deviations of weight and bias.
    ///
    /// At the maximum of the evidence lower bound lambda (E[mean slope] + delta m) = 0 and sigma^-2 = lambda (E[mean
    /// curvature] + delta). The logit at x is normal with mean 2 (m_w x + m_b) and variance 2 (x^2 s_w^2 + s_b^2),
    /// and the expectations are integrals over it.
    fn by_integration(points: &[(f64, f64)], ess: f64, delta: f64) -> [f64; 4] {
        let [mut w, mut b, mut var_w, mut var_b] = [0.0, 0.0, 1.0, 1.0];
        for _ in 0..3000 {
            let (mut slopes, mut curvatures) = ([0.0; 2], [0.0; 2]);
            for (x, y) in points {
                let (mean, deviation) = (2.0 * (w * x + b), (2.0 * (x * x * var_w + var_b)).sqrt());
                let (mut p, mut pq, mut mass) = (0.0, 0.0, 0.0);
                for z in (-60..=60).map(|z| f64::from(z) / 10.0) {
                    let density = (-z * z / 2.0).exp();
                    let at = 1.0 / (1.0 + (-(mean + deviation * z)).exp());
                    p += density * at;
                    pq += density * at * (1.0 - at);
                    mass += density;
                }
                let share = 1.0 / points.len() as f64;
                for (i, feature) in [x, &1.0].into_iter().enumerate() {
                    slopes[i] += share * (p / mass - y) * feature;
                    curvatures[i] += share * pq / mass * feature * feature;
                }
            }
            w -= 0.2 * (slopes[0] + delta * w) / (curvatures[0] + delta);
            b -= 0.2 * (slopes[1] + delta * b) / (curvatures[1] + delta);
            var_w = 1.0 / (ess * (curvatures[0] + delta));
            var_b = 1.0 / (ess * (curvatures[1] + delta));
        }
        [w, b, var_w.sqrt(), var_b.sqrt()]
    }

    /// Tolerance of a mean in standard deviations, and relative tolerance of a standard deviation: the noise of the
    /// Hessian's estimate.
    const TOLERANCE: f64 = 0.05;

    #[test]
    fn logistic_regression_has_the_posterior_of_numerical_integration() {
        let points: Vec<(f64, f64)> =
            (0..40).map(|i| (f64::from(i) / 10.0 - 1.5, f64::from(u32::from(i % 10 < 3 || i > 22)))).collect();
        let inputs = Matrix::new(40, 1, points.iter().map(|(x, _)| *x as f32).collect()).unwrap();
        let data = Dataset { inputs: Inputs::from(inputs), labels: points.iter().map(|(_, y)| *y as u32).collect() };
        let pairs = [
            ("hidden", "none"),
            ("batch-size", "40"),
            ("steps", "100000"),
            ("beta2", "0.9999"),
            ("hess-init", "0.2"),
            ("learning-rate", "0.2"),
            ("ess", "2"),
            ("adaptive", "no"),
        ];
        let agent = VariationalOnlineNewton::train(&Task::new(1, 2), &data, None, &settings(&pairs), 3).unwrap();
        // The prior is standard normal: delta is 1 / (2 40).
        let [w, b, scale_w, scale_b] = by_integration(&points, 80.0, 1.0 / 80.0);
        let block = agent.fitted.network.blocks()[0];
        for (row, mean, scale) in [(block.row(0), w, scale_w), (block.row(1), b, scale_b)] {
            let means = &floats(&agent.fitted.network.parameters)[row.clone()];
            let scales = &floats(&agent.scales)[row];
            for ((found, found_scale), sign) in means.iter().zip(scales).zip([-1.0, 1.0]) {
                let (found, found_scale) = (f64::from(*found), f64::from(*found_scale));
                assert!((found - sign * mean).abs() < TOLERANCE * scale, "{found}, not {}", sign * mean);
                assert!((found_scale / scale - 1.0).abs() < TOLERANCE, "{found_scale}, not {scale}");
            }
        }
    }

    #[test]
    fn without_examples_the_posterior_is_the_prior() {
        for trial in trials() {
            let nothing = Dataset { inputs: trials::rows(&trial.train.inputs, &[]), labels: Vec::new() };
            // The prior precision is ess * weight-decay = 4.
            for (pairs, scale) in [(&[][..], 1.0), (&[("weight-decay", "0.5"), ("ess", "8"), ("adaptive", "no")], 0.5)]
            {
                let agent = VariationalOnlineNewton::train(&trial.task, &nothing, None, &settings(pairs), 1).unwrap();
                let network = &agent.fitted.network;
                for at in network.blocks().iter().flat_map(|block| block.weights().chain(block.biases())) {
                    assert_eq!((floats(&network.parameters)[at], floats(&agent.scales)[at]), (0.0, scale));
                }
            }
        }
    }

    #[test]
    fn the_effective_number_of_examples_is_adaptive_for_plain_numbers() {
        let [_, images, ..] = trials();
        let ess =
            |pairs: &[(&str, &str)], task: &Task| Settings::parse(&settings(pairs)).unwrap().constants(task, 30).ess;
        let plane = jointly_testkit::plane(Some(0.25));
        assert_eq!((ess(&[("ess", "2")], &plane), ess(&[("ess", "2"), ("adaptive", "no")], &plane)), (60.0, 60.0));
        assert_eq!(ess(&[("ess", "2")], &jointly_testkit::plane(Some(4.0))), 15.0);
        assert_eq!((ess(&[], &images.task), ess(&[("adaptive", "yes")], &images.task)), (30.0, 30.0 / 90.0));
        assert_eq!(ess(&[], &Task::new(0, 2)), 30.0);
    }

    #[test]
    fn draws_have_the_means_and_the_standard_deviations() {
        const DRAWS: u64 = 4000;
        let [numbers, ..] = trials();
        let agent = trained(&numbers, &[("hidden", "3"), ("steps", "20")]).unwrap();
        let means = floats(&agent.fitted.network.parameters);
        let mut sums = vec![[0.0f64; 2]; means.len()];
        for draw in 0..DRAWS {
            let network = agent.network(draw);
            for ((sums, value), mean) in sums.iter_mut().zip(floats(&network.parameters)).zip(means) {
                let gap = f64::from(value - mean);
                *sums = [sums[0] + gap, sums[1] + gap * gap];
            }
        }
        let count = DRAWS as f64;
        for ([first, second], scale) in sums.iter().zip(floats(&agent.scales)) {
            let scale = f64::from(*scale);
            // Five standard errors; zero where a row is padded.
            assert!((first / count).abs() <= 5.0 * scale / count.sqrt(), "{first}");
            assert!((second / count - scale * scale).abs() <= 5.0 * scale * scale * (2.0 / count).sqrt(), "{second}");
        }
    }

    #[test]
    fn every_draw_is_a_function_of_its_own() {
        let [numbers, ..] = trials();
        let agent = trained(&numbers, &[("steps", "20")]).unwrap();
        assert_eq!([0, 7, 1 << 40].map(|draw| agent.canonical_draw(draw)), [0, 7, 1 << 40]);
        let probs = sample(&agent, &numbers.task, &numbers.test.inputs, &[0, 7]);
        let (one, other) = probs.split_at(probs.len() / 2);
        assert!(one != other);
    }

    #[test]
    fn more_examples_in_effect_leave_less_uncertainty() {
        for trial in trials() {
            let mean_scale = |ess: &str| {
                let agent = trained(&trial, &[("steps", "50"), ("ess", ess)]).unwrap();
                let scales = floats(&agent.scales).iter().filter(|scale| **scale > 0.0);
                let (sum, count) = scales.fold((0.0, 0.0), |(sum, count), scale| (sum + scale, count + 1.0));
                sum / count
            };
            assert!(mean_scale("10") < 0.7 * mean_scale("1"), "{}", trial.name);
        }
    }

    #[test]
    fn samples_and_constants_change_the_training_and_bad_ones_are_refused() {
        let [numbers, ..] = trials();
        let probs = |pairs: &[(&str, &str)]| {
            let agent = trained(&numbers, &[&[("steps", "20")], pairs].concat()).unwrap();
            sample(&agent, &numbers.task, &numbers.test.inputs, &[0])
        };
        let start = probs(&[]);
        for pair in [("samples", "2"), ("beta1", "0.5"), ("beta2", "0.5"), ("hess-init", "3"), ("weight-decay", "0.1")]
        {
            assert!(probs(&[pair]) != start, "{pair:?}");
        }
        for pair in [
            ("samples", "0"),
            ("beta1", "1"),
            ("beta2", "1"),
            ("beta2", "-0.1"),
            ("hess-init", "0"),
            ("ess", "0"),
            ("weight-decay", "0"),
        ] {
            assert_invalid(trained(&numbers, &[pair]), pair.0);
        }
    }

    #[test]
    fn steps_that_are_too_large_are_a_failure() {
        for trial in trials() {
            let found = trained(&trial, &[("learning-rate", "1e30"), ("steps", "50")]);
            assert!(matches!(found, Err(Failure::Diverged(_))), "{}: {found:?}", trial.name);
        }
    }

    #[test]
    fn the_step_size_falls_as_half_a_cosine() {
        assert_eq!(annealed(0, 100), 1.0);
        assert!((annealed(50, 100) - 0.5).abs() < 1e-6);
        assert!(annealed(99, 100) < 1e-3 && annealed(99, 100) > 0.0);
    }

    #[test]
    fn a_resnet_is_refused_with_the_agents_that_take_it() {
        let [_, images, ..] = trials();
        let resnet = settings(&[("network", "resnet20")]);
        let refused = VariationalOnlineNewton::train(&images.task, &images.train, None, &resnet, 1);
        jointly_testkit::assert_invalid(
            refused,
            "resnet20 with mlp, temperature-scaling, ensemble, ll-dropout or ll-svi",
        );
    }
}
