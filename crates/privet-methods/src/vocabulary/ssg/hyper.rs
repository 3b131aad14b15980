//! Hyper-vocabularies: what the members of a cluster have in common, as bags with one term of each member.

use std::cmp::Ordering;

use super::settings::{Matching, Penalty};
use privet_data::Term;
use privet_engine::matching::counted;
use privet_engine::matching::counted::Edge;
use privet_engine::matching::{Aim, Match, Matcher, Weight};
use privet_taxonomy::words::{Distances, Neighbours};

/// Sides of a matching up to this size are matched occurrence by occurrence; larger ones term by term with counts.
pub(super) const SMALL: usize = 64;

/// Beyond this many edges between terms, the exact matching of large bags would take too long, and the lightest edges
/// are taken instead.
const MOST_EDGES: usize = 1 << 18;

/// The hyper-vocabulary of some members: bags with one term per member, in the order of the members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct HyperVocabulary {
    width: usize,
    /// Bag after bag.
    terms: Vec<Term>,
}

impl HyperVocabulary {
    /// The hyper-vocabulary of one member: each of its occurrences is a bag.
    pub(super) fn of(bag: &[Term]) -> HyperVocabulary {
        HyperVocabulary { width: 1, terms: bag.to_vec() }
    }

    /// The hyper-vocabulary of `width` equal members.
    pub(super) fn same(bag: &[Term], width: usize) -> HyperVocabulary {
        HyperVocabulary {
            width,
            terms: bag.iter().flat_map(|term| std::iter::repeat_n(*term, width)).collect(),
        }
    }

    /// The number of members.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The number of bags.
    pub(super) fn len(&self) -> usize {
        self.terms.len() / self.width.max(1)
    }

    pub(super) fn bag(&self, bag: usize) -> &[Term] {
        &self.terms[bag * self.width..(bag + 1) * self.width]
    }

    pub(super) fn bags(&self) -> impl Iterator<Item = &[Term]> {
        self.terms.chunks_exact(self.width.max(1))
    }

    /// The hyper-vocabulary of `width` members with these bags, each in the order of the members.
    pub(super) fn of_bags(width: usize, bags: impl Iterator<Item = Vec<Term>>) -> HyperVocabulary {
        HyperVocabulary { width, terms: bags.flatten().collect() }
    }

    /// Adds a member. Bags that are not matched with any of its terms are dropped, and so are its unmatched terms.
    pub(super) fn extend(&mut self, bag: &[Term], pairs: &[(u32, u32)]) {
        let mut terms = Vec::with_capacity(pairs.len() * (self.width + 1));
        for (mine, theirs) in pairs {
            terms.extend_from_slice(self.bag(*mine as usize));
            terms.push(bag[*theirs as usize]);
        }
        self.width += 1;
        self.terms = terms;
    }
}

/// The side that bags are matched with: the bags of a hyper-vocabulary, in either representation.
pub(super) trait Partner {
    /// The number of members and of bags.
    fn shape(&self) -> (usize, usize);

    /// The term of the first member in a bag.
    fn first(&self, bag: usize) -> Term;

    /// An order of the bags in which bags with equal contents are equal.
    fn compare(&self, one: usize, other: usize) -> Ordering;

    /// The distance of a term from a bag; `None` unless it is relevant to all terms of the bag.
    fn far(&self, tariff: &Tariff<'_>, bag: usize, term: Term) -> Option<Weight>;
}

impl Partner for HyperVocabulary {
    fn shape(&self) -> (usize, usize) {
        (self.width, self.len())
    }

    fn first(&self, bag: usize) -> Term {
        self.bag(bag)[0]
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        self.bag(one).cmp(self.bag(other))
    }

    #[inline]
    fn far(&self, tariff: &Tariff<'_>, bag: usize, term: Term) -> Option<Weight> {
        tariff.distance(self.bag(bag), term)
    }
}

/// The price of a bag joining a cluster, for comparison: fewer suppressed occurrences first and then less distance;
/// with a finite ω, distance plus ω for each of them.
pub(super) type JoinPrice = u128;

/// What determines prices: distances, their limit, and the cost of a suppressed occurrence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tariff<'a> {
    pub(super) distances: &'a Distances,
    /// The largest distance of two relevant terms.
    pub(super) epsilon: u32,
    /// All terms that near, if listed.
    pub(super) neighbours: Option<&'a Neighbours>,
    pub(super) has_tree: bool,
    /// The cost of a suppressed occurrence relative to distances, if it is finite: an integer number of the parts of a
    /// unit of distance that `unit` counts.
    pub(super) omega: Option<Weight>,
    pub(super) unit: Weight,
    pub(super) penalty: Penalty,
    pub(super) matching: Matching,
}

/// The number of bits for a weight in a price.
const WEIGHT_BITS: u32 = 48;

impl Tariff<'_> {
    /// The price of a match between a hyper-vocabulary of this width and number of bags and a bag of some size.
    pub(super) fn price(&self, (width, bags): (usize, usize), size: usize, found: Match) -> JoinPrice {
        let heft = match self.penalty {
            Penalty::Occurrence => width,
            Penalty::Uniform => 1,
        };
        let suppressed = heft * (bags - found.matched) + (size - found.matched);
        self.price_of(suppressed as u64, found.weight)
    }

    /// The price of this many suppressed occurrences.
    pub(super) fn price_of(&self, suppressed: u64, weight: Weight) -> JoinPrice {
        match self.omega {
            None => {
                JoinPrice::from(suppressed) << WEIGHT_BITS
                    | JoinPrice::from(weight.min((1 << WEIGHT_BITS) - 1))
            }
            Some(omega) => JoinPrice::from(suppressed) * JoinPrice::from(omega) + JoinPrice::from(weight),
        }
    }

    fn aim(&self, width: usize) -> Aim {
        match (self.omega, self.penalty) {
            (None, _) => Aim::MostPairs,
            (Some(omega), Penalty::Occurrence) => Aim::Worth(omega * (width as Weight + 1)),
            (Some(omega), Penalty::Uniform) => Aim::Worth(omega * 2),
        }
    }

    /// Whether a match with a hyper-vocabulary of this many bags bounds those with what it grows into.
    pub(super) fn is_monotone(&self, bags: usize, size: usize) -> bool {
        self.omega.is_none() && self.matching != Matching::Greedy && bags <= SMALL && size <= SMALL
    }

    /// The distance of two terms that are relevant to each other.
    #[inline]
    pub(super) fn between(&self, one: Term, other: Term) -> Option<u32> {
        match self.neighbours {
            // Sources without a tree may take long to search for a distance, but the neighbours are listed.
            Some(neighbours) if !self.has_tree => neighbours.between(one, other),
            _ => self.distances.within(one, other, self.epsilon),
        }
    }

    /// The distance of a term from a bag: the sum of its distances to all terms in it, in parts of units; `None` unless
    /// all are relevant.
    #[inline]
    pub(super) fn distance(&self, bag: &[Term], term: Term) -> Option<Weight> {
        let mut sum = 0;
        for other in bag {
            sum += Weight::from(self.between(*other, term)?);
        }
        Some(sum * self.unit)
    }

    /// Matches a hyper-vocabulary with a bag; the pairs are left in the matchmaker.
    pub(super) fn match_with(
        &self,
        hyper: &impl Partner,
        bag: &[Term],
        matchmaker: &mut Matchmaker,
    ) -> Match {
        let (width, bags) = hyper.shape();
        if bags > SMALL || bag.len() > SMALL {
            return self.match_counted(hyper, bag, matchmaker);
        }
        let far = |mine: usize, theirs: usize| hyper.far(self, mine, bag[theirs]);
        self.match_small((width, bags), bag.len(), far, matchmaker)
    }

    /// Matches small bags, given the distance of each term from each bag.
    pub(super) fn match_small(
        &self,
        (width, bags): (usize, usize),
        size: usize,
        far: impl Fn(usize, usize) -> Option<Weight>,
        matchmaker: &mut Matchmaker,
    ) -> Match {
        let matcher = &mut matchmaker.matcher;
        let found = match self.matching {
            Matching::Greedy => matcher.greedy(bags, size, self.aim(width), far),
            Matching::Exact | Matching::Auto => matcher.exact(bags, size, self.aim(width), far),
        };
        matchmaker.pairs.clear();
        matchmaker.pairs.extend_from_slice(matchmaker.matcher.pairs());
        found
    }

    /// Matches large bags: equal bags and equal terms are matched as one kind, and only relevant terms are examined.
    fn match_counted(&self, hyper: &impl Partner, bag: &[Term], matcher: &mut Matchmaker) -> Match {
        let (width, bags) = hyper.shape();
        let mut order: Vec<u32> = (0..bags as u32).collect();
        order.sort_by(|one, other| hyper.compare(*one as usize, *other as usize));
        let same = |one: &u32, other: &u32| hyper.compare(*one as usize, *other as usize).is_eq();
        let kinds: Vec<&[u32]> = order.chunk_by(same).collect();
        let runs: Vec<&[Term]> = bag.chunk_by(|one, other| one == other).collect();
        let mut edges: Vec<Edge> = Vec::new();
        for (kind, members) in (0u32..).zip(&kinds) {
            let first = members[0] as usize;
            let mut consider = |run: usize| {
                if let Some(weight) = hyper.far(self, first, runs[run][0]) {
                    edges.push((kind, run as u32, weight));
                }
            };
            match self.neighbours {
                None => (0..runs.len()).for_each(&mut consider),
                Some(neighbours) => {
                    let near = neighbours.near(hyper.first(first)).0.iter();
                    near.filter_map(|near| runs.binary_search_by_key(near, |run| run[0]).ok())
                        .for_each(&mut consider);
                }
            }
        }
        let left: Vec<u32> = kinds.iter().map(|kind| kind.len() as u32).collect();
        let right: Vec<u32> = runs.iter().map(|run| run.len() as u32).collect();
        let exact = self.matching == Matching::Exact && edges.len() <= MOST_EDGES;
        matcher.coarse += u64::from(self.matching == Matching::Exact && !exact);
        let solve = if exact { counted::exact } else { counted::greedy };
        let (found, flows) = solve(&left, &right, &edges, self.aim(width));
        let mut mine: Vec<_> = kinds.iter().map(|kind| kind.iter()).collect();
        let mut begin = 0;
        let mut theirs: Vec<u32> = Vec::with_capacity(runs.len());
        for run in &runs {
            theirs.push(begin);
            begin += run.len() as u32;
        }
        matcher.pairs.clear();
        for (one, other, flow) in flows {
            for member in mine[one as usize].by_ref().take(flow as usize) {
                matcher.pairs.push((*member, theirs[other as usize]));
                theirs[other as usize] += 1;
            }
        }
        matcher.pairs.sort_unstable();
        found
    }
}

/// Buffers for matchings, and the pairs of the last one.
#[derive(Debug, Default)]
pub(super) struct Matchmaker {
    matcher: Matcher,
    pairs: Vec<(u32, u32)>,
    /// The number of matchings that were too large to be exact although that was required.
    pub(super) coarse: u64,
}

impl Matchmaker {
    /// Pairs of a bag of the hyper-vocabulary and an occurrence, ascending.
    pub(super) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}
