//! The second stream: reads every transaction again, applies the decision, and writes the release in shuffled order.

use super::RELEASE;
use crate::release::pipeline::Outlet;
use crate::release::run::changed;
use crate::release::shuffle::Shuffle;
use privet_core::clock::Clock;
use privet_core::{Error, Result, RunKey};
use privet_data::{Formulas, NewTransactions, Transaction, TransactionSource};
use privet_engine::baskets::{Baskets, Lexicon};
use privet_methods::kl::recoding::{Dispatch, ItemRecoding};

/// Writes the release.
pub(super) fn apply(
    (source, formulas): (&TransactionSource, Formulas),
    baskets: &Baskets,
    recoding: &ItemRecoding,
    key: RunKey,
    outlet: &Outlet<'_>,
    clock: &Clock,
) -> Result<()> {
    let tree = &baskets.tree;
    let release = NewTransactions { name: RELEASE, separator: source.separator(), formulas };
    let mut sink = outlet.to.transactions(&release)?;
    let mut shuffle = Shuffle::new(key, outlet.spill);
    let mut dispatcher = recoding.dispatcher(key, baskets);
    let lexicon = Lexicon::new(baskets);
    let (mut items, mut marks, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = 0;
    clock.progress().stage("writing", Some(source.bytes()));
    let mut each = |transaction: &Transaction<'_>, _| {
        read += 1;
        let unknown = lexicon.sort(transaction, &mut items, &mut marks);
        let basket = baskets.locate(&items, &marks).filter(|_| unknown.is_none());
        let basket = basket.ok_or_else(|| changed(source.origin()))?;
        match dispatcher.next(baskets, basket, &mut nodes) {
            Dispatch::Published => {}
            Dispatch::Removed => return Ok(()),
            // More transactions than were counted come only from a file that was changed meanwhile.
            Dispatch::Undecided => return Err(changed(source.origin())),
        }
        let shown = nodes.iter().map(|node| tree.label(*node));
        let kept = marks.iter().map(|mark| baskets.sensitive[*mark as usize].as_str());
        let mut labels: Vec<&str> = shown.chain(kept).collect();
        labels.sort_unstable();
        shuffle.push(&labels)
    };
    source.read_watched(&mut each, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    if read != baskets.total() {
        return Err(changed(source.origin()));
    }
    clock.progress().stage("shuffling", None);
    let written = shuffle.finish(clock, &mut |labels| sink.write(labels))?;
    let kept = read - recoding.removed(baskets);
    if written != kept {
        return Err(Error::internal(format!("{written} of {kept} transactions were written")));
    }
    sink.finish()
}
