//! One row of a price card becomes an offer, a kind of storage, or a tier of egress.

use super::{PriceCardError, ReadPriceCard, Wanted, columns as column, columns::Columns};
use crate::market::{offer_id, report::Noted};
use csv::StringRecord;
use jiff::civil::Date;
use kasuan_market::{
    CardError, CardMatch, Catalogue, Terms,
    terms::{Names, Rounding, StorageKind, StoragePer, Tier},
};
use kasuan_model::{
    BillingMode, Bytes, Currency, Grade, Interconnect, Money, Offer, Phrase, PricePer, Source,
};
use rust_decimal::Decimal;
use std::{collections::BTreeMap, str::FromStr};

/// A row with what is needed to read it.
pub(super) struct Row<'a> {
    pub(super) line: u64,
    pub(super) columns: &'a Columns,
    pub(super) record: &'a StringRecord,
    pub(super) name: &'a str,
    pub(super) catalogue: &'a Catalogue,
}

type Read<T> = Result<T, PriceCardError>;

/// Cards by the names they were found by; a long list says few names many times.
pub(super) type Cards = BTreeMap<String, Result<CardMatch, CardError>>;

impl<'a> Row<'a> {
    /// Adds what the row says.
    pub(super) fn read(&self, read: &mut ReadPriceCard, cards: &mut Cards) -> Read<()> {
        match self.text(column::KIND).to_lowercase().as_str() {
            "" | "offer" | "报价" => self.offer(read, cards),
            "storage" | "存储" => self.storage(read).map(|()| read.terms += 1),
            "egress" | "流量" => self.egress(read).map(|()| read.terms += 1),
            _ => Err(self.wrong(column::KIND, Wanted::Kind)),
        }
    }

    fn offer(&self, read: &mut ReadPriceCard, cards: &mut Cards) -> Read<()> {
        let card_raw = self.needed(column::CARD)?;
        let found = match cards.get(card_raw) {
            Some(found) => found.clone(),
            None => {
                let found = self.catalogue.find_card(card_raw);
                cards.insert(card_raw.to_owned(), found.clone());
                found
            }
        };
        let found = found.map_err(|error| PriceCardError::Card { line: self.line, error })?;
        if found.guessed_form || found.guessed_memory {
            let what =
                Phrase::new("price-card-guessed").with("text", card_raw).with("card", &found.card);
            read.notes.push(Noted { line: self.line, what });
        }
        let count = match self.maybe(column::COUNT, Wanted::Count)? {
            Some(0) => return Err(self.wrong(column::COUNT, Wanted::Count)),
            Some(count) => count,
            None => found.count.unwrap_or(1),
        };
        let (mode, per, per_card) = self.mode_and_per()?;
        let currency: Currency = self.currency()?;
        let mut amount = self.price(Wanted::Price)?;
        if per_card {
            let all = amount.checked_mul(Decimal::from(count));
            amount = all.ok_or_else(|| self.wrong(column::PRICE, Wanted::Price))?;
        }
        let provider = self.needed(column::PROVIDER)?.to_lowercase();
        let region = self.text(column::REGION).to_owned();
        let product = match self.text(column::PRODUCT) {
            "" if count == 1 => found.card.as_str().to_owned(),
            "" => format!("{}x{count}", found.card),
            product => product.to_owned(),
        };
        let tier = self.text(column::TIER).to_owned();
        let id = match self.text(column::ID) {
            "" => offer_id(&provider, &region, &product, &tier, mode),
            id => id.to_owned(),
        };
        let known = |text: &'a str| if text.is_empty() { card_raw } else { text };
        let slices = self.maybe(column::SLICES, Wanted::Count)?.unwrap_or(1);
        if slices == 0 {
            return Err(self.wrong(column::SLICES, Wanted::Count));
        }
        read.card.offers.push(Offer {
            id,
            provider,
            region,
            country: self.text(column::COUNTRY).to_uppercase(),
            product,
            card: found.card,
            card_raw: known(self.text(column::RAW)).to_owned(),
            count,
            slices,
            tier,
            host_included: self.yes_no(column::HOST)?,
            vcpus: self.maybe(column::VCPUS, Wanted::Count)?,
            memory: self.maybe(column::MEMORY, Wanted::Amount)?,
            disk: self.maybe(column::DISK, Wanted::Amount)?,
            interconnect: match self.text(column::INTERCONNECT).to_lowercase().as_str() {
                "" => Interconnect::Unknown,
                "nvlink" => Interconnect::NvLink,
                "pcie" => Interconnect::Pcie,
                _ => return Err(self.wrong(column::INTERCONNECT, Wanted::Interconnect)),
            },
            mode,
            price: Money::new(amount, currency),
            per,
            granularity: self.maybe(column::GRANULARITY, Wanted::Span)?,
            minimum: self.maybe(column::MINIMUM, Wanted::Span)?,
            stock: self.maybe(column::STOCK, Wanted::Count)?,
            source: self.source()?,
            notes: self.text(column::NOTES).to_owned(),
        });
        if let Some(rounding) = self.rounding()? {
            let terms = self.terms(read, currency)?;
            terms.metering.rounding = Some(rounding);
        }
        Ok(())
    }

    /// Reads the billing mode and what the price is for; either may tell the other.
    fn mode_and_per(&self) -> Read<(BillingMode, PricePer, bool)> {
        let per = self.text(column::PER).to_lowercase().replace([' ', '-', '/'], "_");
        let term = |mode| Some((Some(mode), PricePer::Term, false));
        let stated = match per.as_str() {
            "" => None,
            "hour" | "h" | "instance_hour" | "小时" | "时" | "元_小时" => {
                Some((None, PricePer::Hour, false))
            }
            "card_hour" | "gpu_hour" | "卡时" | "卡小时" => Some((None, PricePer::Hour, true)),
            "day" | "天" | "日" => term(BillingMode::Daily),
            "week" | "7_days" | "周" => term(BillingMode::Weekly),
            "month" | "30_days" | "月" => term(BillingMode::Monthly),
            "year" | "年" => term(BillingMode::Yearly),
            "term" | "套餐" => Some((None, PricePer::Term, false)),
            _ => return Err(self.wrong(column::PER, Wanted::Per)),
        };
        let mode = self.mode()?;
        let wrong = || self.wrong(column::PER, Wanted::PerOfMode);
        match (mode, stated) {
            (None, None) => Ok((BillingMode::OnDemand, PricePer::Hour, false)),
            (None, Some((None, PricePer::Term, _))) => Err(wrong()),
            (None, Some((mode, per, card))) => {
                Ok((mode.unwrap_or(BillingMode::OnDemand), per, card))
            }
            (Some(mode), None) => {
                let per = match mode {
                    BillingMode::OnDemand | BillingMode::Spot => PricePer::Hour,
                    _ => PricePer::Term,
                };
                Ok((mode, per, false))
            }
            (Some(mode), Some((of, PricePer::Term, card))) => {
                let fits = mode.is_commitment() && of.is_none_or(|of| of == mode);
                if fits { Ok((mode, PricePer::Term, card)) } else { Err(wrong()) }
            }
            (Some(mode), Some((_, PricePer::Hour, card))) => Ok((mode, PricePer::Hour, card)),
        }
    }

    /// Reads a billing mode by its word, in English or Chinese.
    fn mode(&self) -> Read<Option<BillingMode>> {
        Ok(Some(match self.text(column::MODE) {
            "按需" | "按量" | "按量付费" | "按小时" => BillingMode::OnDemand,
            "竞价" | "抢占" | "抢占式" => BillingMode::Spot,
            "包日" | "包天" | "日付" => BillingMode::Daily,
            "包周" | "周付" => BillingMode::Weekly,
            "包月" | "月付" | "包年包月" => BillingMode::Monthly,
            "包年" | "年付" => BillingMode::Yearly,
            _ => return self.maybe(column::MODE, Wanted::Mode),
        }))
    }

    fn storage(&self, read: &mut ReadPriceCard) -> Read<()> {
        let per = self.text(column::PER).to_lowercase().replace([' ', '-', '/', '·'], "_");
        let per = match per.as_str() {
            "" | "gb_month" | "gb_月" | "gb月" => StoragePer::Month,
            "gb_day" | "gb_天" | "gb_日" | "gb天" => StoragePer::Day,
            "gb_hour" | "gb_小时" | "gb小时" => StoragePer::Hour,
            _ => return Err(self.wrong(column::PER, Wanted::Per)),
        };
        let currency = self.currency()?;
        let name = match self.text(column::PRODUCT) {
            "" => "storage",
            product => product,
        };
        let kind = StorageKind {
            id: name.to_owned(),
            name: Names { en: name.to_owned(), zh: name.to_owned() },
            price: Some(Money::new(self.price(Wanted::PriceOrNothing)?, currency)),
            per,
            free: self.maybe(column::FREE, Wanted::Amount)?.unwrap_or_default(),
            binary: false,
            charged_when_stopped: self.yes_no(column::STOPPED)?,
            packages: None,
            note: self.text(column::NOTES).to_owned(),
        };
        self.terms(read, currency)?.storage.push(kind);
        Ok(())
    }

    fn egress(&self, read: &mut ReadPriceCard) -> Read<()> {
        let currency = self.currency()?;
        let up_to: Option<Bytes> = self.maybe(column::UP_TO, Wanted::Amount)?;
        let price = Money::new(self.price(Wanted::PriceOrNothing)?, currency);
        let free: Bytes = self.maybe(column::FREE, Wanted::Amount)?.unwrap_or_default();
        let wrong = self.wrong(column::UP_TO, Wanted::Amount);
        let tiers = &mut self.terms(read, currency)?.traffic.egress;
        if free > Bytes::ZERO && tiers.is_empty() {
            tiers.push(Tier { up_to: Some(free), price: Money::zero(currency) });
        }
        // Tiers rise; a row after the last one, or below the one before it, is a mistake.
        let rises = tiers.last().is_none_or(|last| match (last.up_to, up_to) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(last), Some(up_to)) => up_to > last,
        });
        if !rises {
            return Err(wrong);
        }
        tiers.push(Tier { up_to, price });
        Ok(())
    }

    /// Returns the terms of the row's provider, made when they are new.
    fn terms<'r>(&self, read: &'r mut ReadPriceCard, currency: Currency) -> Read<&'r mut Terms> {
        let provider = self.needed(column::PROVIDER)?.to_lowercase();
        let terms = &mut read.card.terms;
        let at = match terms.iter().position(|terms| terms.provider == provider) {
            Some(at) => at,
            None => {
                let mut new = Terms::unstated(&provider, currency);
                new.source = self.source()?;
                terms.push(new);
                terms.len() - 1
            }
        };
        terms.get_mut(at).ok_or(PriceCardError::Empty)
    }

    fn source(&self) -> Read<Source> {
        let grade = match self.text(column::GRADE) {
            "" | "A" => Grade::A,
            "B" => Grade::B,
            "C" => Grade::C,
            "D" => Grade::D,
            _ => return Err(self.wrong(column::GRADE, Wanted::Grade)),
        };
        let text = match self.text(column::SOURCE) {
            "" => self.name,
            text => text,
        };
        Ok(Source {
            text: text.to_owned(),
            date: self.maybe::<Date>(column::OBSERVED, Wanted::Date)?,
            licence: Some(self.text(column::LICENCE)).filter(|t| !t.is_empty()).map(str::to_owned),
            grade,
        })
    }

    fn rounding(&self) -> Read<Option<Rounding>> {
        Ok(Some(match self.text(column::ROUNDING).to_lowercase().as_str() {
            "" => return Ok(None),
            "exact" | "不取整" => Rounding::Exact,
            "half_up" | "四舍五入" => Rounding::HalfUp,
            "up" | "进位" => Rounding::Up,
            "down" | "抹零" => Rounding::Down,
            _ => return Err(self.wrong(column::ROUNDING, Wanted::Rounding)),
        }))
    }

    fn text(&self, column: usize) -> &'a str {
        self.columns.at(column).and_then(|at| self.record.get(at)).unwrap_or("").trim()
    }

    fn needed(&self, column: usize) -> Read<&'a str> {
        match self.text(column) {
            "" => Err(PriceCardError::MissingCell { line: self.line, column: name(column) }),
            text => Ok(text),
        }
    }

    fn maybe<T: FromStr>(&self, column: usize, wanted: Wanted) -> Read<Option<T>> {
        match self.text(column) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| self.wrong(column, wanted)),
        }
    }

    fn currency(&self) -> Read<Currency> {
        match self.needed(column::CURRENCY)? {
            "人民币" | "元" | "¥" | "￥" => Ok(Currency::CNY),
            "美元" | "$" => Ok(Currency::USD),
            "欧元" | "€" => Ok(Currency::EUR),
            text => text.parse().map_err(|_| self.wrong(column::CURRENCY, Wanted::Currency)),
        }
    }

    fn price(&self, wanted: Wanted) -> Read<Decimal> {
        let text = self.needed(column::PRICE)?;
        let amount: Decimal = text
            .trim_start_matches(['¥', '￥', '$'])
            .replace(',', "")
            .parse()
            .map_err(|_| self.wrong(column::PRICE, wanted))?;
        let enough = match wanted {
            Wanted::PriceOrNothing => !amount.is_sign_negative(),
            _ => !amount.is_sign_negative() && !amount.is_zero(),
        };
        if enough { Ok(amount) } else { Err(self.wrong(column::PRICE, wanted)) }
    }

    fn yes_no(&self, column: usize) -> Read<Option<bool>> {
        match self.text(column).to_lowercase().as_str() {
            "" => Ok(None),
            "yes" | "true" | "1" | "是" => Ok(Some(true)),
            "no" | "false" | "0" | "否" => Ok(Some(false)),
            _ => Err(self.wrong(column, Wanted::YesNo)),
        }
    }

    fn wrong(&self, column: usize, wanted: Wanted) -> PriceCardError {
        let text = self.text(column).to_owned();
        PriceCardError::Cell { line: self.line, column: name(column), text, wanted }
    }
}

fn name(at: usize) -> &'static str {
    column::COLUMNS.get(at).map_or("?", |column| column.name)
}
