//! Made-up models for tests, and for looking at the report.

mod figures;
mod trees;

use self::figures::{fidelity, filled, hash, left_out, suspects};
use self::trees::{Tree, ages, grouped};
use super::common::{Common, Whose};
use super::gate::{Original, Sourced};
use super::model::*;
use super::notion::{DataLabels, Diversity, Notion};
use super::risk::Risk;
use privet_attack::{Figure, Finding};
use privet_policy::ReportKeys;

fn column(name: &str, role: &str, transformation: &str, distinct: (u64, u64), loss: f64) -> ColumnAccount {
    ColumnAccount {
        name: name.into(),
        role: role.into(),
        reason: String::new().into(),
        transformation: transformation.into(),
        distinct_before: Some(distinct.0.into()),
        distinct_after: Some(distinct.1),
        loss: Some(loss.into()),
        generalised: Some(if loss > 0.0 { 1.0 } else { 0.0 }.into()),
        suppressed: None,
        taxonomy: None,
        why: None,
    }
}

/// Twenty thousand people with eight quasi-identifiers.
pub(super) fn census() -> TableReport {
    let mut columns = vec![
        ColumnAccount {
            loss: None,
            generalised: None,
            distinct_after: None,
            ..column("person_id", "identifier", "removed", (20_000, 0), 0.0)
        },
        ColumnAccount {
            reason: "74 values; alone it identifies nobody, with postcode and sex 18 % of records"
                .to_string()
                .into(),
            taxonomy: ages().at_level(2),
            ..column("age", "quasi-identifier", "level 2 of 4", (74, 8), 0.121)
        },
        ColumnAccount {
            taxonomy: grouped("any sex", &[("person", &[("female", 9_871), ("male", 10_129)])]).at_level(0),
            ..column("sex", "quasi-identifier", "unchanged", (2, 2), 0.0)
        },
    ];
    let mut postcodes = Tree::new("*", 2);
    for region in 0..9_u64 {
        let parent = postcodes.child(0, format!("{region}****"), 0);
        for area in 0..37 {
            postcodes.child(parent, format!("{region}{area:02}**"), 20 + (region * 37 + area * 61) % 83);
        }
    }
    columns.push(ColumnAccount {
        reason: "333 values; the most identifying column in combination".to_string().into(),
        taxonomy: postcodes.at_level(1),
        ..column("postcode", "quasi-identifier", "level 1 of 2", (333, 9), 0.109)
    });
    let education: &[(&str, &[(&str, u64)])] = &[
        ("compulsory", &[("no certificate", 1_204), ("primary", 820), ("lower secondary", 2_410)]),
        ("secondary", &[("upper secondary", 5_730), ("vocational", 3_366)]),
        (
            "tertiary",
            &[
                ("bachelor’s degree or equivalent first degree", 4_011),
                ("master’s", 2_139),
                ("doctorate", 320),
            ],
        ),
    ];
    columns.push(ColumnAccount {
        taxonomy: grouped("any education", education).at_level(1),
        ..column("education", "quasi-identifier", "level 1 of 2", (8, 3), 0.266)
    });
    let marital: &[(&str, &[(&str, u64)])] = &[
        ("partnered", &[("married", 9_433), ("registered partnership", 512)]),
        ("single", &[("never married", 6_870), ("divorced", 2_307), ("widowed", 878)]),
    ];
    columns.push(ColumnAccount {
        taxonomy: grouped("any status", marital).at_level(1),
        ..column("marital_status", "quasi-identifier", "level 1 of 2", (5, 2), 0.4)
    });
    let mut countries = Tree::new("world", 1);
    for country in 0..41_u64 {
        countries.child(0, format!("country {country}"), 9_000 / (country + 1).pow(2) + 12);
    }
    columns.push(ColumnAccount {
        taxonomy: countries.at_level(1),
        ..column("birth_country", "quasi-identifier", "level 1 of 1: fully generalised", (41, 1), 1.0)
    });
    columns.push(column("household_size", "quasi-identifier", "ranges", (9, 4), 0.22));
    columns.push(ColumnAccount {
        generalised: Some(0.613.into()),
        ..column("hours_per_week", "quasi-identifier", "ranges", (88, 12), 0.087)
    });
    columns.push(column("occupation", "sensitive", "unchanged", (9, 9), 0.0));
    columns.push(column("income", "sensitive", "unchanged", (5, 5), 0.0));
    columns.push(ColumnAccount {
        loss: None,
        generalised: Some(0.0.into()),
        ..column("survey_weight", "other", "unchanged", (1_204, 1_203), 0.0)
    });

    let before =
        filled((1..60).map(|size| (size, 3_900 / (size * size) + u64::from(size % 7 == 0) * 9)), 20_000);
    let after = filled((11..330).step_by(3).map(|size| (size, 1 + 180 / size)), 19_877);
    let (risk_before, risk_after) = (Risk::from_class_sizes(&before), Risk::from_class_sizes(&after));
    let values = |values: &[(&str, u64)]| {
        let count = |&(value, before): &(&str, u64)| ValueCount {
            value: value.into(),
            before: before.into(),
            after: before - before / 150,
        };
        values.iter().map(count).collect::<Vec<_>>()
    };
    let mut occupations = values(&[
        ("clerical support", 3_120),
        ("service and sales", 3_018),
        ("craft and trades", 2_770),
        ("professional", 2_644),
        ("technician or associate professional", 2_390),
        ("elementary occupation", 2_120),
        ("plant and machine operator", 1_946),
        ("manager", 1_401),
    ]);
    occupations.push(ValueCount { value: "armed forces".into(), before: 14.into(), after: 7 });
    occupations.push(ValueCount { value: "lighthouse keeper".into(), before: 4.into(), after: 0 });
    let incomes = values(&[
        ("under 15k", 3_804),
        ("15k–30k", 6_710),
        ("30k–50k", 5_344),
        ("50k–80k", 2_916),
        ("80k and more", 1_226),
    ]);
    TableReport {
        common: Common {
            title: "Census sample 2024".to_string().into(),
            report: ReportKeys::default(),
            data_name: "census.csv".to_string().into(),
            privet: "0.1.0".into(),
            method: MethodAccount {
                name: "full-domain".into(),
                summary: "generalises every column to one level of its hierarchy, and finds the levels that meet all \
                          requirements at the least loss among all there are; classes that fail are suppressed whole, up to \
                          a limit."
                    .into(),
                settings: vec![("cost".into(), "LM".into()), ("suppression_limit".into(), "1/20".into())],
            },
            policy: "seed = 421337\n\n[data]\npath = \"secret-folder/census.csv\"\n\n[privacy.k-anonymity]\nk = 11\n".to_string().into(),
            seed: Some(421_337.into()),
            warnings: Vec::new().into(),
            whose: Whose::default(),
            held_out: None,
            exactly: 0.24.into(),
            records: Records {
                read: 20_000.into(),
                dropped: 0.into(),
                suppressed: 123.into(),
                released: 19_877,
                starred: 0.into(),
                hides_suppressed: false,
            },
            columns,
            tightness: vec![
                Tightness {
                    requirement: "11-anonymity".into(),
                    column: None,
                    inequality: "n(class) ≥ 11".into(),
                    exact: "11".to_string().into(),
                    worst: "age 80–89, male, 4****, tertiary: 11 records".to_string().into(),
                    value: Sourced::Released(11.0),
                    threshold: 11.0,
                    side: Side::AtLeast,
                    counted: true,
                    from_data: false,
                    holds: true,
                },
                Tightness {
                    requirement: "frequency 3-diversity of occupation".into(),
                    column: Some("occupation".into()),
                    inequality: "n(value) · 3 ≤ n(class)".into(),
                    exact: "19 of 61".to_string().into(),
                    worst: "19 of 61 records are ‘craft and trades’".to_string().into(),
                    value: Sourced::Released(19.0 / 61.0),
                    threshold: 1.0 / 3.0,
                    side: Side::AtMost,
                    counted: false,
                    from_data: false,
                    holds: true,
                },
                Tightness {
                    requirement: "0.2-closeness of income".into(),
                    column: Some("income".into()),
                    inequality: "EMD(class, table) ≤ 1/5".into(),
                    exact: String::new().into(),
                    worst: "distance 0.1875 in a class of 24 records".to_string().into(),
                    value: Sourced::Original(0.1875.into()),
                    threshold: 0.2,
                    side: Side::AtMost,
                    counted: false,
                    from_data: false,
                    holds: true,
                },
            ],
            risk_before: Some(risk_before.into()),
            risk_after: Some(risk_after),
            journalist: None,
            column_sets: Vec::new().into(),
            losses: vec![
                Loss {
                    name: "LM".into(),
                    value: 43_921.25.into(),
                    normalised: Some(0.2746.into()),
                    formula: "Σ over cells (leaves below the value − 1) / (all leaves − 1)".into(),
                    range: "0 … cells".into(),
                    direction: "lower is better".into(),
                },
                Loss {
                    name: "DM".into(),
                    value: 2_610_554.0.into(),
                    normalised: None,
                    formula: "Σ over classes size², a suppressed record counts all records".into(),
                    range: "records … records²".into(),
                    direction: "lower is better".into(),
                },
                Loss {
                    name: "average-class-size".into(),
                    value: 12.71.into(),
                    normalised: None,
                    formula: "records / (classes · k)".into(),
                    range: "1 … records / k".into(),
                    direction: "lower is better".into(),
                },
                Loss {
                    name: "precision".into(),
                    value: 0.61.into(),
                    normalised: Some(0.39.into()),
                    formula: "1 − mean of level / height over cells".into(),
                    range: "0 … 1".into(),
                    direction: "higher is better".into(),
                },
            ],
            search: Some(Original::from(SearchAccount {
                space: "12960".into(),
                examined: 742,
                seconds: 0.184,
                optimal: true,
                bound: Some(43_921.25),
                gap: Some(0.0),
                trace: Vec::new(),
            })),
            attacks: Vec::new().into(),
            attacks_not_run: Vec::new().into(),
            ledger: None,
            veil: Default::default(),
            audit: AuditAccount {
                passed: true,
                undecided: Vec::new().into(),
            checks: ["11-anonymity", "frequency 3-diversity of occupation", "0.2-closeness of income"]
                .map(|name| CheckAccount {
                    name: name.into(),
                    holds: true,
                    worst: "class of 11 records".to_string().into(),
                    concerned: 0,
                    detail: String::new().into(),
                })
                .into_iter()
                .chain([CheckAccount {
                    name: "every value contains the original".into(),
                    holds: true,
                    worst: "none".to_string().into(),
                    concerned: 0,
                    detail: "19,877 records matched by containment, each to one of the original".to_string().into(),
                }])
                .collect(),
            },
            reproduce: Reproduce {
                command: "privet anonymize policy.toml -o release".to_string().into(),
                policy_sha256: hash(1).into(),
                program_sha256: None.into(),
                key_id: None.into(),
                inputs: vec![
                    FileHash { path: "secret-folder/census.csv".into(), sha256: hash(2) },
                    FileHash { path: "hierarchies/age.csv".into(), sha256: hash(3) },
                ]
                .into(),
                released: vec![FileHash { path: "release.csv".into(), sha256: hash(4) }],
            },
            scan: Some(suspects().into()),
            fidelity: Some(fidelity().into()),
            subgroups: vec![left_out()],
            counters: Vec::new().into(),
        },
        requirements: vec![
            Requirement {
                name: "k-anonymity".into(), notion: Notion::KAnonymity { k: 11 },
                description: "At least 11 records share every combination of the eight quasi-identifiers.".into(),
            },
            Requirement {
                name: "l-diversity".into(), notion: Notion::LDiversity {
                    column: "occupation".into(),
                    l: "3".into(),
                    kind: Diversity::Frequency,
                },
                description: "In every class no occupation has more than 1/3 of the records.".into(),
            },
            Requirement {
                name: "t-closeness".into(), notion: Notion::TCloseness { column: "income".into(), t: "0.2".into(), distance: "ordered".into() },
                description: "In every class the ordered earth mover’s distance of income to the whole table is at most \
                              1/5."
                    .into(),
            },
        ],
        missing: "Records with a missing quasi-identifier are dropped and counted; elsewhere a missing value stays empty."
            .into(),
        suppression: "Suppressed records are left out of the release altogether; no cell is blanked.".into(),
        confidences: Vec::new(),
        sensitive: vec![
            Distribution { column: "occupation".into(), values: occupations },
            Distribution { column: "income".into(), values: incomes },
        ],
        links: None,
        rows: SampleRows {
            columns: ["age", "sex"].map(String::from).to_vec(),
            rows: vec![vec![("34".into(), "30–39".into()), ("female".into(), "female".into())]],
        }
        .into(),
        labels: DataLabels::default(),
    }
}

/// Ten patients, two quasi-identifiers, nothing suppressed, no search to speak of.
pub(super) fn patients() -> TableReport {
    let mut model = census();
    let ages = grouped(
        "20–59",
        &[("20–39", &[("20–29", 3), ("30–39", 2)]), ("40–59", &[("40–49", 4), ("50–59", 1)])],
    );
    model.common.title = "Patients".to_string().into();
    model.common.data_name = "patients.csv".to_string().into();
    model.requirements.truncate(1);
    model.requirements[0] = Requirement {
        name: "k-anonymity".into(),
        notion: Notion::KAnonymity { k: 2 },
        description: "At least 2 records share age and sex.".into(),
    };
    model.common.records = Records {
        read: 10.into(),
        dropped: 0.into(),
        suppressed: 0.into(),
        released: 10,
        starred: 0.into(),
        hides_suppressed: false,
    };
    model.common.columns = vec![
        ColumnAccount {
            taxonomy: ages.at_level(1),
            ..column("age", "quasi-identifier", "level 1 of 2", (9, 2), 0.5)
        },
        column("sex", "quasi-identifier", "unchanged", (2, 2), 0.0),
        column("disease", "sensitive", "unchanged", (4, 4), 0.0),
    ];
    model.common.risk_before = Some(Risk::from_class_sizes(&[(1, 8), (2, 1)]).into());
    model.common.risk_after = Some(Risk::from_class_sizes(&[(2, 2), (3, 2)]));
    model.common.tightness.truncate(1);
    model.common.tightness[0] = Tightness {
        requirement: "2-anonymity".into(),
        column: None,
        inequality: "n(class) ≥ 2".into(),
        exact: "2".to_string().into(),
        worst: "20–39, female: 2 records".to_string().into(),
        value: Sourced::Released(2.0),
        threshold: 2.0,
        side: Side::AtLeast,
        counted: true,
        from_data: false,
        holds: true,
    };
    let values = [("Flu", 4), ("Cancer", 3), ("Asthma", 2), ("HIV", 1)];
    let count =
        |(value, count): (&str, u64)| ValueCount { value: value.into(), before: count.into(), after: count };
    model.sensitive = vec![Distribution { column: "disease".into(), values: values.map(count).to_vec() }];
    model.common.losses.truncate(1);
    model.common.losses[0].value = 10.0.into();
    model.common.losses[0].normalised = Some(0.25.into());
    model.common.audit.checks.truncate(1);
    model.common.audit.checks[0].name = "2-anonymity".into();
    model.common.search = None;
    model.common.seed = None;
    model
}

/// A cut through mixed levels, suppressed cells, a threshold per value, and a search that was stopped.
pub(super) fn diseases() -> TableReport {
    let mut model = census();
    model.common.title = "Diseases".to_string().into();
    model.common.method.name = "l-plus-optimize".into();
    model.common.method.settings = vec![("suppression".into(), "vio-sa".into())];
    model.requirements = vec![Requirement {
        name: "l-plus-diversity".into(),
        notion: Notion::Other {
            name: "l⁺-diversity of occupation".into(),
            promise: "no value of occupation has more than its threshold's share of those who look alike"
                .into(),
            column: Some("occupation".into()),
            protections: Vec::new(),
        },
        description: "In every class each occupation stays below a threshold of its own.".into(),
    }];
    model.common.warnings = vec!["anyone who knows the scheme vio-sa can undo part of it".to_string()].into();
    model.common.records = Records {
        read: 20_000.into(),
        dropped: 0.into(),
        suppressed: 0.into(),
        released: 20_000,
        starred: 1_412.into(),
        hides_suppressed: false,
    };
    model.suppression = "Where a value exceeded its threshold in a class, its cells there say *.".into();
    model.common.columns[1].transformation = "cut of 7 values".into();
    model.common.columns[1].distinct_after = Some(7);
    for column in model.common.columns.iter_mut().filter(|column| column.name == "occupation") {
        column.transformation = "some cells replaced by *".into();
        column.suppressed = Some(0.0706);
    }
    if let Some(age) = &mut model.common.columns[1].taxonomy {
        let on_cut =
            |label: &str| ["17–39", "40–49", "50–54", "55–59", "60–69", "70–79", "80–89"].contains(&label);
        for node in &mut age.nodes {
            node.in_cut = on_cut(&node.label);
            node.released = if node.in_cut { *node.records.open() } else { 0 };
        }
    }
    let thresholds = [("3/10", 0.3), ("1/4", 0.25), ("1/5", 0.2)];
    let rows = model.sensitive[0].values.iter().enumerate().map(|(at, value)| {
        let (threshold_text, threshold) = thresholds[at % 3];
        let shown = if value.after == 0 { 0.0 } else { 1.0 };
        Confidence {
            value: value.value.clone(),
            records: value.before,
            before: value.before.map(|count| count as f64 / 20_000.0),
            threshold,
            threshold_text: threshold_text.into(),
            worst: shown * (threshold - 0.02 * at as f64).max(0.017),
        }
    });
    model.confidences =
        vec![Confidences { column: "occupation".into(), from_data: false, rows: rows.collect() }];
    let costs = [
        (0.0, None, Some(18_204.0)),
        (0.04, Some(61_034.5), Some(24_100.0)),
        (0.3, Some(48_220.0), Some(31_870.0)),
        (2.1, Some(43_921.25), Some(39_114.0)),
        (14.0, Some(43_921.25), Some(42_008.5)),
    ];
    let moment = |(seconds, best, bound)| SearchMoment { seconds, best, bound };
    model.common.search = Some(Original::from(SearchAccount {
        space: "340282366920938463463374607431768211456".into(),
        examined: 1_742,
        seconds: 30.0,
        optimal: false,
        bound: Some(42_008.5),
        gap: Some(0.0436),
        trace: costs.map(moment).to_vec(),
    }));
    model.common.attacks = Original::from(vec![Finding {
        knows: "the release, that suppression is vio-sa, the thresholds".into(),
        does: "works out which values the suppressed ones can have had, and how likely each is".into(),
        assumes: "Every way is equally likely.".into(),
        figures: vec![Figure {
            what: "suppressed cells whose value is recovered".into(),
            targets: 1_412,
            hits: 353,
            baseline: 211,
            instead: "always name the most frequent value of the table".into(),
            ..Figure::default()
        }],
        warning: "suppression = \"vio-sa\" can be undone".into(),
        ..Finding::new("suppression", "suppression inference")
    }]);
    model
}

/// One quasi-identifier without a taxonomy, long names, and an audit that failed.
pub(super) fn awkward() -> TableReport {
    let mut model = patients();
    let long = "the_highest_level_of_education_that_the_respondent_had_completed_when_the_survey_was_taken";
    model.common.title =
        "A survey with a title that is rather longer than anyone would like it to be, and then some"
            .to_string()
            .into();
    model.common.columns = vec![
        column(long, "quasi-identifier", "ranges", (123_456_789, 3), 0.999_9),
        column(
            "Donaudampfschifffahrtsgesellschaftskapitänswitwenrente",
            "sensitive",
            "unchanged",
            (4, 4),
            0.0,
        ),
    ];
    model.sensitive[0].column = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrente".into();
    model.sensitive[0].values[0].value = long.into();
    model.sensitive[0].values[1].value = "非常に長い名前の値がここにあります".into();
    model.requirements = vec![Requirement {
        name: "l-diversity".into(),
        notion: Notion::LDiversity {
            column: model.sensitive[0].column.clone(),
            l: "3".into(),
            kind: Diversity::Recursive { c: "2.5".into() },
        },
        description: "Recursive (2.5, 3)-diversity.".into(),
    }];
    model.common.audit.passed = false;
    model.common.audit.checks[0] = CheckAccount {
        name: format!("recursive (2.5, 3)-diversity of {}", model.sensitive[0].column),
        holds: false,
        worst: "a class of 4 records has one value 3 times".to_string().into(),
        concerned: 4,
        detail: "the most frequent value must stay below 2.5 × 1".to_string().into(),
    };
    model.common.tightness[0].requirement = model.common.audit.checks[0].name.clone();
    model.common.tightness[0].holds = false;
    model.common.tightness[0].value = Sourced::Released(3.0);
    model.common.tightness[0].threshold = 2.5;
    model.common.tightness[0].side = Side::Below;
    model.common.losses.clear();
    model
}
