//! The worlds of the interface, as the sandbox uses them.

use wasmtime::{Engine, Store};

use crate::bindings::{Classifier, ClassifierPre, regression};
use crate::meter::Meter;

/// A world of the interface.
pub(crate) trait World: Sized {
    /// The component, linked and ready to be instantiated.
    type Pre;

    fn engine(component: &Self::Pre) -> &Engine;

    fn instantiate(component: &Self::Pre, store: &mut Store<Meter>) -> wasmtime::Result<Self>;
}

impl World for Classifier {
    type Pre = ClassifierPre<Meter>;

    fn engine(component: &Self::Pre) -> &Engine {
        component.engine()
    }

    fn instantiate(component: &Self::Pre, store: &mut Store<Meter>) -> wasmtime::Result<Self> {
        component.instantiate(store)
    }
}

impl World for regression::Regressor {
    type Pre = regression::RegressorPre<Meter>;

    fn engine(component: &Self::Pre) -> &Engine {
        component.engine()
    }

    fn instantiate(component: &Self::Pre, store: &mut Store<Meter>) -> wasmtime::Result<Self> {
        component.instantiate(store)
    }
}
