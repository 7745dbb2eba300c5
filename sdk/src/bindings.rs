//! What wit-bindgen makes of the interface, in parts that an agent's module joins as it needs: the worlds of `wit/`
//! are `agent` with `classification` and with `regression`.
#![allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]

/// What every agent has: the host's functions and its own description.
pub mod agent {
    wit_bindgen::generate!({
        path: "../wit",
        inline: "
            package jointly:parts;
            world agent {
                import jointly:agent/host@0.3.0;
                export jointly:agent/info@0.3.0;
            }
        ",
        world: "jointly:parts/agent",
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_agent",
        default_bindings_module: "jointly_sdk::bindings::agent",
    });
}

pub mod classification {
    wit_bindgen::generate!({
        path: "../wit",
        inline: "
            package jointly:parts;
            world classification {
                export jointly:agent/classification@0.3.0;
            }
        ",
        world: "jointly:parts/classification",
        with: { "jointly:agent/types@0.3.0": crate::bindings::agent::jointly::agent::types },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_classification",
        default_bindings_module: "jointly_sdk::bindings::classification",
    });
}

pub mod regression {
    wit_bindgen::generate!({
        path: "../wit",
        inline: "
            package jointly:parts;
            world regression {
                export jointly:agent/regression@0.3.0;
            }
        ",
        world: "jointly:parts/regression",
        with: { "jointly:agent/types@0.3.0": crate::bindings::agent::jointly::agent::types },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_regression",
        default_bindings_module: "jointly_sdk::bindings::regression",
    });
}
