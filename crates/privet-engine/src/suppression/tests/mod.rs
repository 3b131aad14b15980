//! The search against trying everything, and against itself with less time.

mod properties;
pub(crate) mod reference;
mod speed;

use crate::privacy::quasi_sensitive::{Links, Prior, PriorCounter, PriorKind, QsCloseness, QsDiversity};
use crate::suppression::{Answer, Budget, Goal, Member, Order, Prices, Problem, TermRemovalSearch};
use privet_core::Exact;
use privet_core::clock::Clock;
use privet_data::Knowledge;

/// A group with public knowledge and what must hold, as plain values.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Per label its terms.
    pub labels: Vec<Vec<u8>>,
    /// Per record its terms, and how many terms it has that nobody knows.
    pub records: Vec<(Vec<u8>, u32)>,
    /// c as a fraction, and l.
    pub diversity: Option<((u64, u64), usize)>,
    /// t as a fraction, and whether the prior is the mean over the group itself and one record more.
    pub closeness: Option<((u64, u64), PriorKind)>,
    pub strict: bool,
}

/// Everything that a search borrows from.
pub(crate) struct Setting {
    pub knowledge: Knowledge,
    pub links: Links,
    pub goal: Goal,
    pub prices: Prices,
    pub members: Vec<Member>,
}

fn name(term: u8) -> String {
    format!("t{term:03}")
}

impl Case {
    pub fn setting(&self) -> Setting {
        let rows: Vec<(String, Vec<String>)> = (self.labels.iter().enumerate())
            .map(|(label, terms)| (format!("L{label}"), terms.iter().copied().map(name).collect()))
            .collect();
        let rows = rows.iter().map(|(label, terms)| (label.as_str(), &terms[..]));
        let knowledge = Knowledge::of(rows).expect("knowledge");
        let links = Links::new(&knowledge, self.strict);
        let member = |(terms, unknown): &(Vec<u8>, u32)| {
            let relevant = terms.iter().filter_map(|term| links.relevant(knowledge.term(&name(*term))));
            let ghosts = (0..*unknown).filter_map(|_| links.relevant(None));
            Member { terms: relevant.chain(ghosts).collect(), weight: terms.len() as u32 + unknown }
        };
        let members: Vec<Member> = self.records.iter().map(member).collect();
        let exact = |(over, under)| Exact::new(over, under).expect("a fraction");
        let diversity = self.diversity.map(|(c, l)| QsDiversity { c: exact(c), l });
        let closeness = self.closeness.map(|(t, kind)| {
            let prior = match kind {
                PriorKind::Microdata => {
                    // A table of which the group is the greater part.
                    let mut counter = PriorCounter::new(links.labels());
                    members.iter().for_each(|member| counter.add(&links.linked(&member.terms), 1));
                    counter.add(&links.linked(&[]), 1);
                    counter.finish()
                }
                _ => Prior::uniform(links.labels()),
            };
            (QsCloseness { t: exact(t), prior: kind }, prior)
        });
        let longest = members.iter().map(|member| member.weight).max().unwrap_or(0);
        Setting {
            knowledge,
            links,
            goal: Goal::new(diversity, closeness),
            prices: Prices::new(longest),
            members,
        }
    }
}

impl Setting {
    pub fn problem(&self) -> Problem<'_> {
        let members = self.members.clone();
        Problem { links: &self.links, goal: &self.goal, prices: &self.prices, members }
    }

    pub fn answer(&self, order: Order, tries: u64) -> Answer {
        let problem = self.problem();
        let mut search = TermRemovalSearch::new(&problem, order);
        search.run(Budget { tries, until: None, dive: None, clock: &Clock::unlimited() });
        search.answer()
    }
}
