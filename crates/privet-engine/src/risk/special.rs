//! Digamma and the ratio of gamma functions, for arguments above 0.

/// From here on the asymptotic series below are right to the last digits.
const FAR: f64 = 12.0;

/// ψ(x).
pub(super) fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < FAR {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    let series = s * (1.0 / 12.0 - s * (1.0 / 120.0 - s * (1.0 / 252.0 - s * (1.0 / 240.0 - s / 132.0))));
    shift + x.ln() - 0.5 / x - series
}

/// ln(Γ(x + d)/Γ(x)) for 0 ≤ d ≤ 1, without the difference of large numbers.
pub(super) fn ln_gamma_ratio(mut x: f64, d: f64) -> f64 {
    let mut shift = 0.0;
    while x < FAR {
        shift -= (d / x).ln_1p();
        x += 1.0;
    }
    let tail = |x: f64| {
        let s = 1.0 / (x * x);
        (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / x
    };
    shift + (x - 0.5) * (d / x).ln_1p() + d * (x + d).ln() - d + tail(x + d) - tail(x)
}
