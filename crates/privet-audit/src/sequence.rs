//! Are labels always written in the same order?
//!
//! In which order a set's labels stand means nothing, so it could mark a person, or tell in which order the original had them.
//! Our own files have labels in alphabetical order. Other tools may have any order, but one: there must be a list of all labels
//! that every set of the file follows. Labels that never meet, not even by way of others, follow every list: what their order
//! tells cannot be seen.

use hashbrown::HashMap;

use super::Check;

/// More pairs of neighbours than this are not remembered.
const MOST_PAIRS: usize = 1 << 24;

/// What was seen of the order of labels.
#[derive(Debug)]
pub(super) struct Sequence {
    most: usize,
    numbers: HashMap<String, u32>,
    /// Which label stands directly before which, and the line where that is seen first.
    before: HashMap<(u32, u32), u64>,
    /// The first line that is not in alphabetical order.
    unsorted: Option<u64>,
    /// The line from which on new pairs are not remembered.
    forgot: Option<u64>,
}

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LabelOrder {
    /// One order throughout.
    One,
    /// A line contradicts the order of the others.
    Contradicted(u64),
    /// There are too many pairs of neighbours to tell.
    Unknown,
}

impl Default for Sequence {
    fn default() -> Sequence {
        Sequence {
            most: MOST_PAIRS,
            numbers: HashMap::new(),
            before: HashMap::new(),
            unsorted: None,
            forgot: None,
        }
    }
}

impl Sequence {
    /// Takes in the labels of one set, as they are written.
    pub fn line<'a>(&mut self, line: u64, labels: impl Iterator<Item = &'a str>) {
        let mut last: Option<(&str, u32)> = None;
        for label in labels {
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry_ref(label).or_insert(next);
            if let Some((before, earlier)) = last.filter(|(before, _)| *before != label) {
                if before > label {
                    self.unsorted.get_or_insert(line);
                }
                if self.before.len() < self.most {
                    self.before.entry((earlier, number)).or_insert(line);
                } else if !self.before.contains_key(&(earlier, number)) {
                    self.forgot.get_or_insert(line);
                }
            }
            last = Some((label, number));
        }
    }

    /// Whether there is one order: the alphabet where the file is our own.
    pub fn order(&self, own: bool) -> LabelOrder {
        match (self.unsorted, own) {
            (None, _) => LabelOrder::One,
            (Some(line), true) => LabelOrder::Contradicted(line),
            (Some(_), false) => match (self.circle(), self.forgot) {
                (Some(line), _) => LabelOrder::Contradicted(line),
                (None, Some(_)) => LabelOrder::Unknown,
                (None, None) => LabelOrder::One,
            },
        }
    }

    /// What is wrong, in words.
    pub fn fault(&self, own: bool) -> Option<String> {
        match self.order(own) {
            LabelOrder::Contradicted(line) if own => {
                Some(format!("line {line} does not have its labels in alphabetical order"))
            }
            LabelOrder::Contradicted(line) => {
                Some(format!("line {line} has labels in an order that contradicts that of other lines"))
            }
            LabelOrder::One | LabelOrder::Unknown => None,
        }
    }

    /// The line that closes a circle of labels, each before the next, where there is one.
    fn circle(&self) -> Option<u64> {
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); self.numbers.len()];
        let mut waiting = vec![0u32; self.numbers.len()];
        for (earlier, later) in self.before.keys() {
            after[*earlier as usize].push(*later);
            waiting[*later as usize] += 1;
        }
        // Labels that nothing stands before come first in the list, and so on.
        let mut free: Vec<u32> =
            (0..).zip(&waiting).filter(|(_, count)| **count == 0).map(|(label, _)| label).collect();
        while let Some(label) = free.pop() {
            for later in std::mem::take(&mut after[label as usize]) {
                waiting[later as usize] -= 1;
                if waiting[later as usize] == 0 {
                    free.push(later);
                }
            }
        }
        // Before each of the rest stands another of the rest: going back ends in a circle.
        let rest = |label: u32| waiting[label as usize] > 0;
        let mut back: HashMap<u32, (u32, u64)> = HashMap::new();
        for ((earlier, later), line) in
            self.before.iter().filter(|((one, other), _)| rest(*one) && rest(*other))
        {
            let found = back.entry(*later).or_insert((*earlier, *line));
            *found = (*found).min((*earlier, *line));
        }
        let mut label = *back.keys().min()?;
        let mut seen: HashMap<u32, usize> = HashMap::new();
        let mut lines = Vec::new();
        loop {
            if let Some(begin) = seen.insert(label, lines.len()) {
                return lines[begin..].iter().max().copied();
            }
            let (earlier, line) = *back.get(&label)?;
            lines.push(line);
            label = earlier;
        }
    }
}

/// What is not known about the order, as a check of its own.
pub(super) fn unknown(sequence: &Sequence, own: bool) -> Option<Check> {
    let detail =
        "labels have too many different neighbours to tell whether they are always written in the same order";
    (sequence.order(own) == LabelOrder::Unknown).then(|| Check::undetermined("sequence", detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lines: &[&str]) -> Sequence {
        let mut sequence = Sequence::default();
        (1..).zip(lines).for_each(|(line, labels)| {
            sequence.line(line, labels.split(' ').filter(|label| !label.is_empty()))
        });
        sequence
    }

    #[test]
    fn hard_use_1_4_labels_have_one_order() {
        for (lines, own, other) in [
            (&["a b c", "a c", "", "b c"][..], LabelOrder::One, LabelOrder::One),
            // The alphabet is not the only order.
            (&["c a", "a b", "c b"], LabelOrder::Contradicted(1), LabelOrder::One),
            (&["a b", "b c", "c a"], LabelOrder::Contradicted(3), LabelOrder::Contradicted(3)),
            (&["a b c d", "x y", "d b"], LabelOrder::Contradicted(3), LabelOrder::Contradicted(3)),
            (&["x a b y", "b z a"], LabelOrder::Contradicted(1), LabelOrder::Contradicted(2)),
            // Repeated labels are another fault.
            (&["a a b"], LabelOrder::One, LabelOrder::One),
        ] {
            let sequence = seen(lines);
            assert_eq!(sequence.order(true), own, "{lines:?}");
            assert_eq!(sequence.order(false), other, "{lines:?}");
        }
    }

    #[test]
    fn what_is_not_remembered_is_not_vouched_for() {
        let mut sequence = Sequence { most: 1, ..Sequence::default() };
        ["b a", "c a"].iter().for_each(|labels| sequence.line(1, labels.split(' ')));
        assert_eq!(sequence.order(false), LabelOrder::Unknown);
        assert_eq!(sequence.fault(false), None);
    }
}
