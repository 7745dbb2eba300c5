//! Agents that have learned nothing from real data: their most likely class is right as often as a guess.

use jointly_classification::scores::ACCURACY;
use jointly_record::plan::PlannedProblem;
use jointly_record::quantity;

use crate::leaderboard::Leaderboard;
use crate::scores::AgentScores;

/// An accuracy up to this many times that of a guess counts as learning nothing.
const MARGIN: f64 = 1.2;
/// The fewest training examples from which an agent can be expected to learn, for each class.
const EXAMPLES: u32 = 3;
/// Bundled agents that do not look at training data.
const UNTAUGHT: [&str; 2] = ["uniform", "prior"];

impl Leaderboard<'_> {
    /// Notes the agents whose accuracy on a group of problems, at its largest number T of training examples, is hardly
    /// above that of a guess, 1 / K.
    ///
    /// Only problems on real data are considered, which have a number K of classes among their coordinates, and only with
    /// at least 3 K training examples, where T is known.
    pub(crate) fn at_chance(&self) -> Vec<String> {
        let mut notes: Vec<(Group, Vec<String>)> = Vec::new();
        for agent in self.agents().filter(|agent| !UNTAUGHT.contains(&agent.planned.agent.as_str())) {
            for (group, accuracy) in accuracies(agent) {
                if accuracy * f64::from(group.classes) > MARGIN {
                    continue;
                }
                let said = format!("{} {}", agent.planned.label, quantity::number(accuracy));
                match notes.iter_mut().find(|(known, _)| *known == group) {
                    Some((_, agents)) => agents.push(said),
                    None => notes.push((group, vec![said])),
                }
            }
        }
        notes.into_iter().map(|(group, agents)| group.note(&agents.join(", "))).collect()
    }
}

/// Problems on the same data with the same number of examples.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    name: String,
    classes: u32,
    train_size: Option<u32>,
}

impl Group {
    fn of(planned: &PlannedProblem) -> Option<Self> {
        let place = &planned.coordinates;
        let classes = place.classes?;
        let enough = place.train_size.is_none_or(|size| size >= EXAMPLES.saturating_mul(classes));
        let name = if place.cluster.is_empty() { &place.group } else { &place.cluster };
        enough.then(|| Self { name: name.clone(), classes, train_size: place.train_size })
    }

    fn note(&self, agents: &str) -> String {
        let Self { name, classes, train_size } = self;
        let after = train_size.map_or_else(String::new, |size| format!(" after {size} examples"));
        format!(
            "on {name} the accuracy{after} is hardly that of a guess, 1/{classes}: {agents}; comparisons with these agents say \
             little. Look at the data, and at settings that may not fit them, such as a penalty that is too strong"
        )
    }
}

/// Returns the mean accuracy of an agent on each dataset, over the problems with most training examples.
fn accuracies(agent: &AgentScores) -> Vec<(Group, f64)> {
    let mut groups: Vec<(Group, f64, u32)> = Vec::new();
    for (planned, accuracy) in agent.compared(ACCURACY) {
        let Some(group) = Group::of(planned) else { continue };
        match groups.iter_mut().find(|(known, ..)| known.name == group.name) {
            Some((known, sum, count)) if known.train_size == group.train_size => {
                *sum += accuracy;
                *count += 1;
            }
            Some(known) if known.0.train_size < group.train_size => *known = (group, accuracy, 1),
            Some(_) => {}
            None => groups.push((group, accuracy, 1)),
        }
    }
    groups.into_iter().map(|(group, sum, count)| (group, sum / f64::from(count))).collect()
}

#[cfg(test)]
mod tests {
    use jointly_record::invented::InventedRun;
    use jointly_record::unit::Outcome;

    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;

    const PROBLEMS: [&str; 3] =
        ["quick/real/iris/t1/seed0", "quick/real/iris/t100/seed0", "quick/real/iris/t100/seed1"];

    /// Returns the notes where each agent has these accuracies on the three problems.
    fn notes(agents: &[(&str, [f64; 3])]) -> Vec<String> {
        let losses: Vec<(&str, &[f64])> = agents.iter().map(|(agent, _)| (*agent, &[1.0; 3][..])).collect();
        let mut run = InventedRun::scored("quick/real", &PROBLEMS, &losses);
        for planned in &mut run.plan.problems {
            planned.coordinates.classes = Some(3);
        }
        for result in &mut run.results {
            let at = PROBLEMS.iter().position(|problem| *problem == result.problem).unwrap();
            let (_, accuracies) = agents.iter().find(|(agent, _)| *agent == result.agent).unwrap();
            if let Outcome::Scored { scores, .. } = &mut result.outcome {
                scores.accuracy.mean = accuracies[at];
            }
        }
        let scores = run.scores();
        Leaderboard::new(&scores).at_chance()
    }

    /// A third is a guess; .4 is the margin.
    #[test]
    fn agents_at_chance_after_most_examples_are_named() {
        let [low, high] = [[0.3, 0.3, 0.45], [0.3, 0.5, 0.36]];
        let said = notes(&[("mlp", low), ("ensemble", high), ("uniform", [0.3; 3])]);
        assert_eq!(said.len(), 1);
        let start = "on iris the accuracy after 100 examples is hardly that of a guess, 1/3: mlp 0.3750; comparisons";
        assert!(said[0].starts_with(start), "{said:?}");
        assert_eq!(notes(&[("mlp", [0.3, 0.5, 0.5])]), Vec::<String>::new());
    }
}
