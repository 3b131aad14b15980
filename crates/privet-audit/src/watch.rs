//! Somebody who may want an audit to stop.

use std::cell::RefCell;

use privet_core::Result;

/// Asked from wherever an audit spends its time: an error when it is to stop.
pub(super) type Watch<'a> = &'a (dyn Fn() -> Result<()> + 'a);

/// A watch that many can ask.
pub(super) fn watching<'a>(tick: &'a mut dyn FnMut() -> Result<()>) -> impl Fn() -> Result<()> + 'a {
    let tick = RefCell::new(tick);
    // A check that is asked does not ask in turn.
    move || tick.try_borrow_mut().map_or(Ok(()), |mut tick| tick())
}
