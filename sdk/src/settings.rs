//! Typed settings: a struct with its parameters, their defaults and a parser that refuses unknown settings.

use crate::{Failure, Parameter, Setting};

/// Declares an agent's settings. A field's comment is the parameter's summary; underscores in its name become
/// hyphens; its default is text that its type accepts.
///
/// The struct gains `parse(&[Setting]) -> Result<Self, Failure>`, which refuses a setting that is unknown, malformed
/// or given twice with a list of the known ones, and `parameters() -> Vec<Parameter>` for the agent's description.
///
/// ```
/// use jointly_sdk::{Count, Failure, Positive, Setting};
///
/// jointly_sdk::settings! {
///     /// Settings of an ensemble.
///     pub struct Settings {
///         /// Number of members.
///         size: Count = "10",
///         /// Step size of Adam.
///         learning_rate: Positive = "1e-3",
///     }
/// }
///
/// let setting = |name: &str, value: &str| Setting { name: name.into(), value: value.into() };
/// let settings = Settings::parse(&[setting("size", "3")]).unwrap();
/// assert_eq!((*settings.size, *settings.learning_rate), (3, 1e-3));
/// assert_eq!(
///     Settings::parse(&[setting("depth", "3")]).unwrap_err(),
///     Failure::InvalidSetting("there is no depth; known: size=10, learning-rate=1e-3".into())
/// );
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $summary:expr])+ $field:ident: $type:ty = $default:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $($(#[doc = $summary])+ pub $field: $type,)*
        }

        impl $name {
            /// Every parameter, with its default.
            $vis fn parameters() -> Vec<$crate::Parameter> {
                vec![$($crate::Parameter {
                    name: stringify!($field).replace('_', "-"),
                    default_value: $default.into(),
                    summary: [$($summary.trim()),+].join(" ").trim_end_matches('.').into(),
                    kind: None,
                },)*]
            }

            /// Parses the settings, with defaults for those that are absent.
            ///
            /// # Errors
            ///
            /// A setting that is unknown, malformed or given twice; the failure lists the known ones.
            $vis fn parse(settings: &[$crate::Setting]) -> Result<Self, $crate::Failure> {
                let parameters = Self::parameters();
                #[allow(unused_mut, unused_variables, reason = "an agent may have no settings")]
                let mut values = $crate::parse_settings(&parameters, settings)?.into_iter();
                Ok(Self {
                    $($field: {
                        let value = values.next().expect("a value for every parameter");
                        <$type as $crate::SettingValue>::parse_value(&value).ok_or_else(|| {
                            let name = stringify!($field).replace('_', "-");
                            let expected = <$type as $crate::SettingValue>::expected();
                            $crate::malformed_setting(&parameters, &name, &value, &expected)
                        })?
                    },)*
                })
            }
        }
    };
}

/// Returns the value of every parameter, in order: the setting's if it is given, else the default.
/// [`settings!`](crate::settings!) builds on it; call it directly only in an agent without settings.
///
/// # Errors
///
/// A setting that is unknown or given twice; the failure lists the known ones.
pub fn parse_settings(parameters: &[Parameter], settings: &[Setting]) -> Result<Vec<String>, Failure> {
    for (i, setting) in settings.iter().enumerate() {
        let name = &setting.name;
        if !parameters.iter().any(|parameter| parameter.name == *name) {
            let known = known(parameters);
            return Err(Failure::InvalidSetting(format!("there is no {name}; {known}")));
        }
        if settings[..i].iter().any(|earlier| earlier.name == *name) {
            let known = known(parameters);
            return Err(Failure::InvalidSetting(format!("{name} is given twice; {known}")));
        }
    }
    let value = |parameter: &Parameter| {
        let given = settings.iter().find(|setting| setting.name == parameter.name);
        given.map_or(&parameter.default_value, |setting| &setting.value).clone()
    };
    Ok(parameters.iter().map(value).collect())
}

/// Returns the failure of a setting whose value its type does not accept.
#[doc(hidden)]
pub fn malformed_setting(parameters: &[Parameter], name: &str, value: &str, expected: &str) -> Failure {
    let known = known(parameters);
    Failure::InvalidSetting(format!("{name}={value}: expected {expected}; {known}"))
}

fn known(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "this agent has no settings".into();
    }
    let known: Vec<String> =
        parameters.iter().map(|parameter| format!("{}={}", parameter.name, parameter.default_value)).collect();
    format!("known: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use crate::{Count, Failure, Setting, Widths};

    crate::settings! {
        struct Settings {
            /// Number of members.
            size: Count = "10",
            /// Widths of the
            /// hidden layers.
            hidden_layers: Widths = "50,50",
        }
    }

    crate::settings! {
        struct Bare {}
    }

    fn setting(name: &str, value: &str) -> Setting {
        Setting { name: name.into(), value: value.into() }
    }

    fn reason(settings: &[Setting]) -> String {
        match Settings::parse(settings).unwrap_err() {
            Failure::InvalidSetting(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn defaults_hold_where_nothing_is_said() {
        let settings = Settings::parse(&[setting("size", "3")]).unwrap();
        assert_eq!((*settings.size, &*settings.hidden_layers), (3, &[50, 50][..]));
    }

    #[test]
    fn refusals_name_the_setting_and_the_remedy() {
        assert_eq!(reason(&[setting("sise", "3")]), "there is no sise; known: size=10, hidden-layers=50,50");
        assert_eq!(
            reason(&[setting("size", "many")]),
            "size=many: expected a whole number of at least 1; known: size=10, hidden-layers=50,50"
        );
        assert_eq!(
            reason(&[setting("size", "3"), setting("size", "4")]),
            "size is given twice; known: size=10, hidden-layers=50,50"
        );
        assert!(matches!(
            Bare::parse(&[setting("size", "3")]),
            Err(Failure::InvalidSetting(reason)) if reason == "there is no size; this agent has no settings"
        ));
    }

    #[test]
    fn comments_are_the_summaries() {
        let parameters = Settings::parameters();
        assert_eq!(parameters[1].name, "hidden-layers");
        assert_eq!(parameters[1].summary, "Widths of the hidden layers");
        assert!(Bare::parameters().is_empty());
    }
}
