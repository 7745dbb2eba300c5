//! The No-U-Turn sampler: trajectories end when they begin to turn back.

use jointly_sdk::Rng;

/// The error of the energy above which a trajectory counts as divergent.
const DIVERGENT: f64 = 1000.0;

/// The density on vectors that is sampled.
pub(crate) trait Target {
    /// Returns minus the logarithm of the density at `at`, up to a constant; writes its gradient to `gradient`.
    fn energy(&mut self, at: &[f32], gradient: &mut [f32]) -> f64;

    /// Gives every sampled coordinate a standard normal momentum, and the others zero.
    fn momentum(&self, rng: &mut Rng, momentum: &mut [f32]);
}

/// A point on a trajectory.
#[derive(Clone, Debug)]
struct Place {
    position: Vec<f32>,
    momentum: Vec<f32>,
    gradient: Vec<f32>,
    energy: f64,
}

/// A position of the chain, with its energy and gradient.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The position of the chain.
    pub(crate) position: Vec<f32>,
    gradient: Vec<f32>,
    /// Minus the logarithm of the density at the position.
    pub(crate) energy: f64,
}

impl State {
    /// Creates the state at a position.
    pub(crate) fn new(target: &mut impl Target, position: Vec<f32>) -> Self {
        let mut gradient = vec![0.0; position.len()];
        let energy = target.energy(&position, &mut gradient);
        Self { position, gradient, energy }
    }
}

/// Diagnostics of a transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Report {
    /// The mean acceptance probability over the trajectory's points, by which the step size is adapted.
    pub(crate) acceptance: f64,
    /// Number of leapfrog steps.
    pub(crate) steps: u32,
    /// Whether the energy error exceeded the bound.
    pub(crate) diverged: bool,
    /// Whether the depth limit ended the trajectory before it turned back.
    pub(crate) saturated: bool,
}

/// A part of a trajectory that has been computed.
struct Walked {
    /// The end from which the next step starts.
    end: Place,
    /// The momentum at the point where the part began.
    first_momentum: Vec<f32>,
    /// Sum of the momenta of all points.
    sum: Vec<f32>,
    /// Logarithm of the sum of the points' weights, exp(-energy) relative to the start.
    log_weight: f64,
    /// A point drawn in proportion to the weights.
    proposal: State,
}

/// The No-U-Turn sampler of Hoffman and Gelman in Betancourt's multinomial form.
///
/// # Formula
///
/// With unit mass the energy of position q and momentum p is H = U(q) + |p|^2 / 2. A trajectory doubles forwards or
/// backwards at random until it begins to turn back: for one of its halves, or for both together, the sum of momenta
/// rho has rho . p <= 0 at an end with momentum p. The next state is drawn from the points in proportion to exp(-H),
/// with a preference for the later half. Hoffman and Gelman, The No-U-Turn sampler, JMLR 2014; Betancourt, A
/// conceptual introduction to Hamiltonian Monte Carlo, 2017.
pub(crate) struct Sampler<'a, T> {
    target: &'a mut T,
    step_size: f32,
    max_depth: u32,
    start_energy: f64,
    acceptance: f64,
    steps: u32,
    diverged: bool,
}

impl<'a, T: Target> Sampler<'a, T> {
    /// Creates a sampler with steps of this size, up to `2^max_depth - 1` of them per transition.
    pub(crate) fn new(target: &'a mut T, step_size: f32, max_depth: u32) -> Self {
        Self { target, step_size, max_depth, start_energy: 0.0, acceptance: 0.0, steps: 0, diverged: false }
    }

    /// Computes the next state of the chain.
    pub(crate) fn step(mut self, state: &State, rng: &mut Rng) -> (State, Report) {
        let mut momentum = vec![0.0; state.position.len()];
        self.target.momentum(rng, &mut momentum);
        let State { position, gradient, energy } = state.clone();
        self.start_energy = energy + kinetic(&momentum);
        let start = Place { position, momentum, gradient, energy };
        let (mut left, mut right) = (start.clone(), start.clone());
        let mut sum = start.momentum.clone();
        let mut log_weight = 0.0;
        let mut next = state.clone();
        let mut saturated = true;
        for depth in 0..self.max_depth {
            let forwards = rng.uniform() < 0.5;
            let from = if forwards { right.clone() } else { left.clone() };
            let (near, far) = if forwards { (&right, &left) } else { (&left, &right) };
            let (near_momentum, far_momentum) = (near.momentum.clone(), far.momentum.clone());
            let Some(part) = self.walk(&from, depth, forwards, rng) else {
                saturated = false;
                break;
            };
            if uniform_log(rng) < part.log_weight - log_weight {
                next = part.proposal;
            }
            log_weight = log_add(log_weight, part.log_weight);
            let old_sum = sum.clone();
            add(&mut sum, &part.sum);
            let outer = part.end.momentum.clone();
            let goes_on = straight(&sum, &far_momentum, &outer)
                && straight(&plus(&old_sum, &part.first_momentum), &far_momentum, &part.first_momentum)
                && straight(&plus(&part.sum, &near_momentum), &near_momentum, &outer);
            *if forwards { &mut right } else { &mut left } = part.end;
            if !goes_on {
                saturated = false;
                break;
            }
        }
        let acceptance = self.acceptance / f64::from(self.steps.max(1));
        (next, Report { acceptance, steps: self.steps, diverged: self.diverged, saturated })
    }

    /// Takes `2^depth` steps; returns `None` if they diverge or turn back.
    fn walk(&mut self, from: &Place, depth: u32, forwards: bool, rng: &mut Rng) -> Option<Walked> {
        if depth == 0 {
            return self.leap(from, forwards);
        }
        let first = self.walk(from, depth - 1, forwards, rng)?;
        let second = self.walk(&first.end, depth - 1, forwards, rng)?;
        let log_weight = log_add(first.log_weight, second.log_weight);
        let later = uniform_log(rng) < second.log_weight - log_weight;
        let sum = plus(&first.sum, &second.sum);
        let (begin, outer) = (&first.first_momentum, &second.end.momentum);
        let (inner, next) = (&first.end.momentum, &second.first_momentum);
        let goes_on = straight(&sum, begin, outer)
            && straight(&plus(&first.sum, next), begin, next)
            && straight(&plus(&second.sum, inner), inner, outer);
        let proposal = if later { second.proposal } else { first.proposal };
        let walked = Walked { end: second.end, first_momentum: first.first_momentum, sum, log_weight, proposal };
        goes_on.then_some(walked)
    }

    /// Takes one leapfrog step.
    fn leap(&mut self, from: &Place, forwards: bool) -> Option<Walked> {
        let step = if forwards { self.step_size } else { -self.step_size };
        let mut place = from.clone();
        axpy(&mut place.momentum, -0.5 * step, &place.gradient);
        axpy(&mut place.position, step, &place.momentum);
        place.energy = self.target.energy(&place.position, &mut place.gradient);
        axpy(&mut place.momentum, -0.5 * step, &place.gradient);
        let error = place.energy + kinetic(&place.momentum) - self.start_energy;
        let log_weight = if error.is_nan() { f64::NEG_INFINITY } else { -error };
        self.steps += 1;
        self.acceptance += log_weight.min(0.0).exp();
        if log_weight < -DIVERGENT {
            self.diverged = true;
            return None;
        }
        let proposal =
            State { position: place.position.clone(), gradient: place.gradient.clone(), energy: place.energy };
        let momentum = place.momentum.clone();
        Some(Walked { first_momentum: momentum.clone(), sum: momentum, log_weight, proposal, end: place })
    }
}

/// Returns whether a trajectory with this sum of momenta, and these momenta at its ends, has not begun to turn back.
/// Momenta keep their own sign when it is walked backwards, so the test is the same in both directions.
fn straight(sum: &[f32], one: &[f32], other: &[f32]) -> bool {
    dot(sum, one) > 0.0 && dot(sum, other) > 0.0
}

fn kinetic(momentum: &[f32]) -> f64 {
    0.5 * dot(momentum, momentum)
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn axpy(y: &mut [f32], factor: f32, x: &[f32]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}

fn add(sum: &mut [f32], other: &[f32]) {
    axpy(sum, 1.0, other);
}

fn plus(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Draws the logarithm of a uniform number; minus infinity for zero.
fn uniform_log(rng: &mut Rng) -> f64 {
    f64::from(rng.uniform()).ln()
}

/// Computes log(e^a + e^b).
fn log_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jointly_nets::step_size::StepSize;

    /// Independent normal coordinates with these standard deviations, and one coordinate that is not sampled.
    struct Normals {
        deviations: Vec<f64>,
    }

    impl Target for Normals {
        fn energy(&mut self, at: &[f32], gradient: &mut [f32]) -> f64 {
            gradient.fill(0.0);
            let mut energy = 0.0;
            for ((x, deviation), out) in at.iter().zip(&self.deviations).zip(gradient) {
                let scaled = f64::from(*x) / deviation;
                energy += 0.5 * scaled * scaled;
                *out = (scaled / deviation) as f32;
            }
            energy
        }

        fn momentum(&self, rng: &mut Rng, momentum: &mut [f32]) {
            momentum.fill(0.0);
            momentum[..self.deviations.len()].fill_with(|| rng.normal());
        }
    }

    const SAMPLES: usize = 4000;
    /// Relative tolerance of the variance of `SAMPLES` samples with some autocorrelation.
    const TOLERANCE: f64 = 0.15;

    #[test]
    fn moments_of_a_normal_law_are_reached() {
        let mut target = Normals { deviations: vec![1.0, 0.2, 3.0] };
        let mut rng = Rng::new(7, 0);
        let mut state = State::new(&mut target, vec![0.5, 0.5, 0.5, 4.0]);
        let mut step_size = StepSize::new(0.1);
        for _ in 0..500 {
            let (next, report) = Sampler::new(&mut target, step_size.current(), 8).step(&state, &mut rng);
            step_size.learn(report.acceptance);
            state = next;
        }
        let (mut sums, mut squares) = ([0.0; 3], [0.0; 3]);
        let mut acceptance = 0.0;
        for _ in 0..SAMPLES {
            let (next, report) = Sampler::new(&mut target, step_size.settled(), 8).step(&state, &mut rng);
            state = next;
            acceptance += report.acceptance / SAMPLES as f64;
            assert!(!report.diverged);
            for i in 0..3 {
                let x = f64::from(state.position[i]);
                sums[i] += x;
                squares[i] += x * x;
            }
        }
        for (i, deviation) in target.deviations.iter().enumerate() {
            let mean = sums[i] / SAMPLES as f64 / deviation;
            let variance = squares[i] / SAMPLES as f64 / deviation / deviation;
            assert!(mean.abs() < TOLERANCE && (variance - 1.0).abs() < TOLERANCE, "{i}: {mean} {variance}");
        }
        assert!((acceptance - StepSize::TARGET).abs() < 0.1, "{acceptance}");
        assert_eq!(state.position[3], 4.0, "what has no momentum stays");
    }

    #[test]
    fn a_trajectory_ends_where_it_turns_back() {
        // A trajectory of a standard normal has the period 2 pi: half of it is 63 steps of 0.05, whatever the depth
        // limit.
        let mut target = Normals { deviations: vec![1.0] };
        let mut rng = Rng::new(1, 0);
        let state = State::new(&mut target, vec![1.0]);
        let mut saturated = 0;
        for _ in 0..100 {
            let (_, report) = Sampler::new(&mut target, 0.05, 10).step(&state, &mut rng);
            assert!(report.steps < 200, "{}", report.steps);
            assert!(report.acceptance > 0.99);
            assert!(!report.saturated);
            // Three doublings are seven steps, less than half a period; they turn back only near its end.
            let (_, report) = Sampler::new(&mut target, 0.05, 3).step(&state, &mut rng);
            saturated += u32::from(report.saturated);
            assert!(!report.saturated || report.steps == 7, "{report:?}");
        }
        assert!((50..100).contains(&saturated), "{saturated}");
    }

    #[test]
    fn an_energy_that_is_no_number_ends_the_trajectory_and_moves_nothing() {
        struct Cliff;
        impl Target for Cliff {
            fn energy(&mut self, at: &[f32], gradient: &mut [f32]) -> f64 {
                gradient.fill(0.0);
                if at[0] == 0.0 { 0.0 } else { f64::NAN }
            }
            fn momentum(&self, rng: &mut Rng, momentum: &mut [f32]) {
                momentum.fill_with(|| rng.normal());
            }
        }
        let state = State::new(&mut Cliff, vec![0.0]);
        let (next, report) = Sampler::new(&mut Cliff, 0.1, 5).step(&state, &mut Rng::new(0, 0));
        assert_eq!(next.position, [0.0]);
        assert_eq!(report, Report { acceptance: 0.0, steps: 1, diverged: true, saturated: false });
    }
}
