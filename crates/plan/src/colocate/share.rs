//! Whether several replicas of one program on one card pay: by a measured run where there is one,
//! else by what was measured of programs with the same limit, and only under its conditions.
//!
//! An idle share is not free capacity, and a busy card is not a useful one: what counts is the cost
//! of a unit of work. Measured on one H100 and one H200 with speech models (sgl-project/sglang-omni,
//! issues 921, 1075 and 1400, pull requests 986 and 1074): two replicas sliced in time without MPS
//! did 0.596 times the work of one while the card read 96 % busy; limited by the host, with MPS and
//! cores of their own, two did 1.83 to 2.00 times and three 2.16 to 2.67 times, five 3.6 times;
//! limited by memory bandwidth two did 1.49 and three 1.35 to 1.70 times, each 43 % slower; limited
//! by the card's arithmetic next to nothing was gained.

use kasuan_model::{Bytes, Estimate, Phrase, Share};

/// Memory of a card that packed replicas leave free, as a share: six replicas that needed 95 % of
/// an H200 were turned down for five.
pub const FREE_MEMORY: f64 = 0.1;

/// More than this over one replica is a gain; less is noise of the measurement.
const WORTH: f64 = 1.05;

/// What holds one replica back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The host: Python, tokenising, launching kernels; the card waits.
    Host,
    /// The card's memory bandwidth.
    Bandwidth,
    /// The card's arithmetic.
    Arithmetic,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packing {
    /// Replicas on one card; two and more.
    pub replicas: u32,
    /// What holds one replica back; `None` when nobody looked.
    pub limit: Option<Limit>,
    /// Whether NVIDIA MPS is on.
    pub mps: bool,
    /// Whether each replica has CPU cores of its own.
    pub own_cores: bool,
    /// Memory that one replica takes.
    pub memory: Option<Bytes>,
    /// Whether that is what a server was told to take, not what it needs.
    pub memory_is_a_setting: bool,
    /// Memory of the card.
    pub card: Option<Bytes>,
    /// Work done in a unit of time by one replica alone, and by all together, as measured.
    pub measured: Option<(f64, f64)>,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A measured run gained: pack.
    Pack,
    /// It may gain: measure a run, then decide.
    Measure,
    /// Leave it.
    Leave,
}

/// The advice.
#[derive(Clone, Debug, PartialEq)]
pub struct PackingAdvice {
    /// What to do.
    pub verdict: Verdict,
    /// Work of all replicas over that of one; `None` when nothing is known.
    pub gain: Option<Estimate<f64>>,
    /// Whether the gain was measured on this very program.
    pub measured: bool,
    /// The most replicas that fit with room left; `None` when it is not known.
    pub most: Option<u32>,
    /// The reasons, most important first.
    pub reasons: Vec<Phrase>,
}

impl PackingAdvice {
    /// Returns what a unit of work costs over what it costs with one replica.
    pub fn cost_ratio(&self) -> Option<Estimate<f64>> {
        self.gain.map(|gain| Estimate::new(1.0 / gain.high, 1.0 / gain.likely, 1.0 / gain.low))
    }
}

/// Judges whether to pack.
pub fn packing(asked: &Packing) -> PackingAdvice {
    let most = most(asked);
    let fits = most.is_none_or(|most| asked.replicas <= most);
    let gain = match asked.measured {
        Some((alone, together)) => Some(Estimate::exact(together / alone)),
        None => of_class(asked),
    };
    let measured = asked.measured.is_some();
    let mut reasons = Vec::new();
    let conditions = asked.mps && asked.own_cores && asked.limit == Some(Limit::Host);
    let verdict = if !fits {
        reasons.push(
            Phrase::new("advise-share-memory")
                .with("replicas", asked.replicas)
                .with("most", most.unwrap_or(0))
                .with("free", Share::of(FREE_MEMORY, 1.0)),
        );
        Verdict::Leave
    } else if let (true, Some(gain)) = (measured, gain) {
        let pays = gain.likely > WORTH;
        reasons.push(Phrase::new(if pays { "advise-share-pays" } else { "advise-share-loses" }));
        if pays { Verdict::Pack } else { Verdict::Leave }
    } else if !asked.mps {
        reasons.push(Phrase::new("advise-share-no-mps"));
        Verdict::Leave
    } else if !asked.own_cores {
        reasons.push(Phrase::new("advise-share-no-cores"));
        Verdict::Leave
    } else if asked.limit == Some(Limit::Arithmetic) {
        reasons.push(Phrase::new("advise-share-arithmetic"));
        Verdict::Leave
    } else {
        reasons.push(Phrase::new(match asked.limit {
            Some(_) => "advise-share-measure",
            None => "advise-share-unknown",
        }));
        Verdict::Measure
    };
    if let Some(gain) = gain {
        let number = |value: f64| format!("{value:.2}");
        let key = if measured { "advise-share-measured" } else { "advise-share-class" };
        reasons.push(
            Phrase::new(key)
                .with("replicas", asked.replicas)
                .with("low", number(gain.low))
                .with("high", number(gain.high))
                .with("cheap", number(1.0 / gain.high))
                .with("dear", number(1.0 / gain.low)),
        );
    }
    if !conditions && verdict != Verdict::Pack {
        reasons.push(Phrase::new("advise-share-conditions"));
    }
    if asked.memory_is_a_setting {
        reasons.push(Phrase::new("advise-share-setting"));
    } else if most.is_none() {
        reasons.push(Phrase::new("advise-share-memory-unknown"));
    }
    PackingAdvice { verdict, gain, measured, most, reasons }
}

/// Returns how many replicas leave the card its room; `None` when what one needs is not known.
fn most(asked: &Packing) -> Option<u32> {
    let (memory, card) = (asked.memory?.get(), asked.card?.get());
    if asked.memory_is_a_setting || memory == 0 {
        return None;
    }
    let free = (card as f64 * (1.0 - FREE_MEMORY)) as u64;
    u32::try_from(free / memory).ok()
}

/// Returns what replicas of programs with the same limit were measured to gain; `None` where
/// nothing like it was measured.
fn of_class(asked: &Packing) -> Option<Estimate<f64>> {
    if !asked.mps {
        // From what time slicing lost to what it gained where cores were apart.
        return Some(Estimate::new(0.60, 0.80, 1.03));
    }
    if !asked.own_cores {
        // "Below one replica": how far was not said.
        return None;
    }
    let range = |low: f64, high: f64| Some(Estimate::new(low, low.midpoint(high), high));
    match (asked.limit?, asked.replicas) {
        (Limit::Host, 2) => range(1.83, 2.00),
        (Limit::Host, 3) => range(2.16, 2.67),
        (Limit::Host, 5) => range(3.6, 3.6),
        (Limit::Bandwidth, 2) => range(1.49, 1.49),
        (Limit::Bandwidth, 3) => range(1.35, 1.70),
        (Limit::Arithmetic, _) => range(1.0, 1.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(replicas: u32, limit: Option<Limit>) -> Packing {
        Packing {
            replicas,
            limit,
            mps: true,
            own_cores: true,
            memory: None,
            memory_is_a_setting: false,
            card: None,
            measured: None,
        }
    }

    fn gib(gib: u32) -> Option<Bytes> {
        Some(Bytes::from_gib(gib))
    }

    #[test]
    fn fx_125_a_busy_card_that_does_less_work_is_left_and_cost_per_request_decides() {
        let sliced = Packing { mps: false, measured: Some((21.1, 12.58)), ..asked(2, None) };
        let sliced = packing(&sliced);
        assert_eq!(sliced.verdict, Verdict::Leave);
        assert!((sliced.gain.unwrap().likely - 0.596).abs() < 5e-4);
        assert!((sliced.cost_ratio().unwrap().likely - 1.68).abs() < 5e-3);
        let with_mps = packing(&Packing { measured: Some((21.1, 25.13)), ..asked(3, None) });
        assert_eq!(with_mps.verdict, Verdict::Pack);
        assert!((with_mps.gain.unwrap().likely - 1.191).abs() < 5e-4);
        assert!((with_mps.cost_ratio().unwrap().likely - 0.84).abs() < 5e-3);
    }

    #[test]
    fn fx_126_nothing_is_suggested_unless_all_three_conditions_hold() {
        let host = asked(2, Some(Limit::Host));
        assert_eq!(packing(&host).verdict, Verdict::Measure);
        assert!(packing(&host).gain.unwrap().high >= 2.0);
        for broken in [
            Packing { mps: false, ..host },
            Packing { own_cores: false, ..host },
            Packing { limit: Some(Limit::Arithmetic), ..host },
        ] {
            let advice = packing(&broken);
            assert_eq!(advice.verdict, Verdict::Leave, "{broken:?}");
            let said = |key: &str| advice.reasons.iter().any(|reason| reason.key() == key);
            assert!(said("advise-share-conditions"));
            assert!(advice.gain.is_none_or(|gain| gain.high < WORTH));
        }
        // Three replicas gained 116 %.
        let three = packing(&asked(3, Some(Limit::Host))).gain.unwrap();
        assert!((three.low..=three.high).contains(&2.16));
    }

    #[test]
    fn fx_128_the_gain_is_a_range_of_the_measured_class_and_never_one_constant() {
        let gain = |limit, replicas| packing(&asked(replicas, Some(limit))).gain.unwrap();
        let holds = |range: Estimate<f64>, value: f64| (range.low..=range.high).contains(&value);
        assert!(holds(gain(Limit::Host, 2), 1.83) && holds(gain(Limit::Host, 3), 2.67));
        assert!(holds(gain(Limit::Bandwidth, 2), 1.49));
        assert!(holds(gain(Limit::Bandwidth, 3), 1.35) && holds(gain(Limit::Bandwidth, 3), 1.70));
        assert!(gain(Limit::Bandwidth, 3).high < gain(Limit::Host, 3).low);
        // Without a class there is no figure.
        assert_eq!(packing(&asked(2, None)).gain, None);
    }

    #[test]
    fn fx_129_a_replica_that_leaves_no_memory_free_is_one_too_many() {
        // Six need 95 % of an H200's 141 GB; five leave room.
        let one = Some(Bytes::new(141_000_000_000 / 100 * 95 / 6));
        let card = Some(Bytes::new(141_000_000_000));
        let with = |replicas| Packing { memory: one, card, ..asked(replicas, Some(Limit::Host)) };
        assert_eq!(packing(&with(5)).verdict, Verdict::Measure);
        assert_eq!(packing(&with(6)).verdict, Verdict::Leave);
        assert_eq!(packing(&with(6)).most, Some(5));
    }

    #[test]
    fn fx_130_what_a_server_was_told_to_take_does_not_say_how_many_fit() {
        let need = Packing { memory: gib(76), card: gib(80), ..asked(2, Some(Limit::Host)) };
        assert_eq!(packing(&need).verdict, Verdict::Leave);
        let setting = packing(&Packing { memory_is_a_setting: true, ..need });
        assert_eq!((setting.verdict, setting.most), (Verdict::Measure, None));
        assert!(setting.reasons.iter().any(|reason| reason.key() == "advise-share-setting"));
    }
}
