//! Work that takes long: it says how it goes, and can be stopped, or asked for the best it has.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use privet::Error;
use privet::clock::{Clock, Progress};
use privet::report::SearchMoment;
use privet::report::chart::search_chart;
use serde_json::{Value as Json, json};

use crate::api::{self, Work};
use crate::server::Shared;

/// Pictures and figures are sent this often at most; where nothing happens, a sign of life is.
const EVERY: Duration = Duration::from_millis(150);

/// What runs.
#[derive(Default)]
pub struct Jobs {
    running: Mutex<Vec<Arc<Job>>>,
    next: AtomicU64,
}

/// A piece of work that runs.
#[derive(Debug)]
pub struct Job {
    number: u64,
    stopped: Arc<AtomicBool>,
    enough: Arc<AtomicBool>,
}

impl Job {
    /// Asks it to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }
}

impl Jobs {
    /// Asks everything to stop.
    pub fn stop_all(&self) {
        self.each(Job::stop);
    }

    /// Asks a piece of work to stop, or, where it searches and that is `enough`, to end with the best it has.
    pub fn end(&self, number: u64, enough: bool) {
        self.each(|job| {
            if job.number == number {
                if enough { job.enough.store(true, Ordering::SeqCst) } else { job.stop() }
            }
        });
    }

    fn each(&self, act: impl Fn(&Job)) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|job| act(job));
    }

    /// Starts work in a thread of its own; its events end when it does.
    pub fn start(&self, shared: Arc<Shared>, work: Work) -> (impl Iterator<Item = Json> + use<>, Arc<Job>) {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let job = Arc::new(Job { number, stopped: Arc::default(), enough: Arc::default() });
        self.running.lock().unwrap_or_else(PoisonError::into_inner).push(job.clone());
        let (sender, receiver) = mpsc::channel();
        let watch = Arc::new(Watch { sender: Mutex::new(sender.clone()), start: Instant::now() });
        let clock = Clock::new(job.stopped.clone(), watch).with_enough(job.enough.clone());
        let spawned = thread::Builder::new().name("privet-studio-job".to_string()).spawn(move || {
            // A panic is a bug of ours: it must not look like a result, nor show data to readers of the log.
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&shared, &clock)));
            let ended = ended.unwrap_or_else(|_| {
                Err(Error::internal("internal error: this is a defect of Privet, nothing was written"))
            });
            shared.jobs.forget(number);
            let last = match ended {
                Ok(result) => json!({ "done": result }),
                Err(error) => json!({ "failed": api::error_json(&error)["error"] }),
            };
            let _ = sender.send(Happened::Ended(last));
        });
        let lost =
            spawned.is_err().then(|| json!({ "failed": { "message": "the system starts no thread" } }));
        let first = json!({ "job": number });
        (std::iter::once(first).chain(Events::of(receiver)).chain(lost), job)
    }

    fn forget(&self, number: u64) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).retain(|job| job.number != number);
    }
}

/// What a job does.
enum Happened {
    Stage(String, Option<u64>),
    At(u64),
    Note(String),
    Closer(SearchMoment),
    Ended(Json),
}

/// Hears how work goes.
struct Watch {
    sender: Mutex<Sender<Happened>>,
    start: Instant,
}

impl Watch {
    fn say(&self, what: Happened) {
        // The listener may be gone.
        let _ = self.sender.lock().unwrap_or_else(PoisonError::into_inner).send(what);
    }
}

impl Progress for Watch {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.say(Happened::Stage(name.to_string(), total));
    }

    fn at(&self, done: u64) {
        self.say(Happened::At(done));
    }

    fn note(&self, note: &str) {
        self.say(Happened::Note(note.to_string()));
    }

    fn closing_in(&self, best: Option<f64>, bound: Option<f64>) {
        let seconds = self.start.elapsed().as_secs_f64();
        self.say(Happened::Closer(SearchMoment { seconds, best, bound }));
    }
}

/// What happened, gathered into events that a page can keep up with.
struct Events {
    receiver: Receiver<Happened>,
    start: Instant,
    stage: Option<Json>,
    at: Option<u64>,
    note: Option<String>,
    trace: Vec<SearchMoment>,
    moved: bool,
    ended: bool,
}

impl Events {
    fn of(receiver: Receiver<Happened>) -> Events {
        let start = Instant::now();
        let (stage, at, note, trace) = (None, None, None, Vec::new());
        Events { receiver, start, stage, at, note, trace, moved: false, ended: false }
    }

    /// What is new, as one event.
    fn gathered(&mut self) -> Json {
        let seconds = self.start.elapsed().as_secs_f64();
        let mut event = json!({ "seconds": seconds });
        if let Some(stage) = self.stage.take() {
            event["stage"] = stage;
        }
        if let Some(at) = self.at.take() {
            event["at"] = at.into();
        }
        if let Some(note) = self.note.take() {
            event["note"] = note.into();
        }
        if std::mem::take(&mut self.moved)
            && let Some(last) = self.trace.last()
        {
            event["best"] = last.best.into();
            event["bound"] = last.bound.into();
            event["chart"] = search_chart(&self.trace, seconds).into();
        }
        event
    }
}

impl Iterator for Events {
    type Item = Json;

    fn next(&mut self) -> Option<Json> {
        if self.ended {
            return None;
        }
        let until = Instant::now() + EVERY;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.receiver.recv_timeout(left) {
                Ok(Happened::Stage(name, total)) => {
                    self.stage = Some(json!({ "name": name, "total": total }));
                    self.at = None;
                    return Some(self.gathered());
                }
                Ok(Happened::At(done)) => self.at = Some(done),
                Ok(Happened::Note(note)) => self.note = Some(note),
                Ok(Happened::Closer(moment)) => {
                    self.trace.push(moment);
                    self.moved = true;
                }
                Ok(Happened::Ended(mut last)) => {
                    self.ended = true;
                    let more = self.gathered();
                    for (key, value) in more.as_object().into_iter().flatten() {
                        last[key.as_str()] = value.clone();
                    }
                    return Some(last);
                }
                Err(RecvTimeoutError::Timeout) => return Some(self.gathered()),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}
