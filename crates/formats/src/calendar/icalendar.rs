//! iCalendar (RFC 5545): one event for each run, which calendars import and show.

use super::{Agenda, Say};
use jiff::civil::DateTime;
use kasuan_model::{BillingMode, Phrase};

/// The most bytes of a line before it has to be folded (RFC 5545, section 3.1).
const LONGEST_LINE: usize = 75;

/// Writes the runs of a plan as an iCalendar file.
///
/// The identity of an event is its job, run and part, so that a later plan of the same month moves
/// events instead of adding others.
pub fn icalendar(agenda: &Agenda<'_>, say: Say<'_>) -> String {
    let mut file = File(String::new());
    file.line("BEGIN:VCALENDAR");
    file.line("VERSION:2.0");
    file.line("PRODID:-//kasuan//plan//EN");
    file.line("CALSCALE:GREGORIAN");
    let month = agenda.workload.month;
    let title = Phrase::new("calendar-title")
        .with("year", month.year().to_string())
        .with("month", month.month());
    file.text("X-WR-CALNAME", &say(&title));
    let made = agenda.made.strftime("%Y%m%dT000000Z").to_string();
    for (part, entry) in agenda.parts() {
        let month = month.strftime("%Y%m");
        file.line("BEGIN:VEVENT");
        file.text("UID", &format!("{month}-{}-{part}-{}@kasuan", entry.run, entry.job));
        file.line(&format!("DTSTAMP:{made}"));
        file.line(&format!("DTSTART:{}", moment(agenda, entry.start)));
        file.line(&format!("DTEND:{}", moment(agenda, entry.end)));
        file.text("SUMMARY", &entry.job);
        let what = Phrase::new("calendar-entry")
            .with("cards", entry.cards)
            .with("card", entry.card.as_str())
            .with("mode", say(&mode_word(entry.mode)))
            .with("run", entry.run);
        file.text("DESCRIPTION", &say(&what));
        file.line(&format!("CATEGORIES:{}", entry.mode.word()));
        // A job takes a card's time, not a person's.
        file.line("TRANSP:TRANSPARENT");
        file.line("END:VEVENT");
    }
    file.line("END:VCALENDAR");
    file.0
}

/// Returns the word for a billing mode.
fn mode_word(mode: BillingMode) -> Phrase {
    match mode {
        BillingMode::OnDemand => Phrase::new("mode-on_demand"),
        BillingMode::Spot => Phrase::new("mode-spot"),
        BillingMode::Daily => Phrase::new("mode-daily"),
        BillingMode::Weekly => Phrase::new("mode-weekly"),
        BillingMode::Monthly => Phrase::new("mode-monthly"),
        BillingMode::Yearly => Phrase::new("mode-yearly"),
        BillingMode::Reserved { months } => Phrase::new("mode-reserved").with("months", months),
    }
}

fn moment(agenda: &Agenda<'_>, moment: DateTime) -> String {
    let utc = if agenda.zone.is_some() { "Z" } else { "" };
    format!("{}{utc}", agenda.written(moment).strftime("%Y%m%dT%H%M%S"))
}

/// Lines that end with CR LF and are folded.
struct File(String);

impl File {
    fn line(&mut self, line: &str) {
        let mut room = LONGEST_LINE;
        for sign in line.chars() {
            if sign.len_utf8() > room {
                self.0.push_str("\r\n ");
                // The space counts.
                room = LONGEST_LINE - 1;
            }
            room -= sign.len_utf8();
            self.0.push(sign);
        }
        self.0.push_str("\r\n");
    }

    fn text(&mut self, name: &str, value: &str) {
        self.line(&format!("{name}:{}", escaped(value)));
    }
}

/// Escapes a text value (RFC 5545, section 3.3.11).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\\' | ';' | ',' => {
                escaped.push('\\');
                escaped.push(sign);
            }
            '\n' => escaped.push_str("\\n"),
            sign if sign.is_control() => {}
            sign => escaped.push(sign),
        }
    }
    escaped
}
