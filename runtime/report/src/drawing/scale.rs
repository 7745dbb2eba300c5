//! Scales that map numbers to pixels, and their ticks.

use jointly_record::quantity;

use crate::drawing::lettering::width;

/// A linear or logarithmic map from numbers to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    logarithmic: bool,
    /// The numbers at both ends, the lower one first.
    domain: (f64, f64),
    pixels: (f64, f64),
}

/// A number on a scale with its label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// The smallest gap between two ticks' labels, in pixels.
const GAP: f64 = 7.0;
/// Size of a tick's label, in pixels.
pub(crate) const TICK_SIZE: f64 = 11.0;
/// The ticks of each decade of a logarithmic scale, from many to few.
const MULTIPLES: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
/// The ticks of a decade that fills the scale, if their labels fit.
const FINE: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 7.0];
/// The smallest number that is written without an exponent.
const LEAST_PLAIN: f64 = 1e-4;
/// The margin of a logarithmic scale beyond the data on either side, as a fraction of its length.
const MARGIN: f64 = 0.05;

impl Scale {
    /// Maps `domain` linearly to `pixels`. An empty domain is widened.
    pub(crate) fn linear(domain: (f64, f64), pixels: (f64, f64)) -> Self {
        let (low, high) = domain;
        let domain = if high > low { domain } else { (low - 0.5, low + 0.5) };
        Self { logarithmic: false, domain, pixels }
    }

    /// Maps positive numbers logarithmically, with a margin at both ends.
    pub(crate) fn logarithmic(domain: (f64, f64), pixels: (f64, f64)) -> Self {
        let low = domain.0.max(f64::MIN_POSITIVE);
        let high = domain.1.max(low);
        // A single value lies in the middle of a decade.
        let margin = if high > low { libm::log10(high / low) * MARGIN } else { 0.5 };
        let factor = libm::pow(10.0, margin);
        Self { logarithmic: true, domain: (low / factor, (high * factor).min(f64::MAX)), pixels }
    }

    /// Returns the pixel of a number; outside the domain the map is extrapolated.
    pub(crate) fn at(&self, x: f64) -> f64 {
        let map = |x: f64| if self.logarithmic { libm::log10(x.max(f64::MIN_POSITIVE)) } else { x };
        let (low, high) = (map(self.domain.0), map(self.domain.1));
        self.pixels.0 + (map(x) - low) / (high - low) * (self.pixels.1 - self.pixels.0)
    }

    /// Returns about `about` ticks at round numbers: multiples of 1, 2 or 5 times a power of ten, or on a logarithmic
    /// scale such numbers themselves.
    pub(crate) fn ticks(&self, about: usize) -> Vec<Tick> {
        if self.logarithmic { self.logarithmic_ticks(about) } else { self.linear_ticks(about) }
    }

    /// Returns so few ticks that no label touches another.
    pub(crate) fn ticks_apart(&self, about: usize) -> Vec<Tick> {
        let apart = |pair: &[Tick]| {
            let room = f64::midpoint(width(&pair[0].label, TICK_SIZE), width(&pair[1].label, TICK_SIZE)) + GAP;
            (self.at(pair[1].at) - self.at(pair[0].at)).abs() >= room
        };
        let fits = |ticks: &Vec<Tick>| ticks.windows(2).all(apart);
        let fine = Some(self).filter(|it| it.logarithmic).map(|it| it.multiples(FINE));
        if let Some(fine) = fine.filter(|ticks| ticks.len() <= about && fits(ticks)) {
            return fine;
        }
        (1..=about).rev().map(|about| self.ticks(about)).find(fits).unwrap_or_else(|| self.ticks(1))
    }

    fn linear_ticks(&self, about: usize) -> Vec<Tick> {
        let (low, high) = self.domain;
        let step = round_step((high - low) / about.max(1) as f64);
        let places = (-libm::floor(libm::log10(step))).max(0.0) as usize;
        let first = libm::ceil(low / step - 1e-9) as i64;
        let last = libm::floor(high / step + 1e-9) as i64;
        let tick = |i: i64| {
            let at = i as f64 * step;
            Tick { at, label: format!("{at:.places$}") }
        };
        (first..=last).map(tick).collect()
    }

    fn logarithmic_ticks(&self, about: usize) -> Vec<Tick> {
        let fitting = MULTIPLES.iter().map(|multiples| self.multiples(multiples)).find(|ticks| ticks.len() <= about);
        let ticks = fitting.unwrap_or_else(|| self.multiples(&[1.0]));
        let every = ticks.len().div_ceil(about.max(1)).max(1);
        ticks.into_iter().step_by(every).collect()
    }

    /// Returns ticks at the multiples of powers of ten.
    fn multiples(&self, multiples: &[f64]) -> Vec<Tick> {
        let (low, high) = self.domain;
        let (from, to) = (libm::floor(libm::log10(low)) as i32, libm::ceil(libm::log10(high)) as i32);
        let numbers = (from..=to).flat_map(|power| multiples.iter().filter_map(move |it| decimal(*it, power)));
        numbers.filter(|at| (low..=high).contains(at)).map(|at| Tick { at, label: plain(at) }).collect()
    }

    /// Returns ticks at given numbers, except those whose label would touch the one before; powers of ten take
    /// precedence.
    pub(crate) fn ticks_at(&self, numbers: &[f64]) -> Vec<Tick> {
        let mut kept: Vec<Tick> = Vec::new();
        let decade = |x: f64| libm::log10(x) == libm::round(libm::log10(x));
        let (first, then): (Vec<f64>, Vec<f64>) = numbers.iter().partition(|x| decade(**x));
        for at in first.into_iter().chain(then) {
            let tick = Tick { at, label: plain(at) };
            let apart = |other: &Tick| {
                let room = f64::midpoint(width(&tick.label, TICK_SIZE), width(&other.label, TICK_SIZE)) + GAP;
                (self.at(tick.at) - self.at(other.at)).abs() >= room
            };
            if kept.iter().all(apart) {
                kept.push(tick);
            }
        }
        kept.sort_by(|a, b| a.at.total_cmp(&b.at));
        kept
    }
}

/// Returns 1, 2 or 5 times a power of ten, whichever is nearest to `step` in ratio.
fn round_step(step: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(step)));
    let off = |multiple: &f64| libm::fabs(libm::log(multiple * power / step));
    let nearest = [1.0, 2.0, 5.0, 10.0].into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    nearest.unwrap_or(1.0) * power
}

/// Returns the number nearest to a multiple of a power of ten, or `None` if it is too large: a product of the two would be
/// rounded twice, and 3 times 0.1 is not 0.3.
fn decimal(multiple: f64, power: i32) -> Option<f64> {
    format!("{multiple}e{power}").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Formats a number without needless digits.
fn plain(x: f64) -> String {
    if x >= 1e6 {
        let text = quantity::count(x);
        return text.replace(".00", "");
    }
    match x.abs() {
        size if size >= 1.0 => format!("{x:.0}"),
        size if size == 0.0 || size >= LEAST_PLAIN => format!("{x}"),
        _ => format!("{x:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    /// Tolerance for rounding in a few operations on numbers of about a hundred pixels.
    const PIXELS: f64 = 1e-9;

    fn labels(ticks: &[super::Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn a_linear_scale_maps_its_ends_and_its_middle() {
        let scale = Scale::linear((0.0, 4.0), (100.0, 20.0));
        assert_eq!((scale.at(0.0), scale.at(2.0), scale.at(4.0), scale.at(5.0)), (100.0, 60.0, 20.0, 0.0));
    }

    #[test]
    fn a_logarithmic_scale_maps_ratios_to_distances() {
        let scale = Scale::logarithmic((1.0, 1000.0), (0.0, 110.0));
        assert!((scale.at(1.0) - 5.0).abs() < PIXELS, "{}", scale.at(1.0));
        assert!((scale.at(1000.0) - 105.0).abs() < PIXELS);
        assert!((scale.at(100.0) - scale.at(10.0) - 100.0 / 3.0).abs() < PIXELS);
    }

    #[test]
    fn an_empty_domain_has_its_value_in_the_middle() {
        assert_eq!(Scale::linear((3.0, 3.0), (0.0, 10.0)).at(3.0), 5.0);
        assert!((Scale::logarithmic((7.0, 7.0), (0.0, 10.0)).at(7.0) - 5.0).abs() < PIXELS);
    }

    #[test]
    fn the_largest_numbers_have_ticks() {
        let ticks = Scale::logarithmic((1.0, f64::MAX), (0.0, 100.0)).ticks(6);
        assert!((2..=6).contains(&ticks.len()) && ticks.iter().all(|tick| tick.at.is_finite()), "{ticks:?}");
    }

    #[test]
    fn linear_ticks_are_round() {
        let ticks = |low, high, about| Scale::linear((low, high), (0.0, 1.0)).ticks(about);
        assert_eq!(labels(&ticks(0.0, 1.0, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&ticks(0.0, 37.0, 4)), ["0", "10", "20", "30"]);
        assert_eq!(labels(&ticks(-0.03, 0.021, 3)), ["-0.02", "0.00", "0.02"]);
    }

    #[test]
    fn given_ticks_are_plain_numbers() {
        let scale = Scale::linear((0.0, 5.0), (0.0, 100.0));
        assert_eq!(labels(&scale.ticks_at(&[0.0, 1.0, 2.0, 5.0])), ["0", "1", "2", "5"]);
        assert_eq!(labels(&Scale::linear((-2.0, 1.0), (0.0, 100.0)).ticks_at(&[-2.0, 0.05])), ["-2", "0.05"]);
    }

    #[test]
    fn fewer_ticks_stand_where_labels_would_touch() {
        let scale = |high: f64| Scale::linear((0.0, high), (0.0, 100.0));
        assert_eq!(labels(&scale(1.0).ticks_apart(5)), ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(&scale(1e6).ticks_apart(5)), ["0", "1000000"]);
        assert_eq!(labels(&scale(2.0).ticks_apart(2)), ["0", "1", "2"]);
        let logarithmic = |length| Scale::logarithmic((0.9, 4.5), (0.0, length)).ticks_apart(8);
        assert_eq!(labels(&logarithmic(200.0)), ["1", "2", "3", "4"]);
        assert_eq!(labels(&logarithmic(30.0)), ["1"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten_or_between_where_there_is_room() {
        let ticks = |low, high, about| Scale::logarithmic((low, high), (0.0, 1.0)).ticks(about);
        assert_eq!(labels(&ticks(1e6, 1e10, 5)), ["1 M", "10 M", "100 M", "1 G", "10 G"]);
        assert_eq!(labels(&ticks(1e6, 1e7, 5)), ["1 M", "2 M", "5 M", "10 M"]);
        assert_eq!(labels(&ticks(1e6, 1e8, 6)), ["1 M", "3 M", "10 M", "30 M", "100 M"]);
        assert_eq!(labels(&ticks(1e3, 1e9, 4)), ["1000", "100000", "10 M", "1 G"]);
        assert_eq!(labels(&ticks(0.03, 1.0, 4)), ["0.03", "0.1", "0.3", "1"]);
        assert_eq!(labels(&ticks(1e-8, 1e-4, 5)), ["1e-8", "1e-7", "1e-6", "1e-5", "0.0001"]);
    }

    /// A product of a multiple and a power of ten has up to 17 digits: 0.30000000000000004.
    #[test]
    fn no_logarithmic_tick_has_the_digits_of_a_rounding_error() {
        for power in -300..0 {
            let decade = libm::pow(10.0, f64::from(power));
            for tick in Scale::logarithmic((decade, 10.0 * decade), (0.0, 1.0)).ticks(5) {
                let digits = tick.label.split('e').next().unwrap_or_default().trim_start_matches(['0', '.']);
                assert!(digits.len() == 1, "{}", tick.label);
            }
        }
    }

    #[test]
    fn ticks_at_the_data_leave_out_labels_that_would_touch() {
        let sizes = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0];
        let wide = Scale::logarithmic((1.0, 1000.0), (0.0, 400.0));
        assert_eq!(labels(&wide.ticks_at(&sizes)), ["1", "3", "10", "30", "100", "300", "1000"]);
        let narrow = Scale::logarithmic((1.0, 1000.0), (0.0, 120.0));
        assert_eq!(labels(&narrow.ticks_at(&sizes)), ["1", "3", "10", "100", "1000"]);
    }
}
