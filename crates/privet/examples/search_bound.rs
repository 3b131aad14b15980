//! How good a search's answer is, and what is proven about it, once it has used some processor time: `search_bound POLICY SECONDS`.
//! Prints JSON.

use std::path::Path;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use privet::clock::Clock;
use privet::cpu::cpu_time;
use privet::engine::microdata::Microdata;
use privet::policy::Policy;
use privet::{loss, method};

fn main() -> privet::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, seconds] = arguments.as_slice() else {
        eprintln!("usage: search_bound POLICY SECONDS");
        exit(2);
    };
    let Ok(seconds) = seconds.parse::<f64>() else {
        eprintln!("'{seconds}' is not a number of seconds");
        exit(2);
    };
    let policy = Policy::read(Path::new(path))?.check(None)?;
    let microdata = Microdata::read(&policy, &mut |_| Ok(()))?;
    let enough = Arc::new(AtomicBool::new(false));
    let clock = Clock::unlimited().with_enough(enough.clone());
    let start = cpu_time();
    std::thread::spawn(move || {
        while (cpu_time() - start).as_secs_f64() < seconds {
            std::thread::sleep(Duration::from_millis(2));
        }
        enough.store(true, Ordering::Relaxed);
    });
    let solution = method::run(&policy, &microdata, &clock)?;
    let spent = (cpu_time() - start).as_secs_f64();
    let costs = solution.recoding.costs(&microdata, &solution.recoding.count(&microdata));
    let cost = costs.iter().find(|cost| cost.name == loss::NAMES[0]).map(|cost| cost.value);
    let json = serde_json::json!({
        "cost": cost, "bound": solution.search.bound, "optimal": solution.search.optimal,
        "examined": solution.search.examined, "seconds": spent,
    });
    println!("{json}");
    Ok(())
}
