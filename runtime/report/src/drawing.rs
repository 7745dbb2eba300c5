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

/// The style of a picture in a file of its own.
pub(crate) const STANDALONE: &str = "
svg { background: #fff; --paper: #fff; --ink: #16181d; --orange: #e69f00; --sky: #56b4e9; --green: #009e73; --blue: #0072b2;
  --red: #d55e00; --purple: #cc79a7; --grey: #8a9099; }
text { font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; fill: #16181d; }
.heading { font-size: 13px; font-weight: 600; }
.label { font-size: 12px; }
.tick { font-size: 11px; fill: #565c66; }
.title { font-size: 12px; fill: #565c66; }
.grid { stroke: #e3e5e9; stroke-width: 1; }
.axis, .leader { stroke: #565c66; stroke-width: 0.8; }
.marker { stroke-width: 1.6; }
.value { font-size: 12px; fill: #565c66; }
.baseline { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 5 3; }
.error { fill: none; stroke-width: 1.2; }
.halo { stroke: var(--paper); stroke-width: 4; stroke-opacity: 0.6; }
.published { fill: var(--paper); fill-opacity: 0.85; stroke: var(--ink); stroke-width: 1.4; }
.torn { fill: none; stroke: var(--paper); stroke-width: 3; }
";

/// Returns the agent of a label, without its settings.
pub(crate) fn agent(label: &str) -> &str {
    label.split(':').next().unwrap_or(label)
}
