//! An agent's description of itself.

use crate::Setting;

/// The description of an agent, which the leaderboard and `jointly agents` show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The name on the leaderboard.
    pub name: String,
    /// The agent's own version.
    pub version: String,
    /// A summary of one line for people to read.
    pub summary: String,
    /// Where the method was published; may be empty.
    pub citation: String,
    /// Whether the agent's predictions do not depend on the seed.
    pub deterministic: bool,
    /// Whether a classifier takes inputs that contain tokens: texts, and categories beside numbers.
    pub tokens: bool,
    /// Whether a classifier uses inputs without labels; see `train_with_unlabelled`.
    pub unlabelled: bool,
    /// Every setting that training accepts.
    pub parameters: Vec<Parameter>,
    /// Suggested variants for a sweep.
    pub sweeps: Vec<Sweep>,
}

impl Description {
    /// Creates the description of an agent that uses its seed and takes labelled numbers, without citation,
    /// parameters or sweeps; set the fields that differ.
    pub fn new(name: &str, version: &str, summary: &str) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            summary: summary.into(),
            citation: String::new(),
            deterministic: false,
            tokens: false,
            unlabelled: false,
            parameters: Vec::new(),
            sweeps: Vec::new(),
        }
    }

    /// Joins the descriptions of a module's learners: the first one's name, version, summary and citation, with the
    /// settings and sweeps of all. A setting or sweep that is not identical in all of them states the kind of task it
    /// applies to.
    pub(crate) fn joined(mut descriptions: Vec<(Kind, Self)>) -> Self {
        if descriptions.len() == 1 {
            return descriptions.remove(0).1;
        }
        let parameters = joined(&descriptions, |it| &it.parameters, |parameter| &mut parameter.kind);
        let sweeps = joined(&descriptions, |it| &it.sweeps, |sweep| &mut sweep.kind);
        let deterministic = descriptions.iter().all(|(_, it)| it.deterministic);
        let [tokens, unlabelled] =
            [|it: &Self| it.tokens, |it: &Self| it.unlabelled].map(|says| descriptions.iter().any(|(_, it)| says(it)));
        Self { deterministic, tokens, unlabelled, parameters, sweeps, ..descriptions.remove(0).1 }
    }
}

/// Returns the items that all descriptions share, unchanged, followed by each kind's other items, tagged with that
/// kind.
fn joined<T: Clone + PartialEq>(
    descriptions: &[(Kind, Description)],
    of: fn(&Description) -> &Vec<T>,
    kind: fn(&mut T) -> &mut Option<Kind>,
) -> Vec<T> {
    let everywhere = |known: &T| descriptions.iter().all(|(_, it)| of(it).contains(known));
    let Some((_, first)) = descriptions.first() else { return Vec::new() };
    let mut all: Vec<T> = of(first).iter().filter(|known| everywhere(known)).cloned().collect();
    for (own, description) in descriptions {
        for known in of(description).iter().filter(|known| !everywhere(known)) {
            let mut known = known.clone();
            *kind(&mut known) = Some(*own);
            all.push(known);
        }
    }
    all
}

/// The kind of task that an agent may learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To predict the class of an input.
    Classification,
    /// To predict a real number for each input.
    Regression,
}

/// A hyperparameter that the agent accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Lower-case words joined by hyphens.
    pub name: String,
    /// The value used when the setting is absent.
    pub default_value: String,
    /// A summary of one line for people to read.
    pub summary: String,
    /// The kind of task that it applies to; `None` means all that the agent learns.
    pub kind: Option<Kind>,
}

/// A named list of variants, each a full set of overrides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// A name for the common property of the variants.
    pub name: String,
    /// The settings of each variant.
    pub variants: Vec<Vec<Setting>>,
    /// The kind of task that the variants are for; `None` means all that the agent learns.
    pub kind: Option<Kind>,
}

/// Creates a sweep from literals: `sweep("size", [vec![("size", "1")], vec![("size", "10")]])`.
pub fn sweep<N, V>(name: &str, variants: impl IntoIterator<Item = Vec<(N, V)>>) -> Sweep
where
    N: Into<String>,
    V: Into<String>,
{
    let setting = |(name, value): (N, V)| Setting { name: name.into(), value: value.into() };
    Sweep {
        name: name.into(),
        variants: variants.into_iter().map(|variant| variant.into_iter().map(setting).collect()).collect(),
        kind: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Description, Kind, Parameter, sweep};

    fn described(parameters: &[(&str, &str)], size: &str) -> Description {
        let parameter = |&(name, default): &(&str, &str)| Parameter {
            name: name.into(),
            default_value: default.into(),
            summary: format!("the {name}"),
            kind: None,
        };
        Description {
            parameters: parameters.iter().map(parameter).collect(),
            sweeps: vec![sweep("size", [vec![("size", size)]])],
            ..Description::new("both", "1.0.0", "a test")
        }
    }

    #[test]
    fn an_agent_of_several_kinds_has_the_settings_of_all() {
        let classifier = described(&[("size", "10"), ("hidden", "50,50"), ("l2", "1")], "3");
        let regressor = described(&[("size", "10"), ("hidden", "50"), ("epochs", "400")], "7");
        let alone = Description::joined(vec![(Kind::Classification, classifier.clone())]);
        assert_eq!(alone, classifier);
        let both = Description::joined(vec![(Kind::Classification, classifier), (Kind::Regression, regressor)]);
        let known = |known: &Parameter| (known.name.clone() + "=" + &known.default_value, known.kind);
        let (classification, regression) = (Some(Kind::Classification), Some(Kind::Regression));
        let expected = [
            ("size=10", None),
            ("hidden=50,50", classification),
            ("l2=1", classification),
            ("hidden=50", regression),
            ("epochs=400", regression),
        ];
        let expected = expected.map(|(known, kind)| (known.to_owned(), kind));
        assert_eq!(both.parameters.iter().map(known).collect::<Vec<_>>(), expected);
        let sweeps: Vec<_> = both.sweeps.iter().map(|sweep| (sweep.name.as_str(), sweep.kind)).collect();
        assert_eq!(sweeps, [("size", classification), ("size", regression)]);
    }
}
