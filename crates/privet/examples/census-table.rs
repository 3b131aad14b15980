//! Writes a made-up census of any size to standard output: `census-table ROWS [DISTINCT]`.

use std::io::{self, BufWriter};
use std::process::ExitCode;

use privet::example::census;

fn main() -> ExitCode {
    let numbers: Option<Vec<u64>> = std::env::args().skip(1).map(|number| number.parse().ok()).collect();
    let out = BufWriter::new(io::stdout().lock());
    let written = match numbers.as_deref() {
        Some([rows]) => census::write_csv(*rows, census::SEED, out),
        Some([rows, distinct]) => {
            let distinct = u32::try_from(*distinct).unwrap_or(u32::MAX);
            census::write_csv_capped(*rows, distinct, census::SEED, out)
        }
        _ => {
            eprintln!("usage: census-table ROWS [DISTINCT]");
            return ExitCode::from(2);
        }
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write: {error}");
            ExitCode::FAILURE
        }
    }
}
