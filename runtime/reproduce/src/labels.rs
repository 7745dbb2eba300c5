//! Labels of agents: a name and settings.

use jointly_core::setting::Setting;
use jointly_record::agent_spec::AgentSpec;
use jointly_record::settings::Settings;

/// The suffix of a key that stands for an agent's chosen variant on each problem, as in `mlp:*`.
const CHOSEN_VARIANT: &str = ":*";

/// Returns the key of an agent's chosen variants.
pub(crate) fn chosen_key(name: &str) -> String {
    format!("{name}{CHOSEN_VARIANT}")
}

/// Returns the name of the agent whose chosen variants a label is the key of, if it is one.
pub(crate) fn chosen_name(label: &str) -> Option<&str> {
    label.strip_suffix(CHOSEN_VARIANT)
}

/// Returns the name of an agent and its settings.
pub(crate) fn parts(agent: &str) -> (String, Settings) {
    agent
        .parse()
        .map_or_else(|_| (agent.to_owned(), Settings::default()), |spec: AgentSpec| (spec.agent, spec.settings))
}

/// Returns whether an agent is a bundled one, so that its label is known before it is loaded.
pub(crate) fn is_bundled(agent: &str) -> bool {
    agent.parse().is_ok_and(|spec: AgentSpec| spec.is_bundled())
}

/// Returns an agent with its settings in the order of their names, as labels have them.
pub(crate) fn in_order(agent: &str) -> String {
    let (name, settings) = parts(agent);
    settings.label(&name)
}

/// Returns whether a label is of the same agent and contradicts no setting that was given. A label names no setting that has
/// the agent's default.
pub(crate) fn is_variant(label: &str, given: &str) -> bool {
    let ((name, own), (asked, fixed)) = (parts(label), parts(given));
    let fits = |setting: &Setting| own.get(&setting.name).is_none_or(|value| value == setting.value);
    name == asked && fixed.to_list().iter().all(fits)
}

#[cfg(test)]
mod tests {
    use super::{in_order, is_variant};

    #[test]
    fn agents_are_compared_whatever_the_order_of_their_settings() {
        assert_eq!(in_order("mlp:network=lstm,epochs=10"), in_order("mlp:epochs=10,network=lstm"));
        assert_ne!(in_order("mlp:epochs=10"), in_order("mlp:epochs=100"));
        // A value may have commas.
        assert_eq!(in_order("mlp:network=lenet,filters=8,4"), "mlp:filters=8,4,network=lenet");
        assert!(!is_variant("mlp:filters=8,4", "mlp:filters=8,5"));
        assert!(is_variant("bbb:sigma-1=0.3,steps=2000", "bbb"));
        assert!(is_variant("bbb:sigma-1=0.3,steps=2000", "bbb:steps=2000"));
        assert!(is_variant("bbb:sigma-1=0.3", "bbb:steps=1000"), "the default");
        assert!(!is_variant("bbb:steps=1000", "bbb:steps=2000") && !is_variant("bb", "bbb"));
    }
}
