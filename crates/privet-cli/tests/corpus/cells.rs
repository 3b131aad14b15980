//! Made-up cells: the same for the same row, and as if drawn for another.

/// A number below `n` for a row and a purpose.
fn roll(row: usize, salt: u64, n: u64) -> u64 {
    let mut z =
        (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % n
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const NAMES: [&str; 12] =
    ["Ada", "Bob", "Cyn", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea"];
const SENTENCES: [&str; 6] = [
    "seen twice this week and sent home again",
    "asked about the result of the last test",
    "the pain is worse at night than it was",
    "no change since the visit before the last",
    "would like to be called after five o'clock",
    "came with a relative who spoke for them",
];
/// Codes of diseases, some far more common than others.
const DISEASES: [&str; 8] = ["I10", "E11.9", "J45.0", "F32.1", "M54.5", "K21.9", "C50.9", "B20"];
const COUNTRIES: [[&str; 3]; 6] = [
    ["DE", "DEU", "Germany"],
    ["FR", "FRA", "France"],
    ["TR", "TUR", "Turkey"],
    ["PL", "POL", "Poland"],
    ["IT", "ITA", "Italy"],
    ["MA", "MAR", "Morocco"],
];

/// The cell of a row in a column of this kind; `kind/detail` says more about it, and the salt keeps columns apart.
pub fn cell(kind: &str, row: usize, salt: u64) -> String {
    let (kind, detail) = kind.split_once('/').unwrap_or((kind, ""));
    let roll = |n: u64| roll(row, salt, n);
    let among = |list: &[&str]| list[roll(list.len() as u64) as usize].to_string();
    match kind {
        "id" => format!("{}", 10_000 + row * 7),
        "pid" => format!("P{:03}", row % 50),
        "household" => format!("{}", 500 + row / 3),
        "uuid" => format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            roll(1 << 32),
            row,
            roll(4096),
            roll(4096),
            roll(1 << 40)
        ),
        "mail" => format!("{}{row}@example.org", among(&NAMES).to_lowercase()),
        "phone" => format!("+49 30 {:07}", 1_000_000 + row * 37),
        "hash" => format!("{:016x}{:016x}", 0xabcd_ef12_3456_7890_u64 ^ (row as u64 / 3), row / 3 * 77),
        "born-mostly" if row % 15 == 4 => "unk.".to_string(),
        "born-mostly" => date("DD/MM/YYYY", 1935 + roll(65), 1 + roll(1 << 20) % 12, 1 + roll(1 << 21) % 28),
        "month" => format!("{:02}/{}", 1 + roll(12), 1990 + roll(20)),
        "contact" if row.is_multiple_of(4) => format!("{}{row}@example.org", among(&NAMES).to_lowercase()),
        "contact" => format!("front desk {}", roll(9)),
        "degrees" => format!("{}.{:05}", detail, roll(99_999)),
        "iban" => iban(row),
        "card" => card(row),
        "ip" => format!("192.168.{}.{}", row / 200, row % 200 + 1),
        "name" => format!("{} {}son{row}", among(&NAMES), among(&NAMES)),
        "age" => format!("{}", 18 + roll(60)),
        "age-unknown" if row % 149 == 7 => "unknown".to_string(),
        "age-unknown" => format!("{}", 18 + roll(60)),
        "age-99" if row % 40 == 7 => "-99".to_string(),
        "age-99" => format!("{}", 18 + roll(60)),
        "one-of" => {
            detail.split('|').nth(roll(detail.split('|').count() as u64) as usize).unwrap_or("").to_string()
        }
        "code" => format!("{}", 1 + roll(detail.parse().expect("a number"))),
        "zip5" => format!("{:05}", 1_001 + 13 * roll(40)),
        "zip-uk" => format!("{}{} {}AB", among(&["SW", "NW", "EC", "LS"]), 1 + roll(9), 1 + roll(3)),
        "zip-nl" => format!("{} AB", 1_011 + roll(25)),
        "born" => date(detail, 1935 + roll(65), 1 + roll(1 << 20) % 12, 1 + roll(1 << 21) % 28),
        "born-early" => date(detail, 1935 + roll(65), 1 + roll(1 << 20) % 12, 1 + roll(1 << 21) % 12),
        "day" => date(detail, 2023, 1 + roll(1 << 20) % 12, 1 + roll(1 << 21) % 28),
        "icd" => DISEASES[(roll(20) / 3) as usize].to_string(),
        "illness" => among(&["flu", "cold", "asthma", "gout", "none"]),
        "country" => COUNTRIES[roll(6) as usize][detail.parse::<usize>().expect("a number")].to_string(),
        "text" => format!("{}, case {}", among(&SENTENCES), row),
        "coordinates" => format!("52.{:04}, 13.{:04}", roll(9999), roll(8888)),
        "income" => format!("{}", 18_000 + roll(60_000)),
        "band" => format!("{}", 10_000 * (1 + roll(9))),
        "weight" => format!("{}.{:03}", 800 + roll(900), roll(1000)),
        "comma" => format!("{},{}", 1_000 + roll(40) * 50, roll(2) * 5),
        "thousands" => format!("{},{:03}.{:02}", 1 + roll(60), roll(10) * 100, roll(4) * 25),
        "euro" => format!("{}.{:03},50 €", 1 + roll(30), roll(10) * 100),
        "percent" => format!("{} %", roll(100)),
        "dependent" => {
            format!(
                "{}",
                detail
                    .split('|')
                    .position(|one| one == cell(&format!("one-of/{detail}"), row, salt))
                    .unwrap_or(0)
            )
        }
        other => panic!("no cells of kind {other}"),
    }
}

fn date(format: &str, year: u64, month: u64, day: u64) -> String {
    format
        .replace("YYYY", &format!("{year:04}"))
        .replace("YY", &format!("{:02}", year % 100))
        .replace("MMM", MONTHS[month as usize - 1])
        .replace("MM", &format!("{month:02}"))
        .replace("DD", &format!("{day:02}"))
}

/// A German account number with its two check digits (ISO 7064).
fn iban(row: usize) -> String {
    let account = format!("37040044{:010}", 532_013_000 + row);
    let rest = format!("{account}131400")
        .bytes()
        .fold(0u64, |rest, digit| (rest * 10 + u64::from(digit - b'0')) % 97);
    format!("DE{:02}{account}", 98 - rest)
}

/// Sixteen digits the last of which is the check digit (ISO 7812).
fn card(row: usize) -> String {
    let start = format!("41111111{:07}", row * 31);
    let double = |digit: u32| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let sum: u32 = start
        .chars()
        .rev()
        .filter_map(|digit| digit.to_digit(10))
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { double(digit) } else { digit })
        .sum();
    format!("{start}{}", (10 - sum % 10) % 10)
}

/// A table of these columns, each `name~kind`; `name~kind~salt` shares the rolls of another column.
pub fn table(columns: &[&str], rows: usize, delimiter: &str, end: &str) -> String {
    let parts: Vec<Vec<&str>> = columns.iter().map(|column| column.splitn(3, '~').collect()).collect();
    let mut text = parts.iter().map(|part| part[0]).collect::<Vec<_>>().join(delimiter) + end;
    for row in 0..rows {
        let cells = parts.iter().enumerate().map(|(at, part)| {
            let salt = part.get(2).map_or(at as u64 + 1, |salt| salt.parse().expect("a number"));
            let cell = cell(part[1], row, salt);
            if cell.contains(delimiter) { format!("\"{cell}\"") } else { cell }
        });
        text += &(cells.collect::<Vec<_>>().join(delimiter) + end);
    }
    text
}
