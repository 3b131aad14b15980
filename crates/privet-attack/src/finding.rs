//! What an attack found, in the same form for all attacks, so that they can be compared.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

/// What an attack found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The attack's name, as in [`ATTACKS`](super::ATTACKS).
    pub name: String,
    /// What people call it.
    #[serde(default)]
    pub title: String,
    /// What the attacker knows in addition to the release.
    pub knows: String,
    /// What they do with it.
    pub does: String,
    /// What the figures rest on.
    pub assumes: String,
    /// The sample that the figures are about, where not everybody was attacked; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sampled: String,
    /// How often the attack succeeds. The first is the headline, the others say more.
    pub figures: Vec<Figure>,
    /// The worst case in a line; empty where there is none. For the steward alone.
    #[serde(default)]
    pub worst: String,
    /// Some of the worst cases, a line each. For the steward alone.
    #[serde(default)]
    pub lines: Vec<String>,
    /// How long it took.
    #[serde(default)]
    pub seconds: f64,
    /// Where it was stopped before its end: after how long, and what the figures are of. Empty where it was not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stopped: String,
    /// The finding in one sentence, for somebody who is about to publish; empty if there is nothing to warn about.
    pub warning: String,
    /// What else the attack has to say, for scripts.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub more: Map<String, Json>,
}

/// How often an attack succeeds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Figure {
    /// What counts as a success.
    pub what: String,
    /// How many targets there are.
    pub targets: u64,
    /// How many succeed.
    pub hits: u64,
    /// How many would succeed without the attack.
    pub baseline: u64,
    /// What the attacker does instead.
    pub instead: String,
    /// How many of as many targets succeed where the release cannot reveal anything about the target, if that was tried.
    #[serde(default)]
    pub control: Option<u64>,
    /// What the control is, or why there is none.
    #[serde(default)]
    pub controlled: String,
}

/// Why an attack has no control: the sentence for those that state a fact about the file and guess nothing.
pub(super) const NO_GUESS: &str = "nothing is guessed, so chance plays no part";

/// What a rate is called that wants a control and has none.
const UNCONTROLLED: &str = "uncontrolled";

impl Finding {
    /// An empty finding of the attack with this name and title, for the rest of a struct.
    pub fn new(name: &str, title: &str) -> Finding {
        Finding {
            name: name.to_string(),
            title: title.to_string(),
            knows: String::new(),
            does: String::new(),
            assumes: String::new(),
            sampled: String::new(),
            figures: Vec::new(),
            worst: String::new(),
            lines: Vec::new(),
            seconds: 0.0,
            stopped: String::new(),
            warning: String::new(),
            more: Map::new(),
        }
    }

    /// The figure that represents the attack.
    pub fn headline(&self) -> Figure {
        self.figures.first().cloned().unwrap_or_default()
    }

    /// Whether the attacker succeeded in something to warn about.
    pub fn succeeds(&self) -> bool {
        !self.warning.is_empty() && self.figures.iter().any(|figure| figure.hits > 0)
    }

    /// Whether there was nothing to try it on.
    pub(super) fn is_void(&self) -> bool {
        self.figures.iter().all(|figure| figure.targets == 0)
    }

    /// As `privet attack --json` prints it.
    pub fn to_json(&self) -> Json {
        let headline = self.headline();
        let (low, high) = headline.interval();
        let controlled = match (headline.control, headline.controlled.as_str()) {
            (None, "") => "there is no control",
            (_, controlled) => controlled,
        };
        let mut json = json!({
            "name": self.name,
            "title": self.title,
            "targets": headline.targets,
            "hits": headline.hits,
            "baseline": headline.baseline,
            "control": headline.control,
            "control_is": controlled,
            "interval": [low, high],
            "seconds": self.seconds,
            "stopped": self.stopped,
            "what": headline.what,
            "knows": self.knows,
            "does": self.does,
            "assumes": self.rests_on(),
            "figures": self.figures,
            "worst": self.worst,
            "lines": self.lines,
            "warning": self.warning,
        });
        for (key, value) in &self.more {
            json[key] = value.clone();
        }
        json
    }

    /// What the figures rest on, with the sample that they are of.
    pub fn rests_on(&self) -> String {
        let parts = [self.assumes.as_str(), &self.sampled].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("; ")
    }

    /// The warning, with the sample that it is about.
    pub fn warned(&self) -> String {
        match self.sampled.as_str() {
            "" => self.warning.clone(),
            sampled => format!("{} ({sampled})", self.warning),
        }
    }

    /// The headline in a line.
    pub fn in_a_line(&self) -> String {
        let headline = self.headline();
        if headline.targets == 0 {
            return format!("{}: nothing to try it on", self.name);
        }
        let (low, high) = headline.interval();
        let control = match headline.control {
            Some(control) => format!("control {control}"),
            None if headline.controlled.contains(UNCONTROLLED) => UNCONTROLLED.to_string(),
            None => "no control".to_string(),
        };
        let notes: String = [&self.sampled, &self.stopped]
            .iter()
            .filter(|note| !note.is_empty())
            .map(|note| format!("; {note}"))
            .collect();
        format!(
            "{}: {} of {} ({:.1} %, 95 % interval {:.1} to {:.1}; baseline {}, {control}): {}{notes}",
            self.name,
            headline.hits,
            headline.targets,
            100.0 * headline.share(),
            100.0 * low,
            100.0 * high,
            headline.baseline,
            headline.what
        )
    }
}

impl Figure {
    /// Orders figures so that the one with the largest share of hits comes first.
    pub(super) fn worse_first(&self, other: &Figure) -> Ordering {
        let cross = |one: &Figure, other: &Figure| u128::from(one.hits) * u128::from(other.targets.max(1));
        cross(other, self).cmp(&cross(self, other))
    }

    /// The share of targets that are hit; 0 where there are none.
    pub fn share(&self) -> f64 {
        self.hits as f64 / self.targets.max(1) as f64
    }

    /// The share of targets that are hit, with a Wilson interval of 95 %: its ends. All of 0 to 1 where there are no targets.
    pub fn interval(&self) -> (f64, f64) {
        wilson(self.hits, self.targets)
    }
}

/// Wilson's score interval for a share, with 95 % confidence.
fn wilson(hits: u64, targets: u64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if targets == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (targets as f64, hits as f64 / targets as f64);
    let middle = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).max(0.0).sqrt();
    let whole = 1.0 + Z * Z / n;
    (((middle - spread) / whole).max(0.0), ((middle + spread) / whole).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_intervals_are_as_in_the_books() {
        let (low, high) = wilson(5, 10);
        assert!((low - 0.2366).abs() < 1e-4 && (high - 0.7634).abs() < 1e-4, "{low} {high}");
        let (low, high) = wilson(0, 20);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn a_finding_is_shown_in_a_line_and_read_again() {
        let headline = Figure { what: "people found".into(), targets: 10, hits: 5, ..Figure::default() };
        let finding = Finding { figures: vec![headline], ..Finding::new("test", "A test") };
        assert_eq!(
            finding.in_a_line(),
            "test: 5 of 10 (50.0 %, 95 % interval 23.7 to 76.3; baseline 0, no control): people found"
        );
        assert_eq!(finding.to_json()["control"], Json::Null);
        let sampled = Finding {
            assumes: "all are known".into(),
            sampled: "a random sample of 10 of 90 people was attacked".into(),
            warning: "they are found".into(),
            ..finding.clone()
        };
        assert!(
            sampled.in_a_line().ends_with("people found; a random sample of 10 of 90 people was attacked")
        );
        assert_eq!(sampled.warned(), "they are found (a random sample of 10 of 90 people was attacked)");
        assert_eq!(
            sampled.to_json()["assumes"],
            "all are known; a random sample of 10 of 90 people was attacked"
        );
        let kept = serde_json::to_string(&finding).expect("JSON");
        assert_eq!(serde_json::from_str::<Finding>(&kept).expect("a finding"), finding);
        // What was kept before findings had a title and controls is read too.
        let older = r#"{"name":"x","knows":"","does":"","assumes":"","figures":
            [{"what":"","targets":1,"hits":1,"baseline":0,"instead":""}],"warning":"w"}"#;
        assert!(serde_json::from_str::<Finding>(older).expect("a finding").succeeds());
    }
}
