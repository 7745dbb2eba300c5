//! Bindings that wit-bindgen generates for the part of WASI that the guests use.
#![allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]

wit_bindgen::generate!({ path: "wit", world: "guest", generate_all });
