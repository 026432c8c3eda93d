//! When spot machines are there: how likely the next step is up or down, given how long the
//! current spell has lasted.
//!
//! Spells of availability are heavy-tailed: the longer one has lasted, the likelier it lasts on.
//! So the chance of an end is estimated by the age of the spell, drawn towards the chance over all
//! ages by as much as the data is thin, and that towards a weak prior. Nothing is fitted to a zone.

/// Ages, in steps, at which the classes of age begin.
const CLASSES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Number of classes of age.
pub(super) const AGES: usize = CLASSES.len();

/// Weight of the prior on the mean length of a spell, in ended spells.
const PRIOR_ENDS: f64 = 1.0;

/// Mean length of a spell in the prior, in hours. Traces of AWS V100 zones have means from 0.7 to
/// 10 hours; a single ended spell weighs as much as this.
const PRIOR_HOURS: f64 = 4.0;

/// Steps of evidence that the chance over all ages weighs against that of one class.
const SHRINKAGE: f64 = 12.0;

/// Chances of an end, by the state and the class of age.
#[derive(Clone, Debug)]
pub struct Availability {
    /// Chance that a spell of the state (down, up) ends with this step.
    ends: [[f64; AGES]; 2],
    /// Chance that a spell that goes on enters the next class.
    ages: [f64; AGES],
    /// State and age of the current spell.
    now: (bool, usize),
    /// Share of steps at which a machine was there; `None` without history.
    share: Option<f64>,
}

impl Availability {
    /// Learns from the past, oldest first; the last entry is the present.
    pub fn learn(history: &[bool], step_hours: f64) -> Self {
        let mut ended = [[0.0_f64; AGES]; 2];
        let mut seen = [[0.0_f64; AGES]; 2];
        let mut age = 1;
        for pair in history.windows(2) {
            let (before, after) = (pair[0], pair[1]);
            let class = class_of(age);
            seen[usize::from(before)][class] += 1.0;
            if before == after {
                age += 1;
            } else {
                ended[usize::from(before)][class] += 1.0;
                age = 1;
            }
        }
        let prior_steps = PRIOR_ENDS * (PRIOR_HOURS / step_hours.max(1e-6)).max(1.0);
        let mut ends = [[0.0; AGES]; 2];
        for state in 0..2 {
            let all_ended: f64 = ended[state].iter().sum();
            let all_seen: f64 = seen[state].iter().sum();
            let overall = (all_ended + PRIOR_ENDS) / (all_seen + prior_steps);
            for class in 0..AGES {
                ends[state][class] =
                    (ended[state][class] + SHRINKAGE * overall) / (seen[state][class] + SHRINKAGE);
            }
        }
        let mut ages = [0.0; AGES];
        for class in 0..AGES - 1 {
            ages[class] = 1.0 / (CLASSES[class + 1] - CLASSES[class]) as f64;
        }
        let up = history.iter().filter(|up| **up).count();
        let share = (!history.is_empty()).then(|| up as f64 / history.len() as f64);
        let now = (history.last().copied().unwrap_or(false), age);
        Self { ends, ages, now, share }
    }

    /// Returns the number of states: down and up, each by class of age.
    pub(super) const fn states() -> usize {
        2 * AGES
    }

    /// Says whether a state has machines.
    pub(super) const fn is_up(state: usize) -> bool {
        state >= AGES
    }

    /// Returns the present state.
    pub(super) fn present(&self) -> usize {
        usize::from(self.now.0) * AGES + class_of(self.now.1)
    }

    /// Returns the three states that can follow, with their chances.
    pub(super) fn following(&self, state: usize) -> [(usize, f64); 3] {
        let (up, class) = (usize::from(Self::is_up(state)), state % AGES);
        let end = self.ends[up][class];
        let older = (1.0 - end) * self.ages[class];
        let other = (1 - up) * AGES;
        [(other, end), ((state + 1).min(up * AGES + AGES - 1), older), (state, 1.0 - end - older)]
    }

    /// Returns the share of the past in which machines were there; `None` without a past.
    pub const fn share(&self) -> Option<f64> {
        self.share
    }

    /// Returns how long the current spell has lasted, in steps, and whether machines are there.
    pub const fn spell(&self) -> (bool, usize) {
        self.now
    }

    /// Returns the mean number of steps that the current spell will still last.
    pub fn expected_rest(&self) -> f64 {
        let (up, first) = (usize::from(self.now.0), class_of(self.now.1));
        // Backwards over the classes: the rest from a class is one step, and then that of the same
        // or the next class when the spell goes on.
        let mut rest = 0.0;
        for class in (first..AGES).rev() {
            let goes_on = 1.0 - self.ends[up][class];
            let older = self.ages[class];
            rest = (1.0 + goes_on * older * rest) / (1.0 - goes_on * (1.0 - older));
        }
        rest
    }
}

fn class_of(age: usize) -> usize {
    CLASSES.iter().rposition(|start| *start <= age).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_stay_within_bounds() {
        for history in [vec![], vec![true], vec![false; 500], [true, false].repeat(200)] {
            let learnt = Availability::learn(&history, 0.5);
            for state in 0..Availability::states() {
                let following = learnt.following(state);
                let sum: f64 = following.iter().map(|(_, chance)| chance).sum();
                assert!((sum - 1.0).abs() < 1e-12);
                assert!(following.iter().all(|(_, chance)| (0.0..=1.0).contains(chance)));
            }
            assert!(learnt.expected_rest().is_finite());
        }
    }

    #[test]
    fn a_spell_that_has_lasted_is_expected_to_last_longer_where_spells_are_heavy_tailed() {
        // Many blips of one step, and long spells of 200.
        let mut history = Vec::new();
        for _ in 0..20 {
            for _ in 0..5 {
                history.extend([true, false, false]);
            }
            history.extend(vec![true; 200]);
            history.extend(vec![false; 40]);
        }
        let blip = Availability::learn(&[history.as_slice(), &[true]].concat(), 0.5);
        let long = Availability::learn(&[history.as_slice(), &[true; 80]].concat(), 0.5);
        assert!(long.expected_rest() > 2.0 * blip.expected_rest());
        assert_eq!(blip.spell(), (true, 1));
        assert_eq!(long.spell(), (true, 80));
    }

    #[test]
    fn without_history_the_prior_speaks() {
        let nothing = Availability::learn(&[], 0.5);
        assert_eq!(nothing.share(), None);
        assert!((nothing.expected_rest() - 8.0).abs() < 1e-9);
    }
}
