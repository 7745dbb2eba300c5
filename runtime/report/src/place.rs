//! Where a problem stands in its suite, as its name says: training size, temperature, dataset.

use jointly_data::card;

/// How a problem's name says that all training examples of a dataset are there.
const FULL: &str = "tfull";

/// The coordinates in a problem's name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    /// The dataset, the input's dimension or whatever else sets problems apart that are not to be drawn together; empty
    /// where nothing does.
    pub(crate) group: String,
    /// Number T of training examples.
    pub(crate) train_size: Option<f64>,
    pub(crate) temperature: Option<f64>,
}

impl Place {
    /// Reads a name such as `testbed/dyadic/d10/t100/temp0.1/seed0` or `testbed/real/iris/t10/seed0`.
    pub(crate) fn of(suite: &str, problem: &str) -> Self {
        let name = problem.strip_prefix(suite).and_then(|rest| rest.strip_prefix('/')).unwrap_or(problem);
        let mut place = Self { group: String::new(), train_size: None, temperature: None };
        let mut group: Vec<&str> = Vec::new();
        for part in name.split('/') {
            if let Some(temperature) = numbered(part, "temp") {
                place.temperature = Some(temperature);
            } else if let Some(size) = numbered(part, "t") {
                place.train_size = Some(size);
            } else if part == FULL {
                // The suites name a dataset's whole training split so; its card knows how many examples that is.
                let card = group.iter().copied().find_map(card);
                place.train_size = card.map(|card| f64::from(card.train_size));
            } else if numbered(part, "seed").is_none() {
                group.push(part);
            }
        }
        place.group = group.join("/");
        place
    }
}

/// The positive number that follows a word, where a part of a name is that.
fn numbered(part: &str, word: &str) -> Option<f64> {
    let digits = part.strip_prefix(word).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?;
    digits.parse().ok().filter(|number: &f64| number.is_finite() && (*number > 0.0 || word == "seed"))
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn names_of_all_suites_are_read() {
        let expect = |suite: &str, problem: &str, group: &str, train_size: Option<f64>, temperature: Option<f64>| {
            let place = Place { group: group.into(), train_size, temperature };
            assert_eq!(Place::of(suite, problem), place, "{problem}");
        };
        expect("testbed", "testbed/t10/temp0.01/seed0", "", Some(10.0), Some(0.01));
        expect("testbed/dyadic", "testbed/dyadic/d10/t100/temp0.1/seed3", "d10", Some(100.0), Some(0.1));
        expect("testbed/real", "testbed/real/emnist/letters/t1000/seed2", "emnist/letters", Some(1000.0), None);
        expect("testbed/real", "testbed/real/iris/tfull/seed1", "iris", Some(120.0), None);
        expect("imported", "imported/two-moons", "two-moons", None, None);
    }
}
