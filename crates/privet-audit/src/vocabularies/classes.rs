//! The distinct published bags, and which originals are published as each.

use hashbrown::HashMap;

use super::VocabularyRelease;
use privet_core::counted;
use privet_data::{Bags, Term};

/// Published vocabularies that are identical as bags, numbered in the order in which the release first shows them.
pub(super) struct BagClasses<'a> {
    release: &'a Bags,
    /// The class of each published vocabulary.
    of: Vec<usize>,
    /// The first vocabulary of each class.
    first: Vec<usize>,
    sizes: Vec<u64>,
}

impl<'a> BagClasses<'a> {
    pub(super) fn of(release: &'a Bags) -> BagClasses<'a> {
        let mut classes = BagClasses { release, of: Vec::new(), first: Vec::new(), sizes: Vec::new() };
        let mut known: HashMap<&[Term], usize> = HashMap::new();
        for (number, bag) in release.iter().enumerate() {
            let class = *known.entry(bag).or_insert(classes.first.len());
            if class == classes.first.len() {
                classes.first.push(number);
                classes.sizes.push(0);
            }
            classes.sizes[class] += 1;
            classes.of.push(class);
        }
        classes
    }

    /// The class of each published vocabulary, in the order of the file.
    pub(super) fn sequence(&self) -> &[usize] {
        &self.of
    }

    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// How many vocabularies are published so.
    pub(super) fn size(&self, class: usize) -> u64 {
        self.sizes[class]
    }

    /// The words of the class's bag, ascending.
    pub(super) fn bag(&self, class: usize) -> &'a [Term] {
        self.release.bag(self.first[class])
    }

    /// The bag in words.
    pub(super) fn describe(&self, class: usize) -> String {
        let kinds = self.bag(class).chunk_by(|one, other| one == other);
        let text = |kind: &[Term]| {
            let label = kind.first().map_or("", |word| &self.release.terms()[*word as usize]);
            if kind.len() > 1 { format!("{label}:{}", kind.len()) } else { label.to_string() }
        };
        let texts: Vec<String> = kinds.map(text).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        format!("{{{}}}", privet_core::shortened(&texts))
    }
}

/// The originals that are published as each class.
pub(super) struct ClassMembers {
    ends: Vec<usize>,
    members: Vec<u32>,
}

impl ClassMembers {
    /// Reads the steward's list; says why it cannot be about these data.
    pub(super) fn of(
        facts: &VocabularyRelease<'_>,
        classes: &BagClasses<'_>,
        assignment: &[Option<u32>],
    ) -> Result<ClassMembers, String> {
        let (listed, originals) = (assignment.len(), facts.original.len());
        if listed != originals {
            let listed = counted(listed as u64, "original is", "originals are");
            return Err(format!("{listed} listed, there are {originals}"));
        }
        let mut placed: Vec<(usize, u32)> = Vec::with_capacity(listed);
        for (original, place) in (0u32..).zip(assignment) {
            let Some(place) = place else { continue };
            let class = classes.of.get(*place as usize).ok_or_else(|| {
                format!(
                    "an original is listed as published vocabulary {place}, but there are {}",
                    classes.of.len()
                )
            })?;
            placed.push((*class, original));
        }
        placed.sort_unstable();
        let ends =
            (0..classes.len()).map(|class| placed.partition_point(|(other, _)| *other <= class)).collect();
        Ok(ClassMembers { ends, members: placed.into_iter().map(|(_, original)| original).collect() })
    }

    /// The originals of a class, ascending.
    pub(super) fn of_class(&self, class: usize) -> &[u32] {
        let begin = if class == 0 { 0 } else { self.ends[class - 1] };
        &self.members[begin..self.ends[class]]
    }

    /// How many different users a class has; where users are not known every vocabulary is somebody else's.
    pub(super) fn users(&self, original: &Bags, class: usize) -> u64 {
        let members = self.of_class(class).iter();
        let mut users: Vec<u32> =
            members.map(|member| original.user(*member as usize).unwrap_or(*member)).collect();
        users.sort_unstable();
        users.dedup();
        users.len() as u64
    }
}
