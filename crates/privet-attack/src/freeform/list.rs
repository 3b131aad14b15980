//! The worst attacks on a table, most general first among equals.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Value as Json, json};

use super::table::{MixedTable, Sight};
use privet_taxonomy::NodeId;

/// An attack, as a rule one that is a breach: what is seen, and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    /// The columns and values that are seen.
    pub seen: Vec<(String, String)>,
    /// The column and the value that follows.
    pub inferred: (String, String),
    /// How many records have what is seen.
    pub support: u64,
    /// How many of these have the value.
    pub hits: u64,
    /// How many of as many records have it in the whole table, rounded.
    pub expected: u64,
    /// How sensitive the value is.
    pub sensitivity: f64,
    /// The probability times the sensitivity.
    pub threat: f64,
    /// Whether the threat exceeds the threshold, exactly.
    pub is_breach: bool,
}

impl Breach {
    /// As JSON.
    pub fn to_json(&self) -> Json {
        let seen: serde_json::Map<String, Json> =
            self.seen.iter().map(|(column, value)| (column.clone(), json!(value))).collect();
        json!({
            "seen": seen,
            "column": self.inferred.0,
            "value": self.inferred.1,
            "records": self.hits,
            "support": self.support,
            "probability": self.hits as f64 / self.support as f64,
            "sensitivity": self.sensitivity,
            "threat": self.threat,
        })
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seen: Vec<String> = self.seen.iter().map(|(column, value)| format!("{column}={value}")).collect();
        write!(f, "{{{}}} → {}={}", seen.join(", "), self.inferred.0, self.inferred.1)
    }
}

/// The worst breaches of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Worst first. One that sees more than another in the list, and infers no more, is left out.
    pub worst: Vec<Breach>,
    /// How many there are that see at most as many columns as were asked for. What says the same of the same records counts
    /// once.
    pub found: u64,
}

/// A breach by nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BreachNodes {
    seen: Vec<(usize, u32)>,
    target: usize,
    node: u32,
    hits: u64,
    support: u64,
}

/// Of more breaches than this, only the worst are kept while listing.
const MOST_KEPT: usize = 200_000;

impl MixedTable {
    /// The worst breaches that see at most `known` columns, worst first.
    pub fn list(&self, most: usize, known: usize) -> Listing {
        let mut lister = Lister { table: self, known, found: Vec::new(), count: 0 };
        for (target, attribute) in self.attributes.iter().enumerate() {
            if attribute.is_endangered() {
                lister.extend(target, 0, &mut Vec::new(), &self.rows());
            }
        }
        lister.sort();
        let mut kept: Vec<BreachNodes> = Vec::new();
        for found in std::mem::take(&mut lister.found) {
            if kept.len() == most {
                break;
            }
            if !kept.iter().any(|other| self.covers(other, &found)) {
                kept.push(found);
            }
        }
        Listing { worst: kept.iter().map(|found| self.breach(found)).collect(), found: lister.count }
    }

    /// The attack with the greatest threat of all, whatever it sees; only values in danger are looked at, which could be
    /// breached if they were known for sure.
    pub fn worst(&self) -> Option<Breach> {
        let mut worst: Option<(f64, BreachNodes)> = None;
        for (target, attribute) in self.attributes.iter().enumerate() {
            let (rows, others) = (self.rows(), self.others(target));
            self.sights(target, &rows, &others, &mut Vec::new(), &mut |sight: &Sight<'_>| {
                for (node, hits) in sight.hits {
                    let threat = *hits as f64 / sight.support as f64 * attribute.sensitivity(*node);
                    if worst.as_ref().is_none_or(|(most, _)| *most < threat) {
                        let mut seen = sight.seen.to_vec();
                        seen.retain(|(_, node)| *node != 0);
                        seen.sort_unstable();
                        let found =
                            BreachNodes { seen, target, node: *node, hits: *hits, support: sight.support };
                        worst = Some((threat, found));
                    }
                }
            });
        }
        worst.map(|(_, found)| self.breach(&found))
    }

    /// Whether the first sees no more than the second and infers as much.
    fn covers(&self, first: &BreachNodes, second: &BreachNodes) -> bool {
        (first.target, first.node) == (second.target, second.node)
            && first.seen.iter().all(|(at, node)| {
                let taxonomy = &self.attributes[*at].taxonomy;
                second
                    .seen
                    .iter()
                    .any(|(other, value)| other == at && taxonomy.contains(NodeId(*node), NodeId(*value)))
            })
    }

    fn breach(&self, found: &BreachNodes) -> Breach {
        let label = |at: usize, node: u32| {
            let attribute = &self.attributes[at];
            (attribute.name.clone(), attribute.taxonomy.label(NodeId(node)).to_string())
        };
        let attribute = &self.attributes[found.target];
        let sensitivity = attribute.sensitivity(found.node);
        let having = |row: &&u32| {
            attribute.taxonomy.contains(NodeId(found.node), NodeId(self.value(**row, found.target)))
        };
        let inferred: u64 = self.rows().iter().filter(having).map(|row| self.counts[*row as usize]).sum();
        Breach {
            seen: found.seen.iter().map(|(at, node)| label(*at, *node)).collect(),
            inferred: label(found.target, found.node),
            support: found.support,
            hits: found.hits,
            expected: (inferred as f64 / self.records() as f64 * found.support as f64).round() as u64,
            sensitivity,
            threat: found.hits as f64 / found.support as f64 * sensitivity,
            is_breach: attribute.is_breach(found.node, found.hits, found.support),
        }
    }
}

struct Lister<'a> {
    table: &'a MixedTable,
    known: usize,
    found: Vec<BreachNodes>,
    count: u64,
}

impl Lister<'_> {
    /// Tries every X that extends what is seen by attributes from `next` on.
    fn extend(&mut self, target: usize, next: usize, seen: &mut Vec<(usize, u32)>, rows: &[u32]) {
        let attributes = &self.table.attributes;
        if self.table.is_safe(target, rows) {
            return;
        }
        self.judge(target, seen, rows);
        if seen.len() == self.known {
            return;
        }
        for at in (next..attributes.len()).filter(|at| *at != target) {
            let taxonomy = &attributes[at].taxonomy;
            let mut parts: Vec<(u32, u32)> = Vec::new();
            for row in rows {
                let path = std::iter::successors(Some(NodeId(self.table.value(*row, at))), |node| {
                    taxonomy.parent(*node)
                });
                let visible =
                    path.filter(|node| *node != taxonomy.root() && attributes[at].is_observable(node.0));
                parts.extend(visible.map(|node| (node.0, *row)));
            }
            parts.sort_unstable();
            // Parents come before their children; what fits the same records as something above it says the same.
            let mut sizes: Vec<(u32, usize)> = vec![(taxonomy.root().0, rows.len())];
            for part in parts.chunk_by(|one, other| one.0 == other.0) {
                let node = part[0].0;
                let above =
                    sizes.iter().rev().find(|(above, _)| taxonomy.contains(NodeId(*above), NodeId(node)));
                let same = above.is_some_and(|(_, size)| *size == part.len());
                sizes.push((node, part.len()));
                if same {
                    continue;
                }
                let part: Vec<u32> = part.iter().map(|(_, row)| *row).collect();
                seen.push((at, node));
                self.extend(target, at + 1, seen, &part);
                seen.pop();
            }
        }
    }

    fn judge(&mut self, target: usize, seen: &[(usize, u32)], rows: &[u32]) {
        let attribute = &self.table.attributes[target];
        let support = self.table.support(rows);
        for (node, hits) in self.table.hits(target, rows) {
            if attribute.is_breach(node, hits, support) {
                self.count += 1;
                self.found.push(BreachNodes { seen: seen.to_vec(), target, node, hits, support });
            }
        }
        if self.found.len() > 2 * MOST_KEPT {
            self.sort();
            self.found.truncate(MOST_KEPT);
        }
    }

    /// Worst first; of equals those that concern most records, then those that see least.
    fn sort(&mut self) {
        let attributes = &self.table.attributes;
        let threat = |found: &BreachNodes| {
            found.hits as f64 / found.support as f64 * attributes[found.target].sensitivity(found.node)
        };
        self.found.sort_by(|one, other| {
            let by_threat = threat(other).total_cmp(&threat(one));
            let size = |found: &BreachNodes| (std::cmp::Reverse(found.hits), found.seen.len());
            let by_size = || size(one).cmp(&size(other));
            let by_name = || (one.target, one.node, &one.seen).cmp(&(other.target, other.node, &other.seen));
            match by_threat {
                Ordering::Equal => by_size().then_with(by_name),
                decided => decided,
            }
        });
    }
}
