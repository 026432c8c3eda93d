//! Values of a workload file, written in one line and read again.

use kasuan_formats::workload::{Node, Notation, Place, Value, parse};

/// Reads a cell as it would be read in a file; what is no YAML is text.
pub(super) fn scalar(text: &str, place: Place) -> Node {
    let mut node = parse(text, Notation::Yaml)
        .unwrap_or_else(|_| Node { place, value: Value::Text(text.to_owned()) });
    move_places(&mut node, &|_| place);
    node
}

/// Moves every place of a tree.
pub(super) fn move_places(node: &mut Node, to: &dyn Fn(Place) -> Place) {
    node.place = to(node.place);
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(|node| move_places(node, to)),
        Value::Fields(fields) => {
            for (_, place, node) in fields {
                *place = to(*place);
                move_places(node, to);
            }
        }
        _ => {}
    }
}

/// Writes a value for a field of its own, where text needs no quotes.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => written(other),
    }
}

/// Writes a list without its brackets.
pub(super) fn listed(value: &Value) -> String {
    match value {
        Value::List(list) => {
            list.iter().map(|node| plain(&node.value)).collect::<Vec<_>>().join(", ")
        }
        other => plain(other),
    }
}

/// Writes a section of a file, a list with a line for each item.
pub(super) fn section(name: &str, value: &Value) -> String {
    match value {
        Value::List(list) => {
            let mut text = format!("{name}:\n");
            for node in list {
                text.push_str(&format!("  - {}\n", written(&node.value)));
            }
            text
        }
        other => format!("{name}: {}\n", written(other)),
    }
}

/// Writes a value in YAML's one-line form.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Flag(flag) => flag.to_string(),
        Value::Number(number) => number.clone(),
        Value::Text(text) => quoted(text),
        Value::List(list) => {
            let items: Vec<_> = list.iter().map(|node| written(&node.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Fields(fields) => {
            let items: Vec<_> = fields
                .iter()
                .map(|(name, _, node)| format!("{}: {}", quoted(name), written(&node.value)))
                .collect();
            format!("{{{}}}", items.join(", "))
        }
    }
}

/// Writes a text without quotes where YAML reads it back as it is, also inside brackets.
fn quoted(text: &str) -> String {
    let harmless = |c: char| c.is_alphanumeric() || "-_./ @%+×（）".contains(c);
    let plain = text.chars().all(harmless)
        && matches!(parse(text, Notation::Yaml), Ok(Node { value: Value::Text(read), .. }) if read == text);
    if plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
