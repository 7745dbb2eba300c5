//! The macro that turns a type into an agent.

/// Exports a type as this module's agent: `export!(classifier: MyAgent)` for a [`Classifier`](crate::Classifier),
/// `export!(regressor: MyAgent)` for a [`Regressor`](crate::Regressor) and `export!(input_classifier: MyAgent)` for
/// an [`InputClassifier`](crate::InputClassifier).
///
/// A module that classifies and regresses lists two: `export!(classifier: MyAgent, regressor: MyOtherAgent)`. Its
/// description has the first type's name, version and citation, and the settings of both.
///
/// The crate's type must be `cdylib`. The macro also stamps the module with the interface version in the custom
/// section `jointly-agent`, which the host reads before it instantiates anything.
#[macro_export]
macro_rules! export {
    (@describe classifier $agent:ty) => { $crate::glue::DescribeClassifier<$agent> };
    (@describe regressor $agent:ty) => { $crate::glue::DescribeRegressor<$agent> };
    (@describe input_classifier $agent:ty) => { $crate::glue::DescribeInputClassifier<$agent> };
    (@part classifier $agent:ty) => { $crate::export!(@classification $crate::glue::OfNumbers<$agent>); };
    (@part input_classifier $agent:ty) => { $crate::export!(@classification $crate::glue::OfInputs<$agent>); };
    (@classification $learner:ty) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Exported = $crate::glue::ClassificationGlue<$learner>;
            $crate::bindings::classification::export_classification!(
                Exported with_types_in $crate::bindings::classification
            );
        };
    };
    (@part regressor $agent:ty) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Exported = $crate::glue::RegressorGlue<$agent>;
            $crate::bindings::regression::export_regression!(
                Exported with_types_in $crate::bindings::regression
            );
        };
    };
    ($($kind:ident: $agent:ty),+ $(,)?) => {
        // On other targets the compiler still checks that the type implements its trait, and tests can run it
        // natively.
        #[cfg(not(target_arch = "wasm32"))]
        const _: fn() -> $crate::Description =
            <($($crate::export!(@describe $kind $agent),)+) as $crate::glue::DescribeModule>::description;

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Exported = $crate::glue::InfoGlue<($($crate::export!(@describe $kind $agent),)+)>;
            $crate::bindings::agent::export_agent!(Exported with_types_in $crate::bindings::agent);

            #[used]
            #[unsafe(link_section = "jointly-agent")]
            static INTERFACE: [u8; $crate::INTERFACE.len()] = *$crate::INTERFACE.as_bytes().first_chunk().unwrap();
        };
        $($crate::export!(@part $kind $agent);)+
    };
}
