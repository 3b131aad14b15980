//! What Mondrian promises about its parts.
