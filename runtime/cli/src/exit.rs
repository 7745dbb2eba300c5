//! Exit codes, and how errors are reported.

use std::process::ExitCode;

use jointly_native::StartError;
use jointly_record::guess;

use crate::output;
use crate::passed_on::PASSED_ON;

/// Everything requested was done.
pub(crate) const DONE: u8 = 0;
/// A defect of this command.
pub(crate) const INTERNAL: u8 = 1;
/// Wrong usage or bad input; nothing that was finished is lost.
pub(crate) const BAD_INPUT: u8 = 2;
/// Done, but some agent failed on some problem.
pub(crate) const SOME_FAILED: u8 = 3;
/// Ended by `--timeout`, with the code of the program `timeout`.
pub(crate) const STOPPED: u8 = 124;
/// Interrupted from the keyboard, with the code that shells use.
pub(crate) const INTERRUPTED: u8 = 130;

/// Prints one line about what is wrong with the input and returns the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let started = error.chain().find_map(|cause| cause.downcast_ref::<StartError>());
    output::quote(started.map(StartError::log).unwrap_or_default());
    output::note(&format!("jointly: {error:#}"));
    ExitCode::from(BAD_INPUT)
}

/// Reports an error and ends the process, whatever other threads are doing.
pub(crate) fn at_once(error: &anyhow::Error) -> ! {
    report(error);
    end(BAD_INPUT)
}

/// Ends the process with a code, whatever other threads are doing.
pub(crate) fn end(code: u8) -> ! {
    jointly_native::kill_all();
    std::process::exit(i32::from(code))
}

/// Prints what clap reports: help and version unchanged, a usage error in one line.
pub(crate) fn usage(error: &clap::Error, command: &clap::Command) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match error.kind() {
        DisplayHelp | DisplayVersion => {
            let _ = error.print();
            ExitCode::from(DONE)
        }
        DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(BAD_INPUT)
        }
        _ => {
            let text = error.to_string();
            // The first paragraph states the error; usage and hints follow.
            let what = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            output::note(&format!(
                "jointly: {what}; {}",
                meant(error, command).unwrap_or_else(|| "see --help".to_owned())
            ));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Guesses what was meant, if possible: commands by their names, options of `jointly run` that another command passes on
/// after `--`, and anything else by clap.
fn meant(error: &clap::Error, command: &clap::Command) -> Option<String> {
    use clap::error::ContextKind::{InvalidArg, InvalidSubcommand, SuggestedArg, SuggestedValue, Usage};
    use clap::error::ContextValue;
    if let Some(ContextValue::String(name)) = error.get(InvalidSubcommand) {
        let near = guess::nearest(name, command.get_subcommands().map(clap::Command::get_name))?;
        return Some(format!("did you mean `{near}`?"));
    }
    let passes_on = |own: &&clap::Command| own.get_positionals().any(clap::Arg::is_last_set);
    let passing = command.get_subcommands().filter(passes_on).any(|own| {
        let usage = format!("{} {} ", command.get_name(), own.get_name());
        error.get(Usage).is_some_and(|text| text.to_string().contains(&usage))
    });
    if let (true, Some(ContextValue::String(given))) = (passing, error.get(InvalidArg))
        && PASSED_ON.contains(&given.as_str())
    {
        return Some(format!("options of `jointly run` follow --, as in `-- {given}`"));
    }
    let suggested = [SuggestedArg, SuggestedValue].into_iter().find_map(|kind| error.get(kind))?;
    let near = match suggested {
        ContextValue::String(near) => near,
        ContextValue::Strings(several) => several.first()?,
        _ => return None,
    };
    Some(format!("did you mean `{near}`?"))
}

/// Reports a panic as a defect of this command, and ends at once instead of waiting for other threads.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        output::note(&format!(
            "jointly: internal error: {panic}; finished units are kept, and this is worth reporting"
        ));
        std::process::exit(i32::from(INTERNAL));
    }));
}
