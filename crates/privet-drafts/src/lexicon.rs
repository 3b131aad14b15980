//! What the name of a column says it is about: words and abbreviations in English, German, French, Spanish, Italian,
//! Portuguese and Dutch.
//!
//! Names are compared in lower case and without accents. In the lists `geburt*` stands for words that begin so, `*einkommen*`
//! for those that hold it, and `etat_civil` for two words in a row.

use privet_data::naming::words;

/// What a column is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    /// Numbers of accounts, cards and papers.
    Account,
    /// Where somebody is reached.
    Contact,
    /// A person's name.
    Name,
    /// A number that is given to a person.
    Person,
    /// What somebody wrote about a person.
    Remark,
    Belief,
    Health,
    Offence,
    Money,
    /// How many people a record of a survey stands for.
    Weight,
    Marital,
    Sex,
    Postcode,
    Country,
    Place,
    Birth,
    Age,
    Origin,
    Language,
    Education,
    Family,
    Body,
    Occupation,
    Employer,
    Event,
}

/// What a topic means for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It names somebody.
    Direct,
    /// Others may know it.
    Known,
    /// Nobody should learn it.
    Secret,
    /// Known to neighbours, yet often the very thing a survey must protect.
    Livelihood,
    /// About the record, not the person.
    Technical,
}

/// The words of each topic; the first topic with a word of the name is the one.
const TOPICS: &[(Topic, &str)] = &[
    (
        Topic::Account,
        "ssn passport iban mrn nhs nino uuid guid imei vin sozialversicherung* svnr ahv steuernummer steuernr steuerid \
         kontonummer kontonr kreditkarte* creditcard credit_card card_number personalausweis* reisepass* kennzeichen \
         passeport* securite_sociale numero_secu carte_bancaire dni curp pasaporte* seguridad_social tarjeta* matricula \
         codice_fiscale codicefiscale passaporto* targa cpf niss passaporte cartao* bsn rijksregister* paspoort* kenteken \
         rekeningnummer plate license_plate licence_plate",
    ),
    (
        Topic::Contact,
        "email mail e_mail phone telephone telefon* tel telefono telefone telefoon* handy handynummer mobile mobil \
         mobilnummer portable movil celular cellulare gsm fax street streetname address addr adresse anschrift strasse str \
         hausnummer rue courriel correo direccion calle domicilio indirizzo endereco morada adres straat huisnummer url \
         website homepage ip ipaddress ip_address mac latitude longitude lat lon lng latlon latlng coordinates coordinate \
         breitengrad laengengrad latitud longitud \
         latitudine longitudine easting northing rechtswert hochwert geohash geocode gps login username user_name benutzername utilisateur usuario nickname",
    ),
    (
        Topic::Name,
        "surname forename firstname lastname fullname middlename nachname vorname familienname *nachname *vorname prenom \
         nom_de_famille nom_prenom apellido* nombre_completo nombre_y_apellidos cognome nome_completo sobrenome apelido \
         achternaam voornaam",
    ),
    (
        Topic::Person,
        "dupersid persid personid patientennummer patientennr patientnummer versichertennummer kundennummer kundennr \
         mitgliedsnummer personalnummer matrikelnummer probandennummer probandencode fallnummer fallnr id_patient \
         numero_patient id_paciente id_paziente id_persona id_pessoa numero_client id_client id_cliente klantnummer \
         lidnummer studienummer leerlingnummer matricule aktenzeichen dossiernummer",
    ),
    (
        Topic::Remark,
        "comment comments remark remarks note notes memo feedback freetext free_text kommentar* bemerkung* anmerkung* notiz \
         notizen freitext* commentaire* remarque* comentario* observaciones commento commenti osservazion* observac* \
         opmerking* toelichting*",
    ),
    (
        Topic::Belief,
        "relig* faith politi* party partei* vote voting wahl* glaube* konfession* confession orientation sexual_orientation \
         parti voto partito partido geloof* partij union_member gewerkschaft* syndicat",
    ),
    (
        Topic::Health,
        "disease* diagnos* icd* condition conditions illness* symptom* medication* medicine* drug drugs treatment* therap* \
         procedure* hiv cancer comorbid* krankheit* erkrankung* befund* medikament* medikation* behandlung* arznei* \
         maladie* pathologie* traitement* medicament* enfermedad* tratamiento* malattia* patologia* terapia* trattamento* \
         farmaco* doenca* tratamento* medicamento* ziekte* aandoening* behandeling* geneesmiddel* disability disabled \
         diabet* stroke asthma hypertens* blood tumor* tumour* allerg* hba glucose cholest* depress* anxiety psych* mental dementia \
         krebs* schlaganfall grippe impf* vaccin* covid* mutation genotype* brca sick_leave krankheits* krankentage arret_maladie \
         disab* handicap* behinderung* pregnan* schwanger* grossesse embarazo gravidanza gravidez zwanger*",
    ),
    (
        Topic::Offence,
        "crime crimes criminal* offence* offense* conviction* straftat* vorstrafe* delit delits delito* reato reati strafblad*",
    ),
    (
        Topic::Money,
        "salary salaries wage wages income incomes *income earnings earning pay gehalt *gehalt lohn *lohn *einkommen* \
         verdienst umsatz* turnover revenue chiffre_affaires fatturato omzet* salaire revenu revenus \
         remuneration* salario sueldo* ingresos renta reddito redditi stipendio \
         rendimento* vencimento inkomen* salaris loon debt debts credit balance schulden kontostand kredit* dette* deuda* \
         debito* divida* schuld* capital dividend* poverty armut* pauvrete pobreza poverta wealth vermoegen agi",
    ),
    (
        Topic::Weight,
        "weight weights wgt wgts fnlwgt perwt hhwt pwgtp wt gewicht gewichtung* hochrechnung* ponderation* poids peso \
         ponderacion ponderacao weegfactor wegingsfactor weging pond",
    ),
    (
        Topic::Marital,
        "marital* married marry marstat mars civil_status civilstatus familienstand* familienst zivilstand* \
         situation_familiale etat_civil etat_matrimonial estado_civil stato_civile burgerlijke_staat burgerlijkestaat",
    ),
    (Topic::Sex, "sex sexe sexo sesso gender* geschlecht* geschl genre genero genere geslacht*"),
    (
        Topic::Postcode,
        "zip zipcode zips postcode postcodes postal plz postleitzahl* code_postal codepostal codigo_postal codpostal cap \
         cep codice_postale postnummer postleit*",
    ),
    (
        Topic::Country,
        "country countries nationality nationalities citizenship citizen nation land herkunftsland geburtsland wohnland \
         staatsangehoerigkeit* staatsbuergerschaft* nationalitaet* pays nationalite* citoyennete pais nacionalidad* \
         ciudadania paese nazionalita* cittadinanza* nacionalidade* cidadania nationaliteit* geboorteland",
    ),
    (
        Topic::Place,
        "city cities town towns region regions state states county counties district municipality municipalities \
         municip* suburb borough village neighborhood neighbourhood fips msa metropolitan location place birthplace residence \
         ort stadt wohnort geburtsort gemeinde kreis landkreis bundesland kanton canton ville villes commune communes \
         departement province lieu lieu_de_naissance residence ciudad provincia comunidad lugar municipio estado citta \
         comune regione luogo cidade concelho distrito freguesia localidade gemeente woonplaats plaats geboorteplaats stad \
         wijk buurt provincie",
    ),
    (
        Topic::Birth,
        "birth births birthday birthdate birthyear birthmonth dob dobs dobyy dobmm dobdd yob born geburt* gebdat* gebjahr* \
         gebmonat geb naissance* naiss date_naiss* nacimiento* fecha_nac* ano_nac* nascita* nato nascimento* data_nasc* nasc \
         geboorte* geboren",
    ),
    (
        Topic::Age,
        "age ages agegroup ageband agerange agegrp alter lebensalter alters* altersgruppe* edad edades eta idade idades \
         leeftijd* ans",
    ),
    (
        Topic::Origin,
        "race races racex raceax racebx racewx racethnx raceth ethni* hisp* latino latina afam black white asian \
         origin origins origine origen origem migration* migrant* hautfarbe raca raza razza herkunft* ancestry tribe caste",
    ),
    (
        Topic::Language,
        "language languages sprache* muttersprache langue* idioma idiomas lengua lingua taal moedertaal",
    ),
    (
        Topic::Education,
        "educ* degree degrees school schooling isced qualification bildung* schulabschluss* abschluss* ausbildung* schule \
         schulbildung etudes diplome* niveau_etudes scolarite estudios escolaridad* istruzione titolo_di_studio \
         titolo_studio escolaridade instrucao opleiding* onderwijs* vooropleiding",
    ),
    (
        Topic::Family,
        "household households children child kids *kids nchild relationship relation spouse partner dependents dependants \
         *dependents siblings famsize hhsize xtot haushalt haushalte haushaltsgroesse* kinder kinderzahl anzahl_kinder \
         menage enfants conjoint nb_enfants hogar hijos conyuge nucleo figli coniuge agregado filhos conjuge huishouden \
         huishoudgrootte kinderen",
    ),
    (
        Topic::Body,
        "height heights bodyheight groesse koerpergroesse taille talla estatura statura altura altezza lengte eye hair \
         augenfarbe haarfarbe",
    ),
    (
        Topic::Occupation,
        "job jobs occupation* profession* isco work beruf* taetigkeit* metier* emploi profesion* ocupacion* trabajo puesto \
         professione* occupazione* lavoro mestiere profissao* ocupacao* trabalho beroep* functie jobtitle job_title",
    ),
    (
        Topic::Employer,
        "employment employed employer company companies workclass class_of_worker industry nace naics sic sector branche* \
         wirtschaftszweig* firma arbeitgeber* betrieb employeur* entreprise* secteur empresa* empleo* azienda* datore \
         settore ateco empregador* emprego werkgever* bedrijf* department hospital clinic ward krankenhaus klinik \
         abteilung hopital clinique hospitais ospedale reparto ziekenhuis* afdeling",
    ),
    (
        Topic::Event,
        "admission admissions admitted discharge discharged visit visits aufnahme* entlassung* aufnahmedatum besuch* \
         hospitalisation sortie ingreso alta ricovero dimissione* internacao internamento opname* ontslag*",
    ),
];

/// Words for weights that only surveys have; the others may be a body's.
const SURVEY_WEIGHTS: &str = "wgt wgts fnlwgt perwt hhwt pwgtp weights gewichtung* hochrechnung* ponderation* ponderacion ponderacao \
    weegfactor wegingsfactor weging pond instance_weight sample_weight survey_weight sampling_weight";
/// Words before `name` that make it a person's.
const NAMED: &str = "first last given family full user patient person customer client employee student middle maiden nick \
    manager supervisor doctor physician nurse teacher mother father parent guardian spouse contact owner applicant tenant driver \
    passenger member donor insured child";
/// `name` in other languages; alone only, for they mean other things as well.
const NAMES: &str = "name nom nome nombre naam";
/// Words of numbers that are given to a person or a thing; only where most values differ.
const NUMBERS: &str = "nummer num numero kennung kennziffer schluessel lfdnr identifiant cle clave identificador chiave \
    identificativo chave sleutel index idx rownum recid recno";
/// Words of numbers that are given to people who belong together; only where there are many.
const GROUPS: &str =
    "haushaltsnummer haushaltsnr hhnr hhid hhnum duid num_menage id_hogar id_famiglia huishoudnummer";
/// Words for people who live together, and for their numbers.
const HOUSEHOLDS: &str = "household households hh hhid hhnum hhnr family famid dwelling duid haushalt haushaltsnummer haushaltsnr \
    menage num_menage hogar id_hogar nucleo id_famiglia agregado huishouden huishoudnummer";
/// Words that say something about a household.
const ABOUT_HOUSEHOLDS: &str = "size groesse taille tamano dimensione tamanho grootte type typ tipo kind income einkommen revenu \
    ingreso reddito renda inkomen role relation relationship head members persons people weight count status history name";
/// What analysts want to predict, whatever it is.
const LABELS: &str =
    "class label target outcome klasse zielvariable cible objetivo etichetta rotulo doelvariabele";
/// Words that speak of an amount or a number of things: such numbers are not categories.
const AMOUNTS: &str = "number count counts total sum amount num n no years year hours weeks days months minutes age score \
    anzahl zahl summe betrag jahre stunden wochen tage nombre nb montant heures semaines jours annees numero cantidad monto \
    horas semanas dias anos importo ore settimane giorni anni quantidade valor aantal bedrag uren weken dagen jaren";

/// The words of a column's name without accents, `ß` as `ss` and umlauts as in `ae`.
pub(super) fn plain_words(name: &str) -> Vec<String> {
    words(name).iter().map(|word| plain(word)).collect()
}

fn plain(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            'ä' => plain.push_str("ae"),
            'ö' => plain.push_str("oe"),
            'ü' => plain.push_str("ue"),
            'ß' => plain.push_str("ss"),
            'à' | 'á' | 'â' | 'ã' | 'å' => plain.push('a'),
            'ç' => plain.push('c'),
            'è' | 'é' | 'ê' | 'ë' => plain.push('e'),
            'ì' | 'í' | 'î' | 'ï' => plain.push('i'),
            'ñ' => plain.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' => plain.push('o'),
            'ù' | 'ú' | 'û' => plain.push('u'),
            c => plain.push(c),
        }
    }
    plain
}

/// What a name is about, and the word that says so.
pub(super) fn topic(words: &[String]) -> Option<(Topic, String)> {
    if is_name(words) {
        return Some((Topic::Name, words.join(" ")));
    }
    TOPICS.iter().find_map(|(topic, list)| Some((*topic, listed(list, words)?)))
}

fn is_name(words: &[String]) -> bool {
    let listed = |list: &str, word: &str| list.split_whitespace().any(|listed| listed == word);
    match words {
        [only] => listed(NAMES, only),
        _ => words.iter().any(|word| word == "name") && words.iter().any(|word| listed(NAMED, word)),
    }
}

/// The first pattern of a list that fits the words, as a reader would write it.
fn listed(list: &str, words: &[String]) -> Option<String> {
    let joined = words.join("_");
    let surrounded = format!("_{joined}_");
    let fits = |pattern: &str| -> Option<String> {
        if pattern.contains('_') {
            let (stem, open) = pattern.strip_suffix('*').map_or((pattern, "_"), |stem| (stem, ""));
            return surrounded.contains(&format!("_{stem}{open}")).then(|| stem.replace('_', " "));
        }
        words.iter().find(|word| word_fits(pattern, word)).cloned()
    };
    list.split_whitespace().find_map(fits)
}

fn word_fits(pattern: &str, word: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => word.contains(rest.trim_end_matches('*')),
        (Some(end), None) => word.ends_with(end),
        (None, Some(start)) => word.starts_with(start),
        (None, None) => word == pattern,
    }
}

/// The word of a name that speaks of numbers given to people or things.
pub(super) fn speaks_of_numbers(words: &[String]) -> Option<String> {
    listed(NUMBERS, words)
        .or_else(|| privet_data::naming::among(privet_data::naming::NUMBERED, words).map(str::to_string))
}

/// Whether a name speaks of numbers that are given to people who belong together.
pub(super) fn speaks_of_groups(words: &[String]) -> bool {
    listed(GROUPS, words).is_some()
        || privet_data::naming::among(privet_data::naming::GROUPED, words).is_some()
}

/// Whether a name is that of the number of a household, and not of something about it.
pub(super) fn numbers_households(words: &[String]) -> bool {
    listed(HOUSEHOLDS, words).is_some() && listed(ABOUT_HOUSEHOLDS, words).is_none()
}

/// Whether a weight can only be a survey's.
pub(super) fn is_survey_weight(words: &[String]) -> bool {
    listed(SURVEY_WEIGHTS, words).is_some()
}

/// Whether a name is that of a label: its last word says so.
pub(super) fn is_label(words: &[String]) -> bool {
    words.last().is_some_and(|last| listed(LABELS, std::slice::from_ref(last)).is_some())
}

/// Whether a name speaks of an amount, so that its numbers are not categories.
pub(super) fn speaks_of_amounts(words: &[String]) -> bool {
    listed(AMOUNTS, words).is_some()
}

impl Topic {
    /// What it means for a person.
    pub fn standing(self) -> Standing {
        match self {
            Topic::Account | Topic::Contact | Topic::Name | Topic::Person => Standing::Direct,
            Topic::Belief | Topic::Health | Topic::Offence | Topic::Money => Standing::Secret,
            Topic::Occupation => Standing::Livelihood,
            Topic::Weight | Topic::Remark => Standing::Technical,
            _ => Standing::Known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(name: &str) -> Option<Topic> {
        topic(&plain_words(name)).map(|(topic, _)| topic)
    }

    #[test]
    fn names_are_understood_in_seven_languages() {
        for (topic, names) in [
            (
                Topic::Birth,
                "dob Geburtsdatum date_de_naissance fecha_nacimiento data_nascita data_nascimento geboortedatum",
            ),
            (Topic::Age, "age Alter âge edad età idade leeftijd"),
            (Topic::Sex, "sex Geschlecht sexe sexo sesso género geslacht"),
            (Topic::Postcode, "zip PLZ code_postal código_postal cap CEP postcode"),
            (Topic::Place, "city Wohnort ville ciudad città cidade woonplaats"),
            (Topic::Country, "country Staatsangehörigkeit pays país paese nacionalidade nationaliteit"),
            (
                Topic::Marital,
                "marital-status Familienstand état_civil estado_civil stato_civile estado-civil burgerlijke_staat",
            ),
            (
                Topic::Education,
                "education Schulabschluss diplôme escolaridad istruzione escolaridade opleiding",
            ),
            (Topic::Occupation, "occupation Beruf métier profesión professione profissão beroep"),
            (Topic::Money, "income Bruttoeinkommen salaire ingresos reddito rendimento inkomen"),
            (Topic::Health, "diagnosis Diagnose maladie enfermedad malattia doença ziekte"),
            (Topic::Name, "name Nachname prénom apellidos cognome sobrenome achternaam"),
            (Topic::Contact, "email Telefon adresse dirección indirizzo endereço straat"),
            (
                Topic::Account,
                "ssn Sozialversicherungsnummer numéro_sécurité_sociale DNI codice_fiscale CPF BSN",
            ),
            (Topic::Family, "children Kinderzahl enfants hijos figli filhos kinderen"),
        ] {
            for name in names.split(' ') {
                assert_eq!(about(name), Some(topic), "{name}");
            }
        }
    }

    #[test]
    fn words_that_mean_something_else_are_not_taken() {
        for name in ["nombre d'enfants", "school name"] {
            assert_ne!(about(name), Some(Topic::Name), "{name}");
        }
        assert_eq!(about("sexual orientation"), Some(Topic::Belief));
        assert_eq!(about("country_of_birth"), Some(Topic::Country));
        assert_eq!(about("DOBYY"), Some(Topic::Birth));
        assert_eq!(about("RACETHNX"), Some(Topic::Origin));
        assert_eq!(about("v17"), None);
        assert!(is_label(&plain_words("salary-class")) && !is_label(&plain_words("class_of_worker")));
    }
}
