//! Finds the card in the words of a bill: a card's name somewhere in them, or a product's name.

use crate::Catalogue;
use kasuan_model::CardId;

/// Words of a card's name, at most: `NVIDIA GeForce RTX 4090`.
const LONGEST: usize = 4;

impl Catalogue {
    /// Returns the card that a bill's words name, and how many where they say so; `None` when they
    /// name none. A text that names two different cards names none.
    pub fn card_in(&self, text: &str) -> Option<(CardId, Option<u32>)> {
        let text = text.trim();
        if let Some(found) = self.product(text) {
            return Some(found);
        }
        let apart =
            |c: char| c.is_whitespace() || "/，,；;|()（）[]：:+".contains(c) || c > '\u{2fff}';
        let words: Vec<&str> = text.split(apart).filter(|word| !word.is_empty()).collect();
        let mut found: Option<(CardId, Option<u32>)> = None;
        let mut at = 0;
        while at < words.len() {
            let longest = LONGEST.min(words.len() - at);
            let named = (1..=longest).rev().find_map(|length| {
                let part = words.get(at..at + length)?.join(" ");
                Some((self.named(&part)?, length))
            });
            let Some(((card, count), length)) = named else {
                at += 1;
                continue;
            };
            at += length;
            match &found {
                Some((before, _)) if *before != card => return None,
                Some((_, Some(_))) => {}
                _ => found = Some((card, count)),
            }
        }
        found
    }

    /// Returns the card of a product, such as `ecs.gn7i-c8g1.2xlarge`, where its offers agree.
    fn product(&self, text: &str) -> Option<(CardId, Option<u32>)> {
        let mut offers = self
            .offers()
            .iter()
            .filter(|offer| !offer.product.is_empty() && offer.product.eq_ignore_ascii_case(text));
        let first = offers.next()?;
        let same = offers.all(|offer| offer.card == first.card && offer.count == first.count);
        same.then(|| (first.card.clone(), Some(first.count)))
    }

    /// Returns a card by its name. A number alone must have the four digits of a GeForce card, or
    /// counts and sizes would be taken for cards.
    fn named(&self, text: &str) -> Option<(CardId, Option<u32>)> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if digits && text.len() != 4 {
            return None;
        }
        let found = self.find_card(text).ok()?;
        Some((found.card, found.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_is_found_in_the_words_of_bills() {
        let catalogue = Catalogue::shipped().unwrap();
        let card =
            |text: &str| catalogue.card_in(text).map(|(card, count)| (card.to_string(), count));
        let one = |id: &str| Some((id.to_owned(), None));
        assert_eq!(card("GPU云主机 RTX 4090 24GB"), one("rtx-4090"));
        assert_eq!(card("4090"), one("rtx-4090"));
        assert_eq!(card("NVIDIA A100-SXM4-80GB"), one("a100-sxm4-80"));
        assert_eq!(card("GPU: 8x H100 SXM"), Some(("h100-sxm5-80".to_owned(), Some(8))));
        for text in ["云盘 200 GB", "16 vCPU 64 GiB", "", "EC2", "A100 或 4090", "2026"] {
            assert_eq!(card(text), None, "{text}");
        }
    }

    #[test]
    fn a_product_that_is_sold_has_the_card_of_its_offers() {
        let catalogue = Catalogue::shipped().unwrap();
        let (card, count) = catalogue.card_in("g3.16xlarge").unwrap();
        assert_eq!((card.as_str(), count), ("m60", Some(4)));
    }
}
