//! What a policy cannot have is refused before the rows are read: here they are broken, and nobody gets to know.

use crate::common::Bench;

/// A policy about a table with a row that no reading survives.
fn refused(privacy: &str, method: &str, said: &str) {
    let bench = Bench::new();
    bench.write("table.csv", "age,city,ill,signs\n30,Oslo,flu,cough\n31,Rome\n");
    bench.write("city.csv", "Oslo;Norway;*\nRome;Italy;*\n");
    bench.write("knowledge.csv", "label,terms\nFlu,cough|fever\nCold,cough\n");
    let columns = "[data]\npath = \"table.csv\"\n[columns]\nage = { role = \"quasi-identifier\" }\n\
                   city = { role = \"quasi-identifier\", hierarchy = \"city.csv\" }\nill = { role = \"sensitive\" }\n\
                   signs = { role = \"quasi-sensitive\", separator = \"|\", knowledge = \"knowledge.csv\" }\n";
    bench.write("policy.toml", format!("{columns}{privacy}[method]\n{method}\n"));
    let before = bench.names(".");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains(said) && outcome.stderr.contains("policy.toml"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("help: "), "{}", outcome.stderr);
    assert_eq!(bench.names("."), before);
}

#[test]
fn levels_above_the_root_are_refused_before_rows_are_read() {
    let k = "[privacy.k-anonymity]\nk = 2\n";
    let method = |levels: &str| format!("name = \"full-domain\"\nleast_levels = {{ {levels} }}");
    refused(k, &method("city = 3"), "asks for level 3 of 'city', whose highest level is 2");
    refused(k, &method("age = 2"), "asks for level 2 of 'age', whose highest level is 1");
}

#[test]
fn a_distance_without_its_hierarchy_is_refused_before_rows_are_read() {
    let asked = "[privacy.t-closeness]\ncolumn = \"ill\"\nt = 0.2\ndistance = \"hierarchical\"\n";
    let said = "with distance = \"hierarchical\" cannot tell how far apart the values of 'ill' are";
    refused(asked, "name = \"mondrian\"", said);
    refused(&asked.replace("t-closeness]", "n-t-closeness]\nn = 10"), "name = \"full-domain\"", said);
}

#[test]
fn a_price_at_which_suppression_pays_is_refused_before_rows_are_read() {
    let asked = "[privacy.l-plus-diversity]\ncolumn = \"ill\"\ndefault = \"1/2\"\n";
    for method in ["l-plus-optimize", "simulated-annealing"] {
        let method = format!("name = \"{method}\"\nsuppression = \"all-rec\"\ncost_record = 1");
        refused(asked, &method, "cost_record is 1, but a record may cost up to 2");
    }
}

#[test]
fn a_prior_that_the_knowledge_lacks_is_refused_before_rows_are_read() {
    let asked = "[privacy.qs-closeness]\ncolumn = \"signs\"\nt = 0.1\nprior = \"weight\"\n";
    refused(asked, "name = \"quasi-sensitive\"", "the knowledge file has no column 'weight'");
}

#[test]
fn too_few_columns_are_refused_before_rows_are_read() {
    let asked = "[privacy.projection]\nalpha = 1\nbeta = 1\n[privacy.t-closeness]\nt = 0.5\n";
    let said = "needs at least two sensitive attributes, and there is only 'ill'";
    for method in ["codip", "codip-star"] {
        refused(asked, &format!("name = \"{method}\""), said);
    }
}

#[test]
fn a_second_radius_below_the_first_is_refused_before_rows_are_read() {
    let bench = Bench::with_example("five-vocabularies");
    bench.write("five-vocabularies/five-vocabularies.csv", "vocabulary,term,count\n1,Wine,1\n2,Wine\n");
    let policy = bench.text("five-vocabularies/policy.toml");
    bench.write("five-vocabularies/policy.toml", policy.replace("residual = false", "residual = 3"));
    let outcome = bench.privet(&["anonymize", "five-vocabularies/policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("'method.residual' is 3, less than epsilon"), "{}", outcome.stderr);
}
