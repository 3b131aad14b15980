//! The command line.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use privet::data::Header;

/// Publish data about people without publishing the people.
///
/// Privet takes data and a policy, and gives back a release that provably meets the policy at the least loss of
/// usefulness, an independent audit of that release, and a report.
#[derive(Debug, Parser)]
#[command(
    name = "privet",
    version,
    about,
    long_about,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit status: 0 done; 1 internal error; 2 bad input or policy; 3 the requirement cannot be met; \
                        4 an audit found a violation; 75 another run is writing to the target; 130 interrupted."
)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct Common {
    /// Print errors only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print every check, attack and warning
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// How many threads to use [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a ready-to-run example: data, hierarchies and a policy
    Example(Example),
    /// Look at a file and draft a commented policy for it
    Init(Init),
    /// Make, audit and publish a release
    Anonymize(Anonymize),
    /// Apply the plan of an earlier release to later data, audit the result and publish it
    Apply(Apply),
    /// Check a release again, or one that another tool made
    Audit(Audit),
    /// Run the known attacks on a release, or on any table, and say who is at risk
    Attack(Attack),
    /// List what can be learnt from the data about who cannot have what
    Mine(Mine),
    /// Measure what the data are worth to an attacker, before anything is decided
    Risk(Risk),
    /// Compare what several policies on the same data cost
    Compare(Compare),
    /// Build, show and check hierarchies
    #[command(subcommand)]
    Hierarchy(Hierarchy),
    /// Look at the ledger in which releases are written down
    #[command(subcommand)]
    Ledger(Ledger),
    /// Write a release's reports again
    Report(Report),
    /// Explain the requirements and methods a policy can name
    Explain(Explain),
    /// Help to write policies
    #[command(subcommand)]
    Policy(Policy),
    /// Make keys, from which pseudonyms and the shifts of dates derive
    #[command(subcommand)]
    Key(Key),
    /// Open the studio, a page in the browser that is served to this machine alone
    ///
    /// The studio is a program of its own, privet-studio: privet itself opens no socket.
    Studio(Studio),
    /// Print a script that completes privet's arguments in a shell
    Completions(Completions),
    /// Print the manual page, or that of one command
    Man(Man),
}

impl Command {
    /// The directory that it makes or changes in one step, if it does.
    pub fn target(&self) -> Option<&Path> {
        match self {
            Command::Anonymize(arguments) => Some(&arguments.output),
            Command::Apply(arguments) => Some(&arguments.output),
            Command::Report(arguments) => Some(&arguments.folder),
            Command::Compare(arguments) => arguments.output.as_deref(),
            _ => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Policy {
    /// Print the JSON schema of policies, with which editors complete and check them
    ///
    /// Save it next to a policy and name it in the policy's first line: #:schema ./policy.schema.json
    Schema,
}

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Draw a new key and write it to a file that only you can read
    ///
    /// Name it in a policy: [pseudonyms] key = "study.key". Keep it apart from the release, and keep it: without it nobody can
    /// make the same pseudonyms again.
    New {
        /// The file to make
        path: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct Studio {
    /// A data file or a policy to open, or the folder to work in [default: the current folder]
    pub path: Option<PathBuf>,
    /// Print the address, and leave opening it to you
    #[arg(long)]
    pub no_browser: bool,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// A command, such as anonymize; without one, the page of privet itself
    pub command: Option<String>,
}

#[derive(Debug, Args)]
pub struct Example {
    /// The example; without a name, lists them all
    pub name: Option<String>,
    /// The directory to make [default: the example's name]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Also make the example's release, in DIR-release
    #[arg(long, requires = "name")]
    pub run: bool,
}

#[derive(Debug, Args)]
pub struct Init {
    /// The data file, or several that are one table; - is standard input
    #[arg(required_unless_present = "from_database", conflicts_with = "from_database")]
    pub data: Vec<PathBuf>,
    /// Draft for a table of a database, in place of a file: postgresql, sqlite, duckdb, or an ADBC driver
    #[arg(long, value_name = "DRIVER", requires = "uri_env", conflicts_with_all = ["kind", "delimiter", "header"])]
    pub from_database: Option<String>,
    /// The environment variable that holds the database's address
    #[arg(long, value_name = "VARIABLE", requires = "from_database")]
    pub uri_env: Option<String>,
    /// The table: name, or schema.name
    #[arg(long, value_name = "NAME", requires = "from_database", conflicts_with = "query")]
    pub table: Option<String>,
    /// The query whose rows are the data
    #[arg(long, value_name = "SQL", requires = "from_database")]
    pub query: Option<String>,
    /// What it holds; query logs are recognised by their columns, and `privet example queries` shows one [default: what it
    /// looks like]
    #[arg(long, value_enum)]
    pub kind: Option<InitKind>,
    /// Go through the columns in the terminal and ask what each is
    #[arg(long, conflicts_with_all = ["json", "quiet"])]
    pub ask: bool,
    /// Begin with what a rule asks for: hipaa-safe-harbor, ema, cms or gdpr; `privet explain NAME` describes it
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Draft for a release to everybody
    #[arg(long)]
    pub public: bool,
    /// The directory for policy.toml and hierarchies/ [default: NAME-policy next to the data]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The delimiter of delimited text, where it is not detected
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Whether the first line names the columns: true, false (they are then column1, column2, …), or the names: age,sex
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub header: Option<Header>,
    /// The encoding of text, where it is not detected, as in windows-1250
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    pub encoding: Option<privet::data::Encoding>,
    /// The sheet of a workbook, where it is not the first one
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The cells of a sheet, where they are not all that are filled: B3:F200
    #[arg(long, value_name = "CELLS")]
    pub range: Option<String>,
}

/// What a data file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitKind {
    /// A row per person
    Table,
    /// Sets of items: one per line, or two columns with the set and one of its items
    Transactions,
}

#[derive(Debug, Args)]
pub struct Mine {
    /// The policy
    pub policy: PathBuf,
}

#[derive(Debug, Args)]
pub struct Risk {
    /// The policy: its data and what the columns are; requirements and a method are not needed
    pub policy: PathBuf,
    /// A release to measure, in place of the data
    #[arg(long, value_name = "FILE")]
    pub release: Option<PathBuf>,
    /// The largest sets of columns to look at [default: 3; special uniques of all sizes where there are at most 12
    /// quasi-identifiers]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub largest: Option<usize>,
    /// Also write one line per record into this file, which only you can read
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A whole number from 1.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| format!("'{text}' is not a whole number from 1"))
}

#[derive(Debug, Args)]
pub struct Anonymize {
    /// The policy
    pub policy: PathBuf,
    /// The directory to make for the release
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace an older release
    #[arg(long)]
    pub force: bool,
    /// How long the search may take, as in 30s
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time_limit: Option<std::time::Duration>,
    /// The secret that random choices derive from, instead of the policy's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The release's format: csv, tsv, parquet, arrow or jsonl, each also with .gz or .zst; only for tables [default: the data's]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<privet::data::FileKind>,
    /// Which attacks are tried on the release before it is published
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = AttackChoice::Cheap)]
    pub attacks: AttackChoice,
    /// Keep this share of people out of the release, as in 10% or 0.1, and try attacks on them as well: what succeeds
    /// there too is not a fault of the release. Only for tables
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub holdout: Option<privet::Exact>,
    /// Write an apostrophe before cells that a spreadsheet would run as a formula, instead of refusing them
    #[arg(long)]
    pub csv_safe: bool,
}

#[derive(Debug, Args)]
pub struct Apply {
    /// The earlier release, or its steward/plan.json
    #[arg(value_name = "RELEASE_OR_PLAN")]
    pub earlier: PathBuf,
    /// The later data, in the form of the earlier data
    #[arg(value_name = "NEW_DATA")]
    pub data: PathBuf,
    /// The directory to make for the release
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// The policy to meet [default: that of the earlier release]
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<PathBuf>,
    /// Replace an older release
    #[arg(long)]
    pub force: bool,
    /// The secret that random choices derive from, instead of the policy's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The release's format: csv, tsv, parquet, arrow or jsonl, each also with .gz or .zst; only for tables [default: the data's]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<privet::data::FileKind>,
    /// Which attacks are tried on the release before it is published
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = AttackChoice::Cheap)]
    pub attacks: AttackChoice,
    /// Write an apostrophe before cells that a spreadsheet would run as a formula, instead of refusing them
    #[arg(long)]
    pub csv_safe: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AttackChoice {
    /// All that concern the release
    All,
    /// Those that take little time, within a quarter of the run or a second of processor time
    Cheap,
    /// None
    None,
}

impl From<AttackChoice> for privet::attack::Choice {
    fn from(choice: AttackChoice) -> privet::attack::Choice {
        match choice {
            AttackChoice::All => privet::attack::Choice::All,
            AttackChoice::Cheap => privet::attack::Choice::Cheap,
            AttackChoice::None => privet::attack::Choice::None,
        }
    }
}

#[derive(Debug, Args)]
pub struct Audit {
    /// A release directory that `privet anonymize` made
    #[arg(required_unless_present = "release", conflicts_with_all = ["policy", "release"])]
    pub folder: Option<PathBuf>,
    /// The policy, to audit a release that another tool made
    #[arg(long, requires = "release")]
    pub policy: Option<PathBuf>,
    /// The original data, where the policy's path does not lead to it
    #[arg(long)]
    pub original: Option<PathBuf>,
    /// The released file to audit: a table, one transaction per line, or vocabularies
    #[arg(long, requires = "policy")]
    pub release: Option<PathBuf>,
    /// The released vocabularies stand in the order of the original ones, so that each can be held against its own
    #[arg(long, requires = "release")]
    pub aligned: bool,
}

#[derive(Debug, Args)]
pub struct Attack {
    /// A release directory that `privet anonymize` made
    #[arg(conflicts_with_all = ["policy", "release"])]
    pub folder: Option<PathBuf>,
    /// The policy, to attack the original, or a table that another tool made
    #[arg(long)]
    pub policy: Option<PathBuf>,
    /// The original data, where the policy's path does not lead to it
    #[arg(long)]
    pub original: Option<PathBuf>,
    /// The released file to attack, or the directory where the method publishes several
    #[arg(long, requires = "policy")]
    pub release: Option<PathBuf>,
    /// Everybody who may be in the data, with their quasi-identifiers: a table with the same column names
    #[arg(long, value_name = "FILE")]
    pub population: Option<PathBuf>,
    /// People like those in the data who were left out of the release: what attacks find about them too is true of
    /// anybody [default: the people that `privet anonymize --holdout` kept out]
    #[arg(long, value_name = "FILE")]
    pub holdout: Option<PathBuf>,
    /// Other releases about some of the same people, to be attacked together with this one
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub with: Vec<PathBuf>,
    /// Run these attacks alone
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub only: Vec<String>,
    /// How many of the worst cases to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// How many columns the adversary knows in the cases that are listed
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub known: usize,
    /// How sure the background join has to be of a second sensitive value, where it need not be certain
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.9")]
    pub confidence: privet::Exact,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// The policies, all on the same data
    #[arg(required = true)]
    pub policies: Vec<PathBuf>,
    /// Also try other values of a key, as in privacy.k-anonymity.k=2,5,10; several make a grid
    #[arg(long, value_name = "KEY=VALUES")]
    pub vary: Vec<String>,
    /// Write the table as CSV and a page with the frontier between risk and loss to this directory
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace an older comparison in DIR, or an older FILE
    #[arg(long)]
    pub force: bool,
    /// Also write the table as CSV to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Hierarchy {
    /// Build a hierarchy file from the values of a column
    Build(Box<Build>),
    /// List hierarchies to start from, with their sources and licences
    List,
    /// Make a hierarchy file for a column from one to start from
    Add(Add),
    /// Merge, split and rename groups of a hierarchy
    Edit(Edit),
    /// Draw a hierarchy, with counts from the data
    Show(Show),
    /// Check a hierarchy against a data file
    Check(Check),
    /// List what a release publishes for each value, as CSV
    Applied(Applied),
}

#[derive(Debug, Args)]
pub struct Applied {
    /// The release, or its steward/plan.json
    #[arg(value_name = "RELEASE_OR_PLAN")]
    pub release: PathBuf,
    /// Only this column
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
}

#[derive(Debug, Args)]
pub struct Edit {
    /// The hierarchy file
    pub hierarchy: PathBuf,
    /// Put values or groups into a group, new or not, as in higher=master,doctorate; can be repeated
    #[arg(long, value_name = "GROUP=NAMES", required_unless_present_any = ["split", "rename"])]
    pub merge: Vec<String>,
    /// Take a group away: what stood below it stands below the next one; can be repeated
    #[arg(long, value_name = "GROUP")]
    pub split: Vec<String>,
    /// Give a group another name, as in higher=postgraduate; can be repeated
    #[arg(long, value_name = "GROUP=NAME")]
    pub rename: Vec<String>,
    /// The hierarchy file to make
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BuildKind {
    /// Numbers in ranges of equal width
    EqualWidth,
    /// Numbers in ranges of about equally many records
    EqualFrequency,
    /// Numbers in ranges between given breaks
    Breaks,
    /// Numbers in ranges that double in width from level to level
    Doubling,
    /// Days, months, quarters, years, decades
    Dates,
    /// Codes such as ZIP and ICD, shortened from the right
    Prefixes,
    /// Words in a given order, neighbours joined
    Order,
    /// Categories, flat or by a given grouping
    Categories,
}

#[derive(Debug, Args)]
pub struct Build {
    /// The data file
    pub data: PathBuf,
    /// The column
    pub column: String,
    /// How to build it
    #[arg(long, value_enum)]
    pub kind: BuildKind,
    /// The hierarchy file to make
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// equal-width, doubling: the width of the first ranges
    #[arg(long)]
    pub width: Option<String>,
    /// equal-width, equal-frequency: how many ranges on the first level
    #[arg(long)]
    pub bins: Option<usize>,
    /// equal-width, equal-frequency, breaks, order: how many ranges or words of one level make one of the next
    #[arg(long, default_value_t = 2)]
    pub fanout: usize,
    /// breaks: the numbers between the ranges, as in 18,30,45,65; several levels separated by ';', finest first
    #[arg(long, allow_hyphen_values = true)]
    pub breaks: Option<String>,
    /// prefixes: how many characters go per level, as in 1,2
    #[arg(long, value_delimiter = ',')]
    pub steps: Vec<usize>,
    /// order: every value once, from the first to the last, as in low,medium,high
    #[arg(long, value_delimiter = ',')]
    pub order: Vec<String>,
    /// categories: a file with value;group;… per line
    #[arg(long, conflicts_with_all = ["other", "merge"])]
    pub groups: Option<PathBuf>,
    /// categories: values of fewer records than this become "other" at the first level
    #[arg(long, value_name = "RECORDS")]
    pub other: Option<u64>,
    /// categories: values that become one at the first level, as in married=civil,church; can be repeated
    #[arg(long, value_name = "NAME=VALUES")]
    pub merge: Vec<String>,
    /// The delimiter of the data, where it is not detected
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Whether the first line names the columns: true, false (they are then column1, column2, …), or the names: age,sex
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub header: Option<Header>,
    /// Spellings of missing values, which get no leaf
    #[arg(long, value_delimiter = ',', default_value = "")]
    pub missing: Vec<String>,
    #[command(flatten)]
    pub written: Written,
}

/// How the cells of a column are written, as the policy says it in [columns.NAME]. Leaves are then ISO dates or plain numbers.
#[derive(Debug, Args)]
pub struct Written {
    /// How dates are written, as in "%d/%m/%Y"; leaves are then ISO dates, for a policy with the same key
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["decimal", "unit"])]
    pub date: Option<String>,
    /// The first of the hundred years that the two digits of %y stand for
    #[arg(long, value_name = "YEAR", requires = "date")]
    pub first_year: Option<i16>,
    /// The decimal sign of numbers, ',' or '.'; leaves are then plain numbers, for a policy with the same key
    #[arg(long, value_name = "SIGN", value_parser = [",", "."])]
    pub decimal: Option<String>,
    /// The unit before or after numbers
    #[arg(long)]
    pub unit: Option<String>,
}

#[derive(Debug, Args)]
pub struct Add {
    /// Which one; `privet hierarchy list` lists them
    pub name: String,
    /// The data file
    pub data: PathBuf,
    /// The column
    pub column: String,
    /// The hierarchy file to make
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Put values that it does not know under "other", instead of refusing them
    #[arg(long)]
    pub other: bool,
    /// The delimiter of the data, where it is not detected
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Whether the first line names the columns: true, false (they are then column1, column2, …), or the names: age,sex
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub header: Option<Header>,
    /// Spellings of missing values, which get no leaf
    #[arg(long, value_delimiter = ',', default_value = "")]
    pub missing: Vec<String>,
    #[command(flatten)]
    pub written: Written,
}

#[derive(Debug, Args)]
pub struct Show {
    /// The hierarchy file
    pub hierarchy: PathBuf,
    /// The data file, for counts
    pub data: Option<PathBuf>,
    /// The column of the data
    #[arg(requires = "data")]
    pub column: Option<String>,
    /// How many children of a node to show
    #[arg(long, default_value_t = 20)]
    pub most: usize,
    /// The delimiter of the data, where it is not detected
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Whether the first line names the columns: true, false (they are then column1, column2, …), or the names: age,sex
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub header: Option<Header>,
}

#[derive(Debug, Args)]
pub struct Check {
    /// The hierarchy file
    pub hierarchy: PathBuf,
    /// The data file
    pub data: PathBuf,
    /// The column of the data; without one, each line of the data is a transaction
    pub column: Option<String>,
    /// The delimiter of the data, where it is not detected
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Whether the first line names the columns: true, false (they are then column1, column2, …), or the names: age,sex
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub header: Option<Header>,
    /// The sensitive items of transactions, one per line: they are not in the hierarchy
    #[arg(long, value_name = "FILE", conflicts_with = "column")]
    pub sensitive: Option<PathBuf>,
    /// Spellings of missing values, which need no leaf
    #[arg(long, value_delimiter = ',', default_value = "")]
    pub missing: Vec<String>,
    #[command(flatten)]
    pub written: Written,
}

/// A ledger is named in a policy, as [ledger] path = "…"; each command takes the ledger or such a policy.
#[derive(Debug, Subcommand)]
pub enum Ledger {
    /// List the releases that are written down
    List {
        /// The ledger, or a policy that names it
        ledger: PathBuf,
    },
    /// Show one release, and what it reveals together with those before it
    Show {
        /// The ledger, or a policy that names it
        ledger: PathBuf,
        /// The number of its line, as `list` prints it
        entry: u64,
    },
    /// Check that no line was changed or removed, and that releases were confirmed
    Check {
        /// The ledger, or a policy that names it
        ledger: PathBuf,
        /// Releases that must be in it
        #[arg(value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct Report {
    /// The release directory
    pub folder: PathBuf,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// A requirement or a method, or a release directory with --item or --column; without a name, lists them all
    pub name: Option<String>,
    /// Say how the release publishes this item or group, and which threat forced that
    #[arg(long, value_name = "ITEM", requires = "name", conflicts_with = "column")]
    pub item: Option<String>,
    /// Say at which level the release publishes this column, and which class forced that
    #[arg(long, value_name = "COLUMN", requires = "name")]
    pub column: Option<String>,
}

fn time(text: &str) -> Result<std::time::Duration, String> {
    privet::policy::parse_duration(text)
        .ok_or_else(|| "write a length of time, as in 500ms, 30s, 5m or 2h".to_string())
}

fn share(text: &str) -> Result<privet::Exact, String> {
    let within = |share: &privet::Exact| *share > privet::Exact::ZERO && *share < privet::Exact::ONE;
    privet::Exact::parse(text)
        .filter(within)
        .ok_or_else(|| "write a share between 0 and 1, as in 10%, 0.1 or 1/10".to_string())
}

fn format(text: &str) -> Result<privet::data::FileKind, String> {
    privet::data::FileKind::parse(text).map_err(|error| error.to_string())
}

fn encoding(text: &str) -> Result<privet::data::Encoding, String> {
    privet::data::Encoding::named(text).map_err(|error| error.to_string())
}

fn header(text: &str) -> Result<Header, String> {
    Ok(Header::parse(text))
}

fn delimiter(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) if !"\"\r\n".contains(character) => Ok(character),
        (Some('\\'), Some('t')) if text.len() == 2 => Ok('\t'),
        _ => Err("a delimiter is a single character, as in ',' ';' '|' or '\\t'".to_string()),
    }
}
