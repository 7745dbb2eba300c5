//! Bindings that wasmtime generates for the worlds `classifier` and `regressor`, which share their types.
#![allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all, clippy::pedantic, reason = "generated")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "classifier",
    ownership: Borrowing { duplicate_if_necessary: true },
});

/// The world `regressor`.
pub mod regression {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "regressor",
        ownership: Borrowing { duplicate_if_necessary: true },
        with: {
            "jointly:agent/types": crate::bindings::jointly::agent::types,
        },
    });
}
