//! Least-squares lines with their exact t-intervals, as agents.

use jointly_core::regression::{
    Belief, Bounds, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets,
};
use std::convert::Infallible;

use jointly_core::distribution::student_t_quantile;
use jointly_core::matrix::Matrix;

/// A line through one input, with an intercept or through the origin.
pub(crate) struct LeastSquares {
    pub(crate) intercept: bool,
}

/// The fitted line, and the quantities that its intervals need.
pub(crate) struct Line {
    slope: f64,
    intercept: f64,
    centre: f64,
    /// Sum of squares of the inputs about the centre.
    spread: f64,
    /// The contribution of the estimated intercept to the variance of a prediction, in units of the noise variance.
    share: f64,
    degrees: f64,
    /// The residual standard error.
    noise: f64,
}

impl Regressor for LeastSquares {
    type Belief = Line;
    type Error = Infallible;

    fn train(&mut self, _: &RegressionTask, train: &Targets, _: Option<&Targets>, _: u64) -> Result<Line, Infallible> {
        let pairs = || train.inputs().values().iter().zip(train.targets()).map(|(&x, &y)| (f64::from(x), f64::from(y)));
        let rows = train.rows() as f64;
        let mean = |of: fn((f64, f64)) -> f64| if self.intercept { pairs().map(of).sum::<f64>() / rows } else { 0.0 };
        let (centre, level) = (mean(|(x, _)| x), mean(|(_, y)| y));
        let spread: f64 = pairs().map(|(x, _)| (x - centre) * (x - centre)).sum();
        let slope = pairs().map(|(x, y)| (x - centre) * (y - level)).sum::<f64>() / spread;
        let intercept = level - slope * centre;
        let degrees = rows - if self.intercept { 2.0 } else { 1.0 };
        let squares: f64 = pairs().map(|(x, y)| (y - intercept - slope * x) * (y - intercept - slope * x)).sum();
        let share = if self.intercept { 1.0 / rows } else { 0.0 };
        Ok(Line { slope, intercept, centre, spread, share, degrees, noise: (squares / degrees).sqrt() })
    }
}

impl Belief for Line {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(vec![0; draws.len()])
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        let value = |&x: &f32| (self.intercept + self.slope * f64::from(x)) as f32;
        let means: Vec<f32> = draws.iter().flat_map(|_| inputs.values().iter().map(value)).collect();
        let noise = vec![self.noise as f32; means.len()];
        Ok(FunctionSamples::new(inputs.rows(), draws.len(), means, noise).unwrap())
    }

    fn gaussian(&mut self, _: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        Ok(None)
    }

    fn intervals(&mut self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Infallible> {
        let t = student_t_quantile(0.5 + 0.5 * level, self.degrees);
        let bounds = |own: f64| {
            let end = |sign: f64| {
                let x = inputs.values().iter().map(|&x| f64::from(x));
                let variance = |x: f64| own + self.share + (x - self.centre) * (x - self.centre) / self.spread;
                x.map(|x| self.intercept + self.slope * x + sign * t * self.noise * variance(x).sqrt()).collect()
            };
            Bounds::new(end(-1.0), end(1.0)).unwrap()
        };
        Ok(Some(Intervals { confidence: Some(bounds(0.0)), prediction: bounds(1.0) }))
    }
}
