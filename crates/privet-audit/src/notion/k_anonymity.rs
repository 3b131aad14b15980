//! k-anonymity (Sweeney 2002): every class has at least k records.

use super::Notion;
use crate::classes::Histogram;
use privet_policy::requirement;

struct KAnonymity {
    k: u64,
}

pub(super) fn auditor(asked: &requirement::KAnonymity) -> Box<dyn Notion> {
    Box::new(KAnonymity { k: asked.k })
}

impl Notion for KAnonymity {
    fn holds(&self, class: &Histogram) -> bool {
        class.size >= self.k
    }

    fn strain(&self, class: &Histogram) -> f64 {
        -(class.size as f64)
    }

    fn explain(&self, class: &Histogram) -> String {
        let sign = if self.holds(class) { "≥" } else { "<" };
        format!("size {} {sign} k = {}", class.size, self.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_k_is_enough_and_one_less_is_not() {
        let class = |size| Histogram { size, counts: Vec::new() };
        let notion = KAnonymity { k: 5 };
        assert!(notion.holds(&class(5)));
        assert!(!notion.holds(&class(4)));
        assert_eq!(notion.explain(&class(4)), "size 4 < k = 5");
    }
}
