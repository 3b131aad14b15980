//! Calling code that may panic on malformed files, without the panic reaching the user.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What a call came to that was not allowed to panic.
#[derive(Debug)]
pub(super) struct Panicked;

/// Runs `work`; a panic inside becomes a value and prints nothing.
///
/// Panics of other threads, and of this one outside `work`, are reported as ever: the hook that silences is
/// installed once and asks a flag of the panicking thread.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                previous(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    // Whatever `work` was changing when it panicked is dropped by the callers, never used again.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    result.map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_value() {
        assert!(catch(|| -> usize { panic!("malformed") }).is_err());
        assert_eq!(catch(|| 1).unwrap(), 1);
        assert!(!QUIET.get());
    }
}
