//! temp
use privet::Exact;
use privet::engine::baskets::Baskets;
use privet::engine::clock::Clock;
use privet::method::kl::{CATALOGUE, Task, run};
use privet::policy::{Clause, Setting};
use privet::privacy::kl::KlPrivacy;
use privet::taxonomy::ItemTree;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (file, fan, method, k, m, n, seed) = (
        &a[1],
        a[2].parse::<usize>().unwrap(),
        &a[3],
        a[4].parse().unwrap(),
        a[5].parse().unwrap(),
        a[6].parse().unwrap(),
        a[7].parse::<u64>().unwrap(),
    );
    let phase = a.get(8).cloned().unwrap_or("auto".into());
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split_ascii_whitespace().collect()).collect();
    let items: BTreeSet<&str> = rows.iter().flatten().copied().collect();
    let mut items: Vec<&str> = items.into_iter().collect();
    let mut x = seed * 7919 + 12345;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    for i in (1..items.len()).rev() {
        items.swap(i, (next() % (i as u64 + 1)) as usize);
    }
    let mut paths: Vec<Vec<String>> = items.iter().map(|i| vec![i.to_string()]).collect();
    let mut width = items.len();
    let mut level = 0;
    let mut div = 1;
    while width > 1 {
        level += 1;
        div *= fan;
        width = width.div_ceil(fan);
        for (i, p) in paths.iter_mut().enumerate() {
            p.push(format!("L{level}_{}", i / div));
        }
    }
    let t = Instant::now();
    let tree = ItemTree::from_paths(&paths).unwrap();
    let map: BTreeMap<&str, u32> = items.iter().map(|i| (*i, tree.find(i).unwrap())).collect();
    let mut baskets = Baskets::new(tree.into(), vec![]);
    for r in &rows {
        baskets.push(&mut r.iter().map(|i| map[i]).collect(), &mut vec![]);
    }
    eprintln!("read {:.2}s distinct {}", t.elapsed().as_secs_f64(), baskets.len());
    let mut clause = Clause::with_defaults(CATALOGUE.method(method).unwrap());
    if method == "og" {
        clause.set(
            "phase",
            Setting::Choice(match &phase[..] {
                "eager" => "eager",
                "lazy" => "lazy",
                _ => "auto",
            }),
        );
    }
    let req = [KlPrivacy { k, m, n, theta: Vec::<Exact>::new() }];
    let t = Instant::now();
    let s =
        run(&Task { baskets: &baskets, requirements: &req, method: &clause }, &Clock::unlimited()).unwrap();
    let all =
        privet::method::kl::recoding::cost_of_everything(privet::loss::items::ItemMeasure::Ncp, &baskets);
    let cost = s.recoding.cost(privet::loss::items::ItemMeasure::Ncp, &baskets);
    println!(
        "{file} {method} fan {fan} k {k} m {m} n {n} seed {seed} {phase}: {:.3}s NCP {:.4}% optimal {} {:?}",
        t.elapsed().as_secs_f64(),
        100.0 * cost as f64 / all as f64,
        s.search.optimal,
        s.counters
    );
}
