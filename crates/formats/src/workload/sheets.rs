//! The workload file as a workbook: a sheet of jobs, one of stored data, one of settings. It becomes
//! the same tree as a text, so that the same reader reads both.

use super::{
    error::{Place, Trouble, WorkloadError},
    fields::{FILE, JOB, STORAGE, Section},
    section::nearest,
    tree::{Node, Value},
};
use crate::market::workbook::{self, Cells};
use kasuan_model::Phrase;

/// Added to the rows of each sheet, to tell the sheets of a place apart.
const SHEET: usize = 10_000_000;

/// Fields that hold several values, separated in one cell.
const SEVERAL: &[&str] =
    &["card", "modes", "weekdays", "targets", "regions", "providers", "exclude_providers"];

/// What people call the columns, by field; a field inside a field is written with a dot.
pub const HEADINGS: &[(&str, &[&str])] = &[
    ("name", &["任务", "任务名", "名称", "job"]),
    ("task", &["类型", "任务类型", "type"]),
    ("model", &["模型", "型号"]),
    ("runs", &["次数", "运行次数"]),
    ("hours", &["每次小时", "小时", "时长"]),
    ("hours_measured_on", &["在什么卡上量的", "测量用卡"]),
    ("data.tokens", &["训练 token 数", "token 数"]),
    ("data.epochs", &["轮数", "epochs"]),
    ("requests", &["生成条数", "请求数"]),
    ("daily", &["每天时段", "时段"]),
    ("weekdays", &["星期", "哪几天"]),
    ("days", &["日期", "几号到几号"]),
    ("concurrency", &["并发", "并发数"]),
    ("rate", &["每秒请求"]),
    ("context", &["上下文", "上下文长度"]),
    ("latency.ttft", &["首字延迟"]),
    ("latency.tpot", &["每字延迟"]),
    ("memory", &["每卡显存", "显存"]),
    ("card", &["卡型", "显卡", "gpu"]),
    ("cards", &["卡数", "几张卡"]),
    ("replicas", &["副本", "副本数"]),
    ("weights", &["权重格式", "量化"]),
    ("interruptible", &["可中断"]),
    ("modes", &["计费方式"]),
    ("start", &["最早开始"]),
    ("deadline", &["最晚完成", "截止"]),
    ("may_wait", &["可以等", "可等"]),
    ("after", &["在哪个任务之后"]),
    ("priority", &["优先级"]),
    ("size", &["大小", "容量"]),
    ("price", &["单价", "价格"]),
];

/// A workload read from a workbook.
#[derive(Clone, Debug)]
pub struct Sheets {
    root: Node,
    wrong: Option<WorkloadError>,
    names: Vec<String>,
}

impl Sheets {
    /// Returns the tree of the whole file, or what is wrong with a sheet.
    pub fn tree(&self) -> Result<Node, WorkloadError> {
        self.wrong.clone().map_or_else(|| Ok(self.root.clone()), Err)
    }

    /// Returns the sheet and the cell that a place of the tree stands for: `("任务", "C5")`.
    pub fn cell(&self, place: Place) -> Option<(&str, String)> {
        let sheet = self.names.get(place.line / SHEET)?;
        let column = letters(place.column.checked_sub(1)?);
        Some((sheet, format!("{column}{}", place.line % SHEET)))
    }
}

/// Reads a workbook.
pub fn read(bytes: &[u8]) -> Result<Sheets, WorkloadError> {
    let broken = |_| Trouble::new(Phrase::new("workload-sheet-broken"));
    let sheets = workbook::sheets(bytes).map_err(broken)?;
    let root = Node { place: Place { line: 1, column: 1 }, value: Value::Fields(Vec::new()) };
    let names = sheets.iter().map(|(name, _)| name.clone()).collect();
    let mut read = Sheets { root, wrong: None, names };
    for (at, (_, cells)) in sheets.iter().enumerate() {
        let sheet = Sheet { at, cells };
        let tables: [(_, &Section, [&str; 2]); 2] =
            [("jobs", &JOB, ["name", "task"]), ("storage", &STORAGE, ["name", "size"])];
        let found = tables.iter().find_map(|(name, section, wanted)| {
            Some((*name, *section, sheet.header(section, wanted)?))
        });
        let Some((name, section, header)) = found else {
            sheet.settings(&mut read);
            continue;
        };
        match sheet.rows(section, header) {
            Ok(rows) => read.add(name, sheet.place(header, 0), Value::List(rows)),
            Err(error) => {
                read.wrong.get_or_insert(error);
            }
        }
    }
    if read.wrong.is_some() {
        return Ok(read);
    }
    let Value::Fields(fields) = &read.root.value else { return Ok(read) };
    if fields.iter().any(|(name, _, _)| name == "jobs") {
        return Ok(read);
    }
    Err(Trouble::new(Phrase::new("workload-sheet-no-jobs"))
        .hint(Phrase::new("workload-hint-sheet"))
        .into())
}

impl Sheets {
    /// Puts a value in; rows of two sheets of a kind are one list.
    fn add(&mut self, name: &str, place: Place, value: Value) {
        let Value::Fields(fields) = &mut self.root.value else { return };
        let known = fields.iter_mut().find(|(known, _, _)| known == name);
        match (known, value) {
            (Some((_, _, Node { value: Value::List(rows), .. })), Value::List(more)) => {
                rows.extend(more);
            }
            (Some(_), _) => {}
            (None, value) => fields.push((name.to_owned(), place, Node { place, value })),
        }
    }
}

struct Sheet<'a> {
    at: usize,
    cells: &'a Cells,
}

impl Sheet<'_> {
    fn place(&self, row: u32, column: u32) -> Place {
        Place { line: self.at * SHEET + row as usize + 1, column: column as usize + 1 }
    }

    /// Returns the first row that names these fields.
    fn header(&self, section: &Section, wanted: &[&str]) -> Option<u32> {
        let names = |row: u32| -> Vec<&str> {
            let row = self.cells.get(&row).into_iter().flat_map(|row| row.values());
            row.filter_map(|text| field(text, section)).collect()
        };
        let all = |row: &u32| {
            let names = names(*row);
            wanted.iter().all(|name| names.contains(name))
        };
        self.cells.keys().copied().find(all)
    }

    /// Reads the rows below a header, each as the fields of a section.
    fn rows(&self, section: &Section, header: u32) -> Result<Vec<Node>, WorkloadError> {
        let mut columns = Vec::new();
        for (column, text) in &self.cells[&header] {
            let Some(name) = field(text, section) else {
                let phrase = Phrase::new("workload-sheet-column").with("heading", text);
                let mut trouble = Trouble::new(phrase);
                let known = section.fields.iter().map(|field| field.name);
                if let Some(near) = nearest(text, known) {
                    let hint = Phrase::new("hint-did-you-mean").with("suggestion", near);
                    trouble = trouble.hint(hint);
                }
                return Err(trouble.at(self.place(header, *column)));
            };
            columns.push((*column, name));
        }
        let below = self.cells.range(header + 1..);
        let rows = below.map(|(row, cells)| {
            let mut node = Node { place: self.place(*row, 0), value: Value::Fields(Vec::new()) };
            for (column, name) in &columns {
                if let Some(text) = cells.get(column) {
                    put(&mut node, name, self.place(*row, *column), text);
                }
            }
            node
        });
        let filled =
            |node: &Node| matches!(&node.value, Value::Fields(fields) if !fields.is_empty());
        Ok(rows.filter(filled).collect())
    }

    /// Reads a sheet of two columns: the setting (`policy.margin`) and its value. Rows that name no
    /// setting are remarks.
    fn settings(&self, read: &mut Sheets) {
        for (row, cells) in self.cells {
            let Some((column, name)) = cells.first_key_value() else { continue };
            let column = column + 1;
            let Some(value) = cells.get(&column) else { continue };
            let first = name.trim().split('.').next().unwrap_or_default();
            if FILE.fields.iter().any(|field| field.name == first) && first != "jobs" {
                put(&mut read.root, name.trim(), self.place(*row, column), value);
            }
        }
    }
}

/// Puts a cell into the field that its heading names.
fn put(node: &mut Node, name: &str, place: Place, text: &str) {
    let Value::Fields(fields) = &mut node.value else { return };
    if let Some((outer, inner)) = name.split_once('.') {
        if !fields.iter().any(|(known, _, _)| known == outer) {
            let inside = Node { place, value: Value::Fields(Vec::new()) };
            fields.push((outer.to_owned(), place, inside));
        }
        if let Some((_, _, inside)) = fields.iter_mut().find(|(known, _, _)| known == outer) {
            put(inside, inner, place, text);
        }
        return;
    }
    fields.push((name.to_owned(), place, Node { place, value: value(name, place, text) }));
}

fn value(name: &str, place: Place, text: &str) -> Value {
    if SEVERAL.contains(&name) {
        let parts = text.split([',', '，', '、', ';', '；']).map(str::trim);
        let nodes = parts
            .filter(|part| !part.is_empty())
            .map(|part| Node { place, value: Value::Text(part.to_owned()) });
        return Value::List(nodes.collect());
    }
    // Spreadsheets make a day of a month.
    let day = |text: &str| text.parse::<jiff::civil::Date>().ok();
    if let ("month", Some(day)) = (name, day(text)) {
        return Value::Text(day.strftime("%Y-%m").to_string());
    }
    match text.to_lowercase().as_str() {
        "是" | "true" | "yes" => Value::Flag(true),
        "否" | "false" | "no" => Value::Flag(false),
        _ => Value::Text(text.to_owned()),
    }
}

/// Returns the field that a heading stands for.
fn field(heading: &str, section: &Section) -> Option<&'static str> {
    let heading = heading.trim();
    let known = |name: &str| {
        let first = name.split('.').next().unwrap_or(name);
        section.fields.iter().any(|field| field.name == first)
    };
    let of_section = section
        .fields
        .iter()
        .map(|field| field.name)
        .find(|name| name.eq_ignore_ascii_case(heading));
    of_section.or_else(|| {
        let (name, _) = HEADINGS.iter().find(|(name, others)| {
            let same = |other: &&str| other.eq_ignore_ascii_case(heading);
            known(name) && (name.eq_ignore_ascii_case(heading) || others.iter().any(same))
        })?;
        Some(*name)
    })
}

/// Writes a column, counted from 0, as spreadsheets do.
fn letters(mut column: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + u8::try_from(column % 26).unwrap_or(0)));
        column /= 26;
        if column == 0 {
            break;
        }
        column -= 1;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_written_as_spreadsheets_write_them() {
        let written: Vec<_> = [0, 25, 26, 51, 52, 701, 702].map(letters).to_vec();
        assert_eq!(written, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn every_heading_names_a_field_that_exists() {
        for (name, _) in HEADINGS {
            let known = field(name, &JOB).or_else(|| field(name, &STORAGE));
            assert_eq!(known, Some(*name));
        }
    }
}
