//! A trained model behind a connection, which goes back to the pool when the model is dropped.

use std::sync::Arc;
use std::time::Duration;

use jointly_core::Trace;
use jointly_core::failure::{Failure, Phase};
use jointly_core::setting::Setting;
use serde_json::{Map, Value, json};

use crate::array::Array;
use crate::fault::Fault;
use crate::pool::Pool;
use crate::session::{Reply, Session};

/// How long an agent may take to drop a model.
const DROPPING: Duration = Duration::from_secs(10);

/// A trained model and its connection.
pub(crate) struct Trained {
    pool: Arc<Pool>,
    /// None after the connection has failed.
    session: Option<Session>,
    trace: Trace,
    timeout: Duration,
}

impl Trained {
    /// Trains on an idle connection or a new one.
    pub(crate) fn train(
        pool: &Arc<Pool>,
        request: &Value,
        arrays: &[Array],
        trace: &Trace,
        timeout: Duration,
    ) -> Result<Self, Failure> {
        let session = pool.take(trace, timeout)?;
        let mut trained = Self { pool: pool.clone(), session: Some(session), trace: trace.clone(), timeout };
        trained.ask(Phase::Train, request, arrays, |_, reply| match (reply.trained, reply.arrays.is_empty()) {
            (true, true) => Ok(()),
            _ => Err(Fault::Invalid("answers `train` with something other than {\"trained\": true}".into())),
        })?;
        Ok(trained)
    }

    /// Sends a request and reads its reply. A connection is closed unless the agent itself reports a failure: what
    /// else comes over it cannot be trusted to belong to the next request.
    pub(crate) fn ask<T>(
        &mut self,
        phase: Phase,
        request: &Value,
        arrays: &[Array],
        read: impl FnOnce(&mut Session, &Reply) -> Result<T, Fault>,
    ) -> Result<T, Failure> {
        let timeout = self.timeout;
        let Some(session) = self.session.as_mut() else {
            return Err(
                Fault::Ended("the connection was closed after a failure".into()).into_failure(phase, &self.trace)
            );
        };
        let answer = session.ask(request, arrays, timeout).and_then(|reply| read(session, &reply));
        answer.map_err(|fault| {
            let failed = self.session.take_if(|_| !matches!(fault, Fault::Said(_)));
            if let Some(session) = failed {
                session.abandon();
            }
            fault.into_failure(phase, &self.trace)
        })
    }

    pub(crate) fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let arrays = [Array::new("draws", &[draws.len()], draws)];
        self.ask(Phase::Sample, &json!({ "method": "canonical_draws" }), &arrays, |session, reply| {
            session.only(reply, "draws", &[draws.len()])
        })
    }
}

impl Drop for Trained {
    fn drop(&mut self) {
        if let Some(mut session) = self.session.take()
            && let Ok(reply) = session.ask(&json!({ "method": "drop" }), &[], DROPPING)
            && reply.dropped
            && reply.arrays.is_empty()
        {
            self.pool.keep(session);
        }
    }
}

/// Returns settings as they stand in a request.
pub(crate) fn settings_of(settings: &[Setting]) -> Map<String, Value> {
    settings.iter().map(|setting| (setting.name.clone(), Value::from(setting.value.as_str()))).collect()
}

/// Returns the number that reads as the shortest decimal of an `f32`: 0.1 and not 0.10000000149011612.
pub(crate) fn short(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(value.into())
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!([0.1, 0.01, 1e-30, 3.0].map(short), [0.1, 0.01, 1e-30, 3.0]);
        assert!(short(f32::INFINITY).is_infinite());
    }
}
