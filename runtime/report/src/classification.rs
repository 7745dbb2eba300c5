//! The page of a run of classification.

use jointly_classification::{Classification, Evaluation};
use jointly_core::Partitioning;
use jointly_record::plan::Plan;
use jointly_score::leaderboard::Leaderboard;

use crate::choices::Choices;
use crate::figure::{Figure, cells, counted};
use crate::kind_page::KindPage;
use crate::view::View;
use crate::{bars, cost, growth, improvement, pair, reliability, transfer, tuning};

/// The page of a run of classification.
pub(crate) struct ClassificationPage;

impl KindPage for ClassificationPage {
    fn figures(&self, view: &View, choices: &Choices) -> Vec<Figure> {
        let mut figures: Vec<Figure> = bars::figure(view).into_iter().collect();
        figures.extend(tuning::figures(view, choices.parameter, choices.defaults));
        figures.extend(pair::figures(view, &choices.pair));
        figures.extend(growth::figures(view));
        figures.extend(cost::figure(view));
        figures.extend(improvement::figure(view));
        figures.extend(reliability::figure(view));
        if let Some(scores) = choices.real {
            let leaderboard = Leaderboard::new(scores);
            figures.extend(transfer::figures(view, &View::new(scores, &leaderboard, None)));
        }
        figures
    }

    fn facts(&self, plan: &Plan) -> Vec<Vec<String>> {
        plan.options::<Classification>().map(facts).unwrap_or_default()
    }

    fn undrawn(&self) -> &'static str {
        "they need two agents, or problems that differ in T"
    }
}

fn facts(evaluation: &Evaluation) -> Vec<Vec<String>> {
    let taus: Vec<String> = evaluation.taus.iter().map(ToString::to_string).collect();
    let mut facts = Vec::new();
    if !taus.is_empty() {
        facts.push(cells(["tau", &taus.join(", ")]));
        facts.push(cells(["test tau-samples N", &evaluation.samples.to_string()]));
    }
    facts.push(cells(["draws M", &evaluation.draws.to_string()]));
    facts.push(cells(["estimator", &estimator(evaluation)]));
    facts
}

/// Describes how joint likelihoods are estimated.
fn estimator(evaluation: &Evaluation) -> String {
    let Evaluation { partition, planes, clip, partition_above, .. } = *evaluation;
    let cells = match partition {
        Partitioning::Planes => format!("cells of {}", counted(planes as usize, "random hyperplane")),
        Partitioning::KMeans => format!("at most {} of the draws by k-means", counted(1 << planes, "cluster")),
        Partitioning::Jackknife => return "Monte Carlo, its bias corrected by the jackknife over draws".to_owned(),
    };
    let clip = if clip { "with clipped probits" } else { "without clipped probits" };
    format!("Monte Carlo up to tau {partition_above}, above it {cells}, {clip}")
}

#[cfg(test)]
mod tests {
    use super::estimator;
    use jointly_classification::Evaluation;
    use jointly_core::Partitioning;

    #[test]
    fn the_estimator_is_told_by_its_options() {
        let own = Evaluation { planes: 5, ..Evaluation::testbed() };
        assert_eq!(
            estimator(&own),
            "Monte Carlo up to tau 10, above it cells of 5 random hyperplanes, with clipped probits"
        );
        assert_eq!(
            estimator(&Evaluation { partition: Partitioning::Jackknife, ..own.clone() }),
            "Monte Carlo, its bias corrected by the jackknife over draws"
        );
        assert_eq!(
            estimator(&Evaluation { partition: Partitioning::KMeans, clip: false, ..own }),
            "Monte Carlo up to tau 10, above it at most 32 clusters of the draws by k-means, without clipped probits"
        );
    }
}
