//! Why the money differs from the plan: price, volume and mix.

/// The three causes of a difference in cost; they add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variance {
    /// The units cost more or less than planned.
    pub price: f64,
    /// More or fewer units were used in total, at the planned mean price.
    pub volume: f64,
    /// The units were spread otherwise over dearer and cheaper lines.
    pub mix: f64,
}

impl Variance {
    /// Returns the whole difference, actual less planned.
    pub const fn total(&self) -> f64 {
        self.price + self.volume + self.mix
    }
}

/// Splits the difference between actual and planned cost of lines
/// `(planned units, planned price, actual units, actual price)`.
///
/// price = sum of actual units x (actual - planned price); volume = (actual - planned units in
/// total) x planned mean price; mix = what remains: units moved between lines of unlike price.
/// A line that was not planned has no planned price; its whole cost is volume and mix at the
/// planned mean, and price for the rest.
pub fn variance(lines: &[(f64, f64, f64, f64)]) -> Variance {
    let planned_units: f64 = lines.iter().map(|line| line.0).sum();
    let actual_units: f64 = lines.iter().map(|line| line.2).sum();
    let planned_cost: f64 = lines.iter().map(|line| line.0 * line.1).sum();
    let actual_cost: f64 = lines.iter().map(|line| line.2 * line.3).sum();
    let mean = if planned_units > 0.0 { planned_cost / planned_units } else { 0.0 };
    let price: f64 = lines
        .iter()
        .map(|(planned, planned_price, actual, actual_price)| {
            let base = if *planned > 0.0 { *planned_price } else { mean };
            actual * (actual_price - base)
        })
        .sum();
    let volume = (actual_units - planned_units) * mean;
    Variance { price, volume, mix: actual_cost - planned_cost - price - volume }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_dearer_hour_is_price_and_a_further_hour_is_volume() {
        let dearer = variance(&[(100.0, 5.0, 100.0, 6.0)]);
        assert!((dearer.price - 100.0).abs() < 1e-9 && dearer.volume.abs() < 1e-9);
        let further = variance(&[(100.0, 5.0, 120.0, 5.0)]);
        assert!((further.volume - 100.0).abs() < 1e-9 && further.price.abs() < 1e-9);
    }

    #[test]
    fn moving_hours_to_a_dearer_card_is_mix() {
        let moved = variance(&[(50.0, 2.0, 0.0, 2.0), (50.0, 10.0, 100.0, 10.0)]);
        assert!((moved.mix - 400.0).abs() < 1e-9, "{moved:?}");
        assert!(moved.price.abs() < 1e-9 && moved.volume.abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_causes_always_add_up(lines in proptest::collection::vec(
            (0.0..1e4f64, 0.0..100.0f64, 0.0..1e4f64, 0.0..100.0f64), 0..8)) {
            let planned: f64 = lines.iter().map(|l| l.0 * l.1).sum();
            let actual: f64 = lines.iter().map(|l| l.2 * l.3).sum();
            prop_assert!((variance(&lines).total() - (actual - planned)).abs() < 1e-3);
        }
    }
}
