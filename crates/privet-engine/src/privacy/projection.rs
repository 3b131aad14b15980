//! What a policy asks of a projection plan (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*): how much association between sensitive attributes
//! may be lost, how much of them a background join may expose, and how coarse the tables may be.

use privet_core::Exact;
use privet_policy::requirement;

/// The limits that a policy sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Projection {
    /// The largest association loss Γα.
    pub alpha: Exact,
    /// The largest information exposure Γβ.
    pub beta: Exact,
    /// The largest discernibility of a table.
    pub max_discernibility: Option<Exact>,
}

/// Γα and Γβ are ratios of sums of logarithms, which no arithmetic of whole numbers can hold. Where they equal a threshold
/// but for rounding, they meet it.
pub const SLACK: f64 = 1e-12;

impl Projection {
    /// What a requirement asks for.
    pub fn of(asked: &requirement::Projection) -> Projection {
        let requirement::Projection { alpha, beta, max_discernibility } = *asked;
        Projection { alpha, beta, max_discernibility }
    }

    /// Whether an association loss is small enough.
    pub fn allows_loss(&self, gamma_alpha: f64) -> bool {
        gamma_alpha <= self.alpha.to_f64() + SLACK
    }

    /// Whether an information exposure is small enough.
    pub fn allows_exposure(&self, gamma_beta: f64) -> bool {
        gamma_beta <= self.beta.to_f64() + SLACK
    }

    /// Whether a table is fine enough.
    pub fn allows_discernibility(&self, dm: u128) -> bool {
        self.max_discernibility.is_none_or(|most| {
            // A product beyond 128 bits is larger than any threshold.
            dm.checked_mul(u128::from(most.denominator()))
                .is_some_and(|dm| dm <= u128::from(most.numerator()))
        })
    }
}
