//! Functions whose largest value is searched for.

use jointly_classification::{Environment, EnvironmentSpec, Initialization};
use jointly_core::matrix::Matrix;
use jointly_core::normal_inputs::normal_inputs;
use jointly_core::stream::Stream;
use libm::{cos, exp, sqrt};

/// The dimension of [`Objective::Ackley`] and [`Objective::Linear`].
const DIMENSIONS: u32 = 5;
/// Half the side of the cube on which Ackley's function is searched.
const ACKLEY: f64 = 32.768;

/// A function of d numbers whose largest value is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Branin's function of two numbers, negated: it has three equal maxima.
    Branin,
    /// Hartmann's function of three numbers, negated.
    Hartmann3,
    /// Hartmann's function of six numbers, negated.
    Hartmann6,
    /// Ackley's function of five numbers, negated: a hole in a plain of waves.
    Ackley,
    /// A random linear function of five numbers.
    Linear,
    /// A random network of the testbed, of this many numbers.
    Network(u32),
}

impl Objective {
    /// Returns the name of the objective in the names of problems.
    pub fn name(self) -> String {
        match self {
            Self::Branin => "branin".to_owned(),
            Self::Hartmann3 => "hartmann3".to_owned(),
            Self::Hartmann6 => "hartmann6".to_owned(),
            Self::Ackley => "ackley".to_owned(),
            Self::Linear => "linear".to_owned(),
            Self::Network(input_dim) => format!("network{input_dim}"),
        }
    }

    /// Returns whether the function is always the same: a seed decides only where it is looked at.
    pub(crate) fn is_fixed(self) -> bool {
        match self {
            Self::Branin | Self::Hartmann3 | Self::Hartmann6 | Self::Ackley => true,
            Self::Linear | Self::Network(_) => false,
        }
    }

    /// Returns the number d of features of an input.
    pub fn input_dim(self) -> u32 {
        match self {
            Self::Branin => 2,
            Self::Hartmann3 => 3,
            Self::Hartmann6 => 6,
            Self::Ackley | Self::Linear => DIMENSIONS,
            Self::Network(input_dim) => input_dim,
        }
    }

    /// Draws `count` inputs.
    ///
    /// # Formula
    /// Branin, Hartmann and Ackley: uniform on the function's usual box, in the unit cube's coordinates. Linear: uniform on
    /// the unit sphere. Network: N(0, I).
    pub(crate) fn inputs(self, count: usize, source: &mut Stream) -> Matrix {
        let cols = self.input_dim() as usize;
        match self {
            Self::Network(_) => normal_inputs(count, cols, source),
            Self::Linear => {
                let normal = normal_inputs(count, cols, source);
                let unit = |row: &[f32]| {
                    let length = sqrt(row.iter().map(|&x| f64::from(x) * f64::from(x)).sum());
                    row.iter().map(|&x| (f64::from(x) / length) as f32).collect::<Vec<f32>>()
                };
                Matrix::from_rows(cols, normal.values().chunks_exact(cols).flat_map(unit).collect())
            }
            _ => Matrix::from_rows(cols, (0..count * cols).map(|_| source.uniform() as f32).collect()),
        }
    }

    /// Returns the function's value at each input; `source` draws a random function.
    pub(crate) fn values(self, inputs: &Matrix, source: &mut Stream) -> Vec<f64> {
        let each = |value: &dyn Fn(&[f64]) -> f64| {
            let rows = inputs.values().chunks_exact(inputs.cols());
            rows.map(|row| value(&row.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>())).collect()
        };
        match self {
            Self::Branin => each(&branin),
            Self::Hartmann3 => each(&|x| hartmann(x, &HARTMANN3)),
            Self::Hartmann6 => each(&|x| hartmann(x, &HARTMANN6)),
            Self::Ackley => each(&ackley),
            Self::Linear => {
                let weights: Vec<f64> = (0..inputs.cols()).map(|_| source.normal()).collect();
                each(&|x| x.iter().zip(&weights).map(|(x, w)| x * w).sum())
            }
            Self::Network(input_dim) => {
                // A network of the testbed without its softmax: the temperature only scales the function.
                let spec = EnvironmentSpec {
                    input_dim,
                    num_classes: 2,
                    temperature: 1.0,
                    hidden: vec![50, 50],
                    initialization: Initialization::Testbed,
                };
                Environment::sample(&spec, source).log_odds(inputs)
            }
        }
    }
}

/// Returns Branin's function of the unit square, negated. Its maxima are -0.397887.
fn branin(unit: &[f64]) -> f64 {
    let pi = std::f64::consts::PI;
    let (x, y) = (15.0 * unit[0] - 5.0, 15.0 * unit[1]);
    let valley = y - 5.1 / (4.0 * pi * pi) * x * x + 5.0 / pi * x - 6.0;
    -(valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * cos(x) + 10.0)
}

/// Returns Ackley's function of the unit cube, negated. Its maximum is 0, in the middle.
fn ackley(unit: &[f64]) -> f64 {
    let x = || unit.iter().map(|unit| ACKLEY * (2.0 * unit - 1.0));
    let mean = |values: f64| values / unit.len() as f64;
    let length = sqrt(mean(x().map(|x| x * x).sum()));
    let waves = mean(x().map(|x| cos(2.0 * std::f64::consts::PI * x)).sum());
    20.0 * exp(-0.2 * length) + exp(waves) - 20.0 - std::f64::consts::E
}

/// The four bumps of a function of Hartmann's: the height of each, its steepness in every direction, and its place.
type Bumps<const D: usize> = [(f64, [f64; D], [f64; D]); 4];

const HARTMANN3: Bumps<3> = [
    (1.0, [3.0, 10.0, 30.0], [0.3689, 0.1170, 0.2673]),
    (1.2, [0.1, 10.0, 35.0], [0.4699, 0.4387, 0.7470]),
    (3.0, [3.0, 10.0, 30.0], [0.1091, 0.8732, 0.5547]),
    (3.2, [0.1, 10.0, 35.0], [0.0381, 0.5743, 0.8828]),
];

const HARTMANN6: Bumps<6> = [
    (1.0, [10.0, 3.0, 17.0, 3.5, 1.7, 8.0], [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886]),
    (1.2, [0.05, 10.0, 17.0, 0.1, 8.0, 14.0], [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991]),
    (3.0, [3.0, 3.5, 1.7, 10.0, 17.0, 8.0], [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650]),
    (3.2, [17.0, 8.0, 0.05, 10.0, 0.1, 14.0], [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381]),
];

/// Returns Hartmann's function of the unit cube, negated. Its maximum is 3.86278 in three and 3.32237 in six dimensions.
fn hartmann<const D: usize>(unit: &[f64], bumps: &Bumps<D>) -> f64 {
    let bump = |(height, steepness, place): &(f64, [f64; D], [f64; D])| {
        let far = unit.iter().zip(steepness).zip(place).map(|((x, a), p)| a * (x - p) * (x - p));
        height * exp(-far.sum::<f64>())
    };
    bumps.iter().map(bump).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jointly_core::stream::stream;

    type Function<'a> = &'a dyn Fn(&[f64]) -> f64;

    /// The maxima that are published with the functions, to as many digits.
    ///
    /// # Source
    /// Surjanovic and Bingham, "Virtual Library of Simulation Experiments: Test Functions and Datasets" (2013).
    #[test]
    fn published_maxima_are_maxima() {
        let pi = std::f64::consts::PI;
        let on_unit = |x: f64, y: f64| vec![(x + 5.0) / 15.0, y / 15.0];
        let three = |x: &[f64]| hartmann(x, &HARTMANN3);
        let six = |x: &[f64]| hartmann(x, &HARTMANN6);
        let of: [Function; 6] = [&branin, &branin, &branin, &three, &six, &ackley];
        let at = [
            on_unit(-pi, 12.275),
            on_unit(pi, 2.275),
            on_unit(9.42478, 2.475),
            vec![0.114_614, 0.555_649, 0.852_547],
            vec![0.20169, 0.150_011, 0.476_874, 0.275_332, 0.311_652, 0.6573],
            vec![0.5; 5],
        ];
        let maxima = [-0.397_887, -0.397_887, -0.397_887, 3.86278, 3.32237, 0.0];
        for (number, ((value, at), expected)) in of.iter().zip(&at).zip(maxima).enumerate() {
            assert!((value(at) - expected).abs() < 1e-5, "function {number}: {}", value(at));
            for col in 0..at.len() {
                for step in [-1e-3, 1e-3] {
                    let mut beside = at.clone();
                    beside[col] += step;
                    assert!(value(&beside) < value(at), "function {number}, feature {col}");
                }
            }
        }
    }

    #[test]
    fn inputs_have_their_distributions() {
        let mut source = stream(1, "test", "objective", 0);
        let sphere = Objective::Linear.inputs(50, &mut source);
        let length = |row: &[f32]| row.iter().map(|x| x * x).sum::<f32>();
        assert!(sphere.values().chunks_exact(5).all(|row| (length(row) - 1.0).abs() < 1e-5));
        let cube = Objective::Hartmann6.inputs(1000, &mut source);
        let mean = cube.values().iter().sum::<f32>() / 6000.0;
        assert!(cube.values().iter().all(|x| (0.0..1.0).contains(x)) && (mean - 0.5).abs() < 0.02, "{mean}");
    }
}
