//! The worlds of the interface, as the sandbox uses them.

use wasmtime::component::{Instance, ResourceAny, TypedFunc};
use wasmtime::error::Context as _;
use wasmtime::{Engine, Store};

use crate::artifact;
use crate::bindings::exports::jointly::agent::{classification as wit, info};
use crate::bindings::jointly::agent::types;
use crate::bindings::{Classifier, ClassifierPre, regression};
use crate::meter::Meter;

/// A world of the interface.
pub(crate) trait World: Sized {
    /// The component, linked and ready to be instantiated.
    type Pre;

    fn engine(component: &Self::Pre) -> &Engine;

    fn instantiate(component: &Self::Pre, store: &mut Store<Meter>) -> wasmtime::Result<Self>;
}

type Settings = &'static [types::SettingParam<'static>];
type Failing<T> = (Result<T, types::Failure>,);

/// The functions of the interface `classification-parts`.
pub(crate) struct Parts {
    pub(crate) count: TypedFunc<(wit::Task<'static>, Settings), Failing<Option<u32>>>,
    pub(crate) train_part: TypedFunc<TrainPart, Failing<Vec<u8>>>,
    pub(crate) join: TypedFunc<Join, Failing<ResourceAny>>,
}

type TrainPart = (
    wit::Task<'static>,
    wit::Dataset<'static>,
    Option<wit::Dataset<'static>>,
    Option<wit::Inputs<'static>>,
    Settings,
    u64,
    u32,
);
type Join = (
    wit::Task<'static>,
    wit::Dataset<'static>,
    Option<wit::Dataset<'static>>,
    Option<wit::Inputs<'static>>,
    Settings,
    u64,
    &'static [Vec<u8>],
);

impl Parts {
    /// Finds the functions, if the component exports the interface.
    fn new(instance: &Instance, store: &mut Store<Meter>) -> wasmtime::Result<Option<Self>> {
        let Some(parts) = instance.get_export_index(&mut *store, None, &artifact::versioned(artifact::PARTS)) else {
            return Ok(None);
        };
        let mut find = |name| instance.get_export_index(&mut *store, Some(&parts), name).context(name);
        let [count, train_part, join] = [find("count")?, find("train-part")?, find("join")?];
        Ok(Some(Self {
            count: instance.get_typed_func(&mut *store, count)?,
            train_part: instance.get_typed_func(&mut *store, train_part)?,
            join: instance.get_typed_func(&mut *store, join)?,
        }))
    }
}

/// The world `classifier`, and the functions for training in parts if the component exports them.
pub(crate) struct Classification {
    world: Classifier,
    parts: Option<Parts>,
}

impl Classification {
    pub(crate) fn classification(&self) -> &wit::Guest {
        self.world.jointly_agent_classification()
    }

    pub(crate) fn jointly_agent_info(&self) -> &info::Guest {
        self.world.jointly_agent_info()
    }

    pub(crate) fn parts(&self) -> Option<&Parts> {
        self.parts.as_ref()
    }
}

impl World for Classification {
    type Pre = ClassifierPre<Meter>;

    fn engine(component: &Self::Pre) -> &Engine {
        component.engine()
    }

    fn instantiate(component: &Self::Pre, store: &mut Store<Meter>) -> wasmtime::Result<Self> {
        let instance = component.instance_pre().instantiate(&mut *store)?;
        let world = Classifier::new(&mut *store, &instance)?;
        Ok(Self { world, parts: Parts::new(&instance, store)? })
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
