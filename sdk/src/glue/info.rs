//! Adapts an agent's description to the interface `info`.

use std::marker::PhantomData;

use crate::bindings::agent::exports::jointly::agent::info::Guest;
use crate::bindings::agent::jointly::agent::types as wit;
use crate::{Classifier, Description, InputClassifier, Kind, Regressor};

/// The description of an agent for one kind of task.
pub trait Describe {
    const KIND: Kind;

    fn description() -> Description;
}

/// The description of a [`Classifier`].
pub struct DescribeClassifier<T>(PhantomData<T>);

impl<T: Classifier> Describe for DescribeClassifier<T> {
    const KIND: Kind = Kind::Classification;

    fn description() -> Description {
        T::describe()
    }
}

/// The description of a [`Regressor`].
pub struct DescribeRegressor<T>(PhantomData<T>);

impl<T: Regressor> Describe for DescribeRegressor<T> {
    const KIND: Kind = Kind::Regression;

    fn description() -> Description {
        T::describe()
    }
}

/// The description of an [`InputClassifier`].
pub struct DescribeInputClassifier<T>(PhantomData<T>);

impl<T: InputClassifier> Describe for DescribeInputClassifier<T> {
    const KIND: Kind = Kind::Classification;

    fn description() -> Description {
        T::describe()
    }
}

/// The description of a module, joined over everything that it learns.
pub trait DescribeModule {
    fn description() -> Description;
}

impl<A: Describe> DescribeModule for (A,) {
    fn description() -> Description {
        A::description()
    }
}

impl<A: Describe, B: Describe> DescribeModule for (A, B) {
    fn description() -> Description {
        Description::joined(vec![(A::KIND, A::description()), (B::KIND, B::description())])
    }
}

/// Implements the interface's export for a description.
pub struct InfoGlue<T>(PhantomData<T>);

impl<T: DescribeModule> Guest for InfoGlue<T> {
    fn describe() -> wit::Description {
        super::report_panics();
        T::description().into()
    }
}
