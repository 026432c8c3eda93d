//! The figures that the time scorer counts: the mean over sources of each source's median error.

use kasuan_model::Confidence;
use std::collections::BTreeMap;

/// The error of one predicted row.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) kind: String,
    pub(crate) publisher: String,
    /// Natural logarithm of predicted over measured.
    pub(crate) error: f64,
    pub(crate) confidence: Confidence,
}

impl Scored {
    /// Says whether the measured figure lies in a range of these half-widths.
    pub(crate) fn within(&self, low: f64, high: f64) -> bool {
        self.error <= low.ln() && self.error >= -high.ln()
    }

    fn share(&self) -> f64 {
        (self.error.exp() - 1.0).abs()
    }
}

/// Figures of one kind of run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) rows: u32,
    pub(crate) sources: u32,
    /// Mean over sources of the median error.
    pub(crate) median: f64,
    /// Mean over sources of the share of rows within a quarter.
    pub(crate) within_quarter: f64,
}

pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

/// The value that a share of the values lie under.
pub(crate) fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = share * (values.len().saturating_sub(1)) as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    match (values.get(low), values.get(low + 1)) {
        (Some(a), Some(b)) => a + (b - a) * part,
        (Some(a), None) => *a,
        _ => f64::NAN,
    }
}

/// Counts the figures of each kind.
pub(crate) fn figures(rows: &[Scored]) -> BTreeMap<String, Figures> {
    let mut sources: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for row in rows {
        sources.entry((&row.kind, &row.publisher)).or_default().push(row.share());
    }
    let mut kinds = BTreeMap::<String, Figures>::new();
    for ((kind, _), mut errors) in sources {
        let entry = kinds.entry(kind.to_owned()).or_default();
        entry.rows += errors.len() as u32;
        entry.sources += 1;
        entry.within_quarter +=
            errors.iter().filter(|e| **e <= 0.25).count() as f64 / errors.len() as f64;
        entry.median += median(&mut errors);
    }
    for figures in kinds.values_mut() {
        figures.median /= f64::from(figures.sources);
        figures.within_quarter /= f64::from(figures.sources);
    }
    kinds
}
