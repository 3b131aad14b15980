//! `privet mine`: lists the rules that an adversary is taken to know.

use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::engine::negative_rules::{KnownRule, Origin};
use privet::method::injector::{idle_note, known_rules};
use privet::policy::{AnyPolicy, Policy, ReleaseKind};
use privet::{Error, Result, counted, visible};
use serde_json::{Value as Json, json};

use crate::arguments::Mine;
use crate::output::Output;

pub fn run(arguments: &Mine, output: &Output, clock: &Clock) -> Result<u8> {
    let policy = match Policy::read(&arguments.policy)?.check_any(None)? {
        AnyPolicy::Table(policy) if policy.publishes() == ReleaseKind::Groups => policy,
        _ => {
            return Err(Error::input(
                "only methods \"injector\" and \"anatomy\" ask what an adversary knows",
            )
            .in_file(&arguments.policy)
            .help("set [method] name = \"injector\"; see `privet example injector`"));
        }
    };
    clock.progress().stage("reading", Some(policy.source.bytes()));
    let microdata = Microdata::read(&policy, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    clock.progress().stage("mining", None);
    let (observations, shown) = known_rules(&policy, &microdata, clock)?;
    shown.absent.iter().cloned().chain(idle_note(&shown)).for_each(|note| output.warn(&note));
    let (rules, mined) = (&shown.rules, shown.mined);
    let origin = |rule: &KnownRule| match rule.origin {
        Origin::Mined => "mined",
        Origin::Muted => "muted",
        Origin::Stated(_) => "stated",
    };
    let mut text = String::new();
    for rule in rules {
        let expectation = 100.0 * rule.rule.expectation(&observations);
        let confidence = 100.0 * rule.rule.confidence();
        text += &format!(
            "{}  {:<6} {}\n           {} {}, expectation {expectation:.2} %, confidence {confidence:.1} %\n",
            visible::line(&rule.text.name()),
            origin(rule),
            visible::line(&rule.text.to_string()),
            rule.rule.support,
            if rule.rule.support == 1.0 { "record" } else { "records" },
        );
    }
    let listed = counted(rules.len() as u64, "rule", "rules");
    text += &format!("{listed}; {mined} mined in all, implied ones are folded\n");
    if shown.repeated > 0 {
        let folded = counted(shown.repeated, "stated rule says", "stated rules say");
        text += &format!("{folded} what others say as well: not listed\n");
    }
    output.result(&text, || {
        let rule = |rule: &KnownRule| {
            let conjunction: serde_json::Map<String, Json> =
                rule.text.items.iter().map(|(column, node)| (column.clone(), json!(node))).collect();
            json!({
                "name": rule.text.name(),
                "if": conjunction,
                "not": rule.text.value,
                "origin": origin(rule),
                "support": rule.rule.support,
                "expectation": rule.rule.expectation(&observations),
                "confidence": rule.rule.confidence(),
            })
        };
        json!({ "rules": rules.iter().map(rule).collect::<Vec<_>>(), "mined": mined, "repeated": shown.repeated })
    });
    Ok(0)
}
