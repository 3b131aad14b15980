//! What follows from the original and not from the released files stays out of the public directory, or is coarse; what a run
//! says about its loss; what a draft publishes.

use std::collections::BTreeMap;

use crate::common::{Bench, Dice};

/// The files of one run: names and contents.
type Files = Vec<(&'static str, String)>;

/// What a reader of the released files has, whatever order and numbers they were given.
type Content = Vec<Vec<String>>;

const AGES: &str = "1;young;*\n2;young;*\n3;old;*\n4;old;*\n";
const ITEMS: &str = "a;x;*\nb;x;*\nc;y;*\nd;y;*\n";
const TABLE: &str = "seed = 9\n[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
    hierarchy = \"tree.csv\"\n[columns.sex]\nrole = \"quasi-identifier\"\n[columns.disease]\nrole = \"sensitive\"\n";
const K: &str = "[privacy.k-anonymity]\nk = 2\n";
const THETA: &str = "[privacy.l-plus-diversity]\ncolumn = \"disease\"\ntheta = { flu = 0.7, hiv = 0.6 }\n";

/// A way to make a small table public.
struct Way {
    name: &'static str,
    policy: String,
    /// What `anonymize` is called with besides.
    more: &'static [&'static str],
}

const PROJECTION: &str = "[privacy.t-closeness]\nt = 1\n[privacy.projection]\nalpha = 1.0\nbeta = 1.0\n";
const DISEASES: &str = "label,terms\nInfluenza,flu\nGrippe,flu\nAids,hiv\nImmune,hiv|flu\n";
const ILLNESSES: &str = "flu;any\nhiv;any\n";
const PEOPLE: &str = "age,sex\n1,f\n1,m\n2,f\n2,m\n3,f\n3,m\n4,f\n4,m\n1,f\n3,m\n";
const SEXES: &str = "f;ANY\nm;ANY\n";

/// Every way to make a small table public: a policy for each.
fn table_policies() -> Vec<Way> {
    let close = "[privacy.t-closeness]\ncolumn = \"disease\"\nt = 0.9\n";
    let l_plus = "[method]\nname = \"l-plus-optimize\"\nsuppression =";
    let l = "[privacy.l-diversity]\ncolumn = \"disease\"\nkind = \"distinct\"\nl = 2\n";
    let way = |name, policy| Way { name, policy, more: &[] };
    let limit = format!("{TABLE}{K}[method]\nsuppression_limit = 0.4\n");
    let person = "path = \"data.csv\"\nperson = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n";
    let projected =
        TABLE.replace("[columns.sex]\nrole = \"quasi-identifier\"", "[columns.sex]\nrole = \"sensitive\"");
    let quasi_sensitive = TABLE.replace(
        "role = \"sensitive\"\n",
        "role = \"quasi-sensitive\"\nseparator = \"|\"\nknowledge = \"diseases.csv\"\n",
    );
    let mixed = TABLE
        .replace("role = \"quasi-identifier\"\nhierarchy", "role = \"mixed\"\nhierarchy")
        .replace("role = \"quasi-identifier\"", "role = \"mixed\"\nhierarchy = \"sexes.csv\"")
        .replace("role = \"sensitive\"", "role = \"mixed\"\nhierarchy = \"illnesses.csv\"");
    vec![
        way("full-domain", limit.clone()),
        way("entropy", format!("{TABLE}{K}{close}[method]\ncost = \"entropy\"\nsuppression_limit = 0.5\n")),
        way("mondrian", format!("{TABLE}{K}[method]\nname = \"mondrian\"\n")),
        way("vio-sa", format!("{TABLE}{THETA}{l_plus} \"vio-sa\"\n")),
        way("vio-rec", format!("{TABLE}{THETA}{l_plus} \"vio-rec\"\n")),
        way("all-sa", format!("{TABLE}{THETA}{l_plus} \"all-sa\"\n")),
        way(
            "injector",
            format!(
                "{TABLE}[privacy.matching-l-diversity]\ncolumn = \"disease\"\nl = 2\n[knowledge]\n\
                 min_expectation = 0.75\nmax_length = 1\n[method]\nname = \"injector\"\ninfeasible = \"suppress\"\n"
            ),
        ),
        way("anatomy", format!("{TABLE}{l}[method]\nname = \"anatomy\"\n")),
        way("permuted", format!("{TABLE}{l}[method]\nname = \"anatomy\"\npublish = \"permuted\"\n")),
        way("codip-star", format!("{projected}{K}{PROJECTION}[method]\nname = \"codip-star\"\n")),
        way("codip", format!("{projected}{K}{PROJECTION}[method]\nname = \"codip\"\n")),
        way(
            "quasi-sensitive",
            format!(
                "{quasi_sensitive}{K}[privacy.qs-diversity]\ncolumn = \"disease\"\nl = 2\nc = 1\n[method]\n\
                 name = \"quasi-sensitive\"\n"
            ),
        ),
        way(
            "ff",
            format!(
                "{mixed}[columns.disease.sensitivity]\nguard = [\"hiv\"]\n[privacy.ff-anonymity]\nobservable = 1.0\n\
                 threat = 0.7\n[method]\nname = \"ff\"\n"
            ),
        ),
        way("person", limit.replace("path = \"data.csv\"\n", person)),
        way(
            "population",
            format!(
                "{TABLE}[population]\npath = \"people.csv\"\nincludes_data = false\n[privacy.k-map]\nk = 3\n[method]\n\
                 suppression_limit = 0.4\n"
            ),
        ),
        way(
            "weights",
            format!(
                "{TABLE}[columns.weight]\nrole = \"weight\"\npublish = false\n{K}[privacy.individual-risk]\nmax = \"1/2\"\n\
                 [method]\nsuppression_limit = 0.4\n"
            ),
        ),
        Way { name: "holdout", policy: limit, more: &["--holdout", "20%"] },
    ]
}

impl Way {
    /// Whether quasi-identifiers are published as they are, and what people have in groups.
    fn is_grouped(&self) -> bool {
        ["anatomy", "permuted"].contains(&self.name)
    }

    /// Small tables, some of which have the same release.
    fn small(&self, dice: &mut Dice) -> Vec<String> {
        if !self.is_grouped() {
            let size = 5 + dice.roll(3);
            return tables(dice, size, 1);
        }
        // Four people. Two of them have the flu: all six ways.
        let people: Vec<String> = (1..=4).map(|age| format!("{age},{}", one_of(dice, &["f", "m"]))).collect();
        let has = |ill: u32, at: usize| if ill >> at & 1 == 1 { "flu" } else { "hiv" };
        let text = |ill: u32| -> String {
            (people.iter().enumerate()).map(|(at, who)| format!("{who},{}\n", has(ill, at))).collect()
        };
        let ways = (0..16u32).filter(|ill| ill.count_ones() == 2);
        ways.map(|ill| format!("age,sex,disease\n{}", text(ill))).collect()
    }

    /// Tables of more than 220 records, some of which have the same release.
    fn large(&mut self, dice: &mut Dice) -> Vec<String> {
        if !self.is_grouped() {
            // Everybody must look alike where only those are changed who have to be.
            let most = if self.name == "quasi-sensitive" { "k = 200" } else { "k = 2" };
            self.policy = self.policy.replace("k = 2\n", &format!("{most}\n"));
            return tables(dice, 6, 60);
        }
        // One group, in which nobody has what another one has.
        self.policy = self.policy.replace("l = 2", "l = 240");
        let row = |at: usize, by: usize| {
            format!("{},{},d{}\n", 1 + at % 4, ["f", "m"][at % 3 % 2], (at + by) % 240)
        };
        let table =
            |by: usize| format!("age,sex,disease\n{}", (0..240).map(|at| row(at, by)).collect::<String>());
        [0, 1, 7].map(table).to_vec()
    }

    fn files(&self, data: &str) -> Files {
        let data = match self.name {
            // Everybody has two records in a row.
            "person" => {
                let person = |(at, line): (usize, &str)| match at {
                    0 => format!("pid,{line}\n"),
                    _ => format!("p{},{line}\n", at.div_ceil(2)),
                };
                data.lines().enumerate().map(person).collect()
            }
            // Nobody reads whom a record stands for; it depends on the record, so that originals differ in it.
            "weights" => {
                let weight = |line: &str| 1 + line.bytes().map(u64::from).sum::<u64>() % 7;
                let weighed = |(at, line): (usize, &str)| match at {
                    0 => format!("{line},weight\n"),
                    _ => format!("{line},{}\n", weight(line)),
                };
                data.lines().enumerate().map(weighed).collect()
            }
            _ => data.to_string(),
        };
        let trees = [AGES, DISEASES, ILLNESSES, SEXES, PEOPLE].map(String::from);
        let names = ["tree.csv", "diseases.csv", "illnesses.csv", "sexes.csv", "people.csv"];
        [
            vec![("data.csv", data), ("policy.toml", self.policy.clone())],
            names.into_iter().zip(trees).collect(),
        ]
        .concat()
    }
}

fn one_of(dice: &mut Dice, from: &[&'static str]) -> &'static str {
    from[dice.roll(from.len() as u64) as usize]
}

/// A value that every hierarchy here puts below the same group.
fn sibling(value: &str) -> &'static str {
    match value {
        "1" => "2",
        "2" => "1",
        "3" => "4",
        "4" => "3",
        "a" => "b",
        "b" => "a",
        "c" => "d",
        _ => "c",
    }
}

/// A made-up table of `size` records, `copies` of each, and tables that differ from it in one record.
fn tables(dice: &mut Dice, size: u64, copies: usize) -> Vec<String> {
    let record = |dice: &mut Dice| {
        [one_of(dice, &["1", "2", "3", "4"]), one_of(dice, &["f", "m"]), one_of(dice, &["flu", "hiv"])]
    };
    let base: Vec<[&'static str; 3]> = (0..size).map(|_| record(dice)).collect();
    let base: Vec<[&'static str; 3]> = base.iter().flat_map(|row| vec![*row; copies]).collect();
    let mut all = vec![base.clone()];
    for at in (0..base.len()).step_by(copies) {
        let mut other = base.clone();
        other[at][0] = sibling(other[at][0]);
        all.push(other);
    }
    // Two people swap what they have, which releases in groups do not show.
    for at in (copies..base.len()).step_by(copies) {
        let mut other = base.clone();
        (other[at][2], other[0][2]) = (base[0][2], base[at][2]);
        all.push(other);
    }
    for _ in 0..2 {
        all.push([base.as_slice(), &[record(dice)]].concat());
    }
    all.push(base[1..].to_vec());
    let text = |rows: &Vec<[&str; 3]>| rows.iter().map(|row| row.join(",") + "\n").collect::<String>();
    all.iter().map(|rows| format!("age,sex,disease\n{}", text(rows))).collect()
}

/// Made-up sets of items, and others that differ in one of them.
fn sets(dice: &mut Dice, items: &[&'static str]) -> Vec<Vec<Vec<&'static str>>> {
    let base: Vec<Vec<&'static str>> = (0..4 + dice.roll(3))
        .map(|_| {
            let mut set: Vec<&str> = (0..1 + dice.roll(2)).map(|_| one_of(dice, items)).collect();
            set.sort_unstable();
            set.dedup();
            set
        })
        .collect();
    let mut all = vec![base.clone()];
    for at in 0..base.len() {
        let mut other = base.clone();
        other[at].iter_mut().for_each(|item| *item = if *item == "S" { "S" } else { sibling(item) });
        other[at].sort_unstable();
        all.push(other);
    }
    all
}

/// What the files of the public directory hold, however they are ordered: rows of tables sorted, and groups and vocabularies
/// by what is in them, for their numbers are drawn.
fn content(bench: &Bench) -> Content {
    let mut all = Content::new();
    let mut numbered: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in bench.names("out/public") {
        if ["report.html", "manifest.json"].contains(&name.as_str()) {
            continue;
        }
        let text = bench.text(&format!("out/public/{name}"));
        let mut lines: Vec<&str> = text.lines().collect();
        let head = lines.remove(0);
        let number = head.split(',').position(|column| ["bucket", "vocabulary"].contains(&column));
        match number.filter(|_| name.ends_with(".csv")) {
            Some(number) => {
                for line in lines {
                    let mut cells: Vec<&str> = line.split(',').collect();
                    let group = cells.remove(number).to_string();
                    numbered.entry(group).or_default().push(format!("{name} {}", cells.join(",")));
                }
            }
            None => {
                // Transactions have no header: their first line is one of them.
                lines.push(head);
                lines.sort_unstable();
                all.push(lines.into_iter().map(String::from).collect());
            }
        }
    }
    numbered.values_mut().for_each(|rows| rows.sort());
    let mut groups: Content = numbered.into_values().collect();
    groups.sort();
    all.extend(groups);
    all
}

/// A text without hashes of the released files: rows in another order have another one.
fn without_hashes(text: &str) -> String {
    let hex = |piece: &str| piece.len() == 64 && piece.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split_inclusive(|character: char| !character.is_ascii_hexdigit())
        .map(
            |piece| {
                if hex(piece.trim_end_matches(|c: char| !c.is_ascii_hexdigit())) { "hash" } else { piece }
            },
        )
        .collect()
}

/// Runs every original; those with the same released files must have the same public report and manifest, as `seen` shows
/// them. Returns how many such pairs there were.
fn compare(name: &str, more: &[&str], originals: &[Files], seen: fn(&str) -> String) -> usize {
    let mut known: BTreeMap<Content, (String, String, Files, String)> = BTreeMap::new();
    let (mut pairs, mut released) = (0, 0);
    for files in originals {
        let bench = Bench::new();
        files.iter().for_each(|(file, text)| drop(bench.write(file, text)));
        let outcome = bench
            .privet(&[&["anonymize", "policy.toml", "-o", "out", "--attacks", "none", "-q"], more].concat());
        if outcome.status != Some(0) {
            // Some originals allow no release at all.
            assert!([Some(2), Some(3)].contains(&outcome.status), "{name}: {}", outcome.stderr);
            continue;
        }
        released += 1;
        let raw = |file: &str| without_hashes(&bench.text(&format!("out/public/{file}")));
        let page = raw("report.html");
        let (report, manifest) = (seen(&page), seen(&raw("manifest.json")));
        match known.get(&content(&bench)) {
            None => drop(known.insert(content(&bench), (report, manifest, files.clone(), page))),
            Some((other_report, other_manifest, other, other_page)) => {
                // Drawings show what the words say and nothing more.
                if without_drawings(other_page) == without_drawings(&page) {
                    assert_eq!(other_page, &page, "{name}: drawings differ:\n{other:?}\n{files:?}");
                }
                pairs += usize::from(other != files);
                let from = |text: &str| text.split('<').map(String::from).collect::<Vec<_>>();
                let differ = from(other_report).into_iter().zip(from(&report)).find(|(a, b)| a != b);
                assert_eq!(differ, None, "{name}:\n{other:?}\n{files:?}");
                assert_eq!(other_report.len(), report.len(), "{name}:\n{other:?}\n{files:?}");
                assert_eq!(other_manifest, &manifest, "{name}:\n{other:?}\n{files:?}");
            }
        }
    }
    assert!(released > 0, "{name}: no original allows a release");
    pairs
}

fn exactly(text: &str) -> String {
    text.to_string()
}

#[test]
fn hard_use_1_6_originals_with_the_same_release_have_the_same_public_report() {
    let mut dice = Dice::new(16);
    let mut unpaired = Vec::new();
    for way in table_policies() {
        let originals: Vec<Files> =
            (0..3).flat_map(|_| way.small(&mut dice)).map(|data| way.files(&data)).collect();
        if compare(way.name, way.more, &originals, exactly) == 0 {
            unpaired.push(way.name);
        }
    }
    assert_eq!(unpaired, Vec::<&str>::new(), "no two originals had the same release");
}

#[test]
fn hard_use_1_6_transactions_and_vocabularies_too() {
    let mut dice = Dice::new(61);
    for method in ["og", "mm", "lg", "aa"] {
        let policy = format!(
            "seed = 3\n[data]\npath = \"data.txt\"\nkind = \"transactions\"\nseparator = \",\"\n[items]\n\
             hierarchy = \"tree.csv\"\nsensitive = [\"S\"]\n[privacy.kl-privacy]\nm = 1\nn = 0\nk = 2\nl = 1\n\
             [method]\nname = \"{method}\"\n"
        );
        let text = |sets: &Vec<Vec<&str>>| sets.iter().map(|set| set.join(",") + "\n").collect::<String>();
        let originals: Vec<Files> = (0..3)
            .flat_map(|_| sets(&mut dice, &["a", "b", "c", "d", "S"]))
            .map(|sets| {
                vec![
                    ("data.txt", text(&sets)),
                    ("tree.csv", ITEMS.to_string()),
                    ("policy.toml", policy.clone()),
                ]
            })
            .collect();
        assert!(
            compare(method, &[], &originals, exactly) > 0,
            "{method}: no two originals had the same release"
        );
    }
    for method in ["ssg", "lg-bag"] {
        let policy = format!(
            "seed = 3\n[data]\npath = \"data.csv\"\nkind = \"vocabularies\"\n[semantics]\ndistance = \"taxonomy\"\n\
             hierarchy = \"tree.csv\"\n[privacy.vocabulary-k-anonymity]\nk = 2\n[method]\nname = \"{method}\"\n"
        );
        let text = |sets: &Vec<Vec<&str>>| {
            let row = |(at, set): (usize, &Vec<&str>)| {
                set.iter().map(|term| format!("{},{term},1\n", at + 1)).collect::<String>()
            };
            format!("vocabulary,term,count\n{}", sets.iter().enumerate().map(row).collect::<String>())
        };
        let originals: Vec<Files> = (0..4)
            .flat_map(|_| sets(&mut dice, &["a", "b", "c", "d"]))
            .map(|sets| {
                vec![
                    ("data.csv", text(&sets)),
                    ("tree.csv", ITEMS.to_string()),
                    ("policy.toml", policy.clone()),
                ]
            })
            .collect();
        assert!(
            compare(method, &[], &originals, exactly) > 0,
            "{method}: no two originals had the same release"
        );
    }
}

/// A page without its drawings.
fn without_drawings(page: &str) -> String {
    let mut parts = page.split("<svg");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |kept, part| kept + part.split_once("</svg>").map_or("", |(_, rest)| rest))
}

/// A text without shares of the records in steps of 5 %: in words from 5 % to 100 %, in numbers of a manifest from 0.05 to
/// 1.0, and nothing else. Of drawings the words are kept, and not where they stand.
fn without_steps(text: &str) -> String {
    let mut kept = String::new();
    for (at, part) in text.split("<svg").enumerate() {
        let (drawing, rest) =
            if at == 0 { ("", part) } else { part.split_once("</svg>").unwrap_or((part, "")) };
        kept += &drawing
            .split('<')
            // The numbers along an axis follow from its longest bar.
            .filter(|tag| !tag.contains("class=\"tick\""))
            .map(|tag| tag.split_once('>').map_or("", |(_, words)| words))
            .collect::<Vec<_>>()
            .join(" ");
        kept += rest;
    }
    let words: Vec<&str> = kept.split([' ', '\n', '\u{a0}']).collect();
    let masked = |(at, word): (usize, &&str)| {
        let number = word.trim_matches(|c: char| !c.is_ascii_digit());
        let per_cent = words.get(at + 1).is_some_and(|next| next.starts_with('%'));
        let step = match number.split_once('.') {
            Some(_) => number.parse::<f64>().is_ok_and(|share| {
                (0.05..=1.0).contains(&share)
                    && ((share * 20.0).round() / 20.0).to_string() == share.to_string()
            }),
            None => {
                per_cent
                    && number.parse::<u64>().is_ok_and(|share| share % 5 == 0 && (5..=100).contains(&share))
            }
        };
        if step { word.replace(number, "step") } else { word.to_string() }
    };
    words.iter().enumerate().map(masked).collect::<Vec<_>>().join(" ")
}

#[test]
fn hard_use_1_6_larger_releases_differ_in_steps_of_five_per_cent_alone() {
    let mut dice = Dice::new(66);
    let mut unpaired = Vec::new();
    // What each row of a permuted release shows is drawn: no two large ones are the same.
    for mut way in table_policies().into_iter().filter(|way| way.name != "permuted") {
        let originals = way.large(&mut dice);
        let originals: Vec<Files> = originals.iter().map(|data| way.files(data)).collect();
        if compare(way.name, way.more, &originals, without_steps) == 0 {
            unpaired.push(way.name);
        }
    }
    assert_eq!(unpaired, Vec::<&str>::new(), "no two originals had the same release");
    // And they do have such figures.
    let bench = Bench::new();
    let way = &table_policies()[0];
    way.files(&tables(&mut dice, 6, 60)[0]).iter().for_each(|(file, text)| drop(bench.write(file, text)));
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let public = bench.json("out/public/manifest.json");
    assert_eq!(public["share_at_most"]["suppressed"], 0.05, "{public}");
    assert!(bench.text("out/public/report.html").contains("≤ 5 %"));
}

#[test]
fn hard_use_1_6_errors_of_counts_do_not_tell_a_small_count() {
    // 1,000 records under one label. A few have b: the relative error of their count would be 9,900 % for five of them and
    // 8,233 % for six.
    let page = |few: usize| {
        let bench = Bench::new();
        let row = |at: usize| format!("{},{}\n", if at < few { "b" } else { "a" }, ["flu", "hiv"][at % 2]);
        bench.write("data.csv", format!("x,ill\n{}", (0..1000).map(row).collect::<String>()));
        bench.write("tree.csv", "a;ab;*\nb;ab;*\n");
        bench.write(
            "policy.toml",
            "seed = 9\n[data]\npath = \"data.csv\"\n[columns.x]\nrole = \"quasi-identifier\"\n\
             hierarchy = \"tree.csv\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 1000\n",
        );
        bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
        ["report.html", "manifest.json"]
            .map(|file| without_hashes(&bench.text(&format!("out/public/{file}"))))
    };
    let five = page(5);
    assert!(five[0].contains("How far counts are off"), "{}", five[0]);
    for few in [6, 7, 8, 9, 11, 13, 17] {
        let other = page(few);
        let differ = five[0].split('<').zip(other[0].split('<')).find(|(one, other)| one != other);
        assert_eq!(differ, None, "{few}");
        assert_eq!(five, other, "{few}");
    }
}

#[test]
fn hard_use_1_6_an_entropy_does_not_tell_how_a_hidden_column_is_split() {
    // Twelve records under one label: 11 and 1, or 6 and 6.
    let page = |first: usize| {
        let bench = Bench::new();
        let rows: String = (0..12).map(|at| format!("{},flu\n", if at < first { 1 } else { 2 })).collect();
        bench.write("data.csv", format!("age,disease\n{rows}"));
        bench.write("tree.csv", AGES);
        let policy = TABLE.replace("[columns.sex]\nrole = \"quasi-identifier\"\n", "");
        bench.write(
            "policy.toml",
            format!("{policy}[privacy.k-anonymity]\nk = 12\n[method]\ncost = \"entropy\"\n"),
        );
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        let files = ["report.html", "manifest.json"].map(|file| bench.text(&format!("out/public/{file}")));
        (
            files.map(|text| without_hashes(&text)),
            bench.json("out/steward/manifest.json")["loss"]["entropy"].clone(),
        )
    };
    let ((one, entropy), (other, differs)) = (page(11), page(6));
    assert_ne!(entropy, differs, "the steward sees how much is lost");
    assert_eq!(one, other);
    assert!(!one[0].contains("4.96") && !one[0].contains("entropy:"), "{}", one[0]);
}

#[test]
fn hard_use_1_8_a_sign_off_is_what_the_policy_says() {
    let bench = Bench::with_example("ward");
    bench.privet(&["anonymize", "ward/policy.toml", "-o", "out"]).succeeds();
    let public = bench.text("out/public/report.html");
    assert!(!public.contains("weighed") && !public.contains("was warned"), "nobody weighed anything");
    let policy = bench.text("ward/policy.toml");
    let signed = "sign_off = \"J. Doe, data protection officer, 2026-11-02\"\n";
    let policy = match policy.split_once("[report]\n") {
        Some((before, after)) => format!("{before}[report]\n{signed}{after}"),
        None => format!("{policy}\n[report]\n{signed}"),
    };
    bench.write("ward/policy.toml", policy);
    bench.privet(&["anonymize", "ward/policy.toml", "-o", "signed", "--attacks", "none"]).succeeds();
    for room in ["public", "steward"] {
        assert!(
            bench.text(&format!("signed/{room}/report.html")).contains("J. Doe, data protection officer")
        );
    }
    assert_eq!(
        bench.json("signed/public/manifest.json")["report"]["sign_off"],
        "J. Doe, data protection officer, 2026-11-02"
    );
}

#[test]
fn hard_use_1_11_ranges_cost_what_they_hide_and_headlines_say_what_is_exact() {
    let bench = Bench::new();
    let mut dice = Dice::new(11);
    // Numbers that differ so much that a drafted hierarchy begins with ranges.
    let rows: String =
        (0..3000).map(|at| format!("{}.{},{}\n", at * 7 % 9000, dice.roll(90), ["f", "m"][at % 2])).collect();
    bench.write("data.csv", format!("height,sex\n{rows}"));
    bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
    let tree = bench.text("draft/hierarchies/height.csv");
    assert!(tree.lines().count() < 30, "the leaves are ranges:\n{tree}");
    // Mondrian cuts numbers anywhere; levels of the hierarchy are what this is about.
    let drafted = bench.text("draft/policy.toml");
    let (head, _) = drafted.split_once("[method]").expect("a method");
    let levels = "[method]\nname = \"full-domain\"\ncost = \"LM\"\nsuppression_limit = 0.05\n";
    bench.write("draft/policy.toml", format!("{head}{levels}"));
    let run = bench.privet(&["anonymize", "draft/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let manifest = bench.json("out/steward/manifest.json");
    // No height is itself any more: a twentieth or so of the column is hidden by the finest range already.
    let lost = manifest["cost"]["normalised"].as_f64().expect("a share");
    assert!(lost > 0.01, "{lost}");
    let exact = manifest["published_exactly"]["share"].as_f64().expect("a share");
    assert!(exact <= 0.5, "only sex can be exact: {exact}");
    assert!(run.stdout.contains("published exactly: ") && run.stdout.contains("% of quasi-identifier cells"));
    assert!(bench.text("out/steward/report.html").contains("of quasi-identifier cells published exactly"));
    let json = bench.privet(&["compare", "draft/policy.toml", "--json"]).succeeds().json();
    assert_eq!(json["policies"][0]["published_exactly"], manifest["published_exactly"]["share"], "{json}");
    assert!(bench.privet(&["compare", "draft/policy.toml"]).succeeds().stdout.contains("exactly"));
}

#[test]
fn hard_use_1_11_a_small_loss_of_items_that_are_none_any_more() {
    let bench = Bench::new();
    let items: String = (0..400).map(|at| format!("i{at};g{};*\n", at / 4)).collect();
    let lines: String = (0..400).map(|at| format!("i{at},i{}\n", at / 4 * 4)).collect();
    bench.write("items.csv", items);
    bench.write("data.txt", lines);
    bench.write(
        "policy.toml",
        "seed = 3\n[data]\npath = \"data.txt\"\nkind = \"transactions\"\nseparator = \",\"\n[items]\n\
         hierarchy = \"items.csv\"\n[privacy.kl-privacy]\nm = 1\nn = 0\nk = 4\nl = 1\n[method]\nname = \"og\"\n",
    );
    let run = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let manifest = bench.json("out/steward/manifest.json");
    assert!(manifest["cost"]["normalised"].as_f64().is_some_and(|share| share < 0.02), "{manifest}");
    assert!(run.stdout.contains("published exactly: 0.0 % of occurrences of items"), "{}", run.stdout);
    assert!(bench.text("out/public/report.html").contains("of item occurrences published exactly"));
}

#[test]
fn hard_use_3_numbers_on_a_terminal_are_for_people() {
    let bench = crate::common::small_census(3000);
    let run = bench.privet(&["anonymize", "census/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let line = run.stdout.lines().find(|line| line.starts_with("LM ")).unwrap_or_default().to_string();
    let number = line.split([' ', ',']).nth(1).unwrap_or_default();
    assert!(!number.contains('.') || number.len() <= 6, "{line}");
    let exact = bench.json("out/steward/manifest.json")["cost"]["value"].to_string();
    assert!(exact.len() > 8, "the manifest keeps all digits: {exact}");
    let table = bench.privet(&["compare", "census/policy.toml"]).succeeds().stdout;
    let long = |word: &&str| word.split_once('.').is_some_and(|(_, digits)| digits.len() > 4);
    assert_eq!(table.split_whitespace().filter(long).collect::<Vec<_>>(), Vec::<&str>::new(), "{table}");
}

/// A survey: weights, a number of the household, and what somebody works as.
fn survey(shuffled: bool) -> String {
    let mut dice = Dice::new(10);
    let mut rows: Vec<String> = (0..4000u64)
        .map(|at| {
            format!(
                "{},{},{},{},{}.{:03},{},{}",
                20 + dice.roll(60),
                ["f", "m"][dice.roll(2) as usize],
                100_000 + dice.roll(90_000),
                1 + at / 3,
                800 + dice.roll(900),
                dice.roll(1000),
                ["private", "federal", "state", "local", "self-employed", "unpaid", "never"]
                    [dice.roll(7) as usize],
                ["flu", "cold", "gout"][dice.roll(3) as usize]
            )
        })
        .collect();
    if shuffled {
        rows.sort_by_key(|row| {
            row.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)))
        });
    }
    format!(
        "age,sex,fnlwgt,household_number,instance_weight,class_of_worker,diagnosis\n{}\n",
        rows.join("\n")
    )
}

#[test]
fn hard_use_1_10_a_draft_publishes_nothing_that_singles_people_out() {
    for shuffled in [false, true] {
        let bench = Bench::new();
        bench.write("data.csv", survey(shuffled));
        bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
        let policy = bench.text("draft/policy.toml");
        let role = |column: &str| {
            let section = policy.split(&format!("[columns.{column}]\n")).nth(1)?;
            section.lines().next()?.strip_prefix("role = \"")?.split('"').next().map(String::from)
        };
        assert_eq!(role("household_number").as_deref(), Some("identifier"), "{policy}");
        for weight in ["fnlwgt", "instance_weight"] {
            assert_ne!(role(weight).as_deref(), Some("other"), "{policy}");
        }
        assert_ne!(role("class_of_worker").as_deref(), Some("class"), "{policy}");
        assert_eq!(role("diagnosis").as_deref(), Some("sensitive"), "{policy}");
        bench.privet(&["anonymize", "draft/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
        // Of the columns that are published as they are, none tells one record in a hundred from all others.
        let release = bench.text("out/public/release.csv");
        let mut lines = release.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().unwrap_or_default();
        let rows: Vec<Vec<&str>> = lines.collect();
        for (at, column) in head.iter().enumerate() {
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(row[at]).or_default() += 1);
            let alone = counts.values().filter(|count| **count == 1).count();
            assert!(alone * 100 <= rows.len(), "{column}: {alone} of {}", rows.len());
        }
    }
}

/// The role that a draft gives to a column.
fn drafted(policy: &str, column: &str) -> Option<String> {
    let section = policy.split(&format!("[columns.{column}]\n")).nth(1)?;
    section.lines().next()?.strip_prefix("role = \"")?.split('"').next().map(String::from)
}

#[test]
fn hard_use_1_10_a_label_is_protected_whatever_it_labels() {
    let labels = [
        ("diag_class", ["hiv", "flu", "tb"]),
        ("target", ["HIV", "none", "none"]),
        ("outcome", ["abortion", "birth", "birth"]),
        ("label", ["0", "1", "1"]),
    ];
    for (name, values) in labels {
        let row = |at: usize| format!("{},{},{}\n", 20 + at % 40, ["f", "m"][at % 2], values[at / 3 % 3]);
        let bench = Bench::new();
        bench.write("data.csv", format!("age,sex,{name}\n{}", (0..400).map(row).collect::<String>()));
        bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
        let policy = bench.text("draft/policy.toml");
        assert_eq!(drafted(&policy, name).as_deref(), Some("sensitive"), "{policy}");
        assert!(policy.contains("[privacy.l-diversity]"), "{policy}");
        bench.privet(&["anonymize", "draft/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    }
}

#[test]
fn hard_use_1_10_numbers_that_all_differ_number_the_records() {
    let row = |at: usize| format!("{},{},{},{}\n", 20 + at % 40, 7 * at, 1930 + at * 7 % 70, at % 6);
    let bench = Bench::new();
    bench.write("data.csv", format!("age,num,DOBYY,RACEX\n{}", (0..1000).map(row).collect::<String>()));
    bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
    let policy = bench.text("draft/policy.toml");
    assert_eq!(drafted(&policy, "num").as_deref(), Some("identifier"), "{policy}");
    // Categories behind numbers are what others may know.
    for column in ["DOBYY", "RACEX"] {
        assert_eq!(drafted(&policy, column).as_deref(), Some("quasi-identifier"), "{policy}");
    }
}

/// Diagnoses as fine as codes are: in a small table everybody has one of their own.
#[test]
fn hard_use_1_10_codes_of_their_own_single_people_out_of_small_tables_too() {
    let draft = |codes: usize| {
        let row =
            |at: usize| format!("{},{},K{:02}.{}\n", 20 + at % 40, ["f", "m"][at % 2], at % codes, at % 7);
        let bench = Bench::new();
        bench.write("data.csv", format!("age,sex,diagnosis\n{}", (0..60).map(row).collect::<String>()));
        bench.privet(&["init", "data.csv", "-o", "draft"]).succeeds();
        bench.text("draft/policy.toml")
    };
    let policy = draft(60);
    assert_eq!(drafted(&policy, "diagnosis"), None, "{policy}");
    assert!(policy.contains("singles out 100 % of the records"), "{policy}");
    assert_eq!(drafted(&draft(7), "diagnosis").as_deref(), Some("sensitive"));
}
