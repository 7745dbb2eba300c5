//! Settings that all agents for these inputs share.

/// Declares an agent's settings: its own, then those of the network and its training, with the agent's defaults for
/// plain numbers and for other inputs. The struct has the methods of one declared by [`jointly_sdk::settings!`], and
/// `design`.
#[macro_export]
macro_rules! input_settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident (hidden: $hidden:literal, batch_size: $batch:literal or $other_batch:literal) {
            $($own:tt)*
        }
    ) => {
        ::jointly_sdk::settings! {
            $(#[$meta])*
            $vis struct $name {
                $($own)*
                /// kind of network: mlp reads numbers or pixels, lenet and resnet20 an image, embedding words or
                /// categories beside numbers, lstm the words of a text in order; auto is embedding where there are tokens, otherwise mlp
                network: $crate::inputs::Architecture = "auto",
                #[doc = concat!("widths of the hidden dense layers; auto is ", $hidden, " for plain numbers, 128 for lenet and texts, 200,200 for")]
                /// other images and for categories; resnet20 and an lstm have none unless they are given
                hidden: $crate::inputs::Auto<::jointly_sdk::Widths> = "auto",
                /// filters of each convolution of lenet, 3x3 pixels each; the last one is followed by 2x2 max pooling
                filters: ::jointly_sdk::Widths = "32,64",
                /// numbers per embedding of a word or a category; auto is 128 for words, 16 for categories
                embedding_width: $crate::inputs::Auto<::jointly_sdk::Count> = "auto",
                /// units of an lstm
                units: ::jointly_sdk::Count = "32",
                /// steps of Adam; auto is 1000 for plain numbers; other inputs are trained for a number of epochs
                steps: $crate::inputs::Auto<::jointly_sdk::Count> = "auto",
                /// passes over the examples, instead of steps; auto is 20 for images and texts, 1 for categories; plain
                /// numbers are trained for a number of steps
                epochs: $crate::inputs::Auto<::jointly_sdk::Count> = "auto",
                #[doc = concat!("examples in a batch; auto is ", $batch, " for plain numbers, ", $other_batch, " for other inputs")]
                batch_size: $crate::inputs::Auto<::jointly_sdk::Count> = "auto",
            }
        }

        impl $name {
            /// Returns the network that is wanted for a task, and how it is trained.
            ///
            /// # Errors
            ///
            /// Fails if both steps and epochs are given.
            fn design(
                &self,
                task: &::jointly_sdk::Task,
                learning_rate: f32,
                penalty: $crate::Penalty,
            ) -> Result<$crate::inputs::Design, ::jointly_sdk::Failure> {
                let sort = $crate::inputs::Sort::of(task);
                let hidden = || {
                    let hidden = <::jointly_sdk::Widths as ::jointly_sdk::SettingValue>::parse_value($hidden);
                    hidden.filter(|_| sort == $crate::inputs::Sort::Numbers)
                };
                let given = |count: &$crate::inputs::Auto<::jointly_sdk::Count>| count.0.as_deref().copied();
                Ok($crate::inputs::Design {
                    network: self.network,
                    hidden: self.hidden.0.clone().or_else(hidden).map(|widths| widths.to_vec()),
                    filters: self.filters.to_vec(),
                    embedding_width: given(&self.embedding_width),
                    units: *self.units,
                    length: $crate::inputs::Length::new(given(&self.steps), given(&self.epochs), sort)?,
                    batch_size: self.batch_size.or(sort.choose($batch, $other_batch)),
                    learning_rate,
                    penalty,
                })
            }
        }
    };
}
