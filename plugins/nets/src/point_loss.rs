//! Losses of predictions of a real number, and their gradients.

/// The smallest variance that an output can represent; inputs and targets are standardised to scale one.
pub const MIN_VARIANCE: f32 = 1e-6;

/// The largest logarithm of a variance that an output can represent.
const MAX_LOG: f32 = 14.0;

/// The map from an output to the variance of the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// softplus(s) + 1e-6, as in Lakshminarayanan et al. (2017).
    Softplus,
    /// e^s, kept between 1e-6 and e^14, as in Gal, Hron and Kendall (2017).
    Log,
}

impl Head {
    /// Returns the variance that an output represents.
    pub fn variance(self, output: f32) -> f32 {
        match self {
            Self::Softplus => output.max(0.0) + libm::log1pf(libm::expf(-output.abs())) + MIN_VARIANCE,
            Self::Log => libm::expf(output.min(MAX_LOG)).max(MIN_VARIANCE),
        }
    }

    /// Returns the derivative of the variance, given its value; zero where the bounds are active.
    fn slope(self, output: f32, variance: f32) -> f32 {
        match self {
            Self::Softplus => 1.0 / (1.0 + libm::expf(-output)),
            Self::Log if output > MAX_LOG || variance <= MIN_VARIANCE => 0.0,
            Self::Log => variance,
        }
    }
}

/// A loss of a row of outputs against a real target; the loss of a minibatch is the mean over its rows.
#[derive(Clone, Debug, PartialEq)]
pub enum PointLoss {
    /// (y - m)^2 for the single output m.
    Squared,
    /// The negative log-likelihood of a Gaussian without its constant, ln(v) / 2 + (y - m)^2 / (2 v), for two outputs:
    /// the mean m, and an output that the head maps to the variance v.
    Gaussian(Head),
    /// The mean over levels p of max(p u, (p - 1) u), where u = y - q_p and q_p is the output of the level: the pinball
    /// loss of Koenker and Bassett (1978), which the p-quantile minimises.
    Pinball(Vec<f32>),
}

impl PointLoss {
    /// The number of outputs that the loss reads.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Squared => 1,
            Self::Gaussian(_) => 2,
            Self::Pinball(levels) => levels.len(),
        }
    }

    /// Replaces the outputs, `stride` numbers per row, by the gradient of the mean loss, and returns that loss.
    ///
    /// At the kink of the pinball loss the gradient is that of an observation above the output.
    pub fn differentiate(&self, outputs: &mut [f32], stride: usize, targets: &[f32]) -> f64 {
        let share = 1.0 / targets.len() as f32;
        let rows = outputs.chunks_exact_mut(stride).zip(targets);
        let mut total = 0.0;
        match self {
            Self::Squared => {
                for (row, y) in rows {
                    let error = row[0] - y;
                    total += f64::from(error * error);
                    row[0] = 2.0 * share * error;
                }
            }
            Self::Gaussian(head) => {
                for (row, y) in rows {
                    let (error, variance) = (row[0] - y, head.variance(row[1]));
                    let ratio = error * error / variance;
                    total += f64::from(0.5 * (libm::logf(variance) + ratio));
                    row[0] = share * error / variance;
                    row[1] = share * 0.5 * (1.0 - ratio) / variance * head.slope(row[1], variance);
                }
            }
            Self::Pinball(levels) => {
                let share = share / levels.len() as f32;
                for (row, y) in rows {
                    for (output, level) in row.iter_mut().zip(levels) {
                        let gap = y - *output;
                        let slope = if gap < 0.0 { level - 1.0 } else { *level };
                        total += f64::from(slope * gap) / levels.len() as f64;
                        *output = -share * slope;
                    }
                }
            }
        }
        total / targets.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Step of a central difference in single precision.
    const STEP: f32 = 1e-2;
    const TOLERANCE: f64 = 2e-4;

    #[test]
    fn gradients_agree_with_finite_differences() {
        let losses = [
            PointLoss::Squared,
            PointLoss::Gaussian(Head::Softplus),
            PointLoss::Gaussian(Head::Log),
            PointLoss::Pinball(vec![0.1, 0.5, 0.8]),
        ];
        let targets = [0.3, -1.0, 2.0];
        for loss in losses {
            let stride = 4;
            let outputs: Vec<f32> = (0..3 * stride).map(|i| 0.7 * (i as f32 * 1.7).sin()).collect();
            let mut gradient = outputs.clone();
            loss.differentiate(&mut gradient, stride, &targets);
            for at in 0..outputs.len() {
                if at % stride >= loss.outputs() {
                    assert_eq!(gradient[at], outputs[at], "what is behind a row is not touched");
                    continue;
                }
                let moved = |by: f32| {
                    let mut outputs = outputs.clone();
                    outputs[at] += by;
                    loss.differentiate(&mut outputs, stride, &targets)
                };
                let difference = (moved(STEP) - moved(-STEP)) / f64::from(2.0 * STEP);
                assert!((difference - f64::from(gradient[at])).abs() < TOLERANCE, "{loss:?} at {at}: {difference}");
            }
        }
    }

    #[test]
    fn losses_by_hand() {
        assert_eq!(PointLoss::Squared.differentiate(&mut [3.0, 0.0], 1, &[1.0, 1.0]), 2.5);
        // The pinball loss of 2 above a 0.25-quantile is 0.5, and of 2 below it 1.5.
        let pinball = PointLoss::Pinball(vec![0.25]);
        assert_eq!(pinball.differentiate(&mut [0.0, 4.0], 1, &[2.0, 2.0]), 1.0);
        // Variance one, two standard deviations away.
        let gaussian = PointLoss::Gaussian(Head::Log);
        assert_eq!(gaussian.differentiate(&mut [0.0, 0.0], 2, &[2.0]), 2.0);
    }

    #[test]
    fn variances_stay_in_their_bounds() {
        for head in [Head::Softplus, Head::Log] {
            for output in [-1e30, -50.0, 0.0, 50.0, 1e30] {
                let variance = head.variance(output);
                assert!(variance >= MIN_VARIANCE && variance.is_finite(), "{head:?} of {output}: {variance}");
                assert!(head.slope(output, variance).is_finite());
            }
        }
        assert!(PointLoss::Squared.differentiate(&mut [f32::INFINITY], 1, &[1.0]).is_infinite());
        assert!(PointLoss::Gaussian(Head::Log).differentiate(&mut [f32::NAN, 0.0], 2, &[1.0]).is_nan());
    }
}
