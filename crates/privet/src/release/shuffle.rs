//! Rows in a secret random order, without holding them all in memory.
//!
//! The order of records carries information (who came first, who came together), so a release is shuffled with a key that
//! derives from the seed and the data. The order in which rows come has no part in it: they are put in the order of what they say
//! first, so that the same rows in another order give the same bytes. Rows that fit are shuffled in memory. Otherwise each goes
//! to one of many files by what it says, so that it does not matter in which order rows come, and from there to one that is drawn
//! for it. These are shuffled one by one and joined, so that every order is equally likely.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use privet_core::clock::Clock;
use privet_core::random::{below, keyed, shuffle};
use privet_core::{Error, Result, RunKey, platform};

/// Rows are kept in memory up to this many bytes.
pub(super) const IN_MEMORY: usize = 96 << 20;
/// How many files rows that do not fit are divided among: always as many, for it decides their order.
const FILES: usize = 256;

/// Rows of text cells in one buffer.
#[derive(Debug, Default)]
struct Rows {
    text: String,
    /// Where each cell ends.
    ends: Vec<usize>,
    /// Where each row's cells start in `ends`.
    starts: Vec<usize>,
}

impl Rows {
    fn push(&mut self, cells: &[&str]) {
        self.starts.push(self.ends.len());
        for cell in cells {
            self.text.push_str(cell);
            self.ends.push(self.text.len());
        }
    }

    fn cells(&self, row: usize) -> impl Iterator<Item = &str> + Clone {
        let start = self.starts[row];
        let end = self.starts.get(row + 1).copied().unwrap_or(self.ends.len());
        (start..end).map(|at| {
            let from = if at == 0 { 0 } else { self.ends[at - 1] };
            &self.text[from..self.ends[at]]
        })
    }

    fn bytes(&self) -> usize {
        self.text.len() + (self.ends.len() + self.starts.len()) * size_of::<usize>()
    }

    fn len(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Gives rows back in random order; `order` has the number of each, as often as it is wanted.
    fn shuffled(
        &self,
        mut order: Vec<u32>,
        random: &mut ChaCha20Rng,
        each: &mut dyn FnMut(&[&str]) -> Result<()>,
    ) -> Result<()> {
        let prints: Vec<u64> = (0..self.len()).map(|row| fingerprint(self.cells(row as usize))).collect();
        // Each with its print next to it, so that comparing two does not look anywhere else.
        let mut sorted: Vec<(u64, u32)> = order.iter().map(|row| (prints[*row as usize], *row)).collect();
        sorted.sort_unstable_by(|(print, row), (other, next)| {
            print.cmp(other).then_with(|| self.cells(*row as usize).cmp(self.cells(*next as usize)))
        });
        order.iter_mut().zip(sorted).for_each(|(place, (_, row))| *place = row);
        shuffle(&mut order, random);
        let mut cells = Vec::new();
        for row in order {
            cells.clear();
            cells.extend(self.cells(row as usize));
            each(&cells)?;
        }
        Ok(())
    }
}

/// A number for what a row says: the 64-bit FNV-1a hash of its cells.
fn fingerprint<'a>(cells: impl Iterator<Item = &'a str>) -> u64 {
    let mut print: u64 = 0xcbf2_9ce4_8422_2325;
    // No byte of a text is 0xff, so it ends a cell.
    for byte in cells.flat_map(|cell| cell.bytes().chain([0xff])) {
        print = (print ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    print
}

/// Takes rows in any order and gives them back in a random one.
#[derive(Debug)]
pub struct Shuffle {
    random: ChaCha20Rng,
    rows: Rows,
    spill: Option<Spill>,
    folder: PathBuf,
}

#[derive(Debug)]
struct Spill {
    paths: Vec<PathBuf>,
    writers: Vec<BufWriter<File>>,
}

impl Shuffle {
    /// A shuffle with this key; what does not fit in memory goes to files in `folder`.
    pub fn new(key: impl Into<RunKey>, folder: &Path) -> Shuffle {
        Shuffle::keyed(keyed(key, "privet: order of records"), folder)
    }

    /// The order of the records of one of several tables, by its number: it tells nothing about that of the others.
    pub fn of_table(key: impl Into<RunKey>, number: usize, folder: &Path) -> Shuffle {
        Shuffle::keyed(keyed(key, &format!("privet: order of records in table {number}")), folder)
    }

    fn keyed(random: ChaCha20Rng, folder: &Path) -> Shuffle {
        Shuffle { random, rows: Rows::default(), spill: None, folder: folder.to_path_buf() }
    }

    /// Takes a row.
    pub fn push(&mut self, cells: &[&str]) -> Result<()> {
        if let Some(spill) = &mut self.spill {
            return spill.sort(cells.iter().copied());
        }
        self.rows.push(cells);
        if self.rows.bytes() > IN_MEMORY {
            fs::create_dir(&self.folder).map_err(|error| trouble(&self.folder, &error))?;
            let mut spill = Spill::open(&self.folder, "")?;
            let rows = std::mem::take(&mut self.rows);
            for row in 0..rows.len() {
                spill.sort(rows.cells(row as usize))?;
            }
            self.spill = Some(spill);
        }
        Ok(())
    }

    /// Gives all rows back in random order, and says how many there were. The clock may stop it.
    pub fn finish(self, clock: &Clock, each: &mut dyn FnMut(&[&str]) -> Result<()>) -> Result<u64> {
        let mut rows = 0u64;
        self.give_back(&mut |row| {
            rows += 1;
            if rows.is_multiple_of(1 << 16) {
                clock.check()?;
            }
            each(row)
        })?;
        Ok(rows)
    }

    fn give_back(mut self, each: &mut dyn FnMut(&[&str]) -> Result<()>) -> Result<()> {
        let Some(spill) = self.spill else {
            let all = (0..self.rows.len()).collect();
            return self.rows.shuffled(all, &mut self.random, each);
        };
        drop(self.rows);
        // Rows that say the same are in one file now. In the release they must not be closer together than by chance, so every
        // row goes on to a file that is drawn for it.
        let mut seed = [0; 32];
        seed.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&self.random.next_u64().to_le_bytes()));
        let mut draw = ChaCha20Rng::from_seed(seed);
        let paths = spill.close()?;
        let mut again = Spill::open(&self.folder, "again-")?;
        for path in paths {
            let (rows, order) = read_rows(&path).map_err(|error| trouble(&path, &error))?;
            rows.shuffled(order, &mut self.random, &mut |cells| {
                again.write(below(&mut draw, FILES as u64) as usize, cells.iter().copied())
            })?;
            fs::remove_file(&path).map_err(|error| trouble(&path, &error))?;
        }
        for path in again.close()? {
            let (rows, order) = read_rows(&path).map_err(|error| trouble(&path, &error))?;
            rows.shuffled(order, &mut self.random, each)?;
            fs::remove_file(&path).map_err(|error| trouble(&path, &error))?;
        }
        Ok(())
    }
}

impl Spill {
    /// Opens files in a folder that is there, with names that begin so.
    fn open(folder: &Path, name: &str) -> Result<Spill> {
        let paths: Vec<PathBuf> = (0..FILES).map(|file| folder.join(format!("{name}{file}"))).collect();
        let open = |path: &PathBuf| {
            let file = platform::private(OpenOptions::new().write(true).create_new(true)).open(path);
            file.map(BufWriter::new).map_err(|error| trouble(path, &error))
        };
        let writers = paths.iter().map(open).collect::<Result<_>>()?;
        Ok(Spill { paths, writers })
    }

    /// Writes what is buffered; returns the files.
    fn close(self) -> Result<Vec<PathBuf>> {
        for (path, writer) in self.paths.iter().zip(self.writers) {
            writer.into_inner().map_err(|error| trouble(path, error.error()))?;
        }
        Ok(self.paths)
    }

    /// A row to the file of all that say the same.
    fn sort<'a>(&mut self, cells: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
        let file = (fingerprint(cells.clone()) % self.writers.len() as u64) as usize;
        self.write(file, cells)
    }

    /// One row: the number of cells, then each cell's length and text.
    fn write<'a>(&mut self, file: usize, cells: impl Iterator<Item = &'a str>) -> Result<()> {
        let writer = &mut self.writers[file];
        let written = || -> io::Result<()> {
            let cells: Vec<&str> = cells.collect();
            writer.write_all(&(cells.len() as u32).to_le_bytes())?;
            for cell in cells {
                writer.write_all(&(cell.len() as u32).to_le_bytes())?;
                writer.write_all(cell.as_bytes())?;
            }
            Ok(())
        };
        written().map_err(|error| trouble(&self.paths[file], &error))
    }
}

fn trouble(path: &Path, error: &io::Error) -> Error {
    Error::io("shuffle the release", path, error)
}

/// The distinct rows of a spill file, and the number of each as often as it is there: rows that say the same are all in one
/// file, however many there are.
fn read_rows(path: &Path) -> io::Result<(Rows, Vec<u32>)> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut reader = BufReader::new(file);
    let number = |reader: &mut BufReader<File>| -> io::Result<u32> {
        let mut bytes = [0; 4];
        reader.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    };
    let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
    let (mut rows, mut order) = (Rows::default(), Vec::new());
    let (mut text, mut ends) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < size {
        let cells = number(&mut reader)?;
        at += 4;
        text.clear();
        ends.clear();
        for _ in 0..cells {
            let length = number(&mut reader)? as usize;
            let start = text.len();
            text.resize(start + length, 0);
            reader.read_exact(&mut text[start..])?;
            ends.push(text.len());
            at += 4 + length as u64;
        }
        // Cells are told apart by where they end.
        let lengths = ends.iter().flat_map(|end| end.to_le_bytes());
        let key: Vec<u8> = text.iter().copied().chain(lengths).collect();
        let next = rows.len();
        let row = *known.entry(key).or_insert(next);
        order.push(row);
        if row == next {
            rows.starts.push(rows.ends.len());
            let before = rows.text.len();
            rows.text.push_str(std::str::from_utf8(&text).map_err(io::Error::other)?);
            rows.ends.extend(ends.iter().map(|end| before + end));
        }
    }
    Ok((rows, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffled(rows: usize, filler: &str, seed: u64) -> Vec<String> {
        given_back(0..rows, filler, seed)
    }

    fn given_back(rows: impl Iterator<Item = usize>, filler: &str, seed: u64) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut shuffle = Shuffle::new(seed, &folder.path().join("spill"));
        for row in rows {
            shuffle.push(&[&row.to_string(), filler]).expect("taken");
        }
        let mut out = Vec::new();
        shuffle
            .finish(&Clock::unlimited(), &mut |cells| {
                assert_eq!(cells[1], filler);
                out.push(cells[0].to_string());
                Ok(())
            })
            .expect("given back");
        out
    }

    fn is_permutation(mut rows: Vec<String>, of: usize) -> bool {
        rows.sort_by_key(|row| row.parse::<usize>().expect("a number"));
        rows.into_iter().eq((0..of).map(|row| row.to_string()))
    }

    #[test]
    fn the_seed_decides_the_order() {
        let first = shuffled(100, "", 1);
        assert_eq!(first, shuffled(100, "", 1));
        assert_ne!(first, shuffled(100, "", 2));
        assert!(is_permutation(first, 100));
    }

    #[test]
    fn the_order_in_which_rows_come_does_not_show() {
        let filler = "x".repeat(64 << 10);
        for (rows, filler) in [(500, ""), (2000, filler.as_str())] {
            // Every row several times.
            let one = given_back((0..rows).map(|row| row % 400), filler, 5);
            assert_eq!(one, given_back((0..rows).rev().map(|row| row % 400), filler, 5));
            assert_eq!(one.len(), rows);
        }
    }

    #[test]
    fn rows_that_do_not_fit_in_memory_are_shuffled_too() {
        let filler = "x".repeat(64 << 10);
        let rows = shuffled(2000, &filler, 3);
        assert!(is_permutation(rows.clone(), 2000));
        let fixed = rows.iter().enumerate().filter(|(at, row)| at.to_string() == **row).count();
        assert!(fixed < 20, "{fixed} rows stayed in place");
    }

    #[test]
    fn hard_use_1_4_rows_that_say_the_same_are_not_put_together() {
        let filler = "x".repeat(64 << 10);
        let rows = given_back((0..2000).map(|row| row % 100), &filler, 3);
        // By chance one row in a hundred is followed by its like: 20 of 2,000.
        let together = rows.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!(together < 60, "{together} rows are followed by their like");
    }
}
