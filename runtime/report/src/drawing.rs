//! Drawings as scalable vector graphics: scales, axes, marks and labels. All texts are escaped as they are added.

mod boxes;
mod canvas;
pub(crate) mod labels;
mod lettering;
mod markup;
mod palette;
mod panel;
mod scale;

pub(crate) use boxes::Quartiles;
pub(crate) use canvas::{Anchor, Area, Canvas, Spot};
pub(crate) use lettering::{shortened, width};
pub(crate) use markup::Markup;
pub(crate) use palette::{Palette, Style};
pub(crate) use panel::{Axis, Panel, Point, Series};
pub(crate) use scale::{Scale, TICK_SIZE, Tick};
