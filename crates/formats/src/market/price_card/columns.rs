//! The columns of a price card, with the Chinese names that are accepted beside the English ones.

use super::PriceCardError;
use csv::StringRecord;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the file.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
}

/// Every column, in the order they are written; the constants below are its indices.
pub const COLUMNS: &[Column] = &[
    Column { name: "kind", aliases: &["类型", "种类"] },
    Column {
        name: "provider", aliases: &["平台", "供应商", "厂商", "云厂商", "服务商"]
    },
    Column { name: "card", aliases: &["卡", "显卡", "卡型", "型号", "显卡型号", "gpu"] },
    Column { name: "count", aliases: &["卡数", "数量", "gpus"] },
    Column { name: "mode", aliases: &["计费方式", "计费", "付费方式", "方式"] },
    Column { name: "price", aliases: &["价格", "单价"] },
    Column { name: "currency", aliases: &["币种", "货币", "币别"] },
    Column { name: "per", aliases: &["单位", "计价单位"] },
    Column { name: "granularity", aliases: &["计费粒度", "粒度"] },
    Column { name: "minimum", aliases: &["最低计费", "起步时长"] },
    Column { name: "rounding", aliases: &["取整"] },
    Column { name: "free", aliases: &["免费额度"] },
    Column { name: "up_to", aliases: &["至", "档位上限"] },
    Column { name: "charged_when_stopped", aliases: &["关机收费"] },
    Column { name: "vcpus", aliases: &["核数", "cpu"] },
    Column { name: "memory", aliases: &["内存"] },
    Column { name: "disk", aliases: &["硬盘", "磁盘"] },
    Column { name: "region", aliases: &["地区", "区域"] },
    Column { name: "country", aliases: &["国家"] },
    Column { name: "product", aliases: &["产品", "规格"] },
    Column { name: "tier", aliases: &["档次"] },
    Column { name: "slices", aliases: &["切分"] },
    Column { name: "interconnect", aliases: &["互联"] },
    Column { name: "host_included", aliases: &["含主机"] },
    Column { name: "observed", aliases: &["日期", "观察日期", "报价日期"] },
    Column { name: "source", aliases: &["来源"] },
    Column { name: "licence", aliases: &["许可"] },
    Column { name: "grade", aliases: &["可信度"] },
    Column { name: "notes", aliases: &["备注"] },
    Column { name: "card_raw", aliases: &["原始卡名"] },
    Column { name: "id", aliases: &["编号"] },
    Column { name: "stock", aliases: &["库存", "可租台数"] },
];

pub(super) const KIND: usize = 0;
pub(super) const PROVIDER: usize = 1;
pub(super) const CARD: usize = 2;
pub(super) const COUNT: usize = 3;
pub(super) const MODE: usize = 4;
pub(super) const PRICE: usize = 5;
pub(super) const CURRENCY: usize = 6;
pub(super) const PER: usize = 7;
pub(super) const GRANULARITY: usize = 8;
pub(super) const MINIMUM: usize = 9;
pub(super) const ROUNDING: usize = 10;
pub(super) const FREE: usize = 11;
pub(super) const UP_TO: usize = 12;
pub(super) const STOPPED: usize = 13;
pub(super) const VCPUS: usize = 14;
pub(super) const MEMORY: usize = 15;
pub(super) const DISK: usize = 16;
pub(super) const REGION: usize = 17;
pub(super) const COUNTRY: usize = 18;
pub(super) const PRODUCT: usize = 19;
pub(super) const TIER: usize = 20;
pub(super) const SLICES: usize = 21;
pub(super) const INTERCONNECT: usize = 22;
pub(super) const HOST: usize = 23;
pub(super) const OBSERVED: usize = 24;
pub(super) const SOURCE: usize = 25;
pub(super) const LICENCE: usize = 26;
pub(super) const GRADE: usize = 27;
pub(super) const NOTES: usize = 28;
pub(super) const RAW: usize = 29;
pub(super) const ID: usize = 30;
pub(super) const STOCK: usize = 31;

/// Where each column stands in a file.
#[derive(Debug)]
pub(super) struct Columns(Vec<Option<usize>>);

impl Columns {
    /// Reads a header.
    pub(super) fn new(header: &StringRecord) -> Result<Self, PriceCardError> {
        let mut found = vec![None; COLUMNS.len()];
        for (at, text) in header.iter().enumerate() {
            let text = text.trim();
            let same = |name: &str| name.eq_ignore_ascii_case(text);
            let known = COLUMNS
                .iter()
                .position(|column| same(column.name) || column.aliases.iter().any(|a| same(a)));
            let Some(known) = known else {
                if text.is_empty() {
                    continue;
                }
                return Err(unknown(text));
            };
            match found.get_mut(known) {
                Some(place @ None) => *place = Some(at),
                _ => {
                    let column = COLUMNS.get(known).map_or("?", |column| column.name);
                    return Err(PriceCardError::TwiceColumn { column });
                }
            }
        }
        let columns = Self(found);
        for needed in [PROVIDER, PRICE, CURRENCY] {
            if columns.at(needed).is_none() {
                let column = COLUMNS.get(needed).map_or("?", |column| column.name);
                return Err(PriceCardError::MissingColumn { column });
            }
        }
        Ok(columns)
    }

    /// Returns where a column stands.
    pub(super) fn at(&self, column: usize) -> Option<usize> {
        self.0.get(column).copied().flatten()
    }
}

fn unknown(text: &str) -> PriceCardError {
    let lower = text.to_lowercase();
    let nearest = COLUMNS
        .iter()
        .map(|column| (strsim::normalized_damerau_levenshtein(column.name, &lower), column.name))
        .filter(|(score, _)| *score > 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name);
    PriceCardError::UnknownColumn { column: text.to_owned(), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_stand_for_their_columns() {
        let at = |index: usize| COLUMNS.get(index).map(|column| column.name);
        assert_eq!(at(KIND), Some("kind"));
        assert_eq!(at(PROVIDER), Some("provider"));
        assert_eq!(at(CARD), Some("card"));
        assert_eq!(at(COUNT), Some("count"));
        assert_eq!(at(MODE), Some("mode"));
        assert_eq!(at(PRICE), Some("price"));
        assert_eq!(at(CURRENCY), Some("currency"));
        assert_eq!(at(PER), Some("per"));
        assert_eq!(at(GRANULARITY), Some("granularity"));
        assert_eq!(at(MINIMUM), Some("minimum"));
        assert_eq!(at(ROUNDING), Some("rounding"));
        assert_eq!(at(FREE), Some("free"));
        assert_eq!(at(UP_TO), Some("up_to"));
        assert_eq!(at(STOPPED), Some("charged_when_stopped"));
        assert_eq!(at(VCPUS), Some("vcpus"));
        assert_eq!(at(MEMORY), Some("memory"));
        assert_eq!(at(DISK), Some("disk"));
        assert_eq!(at(REGION), Some("region"));
        assert_eq!(at(COUNTRY), Some("country"));
        assert_eq!(at(PRODUCT), Some("product"));
        assert_eq!(at(TIER), Some("tier"));
        assert_eq!(at(SLICES), Some("slices"));
        assert_eq!(at(INTERCONNECT), Some("interconnect"));
        assert_eq!(at(HOST), Some("host_included"));
        assert_eq!(at(OBSERVED), Some("observed"));
        assert_eq!(at(SOURCE), Some("source"));
        assert_eq!(at(LICENCE), Some("licence"));
        assert_eq!(at(GRADE), Some("grade"));
        assert_eq!(at(NOTES), Some("notes"));
        assert_eq!(at(RAW), Some("card_raw"));
        assert_eq!(at(ID), Some("id"));
        assert_eq!(at(STOCK), Some("stock"));
        assert_eq!(COLUMNS.len(), 32);
    }
}
