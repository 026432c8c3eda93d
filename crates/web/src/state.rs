//! What every request may use.

use crate::{
    access::Access,
    guard::Limiter,
    kept::Kept,
    live::Hub,
    measured::Measured,
    pages::plan::Answer,
    planning::{MOST_PLANS, Made},
    problem::Problem,
    settings::Settings,
};
use jiff::civil::Date;
use kasuan_market::{Catalogue, History};
use kasuan_probe::doctor::Tables;
use kasuan_report::{Language, Words};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// Requests that may wait for a processor; a longer queue only makes everybody wait in vain.
const LONGEST_QUEUE: usize = 512;

/// Readers that listen at once for what agents see.
const MOST_LISTENERS: usize = 64;

/// What every request may use.
#[derive(Clone, Debug)]
pub struct AppState(pub(crate) Arc<Shared>);

/// The one copy of it.
#[derive(Debug)]
pub(crate) struct Shared {
    /// What the server was told.
    pub(crate) settings: Settings,
    /// Prices as they were.
    pub(crate) history: History,
    /// What goes with what.
    pub(crate) tables: Tables,
    /// Who may come in.
    pub(crate) access: Access,
    /// Who asks too often.
    pub(crate) limiter: Limiter,
    /// Hours that cards were used, as the ledger has them.
    pub(crate) measured: Measured,
    /// What agents saw a moment ago.
    pub(crate) hub: Hub,
    /// Places of those who listen to it.
    pub(crate) listeners: Arc<Semaphore>,
    /// Whether the server is about to end.
    pub(crate) ending: watch::Sender<bool>,
    /// Plans that were made a moment ago.
    pub(crate) plans: Kept<Made>,
    /// What pages and programs were told of them.
    pub(crate) told: Kept<Arc<Answer>>,
    /// The same as JSON.
    pub(crate) written: Kept<Result<Arc<str>, Problem>>,
    /// Processors that are free.
    pub(crate) processors: Semaphore,
    /// Places in the queue for them.
    pub(crate) queue: Semaphore,
    chinese: Words,
    english: Words,
}

impl AppState {
    /// Prepares what every request may use.
    ///
    /// # Errors
    /// Says what of the shipped data or of the system cannot be used.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let history = Catalogue::shipped_history().map_err(|error| error.to_string())?;
        let tables = Tables::embedded().map_err(|error| error.to_string())?;
        let access = Access::new(settings.token.as_deref()).map_err(|error| error.to_string())?;
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self(Arc::new(Shared {
            history,
            tables,
            access,
            limiter: Limiter::new(settings.rate),
            measured: Measured::default(),
            hub: Hub::default(),
            listeners: Arc::new(Semaphore::new(MOST_LISTENERS)),
            ending: watch::Sender::new(false),
            plans: Kept::new(MOST_PLANS),
            told: Kept::new(MOST_PLANS),
            written: Kept::new(MOST_PLANS),
            processors: Semaphore::new(processors),
            queue: Semaphore::new(LONGEST_QUEUE),
            chinese: Words::new(Language::Chinese),
            english: Words::new(Language::English),
            settings,
        })))
    }

    /// Returns the words of a language.
    pub(crate) fn words(&self, language: Language) -> &Words {
        match language {
            Language::Chinese => &self.0.chinese,
            Language::English => &self.0.english,
        }
    }

    /// Returns the day that counts as today.
    pub(crate) fn today(&self) -> Date {
        self.0.settings.today.unwrap_or_else(|| jiff::ZonedDateTime::now().date())
    }

    /// Returns cards, offers and terms.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.0.settings.catalogue
    }

    /// Does work that takes a processor, away from the threads that serve; at most as much at once
    /// as there are processors. `None` when too many wait already.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        task: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Option<T> {
        let _place = self.0.queue.try_acquire().ok()?;
        let _processor = self.0.processors.acquire().await.ok()?;
        let state = self.clone();
        // A task that panics is answered like a full queue: the server itself lives on.
        tokio::task::spawn_blocking(move || task(&state)).await.ok()
    }
}
