//! The user's overrides of a suite's evaluation and problems, as text and as options of `jointly run`.

use jointly_core::counted;
use jointly_core::kind::Override;

use crate::plan::{Plan, ProblemOverrides};
use crate::planned_images::PlannedImages;

impl Plan {
    /// Lists the overrides of the suite's evaluation and problems, for the heading of a table.
    pub fn overrides(&self) -> String {
        let predictor = self.predictor().map(|agent| format!(", predicted by {}", agent.label));
        self.all_overrides().into_iter().map(|own| format!(", {}", own.text)).chain(predictor).collect()
    }

    /// Returns the options of `jointly run` that turn the suite's evaluation and problems into the plan's.
    pub fn override_options(&self) -> Vec<String> {
        self.all_overrides().into_iter().map(|own| own.option).collect()
    }

    fn all_overrides(&self) -> Vec<Override> {
        let ProblemOverrides { anchors, initialization } = self.problem_overrides;
        let anchors =
            anchors.map(|anchors| (counted(anchors.get() as usize, "anchor"), format!("--anchors {anchors}")));
        let initialization = initialization.map(|own| {
            let name = own.name();
            (format!("{name} weights"), format!("--initialization {name}"))
        });
        let tables =
            self.tables.iter().map(|table| (format!("table {}", table.file), format!("--table {}", table.file)));
        let images = self.images.filter(|view| *view != PlannedImages::default()).map(|view| {
            let PlannedImages { side, grey } = view;
            (view.to_string(), format!("--side {side}{}", if grey { " --grey" } else { "" }))
        });
        let of_problems = anchors.into_iter().chain(initialization).chain(tables).chain(images);
        let of_problems = of_problems.map(|(text, option)| Override { text, option });
        self.terms.options().overrides(&self.suite).into_iter().chain(of_problems).collect()
    }
}
