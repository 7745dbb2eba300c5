//! The two functions of the host that an agent may call while it works.

/// Reports the fraction of the current call that is done, from 0 to 1. Does nothing outside the sandbox.
pub fn progress(fraction: f32) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::agent::jointly::agent::host::progress(fraction);
    #[cfg(not(target_arch = "wasm32"))]
    let _ = fraction;
}

/// Adds a line to the agent's log, whose size the host bounds. Does nothing outside the sandbox.
pub fn log(message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::agent::jointly::agent::host::log(message);
    #[cfg(not(target_arch = "wasm32"))]
    let _ = message;
}
