//! Active learning: which points are queried, by which agent, and how much that improves the scores.

use super::*;
use crate::tests::oracle::Oracle;

fn named(acquisition: &str, set: u32) -> RegressionProblem {
    problem("correlations/active-synthetic", &format!("correlations/active-synthetic/d5/set{set}/{acquisition}"))
}

#[test]
fn all_acquisitions_begin_alike_and_query_points_once() {
    let options = RegressionOptions { rounds: 4, ..RegressionOptions::default() };
    let mut firsts = Vec::new();
    let mut lasts = Vec::new();
    for acquisition in ["batch-mig", "mig", "tig", "random"] {
        let mut agent = Linear::new(true);
        let result = run(&named(acquisition, 0), &mut agent, &options);
        let rounds = &result.scores.rounds;
        // 725 points in total: 25 to train on, 7 per round.
        let sizes: Vec<_> = rounds.iter().map(|round| (round.train, round.queried)).collect();
        assert_eq!(sizes, [(25, 0), (32, 7), (39, 7), (46, 7), (53, 7)]);
        assert_eq!(rounds[4].rmse, result.scores.scores.rmse);
        let last = agent.seen.last().unwrap();
        let mut rows: Vec<Vec<u32>> =
            (0..last.rows()).map(|row| last.inputs().row(row).iter().map(|x| x.to_bits()).collect()).collect();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), 53, "{acquisition}");
        firsts.push(rounds[0].clone());
        lasts.push(last.clone());
    }
    assert!(firsts.iter().all(|first| *first == firsts[0]));
    assert!((1..4).all(|i| (0..i).all(|j| lasts[i] != lasts[j])), "each chooses otherwise");
}

/// Figure 3: with the oracle selecting, BatchMIG learns faster than points at random.
#[test]
fn the_oracle_selects_better_than_chance() {
    let options = RegressionOptions { rounds: 4, ..RegressionOptions::default() };
    let nll = |acquisition: &str| {
        let last = |set| run(&named(acquisition, set), &mut Oracle, &options).scores.rounds.pop().unwrap();
        let rounds: Vec<Round> = (0..5).map(last).collect();
        for round in &rounds {
            // As an agent, the oracle sees targets in f32.
            assert!((round.nll.0 - round.oracle.unwrap().nll.0).abs() < 1e-4, "{round:?}");
        }
        rounds.iter().map(|round| round.nll.0).sum::<f64>() / 5.0
    };
    let (batch, random) = (nll("batch-mig"), nll("random"));
    eprintln!("oracle's negative log-likelihood after 4 rounds: {batch} by BatchMIG, {random} at random");
    assert!(batch < random - 0.02);
}

/// The oracle that selects by itself chooses as an agent that is the oracle, whoever predicts.
#[test]
fn the_oracle_selects_for_any_agent() {
    let options = RegressionOptions { rounds: 3, ..RegressionOptions::default() };
    let oracle_rounds = |result: RegressionResult| -> Vec<OracleRound> {
        result.scores.rounds.iter().map(|round| round.oracle.expect("an oracle")).collect()
    };
    let mut all = Vec::new();
    for acquisition in ["batch-mig", "mig", "tig"] {
        let name = format!("correlations/active-oracle/d5/set0/oracle-{acquisition}");
        let problem = problem("correlations/active-oracle", &name);
        let mut agent = Linear::new(true);
        let selected = oracle_rounds(run(&problem, &mut agent, &options));
        assert_eq!(selected, oracle_rounds(run(&named(acquisition, 0), &mut Oracle, &options)), "{acquisition}");
        // The agent learns from the oracle's points, and no agent is asked to select where another predicts.
        assert_eq!(
            agent.seen.iter().map(jointly_core::regression::Targets::rows).collect::<Vec<_>>(),
            [25, 32, 39, 46]
        );
        let (mut idle, mut predicting) = (Linear::new(true), Linear { noise: 1.0, ..Linear::new(true) });
        let result = problem.run(&mut idle, Some(&mut predicting), 0.into(), &options, &mut |_| ()).unwrap();
        assert_eq!((oracle_rounds(result), idle.seen.len()), (selected.clone(), 0));
        all.push(selected);
    }
    assert!(all[0] != all[1] && all[1] != all[2]);
}

#[test]
fn the_oracles_scores_of_each_round_are_scores_where_there_is_an_oracle() {
    use jointly_core::kind::TaskScores as _;
    let options = RegressionOptions { rounds: 2, ..RegressionOptions::default() };
    let unit = run(&named("mig", 0), &mut Linear::new(true), &options).scores;
    let context = jointly_core::Context {
        metric: jointly_core::Metric::Nll,
        draws: 100,
        estimator: jointly_core::Partitioning::Planes,
        precision: None,
        fuel: None,
    };
    let value = |name: &str| {
        let found = unit.values(&context).into_iter().find(|(own, _)| *own == name);
        found.unwrap_or_else(|| panic!("{name}")).1.value
    };
    for (round, scores) in unit.rounds.iter().enumerate() {
        let oracle = scores.oracle.unwrap();
        assert_eq!(value(&format!("oracle_nll_round{round}")), oracle.nll.0);
        assert_eq!(value(&format!("oracle_rmse_round{round}")), oracle.rmse.0);
    }
    let mut without = unit.clone();
    without.rounds.iter_mut().for_each(|round| round.oracle = None);
    assert!(without.values(&context).iter().all(|(name, _)| !name.to_string().starts_with("oracle")));
}

#[test]
fn a_predictor_learns_what_another_selects() {
    let options = RegressionOptions { rounds: 2, ..RegressionOptions::default() };
    let (mut selecting, mut predicting) = (Linear::new(true), Linear { noise: 1.0, ..Linear::new(true) });
    let mut both = |acquisition: &str| {
        let result = named(acquisition, 0).run(&mut selecting, Some(&mut predicting), 0.into(), &options, &mut |_| ());
        let seen = (selecting.seen.len(), predicting.seen.len());
        assert!(acquisition == "random" || selecting.seen == predicting.seen[..2]);
        selecting.seen.clear();
        predicting.seen.clear();
        (result.unwrap(), seen)
    };
    let (apart, seen) = both("mig");
    // After the last round no points are selected.
    assert_eq!(seen, (2, 3));
    assert_eq!(both("random").1, (0, 3), "chance needs no agent");
    let alone = run(&named("mig", 0), &mut Linear::new(true), &options);
    let trained = |result: &RegressionResult| result.scores.rounds.iter().map(|round| round.oracle).collect::<Vec<_>>();
    assert_eq!(trained(&apart), trained(&alone), "the selecting agent chose the same");
    assert_ne!(apart.scores.rounds[0].nll, alone.scores.rounds[0].nll);
    // An agent that selects and predicts is trained once per round, with the same result as two copies of it.
    let mut same = (Linear::new(true), Linear::new(true));
    let twice = named("mig", 0).run(&mut same.0, Some(&mut same.1), 0.into(), &options, &mut |_| ()).unwrap();
    assert_eq!(twice, alone);
}

#[test]
fn an_empty_pool_ends_it() {
    let options = RegressionOptions { pool: 10, rounds: 50, query_share: 0.02, ..RegressionOptions::default() };
    let result = run(&named("batch-mig", 0), &mut Linear::new(true), &options);
    // 235 points in total: 5 per round.
    let sizes: Vec<u64> = result.scores.rounds.iter().map(|round| round.train).collect();
    assert_eq!(sizes, [25, 30, 35]);
}
