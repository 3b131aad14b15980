//! What looks like a direct identifier, as data.

use serde::{Deserialize, Serialize};

/// What a scan of the original for direct identifiers found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// Records, items or terms that were looked at.
    pub looked_at: u64,
    /// What they are called.
    pub noun: String,
    /// Whether there are more.
    pub partial: bool,
    /// What was found, by kind and then by column.
    pub suspects: Vec<Suspect>,
}

/// A column that looks like one kind of identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// The kind.
    pub kind: IdentifierKind,
    /// The column; empty where the data has none.
    pub column: String,
    /// Whether the column's name says so.
    pub by_name: bool,
    /// How many values look so.
    pub hits: u64,
    /// What becomes of the column in the release.
    pub fate: Fate,
}

/// What becomes of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It is not published.
    LeftOut,
    /// It is published coarser, or its values are checked one by one.
    Changed,
    /// It is published as it is.
    Published,
}

/// The eighteen kinds of identifiers of HIPAA's Safe Harbor rule (45 CFR 164.514(b)(2)), and free text, which may hold any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdentifierKind {
    /// Names.
    Name,
    /// Places smaller than a state.
    Place,
    /// Dates other than years, and ages above 89.
    Date,
    /// Telephone numbers.
    Telephone,
    /// Fax numbers.
    Fax,
    /// Electronic mail addresses.
    Mail,
    /// Social security numbers.
    SocialSecurity,
    /// Medical record numbers.
    MedicalRecord,
    /// Health plan beneficiary numbers.
    HealthPlan,
    /// Account numbers.
    Account,
    /// Certificate and licence numbers.
    Certificate,
    /// Vehicle identifiers.
    Vehicle,
    /// Device identifiers.
    Device,
    /// Web addresses.
    Web,
    /// Internet addresses.
    Internet,
    /// Biometric identifiers.
    Biometric,
    /// Full-face photographs.
    Photograph,
    /// Any other unique number, mark or code.
    OtherCode,
    /// Free text.
    FreeText,
}

impl IdentifierKind {
    /// All kinds, in the order of the rule.
    pub const ALL: [IdentifierKind; 19] = [
        IdentifierKind::Name,
        IdentifierKind::Place,
        IdentifierKind::Date,
        IdentifierKind::Telephone,
        IdentifierKind::Fax,
        IdentifierKind::Mail,
        IdentifierKind::SocialSecurity,
        IdentifierKind::MedicalRecord,
        IdentifierKind::HealthPlan,
        IdentifierKind::Account,
        IdentifierKind::Certificate,
        IdentifierKind::Vehicle,
        IdentifierKind::Device,
        IdentifierKind::Web,
        IdentifierKind::Internet,
        IdentifierKind::Biometric,
        IdentifierKind::Photograph,
        IdentifierKind::OtherCode,
        IdentifierKind::FreeText,
    ];

    /// What the kind is called.
    pub fn name(self) -> &'static str {
        match self {
            IdentifierKind::Name => "names",
            IdentifierKind::Place => "places smaller than a state",
            IdentifierKind::Date => "dates, and ages above 89",
            IdentifierKind::Telephone => "telephone numbers",
            IdentifierKind::Fax => "fax numbers",
            IdentifierKind::Mail => "e-mail addresses",
            IdentifierKind::SocialSecurity => "social security numbers",
            IdentifierKind::MedicalRecord => "medical record numbers",
            IdentifierKind::HealthPlan => "health plan numbers",
            IdentifierKind::Account => "account numbers",
            IdentifierKind::Certificate => "certificate and licence numbers",
            IdentifierKind::Vehicle => "vehicle identifiers",
            IdentifierKind::Device => "device identifiers",
            IdentifierKind::Web => "web addresses",
            IdentifierKind::Internet => "internet addresses",
            IdentifierKind::Biometric => "biometric identifiers",
            IdentifierKind::Photograph => "full-face photographs",
            IdentifierKind::OtherCode => "other unique numbers or codes",
            IdentifierKind::FreeText => "free text, which may hold any of them",
        }
    }

    /// Words of column names that speak of the kind.
    pub fn words(self) -> &'static str {
        match self {
            IdentifierKind::Name => {
                "surname forename firstname lastname fullname username name initials maiden relative"
            }
            IdentifierKind::Place => {
                "street address zip zipcode postcode postal plz city town county district precinct geocode latitude \
                 longitude parish village"
            }
            IdentifierKind::Date => {
                "date birthday birthdate dob admission discharge death day datetime timestamp"
            }
            IdentifierKind::Telephone => "phone telephone mobile cell tel",
            IdentifierKind::Fax => "fax",
            IdentifierKind::Mail => "email mail",
            IdentifierKind::SocialSecurity => "ssn nino nhs socialsecurity",
            IdentifierKind::MedicalRecord => "mrn chart patientid",
            IdentifierKind::HealthPlan => "beneficiary policyholder member subscriber",
            IdentifierKind::Account => "account iban card",
            IdentifierKind::Certificate => "licence license certificate passport permit",
            IdentifierKind::Vehicle => "vin plate vehicle",
            IdentifierKind::Device => "device serial imei mac",
            IdentifierKind::Web => "url website homepage link",
            IdentifierKind::Internet => "ip ipaddress",
            IdentifierKind::Biometric => "fingerprint voiceprint biometric retina iris",
            IdentifierKind::Photograph => "photo photograph picture image portrait",
            IdentifierKind::OtherCode => "id identifier uuid guid key code login",
            IdentifierKind::FreeText => {
                "comment comments note notes remark remarks text description freetext"
            }
        }
    }

    /// Whether values are known by their looks, in addition to the name of their column.
    pub fn has_pattern(self) -> bool {
        matches!(
            self,
            IdentifierKind::Place
                | IdentifierKind::Date
                | IdentifierKind::Telephone
                | IdentifierKind::Mail
                | IdentifierKind::SocialSecurity
                | IdentifierKind::Account
                | IdentifierKind::Device
                | IdentifierKind::Web
                | IdentifierKind::Internet
                | IdentifierKind::OtherCode
                | IdentifierKind::FreeText
        )
    }
}

impl Scan {
    /// What looks like an identifier and is published as it is.
    pub fn leaks(&self) -> impl Iterator<Item = &Suspect> {
        self.suspects.iter().filter(|suspect| suspect.fate == Fate::Published)
    }
}
