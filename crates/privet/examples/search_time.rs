//! How much processor time a policy's reading and its search take, the search once in a fresh process and then again and again:
//! `search_time POLICY [SEARCHES]`. Prints JSON. `benches/race` builds it against two commits.

use std::path::Path;

use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method;
use privet::policy::Policy;

fn main() -> privet::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or_else(|| privet::Error::input("name a policy"))?;
    let searches = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(1);
    let policy = Policy::read(Path::new(&path))?.check(None)?;
    let clock = Clock::unlimited();
    let microdata = Microdata::read(&policy, &mut |_| clock.check())?;
    let read = clock.cpu().as_secs_f64();
    let mut spent = Vec::new();
    let mut found = (0, false, None);
    for _ in 0..searches {
        let clock = Clock::unlimited();
        let solution = method::run(&policy, &microdata, &clock)?;
        spent.push(clock.cpu().as_secs_f64());
        found = (solution.search.examined, solution.search.optimal, solution.search.bound);
    }
    spent.sort_by(f64::total_cmp);
    let search = spent.get(spent.len() / 2).copied();
    let ((examined, optimal, bound), distinct) = (found, microdata.summary.len());
    let json = serde_json::json!({
        "read": read, "search": search, "distinct": distinct, "examined": examined, "optimal": optimal,
        "bound": bound,
    });
    println!("{json}");
    Ok(())
}
