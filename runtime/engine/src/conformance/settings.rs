//! Checks that settings are typed: unknown ones are refused, and the stated defaults are true.

use jointly_host::Setting;

use crate::agent_source::early_refusal;

use super::subject::{SEED, Subject, points, sample};

pub(super) fn unknown(subject: &Subject) -> Result<(), String> {
    let mut settings = subject.settings.clone();
    settings.push(Setting { name: "no-such-setting".into(), value: "1".into() });
    match subject.agent.refusal(subject.interface, &settings, subject.limits) {
        Some(_) => Ok(()),
        None => Err("no-such-setting=1 is not refused; parse the settings first and answer invalid-setting".into()),
    }
}

/// Checks each sweep's variants as suggested, with no other setting given.
pub(super) fn suggestions(subject: &Subject) -> Result<(), String> {
    for sweep in subject.agent.description().sweeps_of(subject.interface) {
        for variant in &sweep.variants {
            if let Some(refusal) = early_refusal(subject.agent, subject.interface, variant, subject.limits) {
                let variant: Vec<String> =
                    variant.iter().map(|setting| format!("{}={}", setting.name, setting.value)).collect();
                return Err(format!("the sweep {} suggests {}, refused: {refusal}", sweep.name, variant.join(",")));
            }
        }
    }
    Ok(())
}

/// Checks that stating every default changes no bit.
pub(super) fn defaults(subject: &Subject) -> Result<(), String> {
    let mut settings = subject.settings.clone();
    for parameter in subject.agent.description().parameters_of(subject.interface) {
        if settings.iter().all(|setting| setting.name != parameter.name) {
            settings.push(Setting { name: parameter.name.clone(), value: parameter.default.clone() });
        }
    }
    let stated = subject.train(2, 20, SEED, &settings).map_err(|failure| failure.to_string())?;
    let inputs = points(10, 0);
    let (a, b) = (sample(&mut { stated }, &inputs, &[0, 1])?, sample(&mut subject.trained()?, &inputs, &[0, 1])?);
    subject.same(&a, &b, |at| format!("defaults stated and left out, number {at} of the answer"))
}
