//! Records before and after, whatever is published of them.

use privet_data::Bags;
use privet_engine::baskets::Baskets;
use privet_engine::microdata::Microdata;
use privet_methods::Solution;
use privet_methods::codip::ProjectionDecision;
use privet_methods::injector::GroupingDecision;
use privet_methods::kl::ItemSolution;
use privet_methods::vocabulary::VocabularyDecision;
use privet_policy::layout::GROUP_COLUMN;

use super::account::rows::{self, SUPPRESSED};

/// Some distinct records before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeforeAfter {
    /// The columns that the decision is about.
    pub columns: Vec<String>,
    /// How many distinct records there are to choose from.
    pub matching: u64,
    /// How many people or rows a record stands for, and its cells as they were read and as they are published.
    pub rows: Vec<(u64, Vec<(String, String)>)>,
}

/// A record with what becomes of it.
type Row = (u64, Vec<(String, String)>);

/// A group with its number.
type Numbered<'a> = (u64, &'a Vec<u32>);

/// What is wanted: records with a cell that has a text in it, from which one on, and how many.
pub(super) struct Wanted<'a> {
    pub text: &'a str,
    pub skip: usize,
    pub most: usize,
}

impl Wanted<'_> {
    /// Gathers them; `is_wanted` asks a record for its cells as they were read.
    fn gather(
        &self,
        columns: Vec<String>,
        records: usize,
        is_wanted: impl Fn(usize, &mut dyn FnMut(&str) -> bool) -> bool,
        row: impl Fn(usize) -> Option<Row>,
    ) -> BeforeAfter {
        let mut found = BeforeAfter { columns, matching: 0, rows: Vec::new() };
        let text = self.text.trim().to_lowercase();
        for record in 0..records {
            if !text.is_empty() && !is_wanted(record, &mut |cell| cell.to_lowercase().contains(&text)) {
                continue;
            }
            found.matching += 1;
            if found.matching as usize > self.skip && found.rows.len() < self.most {
                found.rows.extend(row(record));
            }
        }
        found
    }

    pub fn of_table(&self, microdata: &Microdata, solution: &Solution) -> BeforeAfter {
        self.gather(
            rows::columns(microdata),
            microdata.summary.len(),
            |record, has| rows::cells(microdata, record).any(has),
            |record| Some((microdata.summary.count(record), rows::row(microdata, solution, record)?)),
        )
    }

    /// Groups: what identifies stays as it is, and a secret may be any of its group's.
    pub fn of_groups(&self, microdata: &Microdata, decision: &GroupingDecision, column: &str) -> BeforeAfter {
        let (values, grouping) = (&decision.observations.values, &decision.grouping);
        let value = |record: u32| values[decision.observations.value(record as usize) as usize].as_str();
        let grouped = (1u64..).zip(&grouping.groups).flat_map(|(number, group)| {
            let mut members = group.clone();
            members.sort_unstable();
            members.dedup();
            members.into_iter().map(move |record| (record, Some((number, group))))
        });
        let all: Vec<(u32, Option<Numbered<'_>>)> =
            grouped.chain(grouping.suppressed.iter().map(|record| (*record, None))).collect();
        let names = microdata.quasi.iter().map(|quasi| quasi.name.as_str());
        let columns = names.chain([column, GROUP_COLUMN]).map(String::from).collect();
        let row = |at: usize| {
            let (record, group) = all[at];
            let own = rows::cells(microdata, record as usize);
            let shown = |text: &str| group.map_or(SUPPRESSED, |_| text).to_string();
            let mut cells: Vec<(String, String)> = own.map(|cell| (cell.to_string(), shown(cell))).collect();
            let mut possible: Vec<&str> =
                group.iter().flat_map(|(_, group)| group.iter().map(|record| value(*record))).collect();
            possible.sort_unstable();
            possible.dedup();
            cells.push((value(record).to_string(), shown(&possible.join(" or "))));
            cells.push((
                String::new(),
                group.map_or(SUPPRESSED.to_string(), |(number, _)| number.to_string()),
            ));
            let copies = group.map_or(microdata.summary.count(record as usize), |(_, group)| {
                group.iter().filter(|other| **other == record).count() as u64
            });
            Some((copies, cells))
        };
        let is_wanted = |at: usize, has: &mut dyn FnMut(&str) -> bool| {
            rows::cells(microdata, all[at].0 as usize).chain([value(all[at].0)]).any(has)
        };
        self.gather(columns, all.len(), is_wanted, row)
    }

    /// Several tables: what a record's columns are in each of them, where they differ.
    pub fn of_projections(&self, microdata: &Microdata, decision: &ProjectionDecision) -> BeforeAfter {
        let names = microdata.quasi.iter().map(|quasi| quasi.name.clone());
        let tracked = microdata.table.tracked.iter().map(|column| column.name.clone());
        let row = |record: usize| {
            let count = microdata.summary.count(record);
            let class_in = |at: usize| {
                let recoding = &decision.projections[at].recoding;
                recoding.destinations(record, count).next().map(|(class, _)| recoding.cells(class as usize))
            };
            let classes: Vec<Option<&[u32]>> = (0..decision.projections.len()).map(class_in).collect();
            let quasi = rows::cells(microdata, record).enumerate().map(|(at, before)| {
                let mut labels: Vec<&str> = Vec::new();
                for (table, class) in decision.projections.iter().zip(&classes) {
                    let label = class.map_or(SUPPRESSED, |cells| {
                        table.recoding.columns[at].cells[cells[at] as usize].label.as_str()
                    });
                    if !labels.contains(&label) {
                        labels.push(label);
                    }
                }
                (before.to_string(), labels.join(" | "))
            });
            let mut cells: Vec<(String, String)> = quasi.collect();
            for (position, column) in microdata.table.tracked.iter().enumerate() {
                let before = column.values.get(microdata.tracked_code(record, position) as usize)?;
                let is_here = |table: &privet_methods::codip::ProjectedTable| {
                    table.attributes.iter().any(|at| decision.attributes[*at].tracked == position)
                };
                let table = decision.projections.iter().position(is_here);
                let after = match table {
                    Some(at) if classes[at].is_some() => before.as_str(),
                    _ => SUPPRESSED,
                };
                cells.push((before.clone(), after.to_string()));
            }
            Some((count, cells))
        };
        self.gather(
            names.chain(tracked).collect(),
            microdata.summary.len(),
            |record, has| rows::cells(microdata, record).any(has),
            row,
        )
    }

    /// Sets of items, a line each way that copies of one are published.
    pub fn of_transactions(&self, baskets: &Baskets, solution: &ItemSolution) -> BeforeAfter {
        let own = |basket: usize| {
            let items = baskets.items(basket).iter().map(|item| baskets.tree.label(*item));
            items.chain(baskets.marks(basket).iter().map(|mark| baskets.sensitive[*mark as usize].as_str()))
        };
        let listed = |mut labels: Vec<&str>| {
            labels.sort_unstable();
            labels.join(", ")
        };
        let row = |basket: usize| {
            let ways = solution.recoding.shown(baskets, basket);
            let published: u64 = ways.iter().map(|way| way.count).sum();
            let mut after: Vec<String> = (ways.iter())
                .map(|way| {
                    let nodes = way.nodes.iter().map(|node| baskets.tree.label(*node));
                    let marks = way.marks.iter().map(|mark| baskets.sensitive[*mark as usize].as_str());
                    listed(nodes.chain(marks).collect())
                })
                .collect();
            after.sort_unstable();
            after.dedup();
            if published < baskets.count(basket) {
                after.push(SUPPRESSED.to_string());
            }
            Some((baskets.count(basket), vec![(listed(own(basket).collect()), after.join(" | "))]))
        };
        let is_wanted = |basket: usize, has: &mut dyn FnMut(&str) -> bool| own(basket).any(has);
        self.gather(vec!["items".to_string()], baskets.len(), is_wanted, row)
    }

    /// Bags of words.
    pub fn of_vocabularies(&self, decided: &VocabularyDecision) -> BeforeAfter {
        let VocabularyDecision { bags, distances, solution, .. } = decided;
        let mut cluster_of = vec![None; bags.len()];
        for cluster in &solution.clusters {
            cluster.members.iter().for_each(|bag| cluster_of[*bag as usize] = Some(cluster));
        }
        let row = |bag: usize| {
            let before = with_counts(words(bags, bag).map(String::from).collect());
            let after = cluster_of[bag].map_or(SUPPRESSED.to_string(), |cluster| {
                with_counts(cluster.shown.iter().map(|shown| shown.print.label(bags, distances)).collect())
            });
            Some((1, vec![(before, after)]))
        };
        let is_wanted = |bag: usize, has: &mut dyn FnMut(&str) -> bool| words(bags, bag).any(has);
        self.gather(vec!["words".to_string()], bags.len(), is_wanted, row)
    }
}

/// The words of a bag, each as often as it occurs.
fn words(bags: &Bags, bag: usize) -> impl Iterator<Item = &str> {
    bags.bag(bag).iter().map(|term| bags.terms()[*term as usize].as_str())
}

/// Words in the order of their letters, those that are there more than once with how often.
fn with_counts(mut words: Vec<String>) -> String {
    words.sort_unstable();
    let parts = words.chunk_by(|one, other| one == other).map(|same| match same.len() {
        1 => same[0].clone(),
        times => format!("{} ×{times}", same[0]),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use privet_core::clock::Clock;
    use privet_examples::Example;
    use privet_policy::Policy;

    use super::BeforeAfter;
    use crate::release::steps::decide;

    fn found(example: &str, text: &str) -> BeforeAfter {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join(example);
        Example::find(example).expect("an example").write(&place).expect("written");
        let policy = Policy::read(&place.join("policy.toml")).expect("a policy");
        let decision = decide(&policy, None, None, &Clock::unlimited()).expect("a decision");
        let all = decision.before_after(text, 0, usize::MAX);
        assert_eq!(all.matching as usize, all.rows.len(), "{example}");
        assert!(all.rows.iter().all(|(_, cells)| cells.len() == all.columns.len()), "{example}");
        if let Some(last) = all.rows.len().checked_sub(1) {
            assert_eq!(decision.before_after(text, last, 5).rows, all.rows[last..], "{example}");
        }
        all
    }

    fn count(found: &BeforeAfter) -> u64 {
        found.rows.iter().map(|(count, _)| count).sum()
    }

    #[test]
    fn every_shape_shows_its_records() {
        for (example, records) in [
            ("patients", 10),
            ("injector", 9),
            ("five-baskets", 5),
            ("five-vocabularies", 5),
            ("clinic", 5000),
        ] {
            assert_eq!(count(&found(example, "")), records, "{example}");
            let nothing = found(example, "there is no such value");
            assert_eq!((nothing.matching, nothing.rows.len()), (0, 0), "{example}");
        }
    }

    #[test]
    fn a_secret_may_be_any_of_its_group() {
        let groups = found("injector", "");
        let secret = groups.columns.len() - 2;
        for (_, cells) in &groups.rows {
            assert!(cells[..secret].iter().all(|(before, after)| before == after), "{cells:?}");
            let (before, after) = &cells[secret];
            let possible: Vec<&str> = after.split(" or ").collect();
            assert!(possible.len() > 1 && possible.contains(&before.as_str()), "{cells:?}");
        }
    }

    #[test]
    fn items_and_words_stand_as_lists() {
        let baskets = found("five-baskets", "");
        assert_eq!(baskets.columns, ["items"]);
        assert!(baskets.rows.iter().any(|(_, cells)| cells[0].0.contains(", ") && cells[0].0 != cells[0].1));
        let one = baskets.rows[0].1[0].0.split(", ").next().expect("an item").to_uppercase();
        assert!(found("five-baskets", &one).matching > 0, "capitals do not count");
        let words = found("five-vocabularies", "");
        assert!(words.rows.iter().any(|(_, cells)| cells[0].0 != cells[0].1), "{words:?}");
    }
}
