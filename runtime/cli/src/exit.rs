//! Exit codes, and how an error reaches a person.

use std::process::ExitCode;

use jointly_record::guess;

use crate::output;

/// Everything asked for was done.
pub(crate) const DONE: u8 = 0;
/// A defect of this command.
pub(crate) const INTERNAL: u8 = 1;
/// Wrong usage or bad input; nothing that was finished is lost.
pub(crate) const BAD_INPUT: u8 = 2;
/// Done, but some agent failed on some problem.
pub(crate) const SOME_FAILED: u8 = 3;
/// Interrupted from the keyboard, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Says in one line what is wrong with the input and gives the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
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
    std::process::exit(i32::from(code))
}

/// Prints what clap reports: help and versions as they are, a wrong usage in one line.
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
            // The first paragraph says what is wrong; usage and hints follow.
            let what = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            output::note(&format!(
                "jointly: {what}; {}",
                meant(error, command).unwrap_or_else(|| "see --help".to_owned())
            ));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// A guess of what was meant, if there is one: of a command by its name, of anything else by clap.
fn meant(error: &clap::Error, command: &clap::Command) -> Option<String> {
    use clap::error::ContextKind::{InvalidSubcommand, SuggestedArg, SuggestedValue};
    use clap::error::ContextValue;
    if let Some(ContextValue::String(name)) = error.get(InvalidSubcommand) {
        let near = guess::nearest(name, command.get_subcommands().map(clap::Command::get_name))?;
        return Some(format!("did you mean `{near}`?"));
    }
    let suggested = [SuggestedArg, SuggestedValue].into_iter().find_map(|kind| error.get(kind))?;
    let near = match suggested {
        ContextValue::String(near) => near,
        ContextValue::Strings(several) => several.first()?,
        _ => return None,
    };
    Some(format!("did you mean `{near}`?"))
}

/// A panic is a defect of this command: say so, and end at once rather than wait for other threads.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        output::note(&format!(
            "jointly: internal error: {panic}; finished units are kept, and this is worth reporting"
        ));
        std::process::exit(i32::from(INTERNAL));
    }));
}
