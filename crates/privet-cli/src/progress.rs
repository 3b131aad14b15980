//! A progress bar that says what is being done.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use privet::clock::Progress;
use privet::visible;

/// One bar on standard error, a stage at a time.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub fn new() -> Bar {
        let bar = Bar { bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()) };
        // Before the first stage the bar would draw itself as 0/0.
        bar.stage("starting", None);
        bar.bar.enable_steady_tick(Duration::from_millis(120));
        bar
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, total: Option<u64>) {
        let template = match total {
            Some(_) => "{spinner} {prefix:<10} {bar:30} {percent:>3} %  {elapsed} {msg}",
            None => "{spinner} {prefix:<10} {elapsed} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(total.unwrap_or(0));
        self.bar.set_position(0);
        self.bar.set_message("");
        self.bar.set_prefix(visible::line(name).into_owned());
    }

    fn at(&self, done: u64) {
        self.bar.set_position(done);
    }

    fn note(&self, note: &str) {
        self.bar.set_message(visible::line(note).into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_use_3_a_bar_says_what_is_done_from_the_beginning() {
        let bar = Bar::new();
        assert_eq!(bar.bar.prefix(), "starting");
    }
}
