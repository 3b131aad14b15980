//! What the policy names and the release hides.
//!
//! A threshold of its own (`theta = { Ebola = "1/50" }`) names a value. If no released record shows the value, the public must
//! not read from the requirement that somebody has it, or that the steward thought so. Requirements are therefore put into
//! words twice: in full for the steward, and with the thresholds of shown values for the public.

use super::account::counts_after;
use super::report::Veil;
use privet_engine::microdata::Microdata;
use privet_engine::privacy::TrackedTable;
use privet_methods::recoding::ClassTable;
use privet_policy::{Requirement, Stated};

/// Hides what requirements name; `shows` says whether the release shows a value that a requirement is about.
pub(super) fn of<S: Stated>(requirements: &[S], shows: impl Fn(&S, &str) -> bool) -> Veil {
    let own = |asked: &S| {
        // Requirements with the same thresholds, of two columns perhaps, read alike: what one of them hides, all do.
        let thresholds = asked.own_thresholds();
        let alike = || requirements.iter().filter(|other| other.own_thresholds() == thresholds);
        asked.thresholds_shown(&|value| alike().all(|other| shows(other, value)))
    };
    Veil::new(requirements.iter().flat_map(own).collect())
}

/// Hides what the requirements of a table name and none of its classes shows.
pub(super) fn of_table(requirements: &[Requirement], microdata: &Microdata, classes: &ClassTable) -> Veil {
    let shown: Vec<Vec<u64>> =
        microdata.table.tracked.iter().map(|column| counts_after(&column.slots, classes)).collect();
    of(requirements, |clause, value| is_shown(&microdata.table, &shown, clause, value))
}

/// Whether a value of the column that a requirement is about occurs, going by how often each value does, per tracked column.
pub(super) fn is_shown(table: &TrackedTable, counts: &[Vec<u64>], asked: &Requirement, value: &str) -> bool {
    let about = asked.column();
    let mut columns = table.tracked.iter().zip(counts).filter(|(column, _)| about == Some(column.index));
    columns.any(|(column, counts)| {
        column.values.iter().zip(counts).any(|(known, count)| known == value && *count > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_policy::{Policy, TransactionPolicy};

    fn policy(folder: &std::path::Path, theta: &str) -> TransactionPolicy {
        std::fs::write(folder.join("data.txt"), "a\n").expect("written");
        let text = format!(
            "[data]\npath = \"data.txt\"\nkind = \"transactions\"\n[items]\nsensitive = [\"HIV\", \"Flu\", \"Fl\"]\n\
             [privacy.kl-privacy]\nk = 2\nl = 2\nm = 1\n{theta}"
        );
        let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
        policy.check_transactions(None).expect("a checked policy")
    }

    #[test]
    fn hard_use_1_7_only_thresholds_of_shown_values_are_read_in_public() {
        let folder = tempfile::tempdir().expect("a folder");
        let hidden = |theta: &str, shown: &[&str]| {
            let policy = policy(folder.path(), theta);
            let veil = of(&policy.requirements, |_, value| shown.contains(&value));
            veil.public(&format!("table 1: {}", policy.requirements[0].describe(&[])))
        };
        let all = "theta = { HIV = \"1/10\", Flu = \"1/3\", Fl = 0.5 }\n";
        assert_eq!(
            hidden(all, &["Flu", "Fl"]),
            "table 1: kl-privacy (k = 2, l = 2, m = 1, n = 0, theta = { Fl = 1/2, Flu = 1/3 })"
        );
        assert_eq!(hidden(all, &[]), "table 1: kl-privacy (k = 2, l = 2, m = 1, n = 0)");
        assert_eq!(
            hidden(all, &["HIV", "Flu", "Fl"]),
            "table 1: kl-privacy (k = 2, l = 2, m = 1, n = 0, theta = { Fl = 1/2, Flu = 1/3, HIV = 1/10 })"
        );
        assert_eq!(hidden("", &[]), "table 1: kl-privacy (k = 2, l = 2, m = 1, n = 0)");
        // Without its weights the promise would be another one.
        assert_eq!(
            hidden("power = { a = 2 }\n", &[]),
            "table 1: kl-privacy (k = 2, l = 2, m = 1, n = 0, power = weights of single values)"
        );
    }
}
