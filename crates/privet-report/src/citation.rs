//! The work that describes each method, to be cited next to Privet.

/// Whom to cite for a method, as authors, title, where and when.
pub(super) fn of_method(method: &str) -> Option<&'static str> {
    Some(match method {
        "full-domain" => {
            "K. LeFevre, D. DeWitt, R. Ramakrishnan: Incognito: Efficient Full-Domain K-Anonymity. SIGMOD 2005"
        }
        "mondrian" => {
            "K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional K-Anonymity. ICDE 2006"
        }
        "anatomy" => "X. Xiao, Y. Tao: Anatomy: Simple and Effective Privacy Preservation. VLDB 2006",
        "injector" => "T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008",
        "l-plus-optimize" | "simulated-annealing" | "og" | "mog" | "ssg" => {
            "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010"
        }
        "ff" | "ff-optimal" => {
            "K. Wang, Y. Xu, A. Fu, R. Wong: FF-Anonymity: When Quasi-Identifiers Are Missing. ICDE 2009"
        }
        "quasi-sensitive" => {
            "P. Shi, L. Xiong, B. Fung: Anonymizing Data with Quasi-Sensitive Attribute Values. CIKM 2010"
        }
        "codip" | "codip-star" => {
            "Y. Fang, M. Z. Ashrafi, S. K. Ng: Privacy beyond Single Sensitive Attribute. DEXA 2011"
        }
        _ => return None,
    })
}
