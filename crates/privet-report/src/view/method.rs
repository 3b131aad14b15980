//! How the release was made, and how to get the same bytes again or to see that they are the same.

use super::super::Edition;
use super::super::block::{Block, Cell, Grid, Section};
use super::super::common::Common;
use super::super::gate::Datum;
use super::super::model::FileHash;
use privet_policy::CATALOGUES;

pub(super) fn method(common: &Common, edition: Edition) -> Section {
    let key = edition.key();
    let (method, privet) = (&common.method, Datum::setting(&common.privet));
    let mut blocks = vec![Block::prose(Datum::say(
        "{}: {}",
        [Datum::setting(&method.name), Datum::setting(&method.summary)],
    ))];
    let settings = method.settings.iter().map(|(name, value)| (Datum::setting(name), Datum::setting(value)));
    let settings: Vec<_> = settings.collect();
    blocks.extend((!settings.is_empty()).then_some(Block::Facts(settings)));
    blocks.push(Block::prose(
        match CATALOGUES.iter().find_map(|one| one.method(&method.name)).map(|method| method.source) {
            Some(work) => Datum::say(
                "Cite as: The Privet developers: Privet {}. The method: {}.",
                [privet.clone(), work.into()],
            ),
            None => Datum::say("Cite as: The Privet developers: Privet {}.", [privet.clone()]),
        },
    ));
    if let Some(key) = key {
        let seed = common.seed.map_or_else(Datum::default, |seed| {
            Datum::say(" with seed {}", [key.text(seed.see(key).to_string())])
        });
        blocks.push(Block::Heading("Command".into()));
        blocks.push(Block::prose(Datum::say(
            "Privet {}, the policy below{} and the files below give the same bytes.",
            [privet, seed],
        )));
        blocks.push(Block::Verbatim(key.text(common.reproduce.command.see(key))));
    }
    blocks.push(Block::Heading(if key.is_some() { "Files" } else { "Released files" }.into()));
    if key.is_none() {
        blocks.push(Block::words("Compare a file that you were given with sha256sum and the hash below."));
    }
    blocks.push(Block::Grid(files(common, edition)));
    if let Some(policy) = key.map(|key| key.text(common.policy.see(key))).filter(|policy| !policy.is_empty())
    {
        blocks.push(Block::Heading("Policy".into()));
        blocks.push(Block::Verbatim(policy));
    }
    let title = if key.is_some() { "Method, and how to reproduce it" } else { "Method" };
    Section::new("method", "Method", title, blocks)
}

fn files(common: &Common, edition: Edition) -> Grid {
    let reproduce = &common.reproduce;
    let row = |name: Datum, what: &'static str, hash: Datum| {
        vec![Cell::from(name).small(what), Cell::from(hash).set("code")]
    };
    let mut rows = Vec::new();
    if let Some(key) = edition.key() {
        rows.push(row("policy".into(), "", key.text(reproduce.policy_sha256.see(key))));
        let program = reproduce.program_sha256.see(key).as_ref();
        rows.extend(program.map(|hash| row("privet".into(), "the program", key.text(hash))));
        let seed = reproduce.key_id.see(key).as_ref();
        rows.extend(seed.map(|id| row("seed".into(), "key id", key.text(id))));
        let read = |file: &FileHash| row(key.text(&file.path), "read", key.text(&file.sha256));
        rows.extend(reproduce.inputs.see(key).iter().map(read));
    }
    // The public learns the name of a released file, never where it lay.
    let name = |path: &str| match edition {
        Edition::Steward => path.to_string(),
        Edition::Public => path.rsplit(['/', '\\']).next().unwrap_or_default().to_string(),
    };
    let released =
        |file: &FileHash| row(Datum::named(name(&file.path)), "released", Datum::setting(&file.sha256));
    rows.extend(reproduce.released.iter().map(released));
    Grid { class: "hashes", ..Grid::cards("Files and their hashes", &["File", "SHA-256"], rows) }
}
