//! Listens, by a thread of its own, for the provider's word that it takes the machine back.

use crate::{context::Context, error::CommandError, transfer::Curl};
use kasuan_model::{Phrase, Phrased as _};
use kasuan_probe::run::notice::{Answer, Asked, Notices};
use std::{io, sync::mpsc, time::Duration};

/// Providers tell from 30 seconds (Google Cloud, Azure) to 5 minutes ahead (Alibaba Cloud).
const ASK_EVERY: Duration = Duration::from_secs(5);
/// The longest that one question may take; the address lies on the machine's own network.
const SECONDS: u32 = 3;

/// What was heard.
#[derive(Debug)]
pub(super) enum Heard {
    /// The machine is taken back, at the time where it was told.
    TakenBack(Option<jiff::Timestamp>),
    /// The question was not answered, or not understood.
    Trouble(Phrase),
}

/// Asks again and again.
#[derive(Debug)]
pub(super) struct Listener(mpsc::Receiver<Heard>);

impl Listener {
    /// Starts to listen. A place that cannot be meant, or a machine that lacks what it takes, is
    /// told at once; a provider that does not answer is told and asked again.
    pub(super) fn start(place: &str, context: &Context) -> Result<Self, CommandError> {
        let mut notices = Notices::read(place)?;
        let http = Curl { seconds: Some(SECONDS) };
        let (sender, receiver) = mpsc::channel();
        let first = notices.ask(&http);
        if let Err(Asked::Network(error)) = &first
            && error.kind() == io::ErrorKind::NotFound
        {
            return Err(CommandError::user(Phrase::new("notice-error-curl")));
        }
        if let Err(trouble) = &first {
            let reason = context.say(&trouble.phrase());
            context.warn(&Phrase::new("run-notice-deaf").with("reason", reason));
        }
        std::thread::spawn(move || {
            let mut answer = first;
            loop {
                let heard = match answer {
                    Ok(Answer::Stays) => None,
                    Ok(Answer::TakenBack(at)) => Some(Heard::TakenBack(at)),
                    Err(trouble) => Some(Heard::Trouble(trouble.phrase())),
                };
                if heard.is_some_and(|heard| sender.send(heard).is_err()) {
                    break;
                }
                std::thread::sleep(ASK_EVERY);
                answer = notices.ask(&http);
            }
        });
        Ok(Self(receiver))
    }

    /// Returns what was heard since the last look.
    pub(super) fn heard(&self) -> Vec<Heard> {
        self.0.try_iter().collect()
    }
}
