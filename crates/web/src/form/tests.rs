//! What is typed and what is uploaded become the same tree as a file.

use super::*;

const TEAM: &str = include_str!("../../../../examples/qa-team.yaml");

/// Takes the places out of a tree.
fn bare(mut node: Node) -> Node {
    flow::move_places(&mut node, &|_| Place { line: 0, column: 0 });
    sort(&mut node);
    node
}

fn sort(node: &mut Node) {
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(sort),
        Value::Fields(fields) => {
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            fields.iter_mut().for_each(|(_, _, node)| sort(node));
        }
        _ => {}
    }
}

#[test]
fn every_example_reads_the_same_through_the_form_as_from_its_file() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let form = Form::from_text(&text, Notation::Yaml).unwrap();
            let again = Form::decode(&form.encoded()).unwrap();
            assert_eq!(again, form, "{}", path.display());
            let file = bare(parse(&text, Notation::Yaml).unwrap());
            assert_eq!(bare(form.tree().unwrap()), file, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 3);
}

#[test]
fn a_mistake_is_found_in_its_row_and_column_or_in_its_line_below() {
    let mut form = Form::from_text(TEAM, Notation::Yaml).unwrap();
    form.rows[1][9] = "latency: {ttft".to_owned();
    let problem = form.tree().unwrap_err();
    assert_eq!(form.spot(problem.place), Spot::Row(2, Some("more")));
    form.rows[1][9].clear();
    form.rest = "storage:\n  - {size: [}\n".to_owned();
    let problem = form.tree().unwrap_err();
    assert_eq!(form.spot(problem.place), Spot::Rest(2));
}

#[test]
fn rows_from_a_spreadsheet_are_read_in_order_or_under_their_headings() {
    let mut form = Form { pasted: "a\tbatch\t\t2/week\n\nb\tlora".to_owned(), ..Form::default() };
    form.paste(&named).unwrap();
    assert_eq!((form.rows.len(), form.rows[0][3].as_str()), (2, "2/week"));
    form.pasted = "Task\tname\tnonsense\nqlora\tc\tx".to_owned();
    form.paste(&named).unwrap();
    assert_eq!((form.rows[2][0].as_str(), form.rows[2][1].as_str()), ("c", "qlora"));
}

#[test]
fn no_more_rows_are_taken_than_a_page_can_show() {
    let pairs = (0..=MOST_ROWS).map(|at| ("job-name".to_owned(), at.to_string()));
    assert!(Form::from_pairs(pairs).is_err());
}

/// Headings as in a workload file.
fn named(text: &str) -> Option<usize> {
    COLUMNS.iter().position(|column| text.eq_ignore_ascii_case(column))
}

#[test]
fn a_sheet_may_have_a_title_above_its_headings_and_empty_rows() {
    let rows = [&["our jobs", ""][..], &["hours", "name"], &["", ""], &["8", "tuning"]];
    let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect());
    let mut form = Form::default();
    form.add_rows(rows.collect(), &named).unwrap();
    assert_eq!(form.rows.len(), 1);
    assert_eq!((form.rows[0][0].as_str(), form.rows[0][4].as_str()), ("tuning", "8"));
    let many = vec![vec!["a".to_owned()]; MOST_ROWS + 1];
    assert!(form.add_rows(many, &named).is_err());
}
