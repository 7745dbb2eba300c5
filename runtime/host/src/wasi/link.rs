//! Links functions with fixed answers, and resources without state.

use wasmtime::component::{ComponentNamedList, Lift, LinkerInstance, Lower, Resource, ResourceType, Val};
use wasmtime::{AsContextMut, StoreContextMut};

use super::Fault;
use crate::charge::{CALL_FUEL, charge};
use crate::meter::Meter;

/// A host function's view of the store of the guest that calls it.
pub(super) type Caller<'a> = StoreContextMut<'a, Meter>;

/// Links a function that costs the fuel of a call.
pub(super) fn function<Params, Return>(
    instance: &mut LinkerInstance<'_, Meter>,
    name: &str,
    call: impl Fn(&mut Caller<'_>, Params) -> wasmtime::Result<Return> + Send + Sync + 'static,
) -> wasmtime::Result<()>
where
    Params: ComponentNamedList + Lift + 'static,
    Return: ComponentNamedList + Lower + 'static,
{
    instance.func_wrap(name, move |mut store: Caller<'_>, params: Params| {
        charge(&mut store, CALL_FUEL)?;
        call(&mut store, params)
    })
}

/// The additional fuel for each byte or element of an argument, because the host converts it to a value.
const GIVEN_FUEL: u64 = 8;

/// Links functions that always return the same answer. A guest may have imported them with another type than WASI's.
pub(super) fn answer(instance: &mut LinkerInstance<'_, Meter>, names: &[&str], answer: &Val) -> wasmtime::Result<()> {
    for name in names {
        let (answer, name) = (answer.clone(), (*name).to_owned());
        instance.func_new(&name.clone(), move |mut store, _, params, results| {
            charge(&mut store, CALL_FUEL)?;
            charge(&mut store, GIVEN_FUEL * params.iter().map(size).sum::<u64>())?;
            params.iter().try_for_each(|given| give_up(&mut store, given))?;
            let [result] = results else { return Err(Fault::Mistyped(name.clone()).into()) };
            *result = answer.clone();
            Ok(())
        })?;
    }
    Ok(())
}

/// Returns the size of a call's arguments: bytes of texts plus elements.
fn size(given: &Val) -> u64 {
    match given {
        Val::String(text) => text.len() as u64,
        Val::List(values) | Val::Tuple(values) => values.len() as u64 + values.iter().map(size).sum::<u64>(),
        Val::Record(fields) => fields.iter().map(|(_, value)| size(value)).sum(),
        Val::Variant(_, Some(value)) | Val::Option(Some(value)) | Val::Result(Ok(Some(value)) | Err(Some(value))) => {
            size(value)
        }
        _ => 1,
    }
}

/// Drops the handles among a call's arguments.
fn give_up(store: &mut Caller<'_>, given: &Val) -> wasmtime::Result<()> {
    match given {
        Val::Resource(resource) => resource.resource_drop(store.as_context_mut()),
        Val::Option(Some(given)) => give_up(store, given),
        _ => Ok(()),
    }
}

/// Makes the answer of a call that fails with a case of an enumeration.
pub(super) fn failed(code: &str) -> Val {
    Val::Result(Err(Some(Box::new(Val::Enum(code.to_owned())))))
}

/// Links a resource without state.
pub(super) fn resource<T: 'static>(instance: &mut LinkerInstance<'_, Meter>, name: &str) -> wasmtime::Result<()> {
    instance.resource(name, ResourceType::host::<T>(), |mut store, _| charge(&mut store, CALL_FUEL))
}

/// Links a resource that never exists, so that its methods cannot be called.
pub(super) fn absent<T: 'static>(
    instance: &mut LinkerInstance<'_, Meter>,
    name: &str,
    methods: &[&str],
) -> wasmtime::Result<()> {
    resource::<T>(instance, name)?;
    methods.iter().try_for_each(|method| uncallable(instance, &format!("[method]{name}.{method}")))
}

/// Links a function that takes a handle of a resource that never exists.
pub(super) fn uncallable(instance: &mut LinkerInstance<'_, Meter>, name: &str) -> wasmtime::Result<()> {
    let called = name.to_owned();
    instance.func_new(name, move |_, _, _, _| Err(Fault::Uncallable(called.clone()).into()))
}

/// Makes a new handle of a resource without state.
pub(super) fn handle<T: 'static>() -> Resource<T> {
    Resource::new_own(0)
}
