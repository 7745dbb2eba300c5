//! Guesses the known name that a misspelt name stands for.

use strsim::osa_distance;

/// The most characters of a name that is compared.
const LONGEST: usize = 200;
/// The most edits between a misspelt name and the known name.
const MOST_SLIPS: usize = 3;
/// The fewest characters of an abbreviation.
const SHORTEST_BEGINNING: usize = 3;

/// Returns the known name that a misspelt name probably stands for, or None where no known name is near. A known name is near
/// when it is at most three edits and at most a third of the misspelt name's length away, or when it alone begins with the name.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    let near = known.iter().map(|known| (osa_distance(&name, &known.to_lowercase()), *known));
    let near = near
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= length.div_ceil(3).min(MOST_SLIPS));
    if let Some((_, known)) = near {
        return Some(known);
    }
    let mut begun = known.into_iter().filter(|known| length >= SHORTEST_BEGINNING && known.starts_with(&name));
    begun.next().filter(|_| begun.next().is_none())
}

/// Returns the second half of a message about an unknown name: "did you mean ...?" with the nearest known name, or `otherwise`
/// where none is near.
pub fn remedy<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    nearest(name, known).map_or_else(|| otherwise.to_owned(), |near| format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::{nearest, remedy};

    const KNOWN: [&str; 7] =
        ["mlp", "ensemble", "ensemble+", "ll-dropout", "ll-svi", "quick/real", "temperature-scaling"];

    #[test]
    fn a_slip_of_the_keyboard_is_near() {
        for (name, near) in [
            ("mpl", "mlp"),
            ("MLP", "mlp"),
            ("ensmble", "ensemble"),
            ("ensemble++", "ensemble+"),
            ("ll_svi", "ll-svi"),
            ("quick/rael", "quick/real"),
            ("temperature", "temperature-scaling"),
        ] {
            assert_eq!(nearest(name, KNOWN), Some(near), "{name}");
        }
    }

    #[test]
    fn what_is_like_nothing_is_no_guess() {
        for name in ["", "oracle", "gp", "ll-", "quick/nothing", &"x".repeat(100_000)] {
            assert_eq!(nearest(name, KNOWN), None, "{name}");
        }
        assert_eq!(nearest("mlp", []), None);
        assert_eq!(remedy("oracle", KNOWN, "`jointly agents` lists them"), "`jointly agents` lists them");
        assert_eq!(remedy("mpl", KNOWN, ""), "did you mean `mlp`?");
    }
}
