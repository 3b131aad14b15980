//! What limits on an attacker's knowledge of items promise, and what they do not: the honest matrix for transactions.

use super::super::notion::{Attack, Cover, Protection};
use super::KnowledgeLimit;

/// What transactions are held against, in the order of the report.
const ON_TRANSACTIONS: [Attack; 14] = [
    Attack::KnownItems,
    Attack::SensitiveItems,
    Attack::MoreKnowledge,
    Attack::Alternatives,
    Attack::SeveralTransactions,
    Attack::KnownSensitiveItem,
    Attack::UndeclaredItems,
    Attack::Similarity,
    Attack::Minimality,
    Attack::Downcoding,
    Attack::StatisticalInference,
    Attack::Composition,
    Attack::FilesAndOrder,
    Attack::SinglingOut,
];

/// What one requirement promises, as a clause that can follow "In this release".
pub fn promise(limit: &KnowledgeLimit) -> String {
    let fits = match limit.k {
        0 | 1 => None,
        k if limit.people => {
            Some(format!("finds nobody or at least {k} people with a transaction that fits"))
        }
        k => Some(format!("finds no transaction or at least {k} that fit")),
    };
    let sure = match (&limit.confidence, limit.guards) {
        (Some(most), _) => Some(format!("becomes no surer than {most} of any sensitive item")),
        (None, true) => Some("becomes no surer of a sensitive item than its own limit allows".to_string()),
        (None, false) => None,
    };
    let both: Vec<String> = fits.into_iter().chain(sure).collect();
    if both.is_empty() {
        return "nothing is promised, for k = 1 and l = 1 ask nothing".to_string();
    }
    format!("anyone who {} {}", knowledge(limit), both.join(", and "))
}

/// What the attacker knows, behind "anyone who".
fn knowledge(limit: &KnowledgeLimit) -> String {
    if limit.everything {
        return "knows everything else about somebody’s transaction".to_string();
    }
    let items = |count: u64| match count {
        1 => "one item".to_string(),
        count => format!("up to {count} items"),
    };
    match (limit.m, limit.n) {
        (0, 0) => "knows nothing about somebody’s transaction".to_string(),
        (m, 0) => format!("knows {} of somebody’s transaction", items(m)),
        (0, n) => format!("knows {} that somebody’s transaction lacks", items(n)),
        (m, 1) => format!("knows {} of somebody’s transaction and one that it lacks", items(m)),
        (m, n) => format!("knows {} of somebody’s transaction and up to {n} that it lacks", items(m)),
    }
}

/// Sets the requirements against every attack.
pub fn protections(limits: &[KnowledgeLimit], sensitive: bool) -> Vec<Protection> {
    let concerns = |attack: &Attack| {
        sensitive
            || !matches!(attack, Attack::SensitiveItems | Attack::KnownSensitiveItem | Attack::Similarity)
    };
    let protection = |attack: Attack| {
        // Where a requirement leaves a gap, another one that has none closes it only if it promises as much: so of
        // gaps the weakest answer counts, of promises the strongest.
        let gap = matches!(attack, Attack::MoreKnowledge | Attack::Alternatives);
        let answers = limits.iter().filter_map(|limit| against(limit, attack));
        let decisive = answers.reduce(|best, next| if (next.0 > best.0) != gap { next } else { best });
        let (cover, meaning) = decisive.unwrap_or_else(|| fallback(limits, attack));
        Protection { attack, cover, meaning }
    };
    ON_TRANSACTIONS.into_iter().filter(concerns).map(protection).collect()
}

/// What no requirement decides by itself.
fn fallback(limits: &[KnowledgeLimit], attack: Attack) -> (Cover, String) {
    match attack {
        Attack::FilesAndOrder => (
            Cover::Mitigated,
            "Transactions are shuffled, items sorted, and files written anew, without leftovers of the original."
                .to_string(),
        ),
        Attack::Similarity => (
            Cover::Uncovered,
            "Each sensitive item has a limit of its own. Items that mean nearly the same, such as two drugs for one \
             illness, may together be far surer."
                .to_string(),
        ),
        Attack::Minimality if limits.iter().all(|limit| !limit.guards) => (
            Cover::Bounded,
            "The requirement does not look at sensitive items, so what was generalised says nothing about them."
                .to_string(),
        ),
        _ => (Cover::Uncovered, attack.uncovered().to_string()),
    }
}

fn against(limit: &KnowledgeLimit, attack: Attack) -> Option<(Cover, String)> {
    let who = || {
        let knowledge = knowledge(limit);
        format!("Anyone who {knowledge}")
    };
    match attack {
        Attack::SeveralTransactions if limit.people => Some((
            Cover::Partly,
            "Each person counts once, however many transactions they have. Anyone who knows which of them are the same person’s \
             knows more than the requirement assumes."
                .to_string(),
        )),
        Attack::KnownItems if limit.k > 1 => {
            Some((Cover::Bounded, format!("{} finds it with a chance of at most 1 in {}.", who(), limit.k)))
        }
        Attack::SensitiveItems if limit.guards => Some(match &limit.confidence {
            Some(most) => {
                (Cover::Bounded, format!("{} is at most {most} sure of any sensitive item.", who()))
            }
            None => (
                Cover::Partly,
                format!("{} is not surer of a sensitive item than its limit; not every item has one.", who()),
            ),
        }),
        Attack::MoreKnowledge if limit.everything => Some((
            Cover::Bounded,
            "There is no more to know: the promise holds for knowledge of all items that are not sensitive."
                .to_string(),
        )),
        Attack::MoreKnowledge => Some((Cover::Uncovered, more_knowledge(limit))),
        Attack::Alternatives => alternatives(limit),
        _ => None,
    }
}

fn more_knowledge(limit: &KnowledgeLimit) -> String {
    let lacks = match limit.n {
        0 => "or any that it lacks".to_string(),
        n => format!("or more than {n} that it lacks"),
    };
    format!(
        "Anyone who knows more than {} of the items of somebody’s transaction, {lacks}, may find that a single one fits: \
         {} promises nothing then.",
        limit.m, limit.name
    )
}

/// Disjunctions never narrow somebody down below k, but they can raise the confidence in a sensitive item. A clause of v
/// alternatives splits into v disjoint conjunctions with at most v − 1 more absences each, so n + m (v − 1) covers it.
fn alternatives(limit: &KnowledgeLimit) -> Option<(Cover, String)> {
    if limit.everything {
        let meaning = "Knowing only that one of several things is true gives no more than knowing which.";
        return Some((Cover::Bounded, meaning.to_string()));
    }
    if limit.guards {
        let remedy = match limit.m {
            0 => String::new(),
            m => format!(" n = {} would cover pairs of alternatives.", limit.n.saturating_add(m)),
        };
        return Some((
            Cover::Uncovered,
            format!(
                "Who knows that a transaction holds this or that, but not which, can become surer of a sensitive item than \
                 promised.{remedy}"
            ),
        ));
    }
    (limit.k > 1).then(|| {
        (
            Cover::Bounded,
            format!("Knowing that one of several things is true still leaves {} that fit.", limit.k),
        )
    })
}
