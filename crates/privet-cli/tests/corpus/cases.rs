//! The files, and what must be understood of each.

use super::cells::{cell, table};

/// One file.
pub struct Case {
    pub file: &'static str,
    pub bytes: Vec<u8>,
    /// What the user says about it.
    pub arguments: &'static [&'static str],
    pub expected: Expected,
}

/// What becomes of it.
pub enum Expected {
    /// These columns have these roles, the policy holds these words, and it runs.
    Runs { roles: Vec<(&'static str, Option<&'static str>)>, says: Vec<&'static str> },
    /// It is refused with these words.
    Stops(&'static [&'static str]),
}

/// How a table is written down.
#[derive(Clone, Copy)]
enum Written {
    Plain,
    /// Without an end of its last line.
    NoEnd,
    Bom,
    Utf16Le,
    Utf16Be,
    Latin1,
    /// With comments above the names of the columns.
    Titles,
    /// With a line for spreadsheets that names the delimiter.
    Separator,
    NoHeader,
}

/// A table of people that is drafted and run.
struct People {
    file: &'static str,
    columns: &'static [&'static str],
    rows: usize,
    delimiter: &'static str,
    end: &'static str,
    written: Written,
    arguments: &'static [&'static str],
    roles: &'static [(&'static str, Option<&'static str>)],
    says: &'static [&'static str],
}

fn people(file: &'static str, columns: &'static [&'static str]) -> People {
    People {
        file,
        columns,
        rows: 150,
        delimiter: ",",
        end: "\n",
        written: Written::Plain,
        arguments: &[],
        roles: &[],
        says: &[],
    }
}

impl People {
    fn divided(self, delimiter: &'static str, end: &'static str) -> People {
        People { delimiter, end, ..self }
    }

    fn rows(self, rows: usize) -> People {
        People { rows, ..self }
    }

    fn written(self, written: Written) -> People {
        People { written, ..self }
    }

    fn with(self, arguments: &'static [&'static str]) -> People {
        People { arguments, ..self }
    }

    fn roles(self, roles: &'static [(&'static str, Option<&'static str>)]) -> People {
        People { roles, ..self }
    }

    fn says(self, says: &'static [&'static str]) -> People {
        People { says, ..self }
    }

    fn case(self) -> Case {
        let text = table(self.columns, self.rows, self.delimiter, self.end);
        let units = |little: bool| -> Vec<u8> {
            let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
        };
        let bytes = match self.written {
            Written::Plain => text.into_bytes(),
            Written::NoEnd => text.trim_end().as_bytes().to_vec(),
            Written::Bom => format!("\u{feff}{text}").into_bytes(),
            Written::Utf16Le => units(true),
            Written::Utf16Be => units(false),
            Written::Latin1 => text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect(),
            Written::Titles => format!("# Survey of 2023\n# all rights reserved\n{text}").into_bytes(),
            Written::Separator => format!("sep={}\r\n{text}", self.delimiter).into_bytes(),
            Written::NoHeader => text.split_once(self.end).expect("a header").1.as_bytes().to_vec(),
        };
        let expected = Expected::Runs { roles: self.roles.to_vec(), says: self.says.to_vec() };
        Case { file: self.file, bytes, arguments: self.arguments, expected }
    }
}

/// All of them.
pub fn all() -> Vec<Case> {
    let mut cases: Vec<Case> = tables().into_iter().map(People::case).collect();
    cases.extend(sets());
    cases.extend(refused());
    cases
}

fn tables() -> Vec<People> {
    vec![
        people(
            "clinic.csv",
            &[
                "patient_id~id",
                "name~name",
                "dob~born/YYYY-MM-DD",
                "sex~one-of/F|M",
                "zip~zip5",
                "diagnosis~icd",
            ],
        )
        .roles(&[
            ("patient_id", Some("identifier")),
            ("name", Some("identifier")),
            ("dob", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("zip", Some("quasi-identifier")),
            ("diagnosis", Some("sensitive")),
        ]),
        people(
            "klinik.csv",
            &[
                "PatientenNr~id",
                "Nachname~name",
                "Geburtsdatum~born/DD.MM.YYYY",
                "Geschlecht~one-of/m|w",
                "PLZ~zip5",
                "Diagnose~icd",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("PatientenNr", Some("identifier")),
            ("Nachname", Some("identifier")),
            ("Geburtsdatum", Some("quasi-identifier")),
            ("Geschlecht", Some("quasi-identifier")),
            ("PLZ", Some("quasi-identifier")),
            ("Diagnose", Some("sensitive")),
        ])
        .says(&["date = \"%d.%m.%Y\""]),
        people(
            "hopital.csv",
            &[
                "identifiant~id",
                "prénom~name",
                "date_naissance~born/DD/MM/YYYY",
                "sexe~one-of/homme|femme",
                "code_postal~zip5",
                "maladie~illness",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("identifiant", Some("identifier")),
            ("prénom", Some("identifier")),
            ("date_naissance", Some("quasi-identifier")),
            ("sexe", Some("quasi-identifier")),
            ("code_postal", Some("quasi-identifier")),
            ("maladie", Some("sensitive")),
        ])
        .says(&["date = \"%d/%m/%Y\""]),
        people(
            "hospital_es.csv",
            &[
                "id_paciente~id",
                "apellidos~name",
                "fecha_nacimiento~born/DD/MM/YYYY",
                "sexo~one-of/hombre|mujer",
                "código_postal~zip5",
                "enfermedad~illness",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("id_paciente", Some("identifier")),
            ("apellidos", Some("identifier")),
            ("fecha_nacimiento", Some("quasi-identifier")),
            ("sexo", Some("quasi-identifier")),
            ("código_postal", Some("quasi-identifier")),
            ("enfermedad", Some("sensitive")),
        ])
        .says(&["date = \"%d/%m/%Y\""]),
        people(
            "ospedale.csv",
            &[
                "codice_fiscale~id",
                "cognome~name",
                "data_nascita~born/DD/MM/YYYY",
                "sesso~one-of/M|F",
                "cap~zip5",
                "malattia~illness",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("codice_fiscale", Some("identifier")),
            ("cognome", Some("identifier")),
            ("data_nascita", Some("quasi-identifier")),
            ("sesso", Some("quasi-identifier")),
            ("cap", Some("quasi-identifier")),
            ("malattia", Some("sensitive")),
        ]),
        people(
            "hospital_pt.csv",
            &[
                "cpf~id",
                "nome~name",
                "data_nascimento~born/DD/MM/YYYY",
                "sexo~one-of/masculino|feminino",
                "cidade~one-of/Lisboa|Porto|Braga|Faro",
                "doença~illness",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("cpf", Some("identifier")),
            ("nome", Some("identifier")),
            ("data_nascimento", Some("quasi-identifier")),
            ("sexo", Some("quasi-identifier")),
            ("cidade", Some("quasi-identifier")),
            ("doença", Some("sensitive")),
        ]),
        people(
            "ziekenhuis.csv",
            &[
                "bsn~id",
                "achternaam~name",
                "geboortedatum~born/DD-MM-YYYY",
                "geslacht~one-of/man|vrouw",
                "postcode~zip-nl",
                "ziekte~illness",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("bsn", Some("identifier")),
            ("achternaam", Some("identifier")),
            ("geboortedatum", Some("quasi-identifier")),
            ("geslacht", Some("quasi-identifier")),
            ("postcode", Some("quasi-identifier")),
            ("ziekte", Some("sensitive")),
        ])
        .says(&["date = \"%d-%m-%Y\""]),
        people(
            "survey.csv",
            &[
                "age~age",
                "gender~one-of/female|male|diverse",
                "education~one-of/primary|secondary|bachelor|master",
                "marital-status~one-of/single|married|divorced|widowed",
                "occupation~one-of/clerk|nurse|cook|driver",
            ],
        )
        .roles(&[
            ("age", Some("quasi-identifier")),
            ("gender", Some("quasi-identifier")),
            ("education", Some("quasi-identifier")),
            ("marital-status", Some("quasi-identifier")),
            ("occupation", Some("sensitive")),
        ]),
        people(
            "umfrage.csv",
            &[
                "Alter~age",
                "Geschlecht~one-of/männlich|weiblich",
                "Schulabschluss~one-of/Hauptschule|Realschule|Abitur",
                "Familienstand~one-of/ledig|verheiratet|geschieden",
                "Beruf~one-of/Koch|Pflege|Büro",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("Alter", Some("quasi-identifier")),
            ("Geschlecht", Some("quasi-identifier")),
            ("Schulabschluss", Some("quasi-identifier")),
            ("Familienstand", Some("quasi-identifier")),
            ("Beruf", Some("sensitive")),
        ]),
        people(
            "enquete.csv",
            &[
                "âge~age",
                "sexe~one-of/H|F",
                "diplôme~one-of/brevet|bac|licence",
                "état_civil~one-of/célibataire|marié|divorcé",
                "profession~one-of/cadre|ouvrier|employé",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("âge", Some("quasi-identifier")),
            ("sexe", Some("quasi-identifier")),
            ("diplôme", Some("quasi-identifier")),
            ("état_civil", Some("quasi-identifier")),
            ("profession", Some("sensitive")),
        ]),
        people(
            "encuesta.csv",
            &[
                "edad~age",
                "sexo~one-of/H|M",
                "estudios~one-of/primaria|secundaria|grado",
                "estado_civil~one-of/soltero|casado",
                "profesión~one-of/cocinero|enfermero|conductor",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("edad", Some("quasi-identifier")),
            ("sexo", Some("quasi-identifier")),
            ("estudios", Some("quasi-identifier")),
            ("estado_civil", Some("quasi-identifier")),
            ("profesión", Some("sensitive")),
        ]),
        people(
            "indagine.csv",
            &[
                "età~age",
                "sesso~one-of/uomo|donna",
                "titolo_di_studio~one-of/diploma|laurea",
                "stato_civile~one-of/celibe|coniugato",
                "professione~one-of/cuoco|infermiere|autista",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("età", Some("quasi-identifier")),
            ("sesso", Some("quasi-identifier")),
            ("titolo_di_studio", Some("quasi-identifier")),
            ("stato_civile", Some("quasi-identifier")),
            ("professione", Some("sensitive")),
        ]),
        people(
            "inquerito.csv",
            &[
                "idade~age",
                "sexo~one-of/M|F",
                "escolaridade~one-of/básico|secundário|superior",
                "estado_civil~one-of/solteiro|casado",
                "profissão~one-of/cozinheiro|motorista|professor",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("idade", Some("quasi-identifier")),
            ("sexo", Some("quasi-identifier")),
            ("escolaridade", Some("quasi-identifier")),
            ("estado_civil", Some("quasi-identifier")),
            ("profissão", Some("sensitive")),
        ]),
        people(
            "enquete_nl.csv",
            &[
                "leeftijd~age",
                "geslacht~one-of/M|V",
                "opleiding~one-of/vmbo|havo|hbo",
                "burgerlijke_staat~one-of/ongehuwd|gehuwd",
                "beroep~one-of/kok|verpleger|chauffeur",
            ],
        )
        .divided(";", "\n")
        .roles(&[
            ("leeftijd", Some("quasi-identifier")),
            ("geslacht", Some("quasi-identifier")),
            ("opleiding", Some("quasi-identifier")),
            ("burgerlijke_staat", Some("quasi-identifier")),
            ("beroep", Some("sensitive")),
        ]),
        people(
            "staff.csv",
            &[
                "employee_id~id",
                "department~one-of/sales|it|hr|law",
                "job_title~one-of/clerk|lead|manager",
                "gender~one-of/f|m",
                "salary~band",
            ],
        )
        .roles(&[
            ("employee_id", Some("identifier")),
            ("department", Some("quasi-identifier")),
            ("gender", Some("quasi-identifier")),
            ("salary", Some("sensitive")),
        ])
        .says(&["[privacy.t-closeness]", "distance = \"ordered\""]),
        people(
            "personal.csv",
            &["Personalnummer~id", "Abteilung~one-of/Vertrieb|IT|Recht", "Alter~age", "Bruttoeinkommen~band"],
        )
        .divided(";", "\n")
        .roles(&[
            ("Personalnummer", Some("identifier")),
            ("Abteilung", Some("quasi-identifier")),
            ("Alter", Some("quasi-identifier")),
            ("Bruttoeinkommen", Some("sensitive")),
        ])
        .says(&["distance = \"ordered\""]),
        people(
            "salaires.csv",
            &["matricule~id", "sexe~one-of/H|F", "ville~one-of/Lyon|Nice|Lille|Brest", "salaire~income"],
        )
        .divided(";", "\n")
        .roles(&[
            ("matricule", Some("identifier")),
            ("sexe", Some("quasi-identifier")),
            ("ville", Some("quasi-identifier")),
            ("salaire", None),
        ])
        .says(&["# [columns.salaire]"]),
        people(
            "dates_iso.csv",
            &["visit~day/YYYY-MM-DD", "born~born/YYYY-MM-DD", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people(
            "dates_dmy.csv",
            &["visit~day/DD/MM/YYYY", "born~born/DD/MM/YYYY", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ])
        .says(&["date = \"%d/%m/%Y\""]),
        people(
            "dates_mdy.csv",
            &["visit~day/MM/DD/YYYY", "born~born/MM/DD/YYYY", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ])
        .says(&["date = \"%m/%d/%Y\""]),
        people(
            "dates_dots.csv",
            &["visit~day/DD.MM.YYYY", "born~born/DD.MM.YYYY", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ])
        .says(&["date = \"%d.%m.%Y\""]),
        people(
            "dates_month.csv",
            &["visit~day/DD-MMM-YYYY", "born~born/DD-MMM-YYYY", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ])
        .says(&["date = \"%d-%b-%Y\""]),
        people(
            "dates_compact.csv",
            &["visit~day/YYYYMMDD", "born~born/YYYYMMDD", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ])
        .says(&["date = \"%Y%m%d\""]),
        people(
            "dates_short.csv",
            &["visit~day/DD/MM/YY", "born~born/DD/MM/YY", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ])
        .says(&["date = \"%d/%m/%y\""]),
        people(
            "dates_slashes.csv",
            &["visit~day/YYYY/MM/DD", "born~born/YYYY/MM/DD", "sex~one-of/f|m", "illness~illness"],
        )
        .roles(&[
            ("visit", Some("quasi-identifier")),
            ("born", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ])
        .says(&["date = \"%Y/%m/%d\""]),
        people("dates_open.csv", &["born~born-early/MM/DD/YYYY", "sex~one-of/f|m", "illness~illness"])
            .roles(&[("born", Some("quasi-identifier")), ("illness", Some("sensitive"))])
            .says(&["Nothing in the data decides", "# date = "]),
        people("dates_zone.csv", &["admission~day/YYYY-MM-DDT10:30:00+02:00", "age~age", "illness~illness"])
            .roles(&[
                ("admission", Some("quasi-identifier")),
                ("age", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ]),
        people("comma.csv", &["age~age", "income~comma", "sex~one-of/f|m"])
            .divided(";", "\n")
            .roles(&[("age", Some("quasi-identifier")), ("sex", Some("quasi-identifier"))])
            .says(&["decimal = \",\""]),
        people("thousands.csv", &["age~age", "price~thousands", "sex~one-of/f|m"])
            .divided(";", "\n")
            .roles(&[("age", Some("quasi-identifier")), ("sex", Some("quasi-identifier"))]),
        people("euro.csv", &["Alter~age", "Betrag~euro", "Geschlecht~one-of/m|w"])
            .divided(";", "\n")
            .roles(&[("Alter", Some("quasi-identifier")), ("Geschlecht", Some("quasi-identifier"))])
            .says(&["decimal = \",\"", "unit = \"€\""]),
        people("percent.csv", &["age~age", "share~percent", "sex~one-of/f|m", "illness~illness"])
            .roles(&[
                ("age", Some("quasi-identifier")),
                ("sex", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ])
            .says(&["unit = \"%\""]),
        people("unknown.csv", &["age~age-unknown", "sex~one-of/f|m", "illness~illness"])
            .roles(&[
                ("age", Some("quasi-identifier")),
                ("sex", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ])
            .says(&["\"unknown\""]),
        people("minus99.csv", &["age~age-99", "sex~one-of/f|m", "illness~illness"])
            .roles(&[
                ("age", Some("quasi-identifier")),
                ("sex", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ])
            .says(&["may stand for a missing value: \"-99\""]),
        people("zeros.csv", &["plz~zip5", "age~age", "illness~illness"]).roles(&[
            ("plz", Some("quasi-identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("missing.csv", &["age~age", "sex~one-of/f|m||NA", "illness~illness"])
            .roles(&[
                ("age", Some("quasi-identifier")),
                ("sex", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ])
            .says(&["missing = ["]),
        people("v_mail.csv", &["v1~mail", "v2~age", "v3~one-of/f|m"])
            .roles(&[("v1", Some("identifier")), ("v3", Some("quasi-identifier"))]),
        people("v_phone.csv", &["kontakt1~phone", "age~age", "illness~illness"]).roles(&[
            ("kontakt1", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_iban.csv", &["x~iban", "age~age", "illness~illness"]).roles(&[
            ("x", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_card.csv", &["x~card", "age~age", "illness~illness"]).roles(&[
            ("x", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_uuid.csv", &["key~uuid", "age~age", "illness~illness"]).roles(&[
            ("key", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_ip.csv", &["host~ip", "age~age", "illness~illness"]).roles(&[
            ("host", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_place.csv", &["where~coordinates", "age~age", "illness~illness"]).roles(&[
            ("where", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_text.csv", &["remarks~text", "age~age", "illness~illness"]).roles(&[
            ("remarks", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_icd.csv", &["v7~icd", "age~age", "sex~one-of/f|m"]).roles(&[
            ("v7", Some("sensitive")),
            ("age", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
        ]),
        people("v_country2.csv", &["v1~country/0", "age~age", "illness~illness"]).roles(&[
            ("v1", Some("quasi-identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_country3.csv", &["v1~country/1", "age~age", "illness~illness"]).roles(&[
            ("v1", Some("quasi-identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_country.csv", &["v1~country/2", "age~age", "illness~illness"]).roles(&[
            ("v1", Some("quasi-identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_postcode.csv", &["area~zip-uk", "age~age", "illness~illness"]).roles(&[
            ("area", Some("quasi-identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_zip.csv", &["v1~zip5", "age~age", "illness~illness"]).roles(&[
            ("v1", Some("quasi-identifier")),
            ("age", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("v_born.csv", &["v1~born/YYYY-MM-DD", "v2~one-of/f|m", "v3~illness"])
            .roles(&[("v1", Some("quasi-identifier")), ("v2", Some("quasi-identifier"))]),
        people("coded.csv", &["AGE~age", "REGION~code/4", "Q1~code/5", "Q2~code/3", "illness~illness"])
            .roles(&[
                ("AGE", Some("quasi-identifier")),
                ("REGION", Some("quasi-identifier")),
                ("Q1", Some("quasi-identifier")),
                ("Q2", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ])
            .says(&["numbers for categories"]),
        people(
            "weights.csv",
            &["age~age", "sex~one-of/f|m", "fnlwgt~weight", "illness~one-of/yes|no|unsure"],
        )
        .roles(&[
            ("age", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("fnlwgt", None),
        ]),
        people(
            "household.csv",
            &[
                "household_number~household",
                "age~age",
                "sex~one-of/f|m",
                "occupation~one-of/cook|nurse|clerk",
            ],
        )
        .rows(900)
        .roles(&[
            ("household_number", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("occupation", Some("sensitive")),
        ]),
        people("repeated.csv", &["pid~pid", "age~one-of/30|40|50", "sex~one-of/f|m", "illness~illness"])
            .roles(&[
                ("pid", Some("identifier")),
                ("age", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ])
            .says(&["person = \"pid\""]),
        people(
            "education.csv",
            &[
                "age~age",
                "education~one-of/primary|secondary|bachelor|master~9",
                "education-num~dependent/primary|secondary|bachelor|master~9",
                "illness~illness",
            ],
        )
        .roles(&[
            ("age", Some("quasi-identifier")),
            ("education", Some("quasi-identifier")),
            ("education-num", None),
            ("illness", Some("sensitive")),
        ])
        .says(&["says the same as 'education'"]),
        people("tabs.tsv", &["age~age", "sex~one-of/f|m", "illness~illness"]).divided("\t", "\n").roles(&[
            ("age", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("pipes.txt", &["age~age", "sex~one-of/f|m", "illness~illness"]).divided("|", "\n").roles(&[
            ("age", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("crlf.csv", &["age~age", "sex~one-of/f|m", "illness~illness"]).divided(",", "\r\n").roles(&[
            ("age", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("no_end.csv", &["age~age", "sex~one-of/f|m", "illness~illness"])
            .written(Written::NoEnd)
            .roles(&[
                ("age", Some("quasi-identifier")),
                ("sex", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ]),
        people("bom.csv", &["Alter~age", "Geschlecht~one-of/m|w", "Krankheit~illness"])
            .divided(";", "\r\n")
            .written(Written::Bom)
            .roles(&[
                ("Alter", Some("quasi-identifier")),
                ("Geschlecht", Some("quasi-identifier")),
                ("Krankheit", Some("sensitive")),
            ]),
        people("utf16le.csv", &["Größe~age", "Geschlecht~one-of/männlich|weiblich", "Krankheit~illness"])
            .divided(";", "\r\n")
            .written(Written::Utf16Le)
            .roles(&[
                ("Größe", Some("quasi-identifier")),
                ("Geschlecht", Some("quasi-identifier")),
                ("Krankheit", Some("sensitive")),
            ]),
        people("utf16be.csv", &["Größe~age", "Geschlecht~one-of/männlich|weiblich", "Krankheit~illness"])
            .divided(";", "\r\n")
            .written(Written::Utf16Be)
            .roles(&[
                ("Größe", Some("quasi-identifier")),
                ("Geschlecht", Some("quasi-identifier")),
                ("Krankheit", Some("sensitive")),
            ]),
        people("latin1.csv", &["Größe~age", "Geschlecht~one-of/männlich|weiblich", "Krankheit~illness"])
            .divided(";", "\r\n")
            .written(Written::Latin1)
            .roles(&[
                ("Größe", Some("quasi-identifier")),
                ("Geschlecht", Some("quasi-identifier")),
                ("Krankheit", Some("sensitive")),
            ]),
        people("index.csv", &["~id", "age~age", "sex~one-of/f|m", "illness~illness"]).roles(&[
            ("column1", Some("identifier")),
            ("age", Some("quasi-identifier")),
            ("sex", Some("quasi-identifier")),
            ("illness", Some("sensitive")),
        ]),
        people("titles.csv", &["age~age", "sex~one-of/f|m", "illness~illness"])
            .written(Written::Titles)
            .roles(&[
                ("age", Some("quasi-identifier")),
                ("sex", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ]),
        people("excel.csv", &["Alter~age", "Geschlecht~one-of/m|w", "Krankheit~illness"])
            .divided(";", "\r\n")
            .written(Written::Separator)
            .roles(&[
                ("Alter", Some("quasi-identifier")),
                ("Geschlecht", Some("quasi-identifier")),
                ("Krankheit", Some("sensitive")),
            ]),
        people("trailing.csv", &["Alter~age", "Geschlecht~one-of/m|w", "Krankheit~illness"])
            .divided(";", ";\r\n")
            .roles(&[("Alter", Some("quasi-identifier")), ("column4", None)]),
        people("carets.txt", &["age~age", "sex~one-of/f|m", "illness~illness"])
            .divided("^", "\n")
            .with(&["--delimiter", "^"])
            .roles(&[("age", Some("quasi-identifier")), ("illness", Some("sensitive"))]),
        people(
            "survey.csv",
            &[
                "Timestamp~day/MM/DD/YYYY 10:30:00",
                "What is your age?~age",
                "Comments~one-of/none|I live at Main St. 5, ask for Ann|could be better in winter",
                "Manager Name~one-of/J. Smith|K. Lee",
                "illness~illness",
            ],
        )
        .roles(&[
            ("Timestamp", Some("quasi-identifier")),
            ("What is your age?", Some("quasi-identifier")),
            ("Comments", None),
            ("Manager Name", Some("identifier")),
        ])
        .says(&["date = \"%m/%d/%Y %X\""]),
        people("noten.csv", &["Note~one-of/sehr gut|gut|befriedigend", "Alter~age", "illness~illness"])
            .divided(";", "\n")
            .roles(&[("Note", Some("quasi-identifier")), ("Alter", Some("quasi-identifier"))]),
        people("places.csv", &["lat~degrees/52", "long~degrees/13", "age~age", "illness~illness"]).roles(&[
            ("lat", Some("identifier")),
            ("long", Some("identifier")),
            ("age", Some("quasi-identifier")),
        ]),
        people("hashes.csv", &["who~hash", "age~age", "illness~illness"])
            .roles(&[("who", Some("identifier")), ("age", Some("quasi-identifier"))]),
        people(
            "mostly.csv",
            &["dob~born-mostly", "hired~month", "sex~one-of/f|m", "Umsatz~euro", "illness~illness"],
        )
        .divided(";", "\n")
        .roles(&[
            ("hired", Some("quasi-identifier")),
            ("Umsatz", Some("sensitive")),
            ("illness", Some("sensitive")),
        ])
        .says(&["of the cells are dates of the form %d/%m/%Y"]),
        people("contact.csv", &["reach~contact", "age~age", "illness~illness"])
            .roles(&[("reach", Some("identifier")), ("age", Some("quasi-identifier"))]),
        people(
            "praktijk.csv",
            &["geboortedatum~born/DD-MM-YY", "geslacht~one-of/M|V", "diabetes~one-of/ja|nee", "wgt~code/3"],
        )
        .divided(";", "\r\n")
        .roles(&[("geboortedatum", Some("quasi-identifier")), ("diabetes", Some("sensitive")), ("wgt", None)])
        .says(&["date = \"%d-%m-%y\"", "first_year = ", "role = \"weight\""]),
        people("no_header.csv", &["age~age", "sex~one-of/f|m", "illness~illness"])
            .written(Written::NoHeader)
            .with(&["--header", "age,sex,illness"])
            .roles(&[
                ("age", Some("quasi-identifier")),
                ("sex", Some("quasi-identifier")),
                ("illness", Some("sensitive")),
            ]),
    ]
}

/// Baskets in two forms, and a query log.
fn sets() -> Vec<Case> {
    let goods = "milk|beer|bread|wine|eggs|tea|salt";
    let item = |row: usize, salt: u64| cell(&format!("one-of/{goods}"), row, salt);
    let lines: String = (0..120)
        .map(|row| {
            let mut items: Vec<String> = (0..1 + row % 4).map(|at| item(row, at as u64 + 1)).collect();
            items.sort();
            items.dedup();
            items.join(" ") + "\n"
        })
        .collect();
    let long: String = (0..240).map(|row| format!("{},{}\n", row / 2, item(row, 3))).collect();
    let queries = "shoes red|red shoes|cheap shoes|wine red|cheap wine";
    let log: String = (0..120)
        .map(|row| {
            format!(
                "{}\t{}\t2023-03-{:02} 10:00:00\n",
                row % 20,
                cell(&format!("one-of/{queries}"), row, 5),
                1 + row / 10
            )
        })
        .collect();
    let runs = |says: &[&'static str]| Expected::Runs { roles: Vec::new(), says: says.to_vec() };
    let case =
        |file, text: String, expected| Case { file, bytes: text.into_bytes(), arguments: &[], expected };
    vec![
        case("clicks.dat", lines, runs(&["kind = \"transactions\""])),
        case("orders.csv", format!("order,product\n{long}"), runs(&["form = \"long\"", "id = \"order\""])),
        case(
            "log.tsv",
            format!("user_id\tquery\ttimestamp\n{log}"),
            runs(&["kind = \"query-log\"", "user = \"user_id\""]),
        ),
    ]
}

/// What cannot be drafted says why, and what to do.
fn refused() -> Vec<Case> {
    let case = |file, bytes: &[u8], words| Case {
        file,
        bytes: bytes.to_vec(),
        arguments: &[],
        expected: Expected::Stops(words),
    };
    let rows = table(&["a~age", "b~illness"], 40, ",", "\n");
    let records = rows.split_once('\n').expect("a header").1;
    vec![
        case("empty.csv", b"", &["empty"]),
        case("names_only.csv", b"age,sex\n", &["no records"]),
        case("one.csv", b"age,sex\n31,f\n", &["only one record"]),
        case("records.csv", records.as_bytes(), &["looks like a record", "header"]),
        case(
            "commas.csv",
            (0..60)
                .fold("name,age,city\n".to_string(), |text, row| {
                    let name = if row % 3 > 0 { "Lee, Ann" } else { "Ann" };
                    text + &format!("{name},{},Bonn\n", 20 + row)
                })
                .as_bytes(),
            &["commas.csv:3", "double quotes"],
        ),
        case("people.json", b"[{\"age\": 31}]", &["JSON", "jq"]),
        case("people.sav", b"$FL2", &["SPSS", "Parquet"]),
        case("broken.csv", format!("{rows}1\n").as_bytes(), &["broken.csv:42"]),
    ]
}
