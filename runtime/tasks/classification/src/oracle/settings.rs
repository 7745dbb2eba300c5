//! User-supplied settings of the posterior sampler.

/// Settings of the posterior sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Functions kept over all chains; further draws repeat them. 0 derives the number from the evaluation.
    samples: u32,
    /// Independent chains, which keep equal numbers of functions, so that `samples` is rounded up.
    pub(super) chains: u32,
    /// Warm-up transitions of a chain; the first half anneals.
    pub(super) warmup: u32,
    /// Transitions between kept functions in the first round.
    pub(super) thin: u32,
    /// The most steps of one trajectory in the first round; each step takes one gradient.
    pub(super) steps: u32,
    /// The largest number of rounds.
    pub(super) rounds: u32,
    /// Identifies an independent replicate: each number gives another sample.
    pub(super) replicate: u32,
}

/// The name, default, range and summary of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingInfo {
    /// Its name.
    pub name: &'static str,
    /// Its default.
    pub default: u32,
    /// The least and the greatest allowed value.
    pub range: (u32, u32),
    /// A one-line summary for users.
    pub summary: &'static str,
}

/// The fewest functions of a chain from which its agreement with the others can be computed.
const LEAST_PER_CHAIN: u32 = 4;
/// The default number of functions; with fewer, the agreement of the chains is estimated poorly.
const USUAL_SAMPLES: u32 = 1000;
/// The largest number of functions, which are all held in memory.
const MOST_SAMPLES: u32 = 1 << 18;

/// A setting and the field that stores it.
struct Knob {
    name: &'static str,
    summary: &'static str,
    range: (u32, u32),
    of: fn(&mut Settings) -> &mut u32,
}

const KNOBS: [Knob; 7] = [
    Knob { name: "chains", summary: "independent chains", range: (2, 1000), of: |settings| &mut settings.chains },
    Knob {
        name: "replicate",
        summary: "another number is another, independent sample",
        range: (0, u32::MAX),
        of: |settings| &mut settings.replicate,
    },
    Knob {
        name: "rounds",
        summary: "the most rounds: where chains do not agree they go on, each round with twice the work",
        range: (1, 10),
        of: |settings| &mut settings.rounds,
    },
    Knob {
        name: "samples",
        summary: "functions kept over all chains; 0: as many as there are draws, and at least 1000",
        range: (0, MOST_SAMPLES),
        of: |settings| &mut settings.samples,
    },
    Knob {
        name: "steps",
        summary: "the most steps of one trajectory in the first round, each of which takes one gradient",
        range: (1, 1_000_000),
        of: |settings| &mut settings.steps,
    },
    Knob {
        name: "thin",
        summary: "transitions from one function kept to the next in the first round",
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
    /// Takes about a minute on one core at T = 1000, four minutes if the chains converge late, and seconds at small T;
    /// the documentation states the remaining error.
    fn default() -> Self {
        Self { samples: 0, chains: 8, warmup: 120, thin: 1, steps: 64, rounds: 3, replicate: 0 }
    }
}

impl Settings {
    /// Returns every setting with its default, range and meaning.
    pub fn list() -> Vec<SettingInfo> {
        let mut defaults = Self::default();
        let info =
            |&Knob { name, summary, range, of }| SettingInfo { name, default: *of(&mut defaults), range, summary };
        KNOBS.iter().map(info).collect()
    }

    /// Returns the defaults, overridden by the given (name, value) pairs.
    ///
    /// # Errors
    /// When a name is not a setting, or a value is not a whole number in the setting's range; the message says what is
    /// accepted.
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
        let Self { samples, chains, .. } = settings;
        if samples > 0 && samples.div_ceil(chains) < LEAST_PER_CHAIN {
            return Err(format!(
                "{samples} samples leave fewer than {LEAST_PER_CHAIN} to each of {chains} chains, too few to tell whether \
                 they agree; ask for more samples"
            ));
        }
        Ok(settings)
    }

    /// Returns settings for an evaluation with `draws` draws. If `samples` is 0, it becomes `draws`, and at least 1000.
    /// Draws beyond the kept functions would repeat them and overstate the precision.
    ///
    /// # Errors
    /// When `samples` is set but less than `draws`, or more draws are requested than can be kept; the message says what
    /// to do.
    pub fn for_draws(self, draws: u32) -> Result<Self, String> {
        match self.samples {
            0 if draws > MOST_SAMPLES => Err(format!(
                "{draws} draws are more functions than the {MOST_SAMPLES} that can be kept; ask for fewer draws"
            )),
            0 => Ok(Self { samples: draws.max(USUAL_SAMPLES).max(LEAST_PER_CHAIN * self.chains), ..self }),
            samples if samples < draws => Err(format!(
                "{samples} samples are fewer than the {draws} draws of the evaluation, which would repeat them; ask for \
                 samples={draws} or leave samples out"
            )),
            _ => Ok(self),
        }
    }

    /// Returns the most gradients that the sampler takes on a problem, if no chain agrees with the others before the last
    /// round: each round does twice the work of the one before.
    pub fn most_gradients(&self) -> f64 {
        let kept = f64::from(self.per_chain() as u32) * f64::from(self.thin);
        let first = f64::from(self.chains) * (f64::from(self.warmup) + kept) * f64::from(self.steps);
        first * (f64::from(self.rounds).exp2() - 1.0)
    }

    /// Returns the number of functions that each chain keeps.
    pub(super) fn per_chain(&self) -> usize {
        let usual = USUAL_SAMPLES.max(LEAST_PER_CHAIN * self.chains);
        let samples = if self.samples == 0 { usual } else { self.samples };
        samples.div_ceil(self.chains) as usize
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

    /// Of the defaults, on paper: 8 chains of 120 transitions and 125 functions, 64 steps each, and 1 + 2 + 4 times that.
    #[test]
    fn the_most_work_is_that_of_all_rounds() {
        let settings = Settings::default().for_draws(1000).unwrap();
        assert_eq!(settings.most_gradients(), f64::from(8 * (120 + 125) * 64 * 7));
    }

    #[test]
    fn as_many_functions_are_kept_as_there_are_draws() {
        let per_chain = |given: &[(&str, &str)], draws| {
            Settings::with(given.iter().copied()).unwrap().for_draws(draws).map(|settings| settings.per_chain())
        };
        assert_eq!(per_chain(&[], 250), Ok(125));
        assert_eq!(per_chain(&[], 10_000), Ok(1250));
        assert_eq!(per_chain(&[("chains", "1000")], 1000), Ok(4));
        assert_eq!(per_chain(&[("samples", "250")], 250), Ok(32));
        let refusal = per_chain(&[("samples", "250")], 251).unwrap_err();
        assert!(refusal.contains("ask for samples=251 or leave samples out"), "{refusal}");
        assert!(per_chain(&[], (1 << 18) + 1).unwrap_err().contains("ask for fewer draws"));
        assert_eq!(Settings::default().per_chain(), 125);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_remedy() {
        assert!(refusal(&[("size", "3")]).starts_with("there is no setting size; known: chains=8, "));
        assert_eq!(refusal(&[("thin", "0")]), "thin is 0, expected a whole number from 1 to 1000000");
        assert_eq!(refusal(&[("chains", "many")]), "chains is many, expected a whole number from 2 to 1000");
        assert!(refusal(&[("chains", "8"), ("samples", "20")]).contains("ask for more samples"));
    }
}
