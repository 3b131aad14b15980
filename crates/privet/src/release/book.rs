//! Bookkeeping: a release is set against the earlier ones in the steward's ledger, and written down before it is published.
//!
//! The order matters. The line that announces a release, with all that is kept of it, is on disk before the release is
//! moved into place; another line confirms it afterwards. Whenever the run is stopped, every release that was published is in
//! the ledger, and one that was announced and never confirmed counts as published.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use super::manifest::absolute;
use super::report::{EarlierRelease, LedgerAccount};
use super::target::Target;
use privet_attack::composition;
pub use privet_attack::composition::Composed;
use privet_attack::{Attacks, Finding};
use privet_audit::ReleaseFolder;
use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::hash::{sha256_of, sha256_of_text};
use privet_core::{Error, Result, place};
use privet_ledger::{
    Composition, Event, Ledger, PeopleBy, PersonKeys, Recorded, Relation, ReleaseLine, ReleasedFile, Salt,
    Signatures, SourceLine, State, Writer, compose as composed, exposing, re_release, release_hash,
};
use privet_policy::{LedgerPolicy, OnComposition, Policy, PolicyRef};

/// A release under way, for its ledger.
pub(super) struct Book {
    writer: Writer,
    keys: LedgerPolicy,
    salt: Salt,
    source: SourceLine,
    folder: String,
    signatures: Signatures,
    /// What the attacks on this release and the earlier ones together found.
    findings: Vec<Finding>,
    /// What there is to say about how people are told apart.
    remarks: RefCell<Vec<String>>,
    /// What reports say about the earlier ones.
    account: LedgerAccount,
}

/// What the ledger keeps of a release, apart from its classes.
pub(super) struct Kept<'a> {
    pub policy: &'a Policy,
    pub method: &'static str,
    pub seed: u64,
    /// The released files, with what they hold.
    pub files: &'a [(String, String)],
}

/// Sets a release, whose classes `signatures` works out, against the earlier ones, where there is a ledger. What there is to
/// say apart from the findings joins the warnings.
pub(super) fn compose(
    ledger: &mut Option<Book>,
    warnings: &mut Vec<String>,
    signatures: impl FnOnce(&Book) -> Result<Signatures>,
) -> Result<()> {
    let Some(book) = ledger else { return Ok(()) };
    book.signatures = signatures(book)?;
    warnings.append(&mut book.remarks.take());
    (book.findings, book.account) = book.attack(warnings)?;
    Ok(())
}

/// Puts what came of it among the other attacks, whichever of these were chosen.
pub(super) fn add_findings(ledger: Option<&Book>, attacks: &mut Attacks) {
    let Some(book) = ledger else { return };
    let was_run = |name: &str| book.findings.iter().any(|found| found.name == name);
    attacks.not_run.retain(|attack| !was_run(&attack.name));
    attacks.found.extend(book.findings.iter().cloned());
    attacks.order();
}

impl Book {
    /// Opens the ledger that the policy names, if it names one.
    pub fn open(policy: PolicyRef<'_>, target: &Path, clock: &Clock) -> Result<Option<Book>> {
        let Some(keys) = policy.written().ledger()? else { return Ok(None) };
        let (ledger, folder) = (absolute(&keys.path), absolute(target));
        if Path::new(&ledger).starts_with(&folder) {
            return Err(Error::input("the ledger lies inside the release, which it has to outlive")
                .in_file(&keys.path)
                .help("name a path outside the target in [ledger]"));
        }
        clock.progress().stage("opening the ledger", None);
        let writer = Writer::open(&keys.path, clock)?;
        let salt = writer.salt()?;
        let path = policy.origin().path().map_or_else(|| policy.origin().to_string(), absolute);
        let sha256 = policy.fingerprint()?.to_string();
        let source = SourceLine { path, kind: policy.kind().name().to_string(), sha256 };
        let (signatures, findings, remarks) = (Signatures::default(), Vec::new(), RefCell::default());
        let account = LedgerAccount {
            entry: writer.ledger().entries().len() as u64 + 1,
            person: keys.person.clone(),
            refuses: keys.on_composition == OnComposition::Refuse,
            earlier: Vec::new(),
            together: None,
        };
        Ok(Some(Book { writer, keys, salt, source, folder, signatures, findings, remarks, account }))
    }

    /// What goes into the ledger's hashes.
    pub fn salt(&self) -> Salt {
        self.salt
    }

    /// The classes, view by view, that would reveal somebody's value together with the earlier releases.
    pub fn exposing(&self, signatures: &Signatures) -> Vec<BTreeSet<u32>> {
        // What was said while these classes were found is said again when the release is compared.
        self.remarks.take();
        let recorded = self.recorded();
        let earlier: Vec<&Signatures> = recorded.iter().map(|one| &one.release.signatures).collect();
        exposing(signatures, &earlier)
    }

    /// The earlier releases that were not withdrawn.
    fn recorded(&self) -> Vec<Recorded<'_>> {
        let mut recorded = self.writer.ledger().releases();
        recorded.retain(|release| release.state != State::Withdrawn);
        recorded
    }

    /// The column that names people, if the policy says.
    pub fn person(&self) -> Option<&str> {
        self.keys.person.as_deref()
    }

    /// Keys by which people are found again.
    pub fn person_keys(&self) -> PersonKeys {
        match self.keys.person {
            Some(_) => PersonKeys::by_column(self.salt),
            None => PersonKeys::by_record(self.salt),
        }
    }

    /// Refuses a column that does not tell people apart, where one is named, and says so where it does for some only.
    pub fn check_person(&self, policy: &Policy, distinct: u64, records: u64) -> Result<()> {
        let Some(name) = self.person() else { return Ok(()) };
        if 2 * distinct < records {
            return Err(Error::input(format!(
                "'ledger.person' names '{name}', which has {distinct} different values in {records} records: it does not tell \
                 people apart"
            ))
            .in_file(policy.path())
            .help("name a column that is different for everybody, or leave out 'person' in [ledger]"));
        }
        if distinct < records {
            self.remarks.borrow_mut().push(format!(
                "'ledger.person' names '{name}', which is not different for everybody ({distinct} values in {records} records): \
                 records with the same one are told apart by what else they hold, so what releases of data that changed tell \
                 together about them is uncertain"
            ));
        }
        Ok(())
    }

    /// What reports tell about the earlier releases.
    pub fn account(&self) -> &LedgerAccount {
        &self.account
    }

    /// Whether another release was made from the same data.
    fn is_same(&self, source: &SourceLine) -> bool {
        source.path == self.source.path || source.sha256 == self.source.sha256
    }

    /// What reports say about the earlier releases, each with how it relates to this one.
    fn with_earlier(
        &self,
        recorded: &[Recorded<'_>],
        relations: &[Relation],
        together: Option<Composition>,
    ) -> LedgerAccount {
        let relations = relations.iter().copied().chain(std::iter::repeat(Relation::Apart));
        let earlier = recorded.iter().zip(relations).map(|(recorded, relation)| EarlierRelease {
            entry: recorded.entry,
            date: recorded.date.to_string(),
            state: recorded.state.name().to_string(),
            method: recorded.release.method.clone(),
            recipient: recorded.release.recipient.clone(),
            folder: recorded.release.folder.clone(),
            same_source: self.is_same(&recorded.release.source),
            people: recorded.release.people,
            relation,
            policy_sha256: recorded.release.policy_sha256.clone(),
            release_sha256: recorded.release.release_sha256.clone(),
        });
        LedgerAccount { earlier: earlier.collect(), together, ..self.account.clone() }
    }

    /// Sets the release against the earlier ones.
    fn attack(&self, warnings: &mut Vec<String>) -> Result<(Vec<Finding>, LedgerAccount)> {
        if self.writer.ledger().shared {
            warnings.push(format!(
                "others than you may read the ledger {}, which tells who was released when: chmod 600 it",
                self.keys.path.display()
            ));
        }
        let recorded = self.recorded();
        let earlier: Vec<&Signatures> =
            recorded.iter().map(|recorded| &recorded.release.signatures).collect();
        let start = Instant::now();
        let found = composed(&self.signatures, &earlier);
        if found.people == 0 {
            let known = recorded.iter().filter(|recorded| self.is_same(&recorded.release.source)).count();
            if known > 0 {
                warnings.push(format!(
                    "this source was released before ({known} in the ledger), but none of its people is found again, so \
                     what the releases tell together is not known: name the column that tells people apart as 'person' \
                     in [ledger]"
                ));
            }
            return Ok((Vec::new(), self.with_earlier(&recorded, &[], None)));
        }
        if found.added > 0 && self.keys.on_composition == OnComposition::Refuse {
            return Err(Error::infeasible(format!(
                "together with earlier releases this one would reveal the sensitive value of {} of {}; no release reveals it \
                 alone",
                found.added,
                counted(found.targets, "person", "people")
            ))
            .in_file(&self.keys.path)
            .help(
                "publish the earlier release again (same policy and seed) or a coarsening of it; on_composition = \"warn\" in \
                 [ledger] publishes all the same",
            ));
        }
        if found.contradicted > 0 {
            warnings.push(format!(
                "{} another sensitive value than in an earlier release: anyone who has both learns that it changed",
                counted(found.contradicted, "person has", "people have")
            ));
        }
        let seconds = start.elapsed().as_secs_f64();
        let composition = Finding { seconds, ..composition::composition(&found, Composed::Classes) };
        let start = Instant::now();
        let again = re_release(&self.signatures, &earlier);
        let kept = composition::re_release(&again);
        let kept = Finding { seconds: start.elapsed().as_secs_f64(), ..kept };
        Ok((vec![composition, kept], self.with_earlier(&recorded, &again.relations, Some(found))))
    }

    fn line(&self, kept: &Kept<'_>) -> Event {
        let files: Vec<ReleasedFile> = (kept.files.iter())
            .map(|(path, sha256)| ReleasedFile { path: path.clone(), sha256: sha256.clone() })
            .collect();
        let people = self.signatures.views.first().map_or(0, |view| view.people.len() as u64);
        Event::Release(Box::new(ReleaseLine {
            privet: env!("CARGO_PKG_VERSION").to_string(),
            source: self.source.clone(),
            people_by: if self.keys.person.is_some() { PeopleBy::Column } else { PeopleBy::Record },
            people,
            method: kept.method.to_string(),
            policy_sha256: sha256_of_text(kept.policy.text()),
            key: self.salt.key_name(kept.seed),
            release_sha256: release_hash(&files),
            files,
            folder: self.folder.clone(),
            recipient: self.keys.recipient.clone(),
            signatures: self.signatures.clone(),
        }))
    }
}

/// Publishes a release, and writes it down where there is a ledger.
pub(super) fn publish(book: Option<Book>, target: Target, kept: &Kept<'_>) -> Result<()> {
    place::unless_stopped()?;
    // The release and its lines in the ledger come together.
    place::in_one_step(|| published(book, target, kept))
}

fn published(book: Option<Book>, target: Target, kept: &Kept<'_>) -> Result<()> {
    let Some(mut book) = book else { return target.publish() };
    let of = book.writer.append(book.line(kept))?;
    match target.publish() {
        Ok(()) => {
            // The release is out and in the ledger. Without this line it is one that was never confirmed, which
            // `privet ledger check` tells; to call the run a failure would be wrong.
            let _ = book.writer.append(Event::Published { of });
            Ok(())
        }
        Err(error) => {
            // It may be in its place nevertheless, if what failed came after it was moved: then it stays announced.
            let there = |(name, sha256): &(String, String)| {
                sha256_of(&Path::new(&book.folder).join("public").join(name))
                    .is_ok_and(|found| found == *sha256)
            };
            if !kept.files.iter().all(there) {
                let _ = book.writer.append(Event::Withdrawn { of });
            }
            Err(error)
        }
    }
}

/// What a published release tells together with all others that its policy's ledger has; a reason where that cannot be said, and
/// `None` where the policy names no ledger.
pub fn attack_by_ledger(
    folder: &Path,
    policy: &Policy,
) -> Result<Option<std::result::Result<Vec<Finding>, String>>> {
    let Some(keys) = policy.ledger()? else { return Ok(None) };
    let place = keys.path.display();
    let ledger = match Ledger::read(&keys.path) {
        Ok(ledger) => ledger,
        Err(error) => {
            return Ok(Some(Err(format!("the ledger that the policy names cannot be used: {error}"))));
        }
    };
    if let Some(fault) = ledger.faults.first() {
        return Ok(Some(Err(format!(
            "the ledger cannot be relied on: {place}:{}: {}; run `privet ledger check`",
            fault.line, fault.message
        ))));
    }
    let files = released_files(folder)?;
    let published: Vec<Recorded<'_>> =
        ledger.releases().into_iter().filter(|release| release.state != State::Withdrawn).collect();
    // The same files may have been published twice: then this is the one of this folder.
    let here = absolute(folder);
    let own = published.iter().filter(|recorded| recorded.has(&files));
    let Some(own) = own.max_by_key(|recorded| (recorded.release.folder == here, recorded.entry)) else {
        return Ok(Some(Err(format!("the ledger {place} does not have this release"))));
    };
    let others: Vec<&Signatures> = (published.iter())
        .filter(|recorded| recorded.entry != own.entry)
        .map(|recorded| &recorded.release.signatures)
        .collect();
    if others.is_empty() {
        return Ok(Some(Err(format!("the ledger {place} has no other release"))));
    }
    let start = Instant::now();
    let found = composed(&own.release.signatures, &others);
    if found.people == 0 {
        return Ok(Some(Err(format!("no other release in the ledger {place} has any of its people"))));
    }
    let composition = composition::composition(&found, Composed::Recorded);
    let composition = Finding { seconds: start.elapsed().as_secs_f64(), ..composition };
    let start = Instant::now();
    let kept = composition::re_release(&re_release(&own.release.signatures, &others));
    Ok(Some(Ok(vec![composition, Finding { seconds: start.elapsed().as_secs_f64(), ..kept }])))
}

/// The released files that a folder's manifest names, with what they hold now.
pub fn released_files(folder: &Path) -> Result<Vec<ReleasedFile>> {
    let names: Vec<String> = ReleaseFolder::open(folder)?.names().map(String::from).collect();
    let file = |path: String| {
        let sha256 = sha256_of(&folder.join("public").join(&path))?;
        Ok(ReleasedFile { path, sha256 })
    };
    names.into_iter().map(file).collect()
}
