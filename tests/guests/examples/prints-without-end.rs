//! Prints endlessly, with and without line ends.

use jointly_guests::card;
use jointly_guests::wasi::wasi::cli::stderr::get_stderr;
use jointly_guests::wasi::wasi::cli::stdout::get_stdout;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Fills its standard output.
pub struct PrintsWithoutEnd;

impl Classifier for PrintsWithoutEnd {
    fn describe() -> Description {
        card("prints-without-end", "prints without end")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let (out, err) = (get_stdout(), get_stderr());
        loop {
            out.blocking_write_and_flush(&b"line\n".repeat(1000)).expect("a log that takes it");
            err.blocking_write_and_flush(&[b'x'; 10_000]).expect("a log that takes it");
        }
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: PrintsWithoutEnd);
