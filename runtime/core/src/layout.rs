//! Selects the scores that the two tables of a leaderboard show, and the one that ranks.

use crate::score_def::{At, ScoreName};

/// The columns of a leaderboard, for runs that have a certain score.
pub struct Layout {
    /// The layout applies to runs that have such a score, or, if None, to all runs.
    pub when: Option<Pick>,
    /// The score that ranks: the first of these that a run has.
    pub by: &'static [Pick],
    /// The columns of the first table.
    pub first: &'static [Pick],
    /// The columns of the second table.
    pub second: &'static [Pick],
}

/// A selection of scores with one stem.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// The score itself.
    Once(&'static str),
    /// The score at every tau and their aggregate.
    Joint(&'static str),
    /// The aggregate, or else the score at the largest tau: a joint score includes the marginal prediction of each
    /// input.
    Widest(&'static str),
    /// The score at tau 10, or else at the largest tau.
    Ten(&'static str),
    /// The score at the level of 90 percent, or else at the first level.
    Level(&'static str),
    /// The score after the first round.
    FirstRound(&'static str),
    /// The score after the last round.
    LastRound(&'static str),
    /// The score at every number of actions.
    Steps(&'static str),
    /// The score after the last action.
    LastStep(&'static str),
    /// The mean over all levels of dataset shift.
    Shifted(&'static str),
    /// The mean over all levels of dataset shift at tau 10, or else the largest tau.
    ShiftedTen(&'static str),
}

/// The tau of joint predictions under shift, and the level of intervals in percent, that a table shows.
const TAU: u32 = 10;
const LEVEL: u32 = 90;

impl Layout {
    /// Returns the first layout that applies to a run with scores of these names.
    pub fn of<'a>(layouts: &'a [Self], names: &[ScoreName]) -> Option<&'a Self> {
        layouts.iter().find(|layout| layout.when.is_none_or(|when| !when.names(names).is_empty()))
    }

    /// Returns the score that ranks, or `None` if the run has none of them.
    pub fn ranks(&self, names: &[ScoreName]) -> Option<ScoreName> {
        picked(self.by, names).first().copied()
    }

    /// Returns whether there are runs that a score of this name ranks.
    pub fn may_rank(&self, name: ScoreName) -> bool {
        self.by.iter().any(|pick| !pick.names(&[name]).is_empty())
    }

    /// Returns the columns of the first table.
    pub fn first(&self, names: &[ScoreName]) -> Vec<ScoreName> {
        picked(self.first, names)
    }

    /// Returns the columns of the second table.
    pub fn second(&self, names: &[ScoreName]) -> Vec<ScoreName> {
        picked(self.second, names)
    }
}

impl Pick {
    /// Returns the selected names, in order.
    fn names(self, names: &[ScoreName]) -> Vec<ScoreName> {
        let of = |stem: &'static str, shifted: bool, at: fn(At) -> bool| {
            let here = move |name: &ScoreName| name.stem() == stem && name.is_shifted() == shifted && at(name.at());
            names.iter().copied().filter(here).collect::<Vec<_>>()
        };
        let joint = |stem, shifted| of(stem, shifted, |at| matches!(at, At::Tau(_)));
        let ten = |stem, shifted| {
            let taus = joint(stem, shifted);
            let ten = taus.iter().copied().find(|name| name.at() == At::Tau(TAU));
            ten.or_else(|| taus.into_iter().max_by_key(|name| name.at())).into_iter().collect()
        };
        let rounds = |stem| of(stem, false, |at| matches!(at, At::Round(_)));
        let steps = |stem| of(stem, false, |at| matches!(at, At::Step(_)));
        let one = |name: Option<ScoreName>| name.into_iter().collect();
        match self {
            Self::Once(stem) => of(stem, false, |at| at == At::Once),
            Self::Shifted(stem) => of(stem, true, |at| at == At::Once),
            Self::Joint(stem) => of(stem, false, |at| matches!(at, At::Tau(_) | At::Aggregate)),
            Self::Widest(stem) => {
                let aggregate = of(stem, false, |at| at == At::Aggregate);
                one(aggregate.into_iter().chain(joint(stem, false)).max_by_key(|name| name.at()))
            }
            Self::Ten(stem) => ten(stem, false),
            Self::ShiftedTen(stem) => ten(stem, true),
            Self::Level(stem) => {
                let levels = of(stem, false, |at| matches!(at, At::Level(_)));
                let usual = levels.iter().copied().find(|name| name.at() == At::Level(LEVEL));
                one(usual.or_else(|| levels.first().copied()))
            }
            Self::FirstRound(stem) => one(rounds(stem).into_iter().min_by_key(|name| name.at())),
            Self::LastRound(stem) => one(rounds(stem).into_iter().max_by_key(|name| name.at())),
            Self::Steps(stem) => steps(stem),
            Self::LastStep(stem) => one(steps(stem).into_iter().max_by_key(|name| name.at())),
        }
    }
}

fn picked(picks: &[Pick], names: &[ScoreName]) -> Vec<ScoreName> {
    let mut all: Vec<ScoreName> = Vec::new();
    for name in picks.iter().flat_map(|pick| pick.names(names)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Partitioning;
    use crate::metric::Metric;
    use crate::score_def::{Better, Context, ScoreDef, Unit};
    use crate::scored::Scored;

    /// The result of a test: the places where each score is taken.
    type Places = Vec<(&'static str, At)>;

    const fn score(stem: &'static str, values: fn(&Places, &Context) -> Vec<(At, Scored)>) -> ScoreDef<Places> {
        ScoreDef::new(stem, Better::Lower, Unit::One, "", values)
    }

    fn of(stem: &str, places: &Places) -> Vec<(At, Scored)> {
        places.iter().filter(|(own, _)| *own == stem).map(|(_, at)| (*at, Scored::plain(0.0))).collect()
    }

    const DEFINITIONS: &[ScoreDef<Places>] =
        &[score("kl", |places, _| of("kl", places)), score("picp", |places, _| of("picp", places))];

    fn names(places: &[(&'static str, At)]) -> Vec<ScoreName> {
        let context =
            Context { metric: Metric::Kl, draws: 1, estimator: Partitioning::Planes, precision: None, fuel: None };
        ScoreDef::all(DEFINITIONS, &places.to_vec(), &context).into_iter().map(|(name, _)| name).collect()
    }

    fn text(pick: Pick, names: &[ScoreName]) -> String {
        pick.names(names).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn picks_are_by_place_and_not_by_text() {
        let all = names(&[
            ("kl", At::Tau(1)),
            ("kl", At::Tau(100)),
            ("kl", At::Tau(10)),
            ("kl", At::Round(0)),
            ("kl", At::Round(12)),
            ("picp", At::Level(50)),
            ("picp", At::Level(90)),
            ("picp", At::Step(100)),
            ("picp", At::Step(1000)),
        ]);
        assert_eq!(text(Pick::Joint("kl"), &all), "kl_tau1 kl_tau100 kl_tau10");
        assert_eq!(text(Pick::Widest("kl"), &all), "kl_tau100");
        assert_eq!(text(Pick::Ten("kl"), &all), "kl_tau10");
        assert_eq!(text(Pick::FirstRound("kl"), &all), "kl_round0");
        assert_eq!(text(Pick::LastRound("kl"), &all), "kl_round12");
        assert_eq!(text(Pick::Level("picp"), &all), "picp_90");
        assert_eq!(text(Pick::Level("picp"), &names(&[("picp", At::Level(50))])), "picp_50");
        assert_eq!(text(Pick::Steps("picp"), &all), "picp_step100 picp_step1000");
        assert_eq!(text(Pick::LastStep("picp"), &all), "picp_step1000");
        assert_eq!(text(Pick::Once("kl"), &all), "");
        let shifted: Vec<ScoreName> = all.iter().map(|name| name.shifted()).collect();
        assert_eq!(text(Pick::ShiftedTen("kl"), &shifted), "kl_tau10_shifted");
        assert_eq!(text(Pick::Ten("kl"), &shifted), "");
        let aggregated = names(&[("kl", At::Tau(100)), ("kl", At::Aggregate)]);
        assert_eq!(text(Pick::Widest("kl"), &aggregated), "kl_aggregate");
    }

    #[test]
    fn the_first_layout_that_holds_is_taken() {
        let layouts = [
            Layout { when: Some(Pick::LastRound("kl")), by: &[Pick::LastRound("kl")], first: &[], second: &[] },
            Layout {
                when: None,
                by: &[Pick::Once("crps"), Pick::Widest("kl")],
                first: &[Pick::Joint("kl")],
                second: &[],
            },
        ];
        let ranks =
            |names: &[ScoreName]| Layout::of(&layouts, names).unwrap().ranks(names).map(|name| name.to_string());
        assert_eq!(ranks(&names(&[("kl", At::Round(2)), ("kl", At::Tau(1))])).unwrap(), "kl_round2");
        assert_eq!(ranks(&names(&[("kl", At::Tau(1)), ("kl", At::Tau(5))])).unwrap(), "kl_tau5");
        assert_eq!(ranks(&names(&[("picp", At::Level(9))])), None);
    }
}
