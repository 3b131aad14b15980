//! Every release passes its audit, and a spoilt one does not.
