//! The quadratic algorithm as published: every live bag is matched for every pick.

use super::*;
use privet_engine::matching::{Aim, Match, Matcher};

/// The clusters as numbers of bags, each with its hyper-vocabulary.
pub fn clusters(case: &SsgCase) -> Vec<(Vec<u32>, Vec<Vec<u32>>)> {
    let task = case.task();
    let uniform = case.own.penalty == Penalty::Uniform;
    let greedy = case.own.matching == Matching::Greedy;
    let mut order: Vec<u32> = (0..case.bags.len() as u32).collect();
    order.sort_by_key(|bag| case.bags.bag(*bag as usize).len());
    let user = |bag: u32| {
        if task.demand.distinct_users { case.bags.user(bag as usize).expect("a user") } else { bag }
    };
    let people = |bags: &[u32]| {
        let mut people: Vec<u32> = bags.iter().map(|bag| user(*bag)).collect();
        people.sort_unstable();
        people.dedup();
        people.len()
    };
    let mut matcher = Matcher::default();
    // With the weight of a bag of the hyper-vocabulary.
    let mut join = |hyper: &[Vec<u32>], heft: u64, bag: u32| {
        let terms = case.bags.bag(bag as usize);
        let unit = case.omega.map_or(1, Exact::denominator);
        let weight = |mine: usize, theirs: usize| {
            let far = hyper[mine].iter().map(|term| case.distances.of(*term, terms[theirs]));
            far.map(|far| far.filter(|far| *far <= case.epsilon).map(|far| u64::from(far) * unit))
                .sum::<Option<u64>>()
        };
        let aim = match case.omega {
            None => Aim::MostPairs,
            Some(omega) => Aim::Worth(omega.numerator() * (heft + 1)),
        };
        let Match { matched, weight } = match greedy {
            true => matcher.greedy(hyper.len(), terms.len(), aim, weight),
            false => matcher.exact(hyper.len(), terms.len(), aim, weight),
        };
        let suppressed = heft * (hyper.len() - matched) as u64 + (terms.len() - matched) as u64;
        let price = match case.omega {
            None => (suppressed, weight),
            Some(omega) => (weight + omega.numerator() * suppressed, 0),
        };
        let longer = |(mine, theirs): &(u32, u32)| {
            let mut bag = hyper[*mine as usize].clone();
            bag.push(terms[*theirs as usize]);
            bag
        };
        (price, matcher.pairs().iter().map(longer).collect::<Vec<_>>())
    };
    let k = task.demand.k as usize;
    let mut formed: Vec<(Vec<u32>, Vec<Vec<u32>>)> = Vec::new();
    while people(&order) >= k {
        let seed = order.remove(0);
        let mut members = vec![seed];
        let mut hyper: Vec<Vec<u32>> = case.bags.bag(seed as usize).iter().map(|term| vec![*term]).collect();
        while members.len() < k {
            let free = order.iter().enumerate();
            let free = free.filter(|(_, bag)| !members.iter().any(|member| user(*member) == user(**bag)));
            let heft = if uniform { 1 } else { members.len() as u64 };
            let best = free.map(|(at, bag)| (join(&hyper, heft, *bag).0, at)).min().expect("enough people");
            let bag = order.remove(best.1);
            hyper = join(&hyper, heft, bag).1;
            members.push(bag);
        }
        formed.push((members, hyper));
    }
    // Phase 2 counts occurrences whatever the penalty.
    for bag in order {
        let prices = formed.iter().map(|(members, hyper)| join(hyper, members.len() as u64, bag).0);
        let (_, at) = prices.zip(0..).min().expect("a cluster");
        let (members, hyper) = &mut formed[at];
        *hyper = join(hyper, members.len() as u64, bag).1;
        members.push(bag);
    }
    formed
}
