//! A first policy for a query log: how long a pause ends a session, and how far words may be apart that stand for each other.
//!
//! Both follow from figure 5.7 of Liu (2010): over several gaps, how many vocabularies there are, how large they are, and gHeight, how
//! many steps local generalisation lifts a word by on average. The draft takes the gap from which longer ones change the number of
//! vocabularies least, and ε = 2·gHeight there.

use super::text::{comment, header, quoted};
use super::{Draft, DraftOptions};
use privet_core::{Error, Result, thousands};

/// What the sessions of a log look like if a pause of this length ends them.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFigures {
    /// The pause, as a policy writes it.
    pub gap: &'static str,
    /// How many vocabularies there are.
    pub vocabularies: u64,
    /// How many words one has on average.
    pub mean_size: f64,
    /// gHeight; `None` where nothing could be generalised.
    pub height: Option<f64>,
}

impl SessionFigures {
    /// The recommended ε.
    pub fn epsilon(&self) -> Option<u64> {
        self.height.map(|height| (2.0 * height).round() as u64)
    }
}

/// The gap from which a longer one changes the number of vocabularies least; the figures are in the order of their gaps.
///
/// ```
/// use privet_drafts::{SessionFigures, settled};
///
/// let figures = [("5m", 100), ("30m", 60), ("1h", 58), ("8h", 40)]
///     .map(|(gap, vocabularies)| SessionFigures { gap, vocabularies, mean_size: 3.0, height: Some(2.9) });
/// let settled = settled(&figures).expect("figures");
/// assert_eq!((settled.gap, settled.epsilon()), ("30m", Some(6)));
/// ```
pub fn settled(figures: &[SessionFigures]) -> Option<&SessionFigures> {
    let fall = |pair: &[SessionFigures]| {
        pair[0].vocabularies.saturating_sub(pair[1].vocabularies) as f64 / pair[0].vocabularies.max(1) as f64
    };
    let pairs = figures.windows(2);
    pairs.min_by(|a, b| fall(a).total_cmp(&fall(b))).map(|pair| &pair[0]).or(figures.first())
}

/// Drafts a policy for a query log whose words are WordNet's, from what its sessions look like.
pub fn draft_query_log(figures: &[SessionFigures], path: &str, options: &DraftOptions) -> Result<Draft> {
    /// The thesis' k.
    const K: u64 = 5;
    let best = settled(figures).filter(|best| best.vocabularies >= K);
    let Some((best, epsilon)) = best.and_then(|best| Some((best, best.epsilon()?))) else {
        return Err(Error::input("the log has too few sessions with words of WordNet to draft a policy from").help(
            "take the policy of `privet example queries`, with kind = \"query-log\" in [data] and a tree of your own words",
        ));
    };
    let mut text = String::new();
    comment(
        &mut text,
        "A draft by `privet init` for a query log. Nothing of a query is published but words of WordNet, each within epsilon of a \
         word of everybody in its group. Read it, correct it, then run:",
    );
    comment(&mut text, "    privet anonymize policy.toml -o release");
    text += &format!("\n[data]\npath = {}\nkind = \"query-log\"\n", quoted(path));
    if let Some(delimiter) = options.delimiter {
        text += &format!("delimiter = {}\n", quoted(&delimiter.to_string()));
    }
    text += &header(&options.header);
    text += "\n# gap    vocabularies  mean size  gHeight  2·gHeight\n";
    for one in figures {
        let height = one.height.map_or("-".to_string(), |height| format!("{height:.2}"));
        let twice = one.epsilon().map_or("-".to_string(), |epsilon| epsilon.to_string());
        let vocabularies = thousands(one.vocabularies);
        text += &format!(
            "# {:<6} {vocabularies:>12}  {:>9.2}  {height:>7}  {twice:>9}\n",
            one.gap, one.mean_size
        );
    }
    text += &format!(
        "[vocabulary]\nsession_gap = \"{}\"         # from here on a longer pause changes the number of vocabularies least\n\
         dictionary = \"wordnet\"\n\n\
         [semantics]\ndistance = \"wordnet-tree\"\n\
         epsilon = {epsilon}                # 2·gHeight: as far apart as local generalisation would blur words\n\n\
         [privacy.vocabulary-k-anonymity]\nk = {K}                      # every published vocabulary is identical to four others, of five people\n\n\
         [method]\nname = \"ssg\"\n",
        best.gap
    );
    let rows = best.vocabularies;
    Ok(Draft { policy_text: text, hierarchies: Vec::new(), columns: Vec::new(), rows, k: K })
}
