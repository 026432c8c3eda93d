//! What agents see this moment: asked when somebody looks, and not more often than it changes.

use jiff::Timestamp;
use kasuan_model::{Currency, Money};
use kasuan_probe::capture::{self, GpuSample};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    io::{Read as _, Write as _},
    net::{TcpStream, ToSocketAddrs as _},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Mutex;

/// How often agents are asked, however many look.
pub(crate) const EVERY: Duration = Duration::from_secs(2);
/// What one agent may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// No page of an agent is larger.
const LARGEST: u64 = 1 << 20;

/// What agents saw.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Live {
    /// When they were asked, UTC.
    pub(crate) at: String,
    /// The agents, in the order in which the server was told of them.
    pub(crate) agents: Vec<Seen>,
}

/// What one agent saw.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seen {
    /// Where it listens.
    pub(crate) agent: String,
    /// Whether it answered.
    pub(crate) reachable: bool,
    /// The currency of its amounts, where it was told a price.
    pub(crate) currency: Option<String>,
    /// What the machine costs an hour.
    pub(crate) price_per_hour: Option<String>,
    /// What it has cost since the agent started.
    pub(crate) cost: Option<String>,
    /// The part of it in which no card was busy.
    pub(crate) idle_cost: Option<String>,
    /// Its cards.
    pub(crate) cards: Vec<Card>,
}

/// What an agent saw of a card; `null` is unknown, never nothing.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    /// Its number on the machine.
    pub(crate) gpu: Option<u32>,
    /// Its name.
    pub(crate) name: Option<String>,
    /// Whether the driver has lost it.
    pub(crate) lost: bool,
    /// Share of time in which any kernel ran, 0 to 100.
    pub(crate) busy_percent: Option<f64>,
    /// Memory in use.
    pub(crate) memory_used_bytes: Option<u64>,
    /// Memory in all.
    pub(crate) memory_total_bytes: Option<u64>,
    /// Power.
    pub(crate) watts: Option<f64>,
    /// Temperature of the chip.
    pub(crate) celsius: Option<f64>,
    /// Its share of the machine's price.
    pub(crate) price_per_hour: Option<String>,
}

/// Asks agents, and remembers for a moment what they said.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    last: Mutex<Option<(Instant, Arc<Live>)>>,
}

impl Hub {
    /// Returns what agents see now.
    pub(crate) async fn look(&self, agents: &[String]) -> Arc<Live> {
        let mut last = self.last.lock().await;
        if let Some((at, live)) = last.as_ref()
            && at.elapsed() < EVERY
        {
            return Arc::clone(live);
        }
        let asked = agents.to_vec();
        let seen = tokio::task::spawn_blocking(move || {
            std::thread::scope(|scope| {
                let asking: Vec<_> =
                    asked.iter().map(|agent| scope.spawn(|| look_at(agent))).collect();
                asking.into_iter().filter_map(|asked| asked.join().ok()).collect()
            })
        });
        let agents: Vec<Seen> = seen.await.unwrap_or_default();
        let live = Arc::new(Live { at: Timestamp::now().to_string(), agents });
        *last = Some((Instant::now(), Arc::clone(&live)));
        live
    }
}

fn look_at(agent: &str) -> Seen {
    let nobody = Seen { agent: agent.to_owned(), ..Seen::default() };
    fetch(agent).and_then(|page| read(agent, &page)).unwrap_or(nobody)
}

/// Fetches an agent's page; nothing when it does not answer in time.
fn fetch(agent: &str) -> Option<String> {
    let address = agent.to_socket_addrs().ok()?.next()?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let head = format!("GET /metrics HTTP/1.1\r\nHost: {agent}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.take(LARGEST).read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.starts_with("HTTP/1.1 200").then(|| body.to_owned())
}

/// Reads an agent's page.
fn read(agent: &str, page: &str) -> Option<Seen> {
    let snapshot = capture::read(page, None).ok()?.snapshots.into_iter().next()?;
    let money = |name: &str| {
        let line = page.lines().find_map(|line| line.strip_prefix(name))?;
        let (currency, amount) = line.strip_prefix("{currency=\"")?.split_once("\"} ")?;
        let amount = Decimal::from_scientific(amount).or_else(|_| amount.parse()).ok()?;
        Some(Money::new(amount, currency.parse::<Currency>().ok()?))
    };
    let hourly = money("kasuan_price_per_hour");
    let whole = snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none()).count();
    let each = hourly.and_then(|hourly| hourly.over(Decimal::from(whole)).ok());
    let plain = |money: Money| money.amount().round_dp(6).normalize().to_string();
    Some(Seen {
        agent: agent.to_owned(),
        reachable: true,
        currency: hourly.map(|hourly| hourly.currency().code().to_owned()),
        price_per_hour: hourly.map(plain),
        cost: money("kasuan_cost_total").map(plain),
        idle_cost: money("kasuan_idle_cost_total").map(plain),
        cards: snapshot
            .gpus
            .iter()
            .map(|gpu| Card {
                gpu: gpu.index,
                name: gpu.name.clone(),
                lost: gpu.lost || is_lost(page, gpu),
                busy_percent: gpu.busy,
                memory_used_bytes: gpu.memory_used.map(kasuan_model::Bytes::get),
                memory_total_bytes: gpu.memory_total.map(kasuan_model::Bytes::get),
                watts: gpu.power_watts,
                celsius: gpu.celsius,
                price_per_hour: each.filter(|_| gpu.slice.is_none()).map(plain),
            })
            .collect(),
    })
}

/// Says whether the agent's page calls a card lost.
fn is_lost(page: &str, gpu: &GpuSample) -> bool {
    let Some(index) = gpu.index else { return false };
    let named = format!("kasuan_gpu_lost{{gpu=\"{index}\"");
    page.lines().any(|line| line.starts_with(&named) && line.ends_with("} 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_page_becomes_cards_with_their_share_of_the_price() {
        let page = "# TYPE kasuan_up gauge\nkasuan_up 1\n\
            kasuan_gpu_busy_ratio{gpu=\"0\",uuid=\"GPU-a\",name=\"NVIDIA A100\"} 0.5\n\
            kasuan_gpu_busy_ratio{gpu=\"1\",uuid=\"GPU-b\",name=\"NVIDIA A100\"} 0\n\
            kasuan_gpu_memory_used_bytes{gpu=\"0\",uuid=\"GPU-a\",name=\"NVIDIA A100\"} 1073741824\n\
            kasuan_gpu_lost{gpu=\"0\",uuid=\"GPU-a\",name=\"NVIDIA A100\"} 0\n\
            kasuan_gpu_lost{gpu=\"1\",uuid=\"GPU-b\",name=\"NVIDIA A100\"} 1\n\
            kasuan_price_per_hour{currency=\"CNY\"} 12.5\n\
            kasuan_cost_total{currency=\"CNY\"} 0.34722222\n";
        let seen = read("box:9470", page).unwrap();
        assert_eq!(seen.price_per_hour.as_deref(), Some("12.5"));
        assert_eq!(seen.cost.as_deref(), Some("0.347222"));
        assert_eq!(seen.idle_cost, None);
        assert_eq!(seen.cards.len(), 2);
        assert_eq!(seen.cards[0].busy_percent, Some(50.0));
        assert_eq!(seen.cards[0].memory_used_bytes, Some(1 << 30));
        assert_eq!(seen.cards[0].price_per_hour.as_deref(), Some("6.25"));
        assert_eq!(seen.cards[1].memory_used_bytes, None, "unknown is not nothing");
        assert!(!seen.cards[0].lost && seen.cards[1].lost);
    }

    #[test]
    fn an_agent_that_is_not_there_is_said_to_be_unreachable() {
        let seen = look_at("127.0.0.1:1");
        assert!(!seen.reachable && seen.cards.is_empty());
    }
}
