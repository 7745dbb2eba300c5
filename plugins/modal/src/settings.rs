//! The settings that all these agents have, beside their own.

/// Declares an agent's settings: those of the network and its training, with the agent's own defaults for the latter, after the
/// agent's own. The struct gains what that of [`jointly_sdk::settings!`] has, and `design()`.
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident (batch_size: $batch:literal, learning_rate: $rate:literal) {
            $($own:tt)*
        }
    ) => {
        ::jointly_sdk::settings! {
            $(#[$meta])*
            $vis struct $name {
                $($own)*
                /// kind of network: mlp reads numbers or pixels, lenet an image, embedding words or categories beside numbers; auto
                /// is embedding where there are tokens, otherwise mlp
                network: $crate::Architecture = "auto",
                /// widths of the hidden dense layers; auto is 200,200, of lenet and of texts 128
                hidden: $crate::Auto<::jointly_sdk::Widths> = "auto",
                /// filters of each convolution of lenet, 3x3 pixels each; squares of 2x2 are pooled behind the last one
                filters: ::jointly_sdk::Widths = "32,64",
                /// numbers that stand for a word or a category; auto is 128 for words, 16 for categories
                embedding_width: $crate::Auto<::jointly_sdk::Count> = "auto",
                /// passes over the examples; auto is 20, of categories 1
                epochs: $crate::Auto<::jointly_sdk::Count> = "auto",
                /// examples in a batch
                batch_size: ::jointly_sdk::Count = $batch,
                /// step size of Adam
                learning_rate: ::jointly_sdk::Positive = $rate,
            }
        }

        impl $name {
            /// The network that is wanted, and how it is trained.
            $vis fn design(&self) -> $crate::Design {
                $crate::Design {
                    network: self.network,
                    hidden: self.hidden.0.as_ref().map(|widths| widths.to_vec()),
                    filters: self.filters.to_vec(),
                    embedding_width: self.embedding_width.0.map(|width| *width),
                    epochs: self.epochs.0.map(|epochs| *epochs),
                    batch_size: *self.batch_size,
                    learning_rate: *self.learning_rate,
                }
            }
        }
    };
}
