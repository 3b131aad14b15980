//! Which method a draft names: the one that loses less on the data, if that can be seen quickly.

use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::compare::{Candidate, compare_on};
use privet::drafts::Draft;
use privet::policy::{Edit, OriginalData, Policy};
use privet::{ErrorKind, Result};

/// More records take longer than a look at a file should.
const MOST_RECORDS: u64 = 50_000;

/// In the place of the drafted time limit.
const QUICK: &str = "time_limit = \"3s\"";

/// What two methods lose on the data, as shares of the detail of all quasi-identifiers.
pub struct Losses {
    pub full_domain: Option<f64>,
    pub mondrian: Option<f64>,
    /// Whether no levels lose less.
    is_proven: bool,
}

impl Losses {
    /// Which method was chosen, for the terminal. Figures of a search that a clock ends are in the policy alone.
    pub fn in_short(&self) -> String {
        let (chosen, loss, other, others) = match self.is_mondrian() {
            true => ("mondrian", self.mondrian, "full-domain", self.full_domain),
            false => ("full-domain", self.full_domain, "mondrian", self.mondrian),
        };
        let compared = match others {
            Some(others) if Some(others) > loss => format!("{other} more"),
            Some(_) => format!("{other} as much"),
            None => format!("{other} finds no release"),
        };
        format!("{chosen}, which loses {:.1} % of the detail, {compared}", 100.0 * loss.unwrap_or(0.0))
    }

    /// What both lose, for the policy.
    fn in_words(&self) -> String {
        let says = |name: &str, loss: Option<f64>| match loss {
            Some(loss) => format!("{name} loses {:.1} %", 100.0 * loss),
            None => format!("{name} finds no release"),
        };
        let mut parts = [says("mondrian", self.mondrian), says("full-domain", self.full_domain)];
        if !self.is_proven {
            parts[1] += " after three seconds of search";
        }
        if self.is_mondrian() { parts.join(", ") } else { [&parts[1][..], &parts[0]].join(", ") }
    }

    fn is_mondrian(&self) -> bool {
        match (self.mondrian, self.full_domain) {
            (Some(one), Some(other)) => one < other,
            (one, _) => one.is_some(),
        }
    }
}

/// Measures a draft that names `full-domain`, and names `mondrian` instead where that loses less. Nothing where a rule decides
/// about the method, or where the draft cannot be measured quickly.
pub fn choose(draft: &mut Draft, data: &[PathBuf], folder: &Path, clock: &Clock) -> Result<Option<Losses>> {
    let Some(at) = draft.policy_text.find("\n[method]\n").map(|at| at + 1) else { return Ok(None) };
    let end = draft.policy_text[at + 1..].find("\n[").map_or(draft.policy_text.len(), |end| at + end + 2);
    let section = &draft.policy_text[at..end];
    let is_decided = ["break_minimality", "least_levels"].iter().any(|key| section.contains(key));
    if !section.contains("name = \"full-domain\"")
        || is_decided
        || draft.rows > MOST_RECORDS
        || data.is_empty()
        || !data.iter().all(|path| path.is_file())
    {
        return Ok(None);
    }
    // Where three seconds are not enough to prove what is best, the words say so.
    let quick = draft.policy_text.replace("time_limit = \"10m\"", QUICK);
    let other = format!("{}[method]\nname = \"mondrian\"\n", &draft.policy_text[..at]);
    let with_method = |text: &str| -> Result<Policy> {
        let policy = Policy::parse(&folder.join("policy.toml"), text.to_string())?;
        let inline = draft.columns.iter().filter_map(|column| {
            let path = column.hierarchy.as_ref()?;
            let (_, tree) = draft.hierarchies.iter().find(|(own, _)| own == path)?;
            let rows = tree.to_text().ok()?.lines().map(fields).collect::<Vec<_>>();
            let place = ["columns", &column.name, "hierarchy"].map(String::from).to_vec();
            Some(Edit::Set(place, serde_json::to_string(&rows).ok()?))
        });
        let is_used = |edit: &Edit| match edit {
            Edit::Set(place, _) => policy.to_json()["columns"][&place[1]]["hierarchy"].is_string(),
            _ => false,
        };
        policy.edited(&inline.filter(is_used).collect::<Vec<_>>())
    };
    let candidates = [("full-domain", &quick), ("mondrian", &other)]
        .into_iter()
        .map(|(label, text)| Ok(Candidate { label: label.into(), policy: with_method(text)?, chosen: false }))
        .collect::<Result<Vec<_>>>();
    let original = match data {
        [only] => OriginalData::File(only.clone()),
        several => OriginalData::Files(several.to_vec()),
    };
    let compared = candidates.and_then(|candidates| compare_on(candidates, &original, clock));
    let comparison = match compared {
        Ok(comparison) => comparison,
        // What is wrong with a draft is said when it is run; here it only cannot be measured.
        Err(error) if matches!(error.kind(), ErrorKind::Input | ErrorKind::Infeasible) => return Ok(None),
        Err(error) => return Err(error),
    };
    let (_, bars) = comparison.bars();
    let loss = |name: &str| bars.iter().find(|(label, _)| *label == name).map(|(_, loss)| *loss);
    let searched = &comparison.to_json()["policies"][0];
    let is_proven = searched["optimal"] != false;
    let losses = Losses { full_domain: loss("full-domain"), mondrian: loss("mondrian"), is_proven };
    if losses.full_domain.is_none() && losses.mondrian.is_none() {
        return Ok(None);
    }
    let mut text = format!(
        "[method]\n# Measured on these records, as a share of the quasi-identifiers' detail (LM): {}.\n",
        losses.in_words()
    );
    if losses.is_mondrian() {
        text += "# With full-domain each column has one level, so that later data can be published alike.\n\
                 name = \"mondrian\"           # every class is generalised on its own; nobody is left out\n";
        text += if end < draft.policy_text.len() { "\n" } else { "" };
    } else {
        text += &section["[method]\n".len()..];
    }
    draft.policy_text.replace_range(at..end, &text);
    Ok(Some(losses))
}

/// The fields of a line of a hierarchy file, as drafts write it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut is_quoted, mut before) = (false, None);
    for c in line.chars() {
        match c {
            '"' => {
                // Two quotes within quotes are one.
                if !is_quoted && before == Some('"') {
                    fields.last_mut().into_iter().for_each(|field| field.push('"'));
                }
                is_quoted = !is_quoted;
            }
            ';' if !is_quoted => fields.push(String::new()),
            c => fields.last_mut().into_iter().for_each(|field| field.push(c)),
        }
        before = Some(c);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_are_written() {
        assert_eq!(fields("a;b c;*"), ["a", "b c", "*"]);
        assert_eq!(fields("\"a;b\";\"say \"\"x\"\"\";*"), ["a;b", "say \"x\"", "*"]);
    }
}
