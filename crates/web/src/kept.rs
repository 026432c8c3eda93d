//! Answers that were made a moment ago, by a digest of the question; who asks what somebody else is
//! being answered waits for that answer instead of making it again.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// A digest of a question.
pub(crate) type Key = [u8; 32];

/// Where an answer is, or is about to be.
type Place<T> = (Key, Arc<OnceLock<T>>);

/// A few answers; the one that was asked for longest ago goes first.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    most: usize,
    places: Mutex<VecDeque<Place<T>>>,
}

impl<T: Clone> Kept<T> {
    /// Creates room for so many answers.
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, places: Mutex::new(VecDeque::new()) }
    }

    /// Returns the answer to a question, made only where there is none yet.
    pub(crate) fn get(&self, key: Key, make: impl FnOnce() -> T) -> T {
        let place = {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            let found = places.iter().position(|(other, _)| *other == key);
            let found = found.and_then(|at| places.remove(at));
            let place = found.unwrap_or_else(|| (key, Arc::default()));
            if places.len() >= self.most {
                places.pop_front();
            }
            places.push_back(place.clone());
            place.1
        };
        place.get_or_init(make).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_many_ask_at_once_is_made_once_and_forgotten_when_newer_push_it_out() {
        let kept = Kept::new(2);
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let answer = kept.get([1; 32], || {
                        made.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(30));
                        "one"
                    });
                    assert_eq!(answer, "one");
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
        kept.get([2; 32], || "two");
        kept.get([1; 32], || "again");
        kept.get([3; 32], || "three");
        assert_eq!(kept.get([1; 32], || "again"), "one", "it was asked for later than two");
        assert_eq!(kept.get([2; 32], || "anew"), "anew");
    }
}
