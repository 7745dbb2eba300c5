//! What wasmtime makes of the world `classifier`.
#![allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all, clippy::pedantic, reason = "generated")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "classifier",
    ownership: Borrowing { duplicate_if_necessary: true },
});
