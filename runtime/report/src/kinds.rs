//! The page of each kind of task.

use jointly_classification::Classification;
use jointly_classification::shift::DatasetShift;
use jointly_core::TaskKind;
use jointly_decisions::Decisions;
use jointly_record::plan::Plan;
use jointly_regression::Regression;

use crate::classification::ClassificationPage;
use crate::decisions::DecisionPage;
use crate::kind_page::KindPage;
use crate::regression::RegressionPage;
use crate::shift::ShiftPage;

static PAGES: [(&str, &dyn KindPage); 4] = [
    (Classification::NAME, &ClassificationPage),
    (Regression::NAME, &RegressionPage),
    (DatasetShift::NAME, &ShiftPage),
    (Decisions::NAME, &DecisionPage),
];

/// Returns the part of the page that depends on the kind of a plan's task.
pub(crate) fn page_of(plan: &Plan) -> &'static dyn KindPage {
    let page = PAGES.iter().find(|(name, _)| *name == plan.kind().name);
    page.expect("every kind has a page").1
}

#[cfg(test)]
mod tests {
    use super::PAGES;

    #[test]
    fn every_kind_has_a_page() {
        let kinds = jointly_record::kinds::KINDS.map(|kind| kind.name);
        assert_eq!(PAGES.map(|(name, _)| name), kinds);
    }
}
