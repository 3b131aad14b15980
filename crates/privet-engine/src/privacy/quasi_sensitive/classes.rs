//! The two notions asked of classes whose cells are published as they are: what the terms of a class reveal is then decided by
//! who is in it, and nothing is removed.
//!
//! Both are closed under union. The sums of a union are the sums of its parts added up. The likeliest label's sum is at most
//! the sum of the parts' greatest; the l − 1 greatest together are at most the parts' greatest together, so what is left from
//! the l-th on is at least the parts' tails; and no label becomes impossible. The posterior of a union is a mixture of the
//! parts', and the distance to a fixed prior is convex.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use super::super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable};
use super::links::{Linked, Links};
use super::prior::{Prior, PriorCounter};
use super::{PriorKind, QsCloseness, QsDiversity};
use privet_core::{Error, Result};
use privet_data::terms_of;
use privet_policy::{SetPolicy, requirement};

/// What the cells of a quasi-sensitive column link to.
#[derive(Debug)]
pub struct CellLinks {
    labels: usize,
    /// Per cell.
    linked: Vec<Linked>,
    policy: SetPolicy,
}

impl CellLinks {
    /// Looks up all cells of a column.
    pub fn of(policy: &SetPolicy, cells: &[String]) -> CellLinks {
        let links = Links::of(policy);
        let linked = cells.iter().map(|cell| {
            let terms = terms_of(cell, policy.separator).into_iter();
            let terms = terms.filter_map(|term| links.relevant(policy.knowledge.term(term)));
            links.linked(&terms.collect::<Vec<u32>>())
        });
        CellLinks { labels: links.labels(), linked: linked.collect(), policy: policy.clone() }
    }
}

/// What is asked of a class.
#[derive(Debug)]
enum Demand {
    Diverse(QsDiversity),
    Close(QsCloseness, Prior),
}

/// A requirement about the terms of a class.
#[derive(Debug)]
struct OfClasses {
    links: Arc<CellLinks>,
    slots: std::ops::Range<u32>,
    name: String,
    demand: Demand,
}

/// Builds QS (c,l)-diversity for classes.
pub(in super::super) fn diversity(
    asked: &requirement::QsDiversity,
    table: &TrackedTable,
) -> Result<Box<dyn ClassTest>> {
    let demand = QsDiversity::of(asked);
    built(asked.column, table, |_, _| Ok(Demand::Diverse(demand)))
}

/// Builds QS t-closeness for classes.
pub(in super::super) fn closeness(
    asked: &requirement::QsCloseness,
    table: &TrackedTable,
) -> Result<Box<dyn ClassTest>> {
    let demand = QsCloseness::of(asked);
    built(asked.column, table, |links, totals| {
        let prior = match demand.prior {
            PriorKind::Microdata => {
                let mut counter = PriorCounter::new(links.labels);
                links.linked.iter().zip(totals).for_each(|(linked, count)| counter.add(linked, *count));
                counter.finish()
            }
            PriorKind::Uniform => Prior::uniform(links.labels),
            PriorKind::Weight => Prior::weighted(&links.policy.knowledge)
                .ok_or_else(|| Error::internal("a prior by weights that the knowledge file lacks"))?,
        };
        Ok(Demand::Close(demand, prior))
    })
}

fn built(
    column: usize,
    table: &TrackedTable,
    demand: impl FnOnce(&CellLinks, &[u64]) -> Result<Demand>,
) -> Result<Box<dyn ClassTest>> {
    let column = table.column(column)?;
    let links = column.links.clone().ok_or_else(|| Error::internal("a column of terms without links"))?;
    let demand = demand(&links, &column.totals)?;
    Ok(Box::new(OfClasses { links, slots: column.slots.clone(), name: column.name.clone(), demand }))
}

impl OfClasses {
    fn posterior(&self, class: &EquivalenceClass<'_>) -> Prior {
        let mut counter = PriorCounter::new(self.links.labels);
        class
            .counts
            .for_each(&self.slots, |cell, count| counter.add(&self.links.linked[cell as usize], count));
        counter.finish()
    }

    /// The greatest sum, the tail from the l-th on, and how many are positive.
    fn sums(posterior: &Prior, l: usize) -> (BigUint, BigUint, usize) {
        let mut sums: Vec<&BigUint> = posterior.numerators.iter().filter(|sum| !sum.is_zero()).collect();
        sums.sort_unstable_by(|a, b| b.cmp(a));
        let first = sums.first().map_or_else(BigUint::zero, |first| (*first).clone());
        (first, sums.iter().skip(l.saturating_sub(1)).copied().sum(), sums.len())
    }

    /// The squared distance as a fraction.
    fn squared_distance(prior: &Prior, posterior: &Prior) -> (BigUint, BigUint) {
        let squares = prior.numerators.iter().zip(&posterior.numerators).map(|(before, after)| {
            let apart =
                BigInt::from(before * &posterior.denominator) - BigInt::from(after * &prior.denominator);
            apart.magnitude() * apart.magnitude()
        });
        let whole = &prior.denominator * &posterior.denominator;
        (squares.sum(), &whole * &whole)
    }
}

impl ClassTest for OfClasses {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        if class.size == 0 {
            return true;
        }
        let posterior = self.posterior(class);
        match &self.demand {
            Demand::Diverse(demand) => {
                let (first, tail, positive) = OfClasses::sums(&posterior, demand.l);
                let diverse =
                    || first.clone() * demand.c.denominator() <= tail.clone() * demand.c.numerator();
                positive == 0 || positive >= demand.l && diverse()
            }
            Demand::Close(demand, prior) => {
                let (over, under) = OfClasses::squared_distance(prior, &posterior);
                let (numerator, denominator) = (demand.t.numerator(), demand.t.denominator());
                over * denominator * denominator <= under * numerator * numerator
            }
        }
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let posterior = self.posterior(class).to_f64();
        match &self.demand {
            Demand::Diverse(demand) => {
                let mut shares: Vec<f64> = posterior.into_iter().filter(|share| *share > 0.0).collect();
                shares.sort_by(|a, b| b.total_cmp(a));
                let tail: f64 = shares.iter().skip(demand.l.saturating_sub(1)).sum();
                let value = shares.first().map_or(0.0, |first| first / tail.max(f64::MIN_POSITIVE));
                Tightness { value, threshold: demand.c.to_f64(), at_most: true }
            }
            Demand::Close(demand, prior) => Tightness {
                value: super::distance(&prior.to_f64(), &posterior),
                threshold: demand.t.to_f64(),
                at_most: true,
            },
        }
    }

    fn why_impossible(&self, _: &EquivalenceClass<'_>, _: Counted) -> String {
        match &self.demand {
            Demand::Diverse(demand) => format!(
                "even all records together, the likeliest label of '{}' exceeds {} times the {}-th and all less likely ones",
                self.name, demand.c, demand.l
            ),
            Demand::Close(demand, _) => {
                format!(
                    "even all records together, the labels of '{}' are further than {} from the prior",
                    self.name, demand.t
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::{Counts, TrackedColumn};
    use super::super::verdict::Posterior;
    use super::*;
    use privet_core::Exact;
    use privet_core::testing::cases;
    use privet_data::Knowledge;
    use privet_policy::{Role, UnknownTerms};

    const CELLS: [&str; 6] = ["", "a", "b", "a|b", "c", "x"];

    fn policy() -> SetPolicy {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("knowledge.csv");
        std::fs::write(&path, "label,terms\nA,a|b\nB,b|c\nC,a\nD,c\n").expect("written");
        SetPolicy {
            separator: '|',
            knowledge: Arc::new(Knowledge::read(&path, '|').expect("read")),
            knowledge_path: path,
            unknown_terms: UnknownTerms::Strict,
        }
    }

    fn table(counts: &[u64]) -> TrackedTable {
        let cells: Vec<String> = CELLS.iter().map(ToString::to_string).collect();
        let column = TrackedColumn {
            index: 3,
            name: "terms".into(),
            role: Role::QuasiSensitive,
            links: Some(Arc::new(CellLinks::of(&policy(), &cells))),
            items: None,
            values: cells,
            numeric: false,
            taxonomy: None,
            separator: None,
            slots: 0..6,
            totals: counts.to_vec(),
            people: None,
        };
        TrackedTable {
            records: counts.iter().sum(),
            tracked: vec![column],
            population: None,
            weight_unit: None,
        }
    }

    proptest! {
        #![proptest_config(cases(300))]

        #[test]
        fn classes_are_judged_as_groups_are_and_unions_keep_it(
            a in prop::collection::vec(0u64..4, 6), b in prop::collection::vec(0u64..4, 6),
            rest in prop::collection::vec(0u64..4, 6), share in 1u64..8, l in 1u64..4, closeness in any::<bool>(),
        ) {
            let both: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            let whole: Vec<u64> = both.iter().zip(&rest).map(|(a, b)| a + b).collect();
            let (table, at) = (table(&whole), Exact::new(share, 4).expect("a share"));
            let links = table.tracked[0].links.clone().expect("links");
            let (diverse, close) = (requirement::QsDiversity { column: 3, c: at, l }, requirement::QsCloseness {
                column: 3, t: at, prior: PriorKind::Microdata,
            });
            let test = if closeness { super::closeness(&close, &table) } else { super::diversity(&diverse, &table) };
            let test = test.expect("built");
            let holds = |counts: &[u64]| {
                test.holds(&EquivalenceClass { size: counts.iter().sum(), counts: Counts::Dense(counts), standing: Default::default() })
            };
            let mut counter = PriorCounter::new(4);
            links.linked.iter().zip(&whole).for_each(|(linked, count)| counter.add(linked, *count));
            let prior = counter.finish();
            for class in [&a, &b, &both] {
                let records = links.linked.iter().zip(class.iter());
                let records = records.flat_map(|(linked, count)| (0..*count).map(move |_| (linked.bits.as_slice(), linked.size)));
                let posterior = Posterior::of(4, records);
                let expected = match closeness {
                    true => posterior.is_close(&QsCloseness::of(&close), &prior),
                    false => posterior.is_diverse(&QsDiversity::of(&diverse)),
                };
                if class.iter().sum::<u64>() > 0 {
                    prop_assert_eq!(holds(class), expected);
                }
            }
            if holds(&a) && holds(&b) {
                prop_assert!(holds(&both));
            }
        }
    }
}
