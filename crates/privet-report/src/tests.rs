//! What both editions must and must not say.

use super::sample::{awkward, census, diseases, patients};
use super::testing::{text_of, texts};
use super::*;
use privet_ledger::{Composition, Relation};

fn html(model: &TableReport, edition: Edition) -> String {
    match Report::from(model.clone()).render(edition) {
        Ok(page) => page,
        Err(error) => panic!("{error}"),
    }
}

/// Writes the samples where they can be looked at: `PRIVET_REPORTS=/tmp/reports cargo test -p privet-report samples_to_look_at`.
#[test]
fn samples_to_look_at() -> std::io::Result<()> {
    let Some(folder) = std::env::var_os("PRIVET_REPORTS").map(std::path::PathBuf::from) else {
        return Ok(());
    };
    std::fs::create_dir_all(&folder)?;
    let samples =
        [("census", census()), ("patients", patients()), ("diseases", diseases()), ("awkward", awkward())];
    for (name, model) in samples {
        for (edition, suffix) in [(Edition::Steward, "steward"), (Edition::Public, "public")] {
            std::fs::write(folder.join(format!("{name}-{suffix}.html")), html(&model, edition))?;
        }
    }
    Ok(())
}

#[test]
fn hostile_text_is_escaped_wherever_it_may_stand() {
    const EVIL: &str = "<script>alert('\"x')</script>";
    let mut model = census();
    let evil = || EVIL.to_string();
    model.common.title = evil().into();
    model.common.data_name = evil().into();
    model.common.privet = evil();
    model.common.method = MethodAccount { name: evil(), summary: evil(), settings: vec![(evil(), evil())] };
    model.common.policy = evil().into();
    model.missing = evil();
    model.suppression = evil();
    for requirement in &mut model.requirements {
        requirement.description = evil();
    }
    model.requirements.push(Requirement {
        name: "t-closeness".into(),
        notion: Notion::TCloseness { column: evil(), t: evil(), distance: evil() },
        description: evil(),
    });
    for column in &mut model.common.columns {
        column.name = evil();
        column.reason = evil().into();
        column.transformation = evil();
        for node in column.taxonomy.iter_mut().flat_map(|taxonomy| &mut taxonomy.nodes) {
            node.label = evil();
        }
    }
    model.common.columns[1].role = evil();
    for distribution in &mut model.sensitive {
        distribution.column = evil();
        distribution.values.iter_mut().for_each(|value| value.value = evil());
    }
    for entry in &mut model.common.tightness {
        entry.requirement = evil();
        entry.worst = evil().into();
    }
    for loss in &mut model.common.losses {
        (loss.name, loss.formula, loss.range, loss.direction) = (evil(), evil(), evil(), evil());
    }
    for check in &mut model.common.audit.checks {
        (check.name, check.worst, check.detail) = (evil(), evil().into(), evil().into());
    }
    model.common.reproduce.command = evil().into();
    model.common.reproduce.policy_sha256 = evil().into();
    model.common.reproduce.inputs.open_mut()[0] = FileHash { path: evil(), sha256: evil() };
    model.common.reproduce.released[0] = FileHash { path: evil(), sha256: evil() };
    if let Some(search) = &mut model.common.search {
        search.open_mut().space = evil();
    }
    for edition in [Edition::Steward, Edition::Public] {
        let page = html(&model, edition);
        assert!(!page.contains("<script"), "{edition:?}");
        assert!(!page.contains("alert('"), "quotes are escaped too, for attributes");
        assert!(page.contains("&lt;script&gt;"));
    }
}

#[test]
fn a_page_fetches_nothing_and_runs_nothing() {
    for model in [census(), patients(), diseases(), awkward()] {
        for edition in [Edition::Steward, Edition::Public] {
            let page = html(&model, edition);
            for forbidden in [
                "<script", "http://", "https://", "@import", "<link", "<img", "<iframe", " src=", " onload",
                " onclick",
            ] {
                assert!(!page.contains(forbidden), "{forbidden}");
            }
        }
    }
}

#[test]
fn headings_are_in_order_and_links_lead_somewhere() {
    for model in [census(), patients(), awkward()] {
        for edition in [Edition::Steward, Edition::Public] {
            let page = html(&model, edition);
            assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
            assert_eq!(texts(&page, "h1").len(), 1);
            for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
            }
            let charts = page.matches("<svg role=\"img\" aria-label=\"").count();
            assert_eq!(charts, page.matches("<svg role=\"img\"").count());
            for figure in page.split("<figure").skip(1).filter_map(|rest| rest.split("</figure>").next()) {
                assert!(
                    figure.contains("<svg role=\"img\"") && figure.contains("<table"),
                    "a table below each chart"
                );
            }
        }
    }
}

#[test]
fn the_sections_stand_in_their_order() {
    let sections = |edition| {
        let page = html(&census(), edition);
        page.split("<section id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        sections(Edition::Steward),
        "verdict limits facts columns rows taxonomies sensitive scan tightness risk ledger losses fidelity suppressed audit search \
         method signature glossary"
    );
    assert_eq!(
        sections(Edition::Public),
        "verdict limits facts columns taxonomies sensitive tightness losses fidelity audit method glossary"
    );
}

#[test]
fn the_verdict_says_what_holds_and_what_is_not_protected() {
    let page = html(&census(), Edition::Public);
    assert!(page.contains("The release keeps its promise"));
    assert!(page.contains("every record looks the same as at least 10 others on its quasi-identifiers"));
    for attack in [Attack::Similarity, Attack::Composition, Attack::SinglingOut, Attack::UndeclaredColumns] {
        assert!(page.contains(attack.name()), "{attack:?}");
    }
    let failed = html(&awkward(), Edition::Steward);
    assert!(failed.contains("The release does not keep its promise") && failed.contains("✕ fails"));
}

#[test]
fn the_public_edition_keeps_the_stewards_secrets() {
    let mut model = census();
    model.common.columns[1].reason = "REASON".to_string().into();
    model.common.tightness[0].worst = "WORST".to_string().into();
    model.common.audit.checks[0].worst = "WORST".to_string().into();
    model.common.audit.checks[0].detail = "DETAIL".to_string().into();
    let steward = html(&model, Edition::Steward);
    let public = html(&model, Edition::Public);
    for secret in [
        "421337",
        "secret-folder",
        "census.csv",
        "policy.toml",
        "hierarchies",
        "REASON",
        "WORST",
        "DETAIL",
        "Prosecutor",
        "lighthouse keeper",
        ">bachelor’s degree",
        ">widowed<",
        "937**",
        "184 ms",
        model.common.reproduce.policy_sha256.open().as_str(),
        model.common.reproduce.inputs.open()[0].sha256.as_str(),
    ] {
        let in_steward = steward.contains(secret) || secret == "937**";
        assert!(in_steward, "the sample should hold {secret}");
        assert!(!public.contains(secret), "{secret}");
    }
    assert!(public.contains(&model.common.reproduce.released[0].sha256));
}

#[test]
fn the_public_edition_draws_no_leaf_below_the_cut() {
    let mut model = census();
    let mut hidden = Vec::new();
    for (index, column) in model.common.columns.iter_mut().enumerate() {
        for (at, node) in
            column.taxonomy.iter_mut().flat_map(|taxonomy| taxonomy.nodes.iter_mut().enumerate())
        {
            node.label = format!("label-{index}-{at}-");
            if node.released == 0 && node.level == 0 {
                hidden.push(node.label.clone());
            }
        }
    }
    let public = html(&model, Edition::Public);
    assert!(hidden.len() > 400);
    assert!(hidden.iter().all(|label| !public.contains(label.as_str())));
}

#[test]
fn the_public_edition_shows_no_count_from_one_to_ten() {
    for mut model in [census(), patients(), diseases()] {
        // Every count of the model becomes 7, which then must not be seen; 7 stands nowhere else.
        model.common.records = Records {
            read: 21.into(),
            dropped: 7.into(),
            suppressed: 7.into(),
            released: 7,
            starred: 7.into(),
            hides_suppressed: false,
        };
        for row in model.confidences.iter_mut().flat_map(|confidences| &mut confidences.rows) {
            (row.records, row.worst) = (7.into(), 0.5);
            row.value = "value".into();
        }
        for column in &mut model.common.columns {
            (column.distinct_before, column.distinct_after) = (Some(7.into()), Some(7));
            (column.loss, column.generalised) = (Some(0.5.into()), Some((1.0 / 3.0).into()));
            column.transformation = "unchanged".into();
            for node in column.taxonomy.iter_mut().flat_map(|taxonomy| &mut taxonomy.nodes) {
                (node.records, node.released, node.level) = (7.into(), 7, 0);
                node.label = "label".into();
            }
        }
        for value in model.sensitive.iter_mut().flat_map(|distribution| &mut distribution.values) {
            (value.before, value.after) = (7.into(), 7);
            value.value = "value".into();
        }
        for entry in &mut model.common.tightness {
            (entry.value, entry.counted) = (Sourced::Released(7.0), true);
            entry.threshold = 0.5;
        }
        for loss in &mut model.common.losses {
            (loss.value, loss.normalised) = (7.0.into(), Some(0.5.into()));
        }
        for check in &mut model.common.audit.checks {
            check.concerned = 7;
        }
        model.common.reproduce.released.clear();
        let text = text_of(&html(&model, Edition::Public));
        assert!(!text.contains('7') && !text.contains("33.3"), "{text}");
        assert!(text.contains("1–10"));
    }
}

#[test]
fn small_counts_cannot_be_had_by_subtraction() {
    // The sample's 7 soldiers would follow from the other occupations, were none of these withheld.
    let public = html(&census(), Edition::Public);
    assert!(public.contains(">armed forces</th><td>1–10</td>"));
    assert!(public.contains(">manager</th><td>withheld</td>"));
}

#[test]
fn what_depends_on_the_original_reaches_the_public_in_steps_or_not_at_all() {
    let mut model = census();
    if let Some(fidelity) = &mut model.common.fidelity {
        let fidelity = fidelity.open_mut();
        let mut occupation = fidelity.marginals[0].clone();
        (occupation.values.column, occupation.distance) = ("occupation".into(), 0.031);
        fidelity.marginals.push(occupation);
    }
    let (steward, public) = (html(&model, Edition::Steward), html(&model, Edition::Public));
    let section = |page: &str, id: &str| {
        let rest = page.split(&format!("<section id=\"{id}\"")).nth(1).unwrap_or_default();
        rest.split("</section>").next().unwrap_or_default().to_string()
    };
    let told = [
        ("fidelity", "Release less original"),
        ("fidelity", ">3.1 %<"),
        ("fidelity", ">0.4 %<"),
        ("tightness", "0.1875"),
        ("suppressed", "female"),
        ("losses", "43,921"),
        ("losses", "27.5 %"),
        ("facts", "123"),
        ("facts", "20,000"),
        ("columns", "12.1 %"),
    ];
    for (id, secret) in told {
        assert!(section(&steward, id).contains(secret), "the sample should hold {secret}");
        assert!(!section(&public, id).contains(secret), "{secret}");
    }
    for stepped in ["sex</th><td>5 %</td>", "age</th><td>25 %</td>"] {
        assert!(section(&public, "fidelity").contains(stepped), "{stepped}");
    }
    assert!(section(&public, "losses").contains("≤ 30 %") && section(&public, "facts").contains("≤ 5 %"));
    // In a small release even a step would tell a count: nothing of it is left.
    (model.common.records.released, model.common.records.suppressed) = (200, 1.into());
    let small = html(&model, Edition::Public);
    for id in ["losses", "fidelity", "suppressed"] {
        assert!(section(&small, id).is_empty(), "{id}");
    }
    assert!(!small.contains('≤') || !section(&small, "facts").contains('≤'), "{}", section(&small, "facts"));
}

#[test]
fn the_model_survives_being_filed() -> std::result::Result<(), serde_json::Error> {
    for model in [census(), patients(), awkward()] {
        let filed = serde_json::to_string(&ForSteward(&model))?;
        assert_eq!(serde_json::from_str::<TableReport>(&filed)?, model);
    }
    Ok(())
}

#[test]
fn what_was_filed_is_known_by_its_kind() {
    let report = Report::from(patients());
    let filed = serde_json::to_string(&ForSteward(&report)).expect("JSON");
    assert!(filed.starts_with("{\"kind\":\"table\""));
    assert_eq!(serde_json::from_str::<Report>(&filed).expect("a report"), report);
    assert!(serde_json::from_str::<Report>("{}").is_err());
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    assert_eq!(html(&census(), Edition::Steward), html(&census(), Edition::Steward));
}

#[test]
fn a_bare_model_can_be_rendered() {
    let mut model = patients();
    model.requirements.clear();
    model.common.columns.clear();
    model.sensitive.clear();
    model.common.tightness.clear();
    model.common.risk_before = None;
    model.common.risk_after = None;
    model.common.losses.clear();
    model.common.audit.checks.clear();
    model.common.records = Records {
        read: 1.into(),
        dropped: 0.into(),
        suppressed: 0.into(),
        released: 1,
        starred: 0.into(),
        hides_suppressed: false,
    };
    for edition in [Edition::Steward, Edition::Public] {
        let page = html(&model, edition);
        assert!(page.contains("promises nothing"));
        assert!(!page.contains("NaN") && !page.contains("∞"), "{edition:?}");
    }
}

#[test]
fn the_steward_sees_how_the_search_closed_in_and_what_to_mind() {
    let model = diseases();
    let steward = html(&model, Edition::Steward);
    for text in [
        "While the search went on, the best cost went from 61,035 to 43,921",
        "about 3.4 × 10³⁸",
        "1,742: one in about 10³⁵",
        "Read before publishing",
        "<dt>Sensitive cells shown as *</dt><dd>1,412</dd>",
        ">lighthouse keeper</th><td data-name=\"In the original\" class=\"number\">4<",
    ] {
        assert!(steward.contains(text), "{text}");
    }
    let public = html(&model, Edition::Public);
    for secret in [
        "While the search went on",
        "10³⁸",
        "Read before publishing",
        "lighthouse",
        "In the original",
        "Attacks that were tried",
    ] {
        assert!(!public.contains(secret), "{secret}");
    }
    assert!(public.contains("id=\"confidence\"") && public.contains(">3&#x2f;10</td>"));
}

#[test]
fn thresholds_that_tell_counts_of_the_original_are_withheld() {
    let mut model = diseases();
    model.confidences[0].from_data = true;
    model.common.tightness[0].from_data = true;
    (model.common.tightness[0].threshold, model.common.tightness[0].side) = (0.396, Side::AtMost);
    assert!(html(&model, Edition::Steward).contains("≤ 0.396"));
    assert!(html(&model, Edition::Steward).contains(">3&#x2f;10</td>"));
    let public = html(&model, Edition::Public);
    assert!(
        !public.contains("3&#x2f;10")
            && public.contains("<td data-name=\"Threshold\" class=\"number\">withheld</td>")
    );
    assert!(!public.contains("class=\"threshold\" x1=\"54.4\""));
    assert!(!public.contains("0.396"), "the tightest threshold is one of them");
    assert!(public.contains("<td data-name=\"Required\" class=\"number\">withheld</td>"));
    assert!(public.contains("<td data-name=\"Worst class\" class=\"number\">not shown</td>"));
    // The order by tightness would tell how thresholds compare.
    let table = public.split("id=\"confidence\"").nth(1).and_then(|rest| rest.split("</section>").next());
    let values: Vec<&str> = table
        .into_iter()
        .flat_map(|table| table.split("<th scope=\"row\">").skip(1))
        .filter_map(|rest| rest.split('<').next())
        .collect();
    assert!(values.len() > 2 && values.is_sorted(), "{values:?}");
}

#[test]
fn a_report_that_was_filed_before_there_were_thresholds_can_still_be_read() {
    let mut filed = serde_json::to_value(ForSteward(&census())).expect("JSON");
    let model = filed.as_object_mut().expect("an object");
    model.remove("confidences");
    model.remove("warnings");
    model.remove("attacks");
    model["records"].as_object_mut().expect("records").remove("starred");
    model["search"].as_object_mut().expect("a search").remove("trace");
    assert_eq!(serde_json::from_value::<TableReport>(filed).expect("a model"), census());
}

#[test]
fn an_empty_release_does_not_boast() {
    let mut model = patients();
    model.common.records = Records {
        read: 50.into(),
        dropped: 0.into(),
        suppressed: 50.into(),
        released: 0,
        starred: 0.into(),
        hides_suppressed: false,
    };
    model.requirements = vec![Requirement {
        name: "k-anonymity".into(),
        notion: Notion::KAnonymity { k: 99 },
        description: "99-anonymity".into(),
    }];
    for edition in [Edition::Steward, Edition::Public] {
        let page = html(&model, edition);
        assert!(page.contains("The release is empty") && !page.contains("keeps its promise"), "{edition:?}");
        assert!(!page.contains("average risk of being found") && !page.contains("of information lost"));
        let says_k = page.contains("k = 99 asks for more records than the table has");
        assert_eq!(says_k, edition.is_steward());
    }
}

#[test]
fn the_headline_says_how_many_cells_are_suppressed() {
    let mut model = diseases();
    assert!(html(&model, Edition::Public).contains("of sensitive cells shown as *"));
    for column in model.common.columns.iter_mut().filter(|column| column.role == "sensitive") {
        (column.distinct_after, column.suppressed) = (Some(0), Some(1.0));
    }
    for edition in [Edition::Steward, Edition::Public] {
        let page = html(&model, edition);
        assert!(page.contains("the release says nothing about it") && page.contains("<b>100 %</b>"));
    }
}

#[test]
fn the_policy_says_who_answers_and_the_public_reads_only_what_it_may() {
    let mut model = census();
    let text = |text: &str| Some(text.to_string());
    model.common.report = privet_policy::ReportKeys {
        owner: text("Office of OWNER"),
        licence: text("LICENCE 4.0"),
        review: text("2027-05-01"),
        recipient: text("RECIPIENT"),
        scenario: text("SCENARIO"),
        preset: text("cms"),
        ..privet_policy::ReportKeys::default()
    };
    let (steward, public) = (html(&model, Edition::Steward), html(&model, Edition::Public));
    for shown in ["Office of OWNER", "LICENCE 4.0", "2027-05-01", "No tool can certify"] {
        assert!(steward.contains(shown) && public.contains(shown), "{shown}");
    }
    for secret in ["RECIPIENT", "SCENARIO", "No cell of 1 to 10 people"] {
        assert!(steward.contains(secret) && !public.contains(secret), "{secret}");
    }
    for preset in ["hipaa-safe-harbor", "ema", "gdpr", "our own"] {
        model.common.report.preset = text(preset);
        assert!(html(&model, Edition::Steward).contains(&format!("Drafted after the rule: {preset}")));
    }
}

#[test]
fn a_warning_makes_the_verdict_amber_but_does_not_reach_the_public() {
    let mut model = census();
    assert!(html(&model, Edition::Steward).contains("class=\"verdict pass\""));
    let before = html(&model, Edition::Public);
    model.common.warnings = vec!["SOMETHING succeeds".to_string()].into();
    let (steward, public) = (html(&model, Edition::Steward), html(&model, Edition::Public));
    assert!(steward.contains("class=\"verdict amber\"") && steward.contains("SOMETHING"));
    assert_eq!(public, before, "whether there were warnings depends on the original");
}

#[test]
fn a_warning_of_an_attack_comes_with_advice() {
    let mut model = diseases();
    let found = &mut model.common.attacks.open_mut()[0];
    (found.name, found.warning) = ("downcoding".into(), "9 of 11 cells can be taken down".into());
    model.common.warnings = vec!["9 of 11 cells can be taken down".to_string()].into();
    assert!(html(&model, Edition::Steward).contains("taken down <em>Little is lost by it"));
}

#[test]
fn earlier_releases_are_told_to_the_steward_and_that_there_is_a_ledger_to_all() {
    let mut model = census();
    let page = html(&model, Edition::Steward);
    assert!(page.contains("The policy names no ledger"), "not knowing is said too");
    let earlier = EarlierRelease {
        entry: 2,
        date: "2026-03-01T10:00:00Z".into(),
        state: "unconfirmed".into(),
        method: "mondrian".into(),
        recipient: Some("the <b>ministry</b>".into()),
        folder: "/secret-folder/first".into(),
        same_source: true,
        people: 19_876,
        relation: Relation::Crossing,
        policy_sha256: "aa".repeat(32),
        release_sha256: "bb".repeat(32),
    };
    let mut account =
        LedgerAccount { entry: 5, person: None, refuses: false, earlier: vec![earlier], together: None };
    model.common.ledger = Some(account.clone().into());
    let page = html(&model, Edition::Steward);
    for said in [
        "line 5 of the ledger. One release came before it.",
        "Line 2, 2026-03-01, unconfirmed",
        "mondrian, from the same data",
        "&lt;b&gt;ministry",
        "classes overlap",
        "Nobody of this release is found in an earlier one",
    ] {
        assert!(page.contains(said), "{said}");
    }
    account.together = Some(Composition {
        releases: 2,
        people: 19_000,
        targets: 19_000,
        pinned_alone: 12,
        pinned: 152,
        added: 140,
        candidates_alone: 9.0,
        candidates: 8.0,
        posterior_alone: 0.5,
        posterior: 1.0,
        ..Composition::default()
    });
    model.common.ledger = Some(account.into());
    let page = html(&model, Edition::Steward);
    for said in ["To be weighed.", "tell the value of 152 of them, and of 140 because of this one", ">164<"] {
        assert!(page.contains(said), "{said}");
    }
    let public = text_of(&html(&model, Edition::Public));
    assert!(public.contains("the steward’s ledger sets it against the earlier ones"), "{public}");
    for secret in ["ministry", "secret-folder", "mondrian", "of 152", "line 5"] {
        assert!(!public.contains(secret), "{secret}");
    }
}

#[test]
fn attacks_are_drawn_with_baseline_control_and_interval() {
    let mut model = diseases();
    model.common.attacks_not_run = Original::from(vec![privet_attack::NotRun {
        name: "population".into(),
        reason: "there is no population file".into(),
        for_cost: false,
    }]);
    if let Some(figure) =
        model.common.attacks.open_mut().first_mut().and_then(|found| found.figures.first_mut())
    {
        (figure.control, figure.controlled) = (Some(120), "shuffled".into());
    }
    let page = html(&model, Edition::Steward);
    for text in ["95 % interval", "class=\"baseline\"", "class=\"control\"", "There is no population file."] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!html(&model, Edition::Public).contains("95 % interval"));
}

#[test]
fn hard_use_1_8_nobody_is_said_to_have_weighed_anything_unless_the_policy_says_so() {
    let mut model = census();
    model.common.warnings = vec!["SOMETHING succeeds".to_string()].into();
    let public = html(&model, Edition::Public);
    assert!(!public.contains("weighed") && !public.contains("warned"), "nobody did");
    assert!(!public.contains("Signed off"));
    model.common.report.sign_off = Some("Dr. Doe, data protection officer, 2026-11-02".to_string());
    for edition in [Edition::Steward, Edition::Public] {
        assert!(
            html(&model, edition).contains("Dr. Doe, data protection officer, 2026-11-02"),
            "{edition:?}"
        );
    }
}
