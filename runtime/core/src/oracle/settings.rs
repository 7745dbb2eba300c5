//! How the posterior is sampled: what a person may choose.

/// How the posterior is sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Functions kept over all chains; draws beyond repeat them.
    pub samples: u32,
    /// Independent chains, which keep equally many functions, so that `samples` is rounded up.
    pub chains: u32,
    /// Transitions of a chain before it is kept from; the first half anneals.
    pub warmup: u32,
    /// Transitions from one function kept to the next.
    pub thin: u32,
    /// The most steps of one trajectory, each of which takes one gradient.
    pub steps: u32,
    /// Another number is another sample, independent of the first.
    pub replicate: u32,
}

/// A setting as a person reads of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingInfo {
    /// Its name.
    pub name: &'static str,
    /// Its default.
    pub default: u32,
    /// The least and the most that it may be.
    pub range: (u32, u32),
    /// One line for a person.
    pub summary: &'static str,
}

/// Fewer functions of a chain do not tell whether it agrees with the others.
const LEAST_PER_CHAIN: usize = 4;

/// A setting and where it is kept.
struct Knob {
    name: &'static str,
    summary: &'static str,
    range: (u32, u32),
    of: fn(&mut Settings) -> &mut u32,
}

const KNOBS: [Knob; 6] = [
    Knob { name: "chains", summary: "independent chains", range: (2, 1000), of: |settings| &mut settings.chains },
    Knob {
        name: "replicate",
        summary: "another number is another, independent sample",
        range: (0, u32::MAX),
        of: |settings| &mut settings.replicate,
    },
    Knob {
        name: "samples",
        summary: "functions kept over all chains; draws beyond repeat them",
        range: (8, 1 << 18),
        of: |settings| &mut settings.samples,
    },
    Knob {
        name: "steps",
        summary: "the most steps of one trajectory, each of which takes one gradient",
        range: (1, 1_000_000),
        of: |settings| &mut settings.steps,
    },
    Knob {
        name: "thin",
        summary: "transitions from one function kept to the next",
        range: (1, 1_000_000),
        of: |settings| &mut settings.thin,
    },
    Knob {
        name: "warmup",
        summary: "transitions of a chain before it is kept from; the first half anneals",
        range: (2, 1_000_000),
        of: |settings| &mut settings.warmup,
    },
];

impl Default for Settings {
    /// About a minute on one core at T = 1000, seconds at small T; the documentation states the error that it leaves.
    fn default() -> Self {
        Self { samples: 1000, chains: 8, warmup: 120, thin: 1, steps: 64, replicate: 0 }
    }
}

impl Settings {
    /// Every setting with its default, range and meaning.
    pub fn list() -> Vec<SettingInfo> {
        let mut defaults = Self::default();
        let info =
            |&Knob { name, summary, range, of }| SettingInfo { name, default: *of(&mut defaults), range, summary };
        KNOBS.iter().map(info).collect()
    }

    /// The defaults but for what is given as (name, value).
    ///
    /// # Errors
    /// When a name is no setting, or a value is no whole number in the setting's range; the message names the remedy.
    pub fn with<'a>(given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let mut settings = Self::default();
        for (name, value) in given {
            let Some(knob) = KNOBS.iter().find(|knob| knob.name == name) else {
                let known = Self::list().into_iter().map(|info| format!("{}={}", info.name, info.default));
                return Err(format!("there is no setting {name}; known: {}", known.collect::<Vec<_>>().join(", ")));
            };
            let (least, most) = knob.range;
            match value.parse() {
                Ok(number) if (least..=most).contains(&number) => *(knob.of)(&mut settings) = number,
                _ => return Err(format!("{name} is {value}, expected a whole number from {least} to {most}")),
            }
        }
        if settings.per_chain() < LEAST_PER_CHAIN {
            let Self { samples, chains, .. } = settings;
            return Err(format!(
                "{samples} samples leave fewer than {LEAST_PER_CHAIN} to each of {chains} chains, too few to tell whether \
                 they agree; ask for more samples"
            ));
        }
        Ok(settings)
    }

    /// Functions that each chain keeps.
    pub(super) fn per_chain(&self) -> usize {
        self.samples.div_ceil(self.chains) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    fn refusal(given: &[(&str, &str)]) -> String {
        Settings::with(given.iter().copied()).unwrap_err()
    }

    #[test]
    fn what_is_given_takes_the_place_of_the_default() {
        let settings = Settings::with([("chains", "2"), ("samples", "50")]).unwrap();
        assert_eq!(settings, Settings { chains: 2, samples: 50, ..Settings::default() });
        assert_eq!(Settings::with([]).unwrap(), Settings::default());
    }

    #[test]
    fn the_stated_defaults_are_accepted_and_are_the_defaults() {
        let stated: Vec<_> = Settings::list().into_iter().map(|info| (info.name, info.default.to_string())).collect();
        let given = stated.iter().map(|(name, value)| (*name, value.as_str()));
        assert_eq!(Settings::with(given).unwrap(), Settings::default());
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_remedy() {
        assert!(refusal(&[("size", "3")]).starts_with("there is no setting size; known: chains=8, "));
        assert_eq!(refusal(&[("thin", "0")]), "thin is 0, expected a whole number from 1 to 1000000");
        assert_eq!(refusal(&[("chains", "many")]), "chains is many, expected a whole number from 2 to 1000");
        assert!(refusal(&[("chains", "8"), ("samples", "20")]).contains("ask for more samples"));
    }
}
