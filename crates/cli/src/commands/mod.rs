//! Every command, one file each. To add one: see CONTRIBUTING.md, "Add a command".

mod advise;
mod agent;
mod alerts;
mod baseline;
mod bill;
mod budget;
mod capacity;
mod checks;
mod completions;
mod doctor;
mod export;
mod fit;
mod focus;
mod import;
mod init;
mod ledger_writer;
mod man;
mod market;
mod mcp;
mod offers;
mod on_box;
mod plan;
mod review;
mod run;
mod serve;
mod storage;
mod verify;
mod watch;

use crate::{
    context::Context,
    error::{CommandError, Exit},
};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Advise(advise::Advise),
    Bill(bill::Bill),
    Capacity(capacity::Capacity),
    Completions(completions::Completions),
    Doctor(doctor::Doctor),
    Plan(plan::Plan),
    Fit(fit::Fit),
    Agent(agent::Agent),
    Baseline(baseline::Baseline),
    Budget(budget::Budget),
    Export(export::Export),
    Focus(focus::Focus),
    Alerts(alerts::Alerts),
    Import(import::Import),
    Review(review::Review),
    Init(init::Init),
    Man(man::Man),
    Market(market::Market),
    Mcp(mcp::Mcp),
    Offers(offers::Offers),
    Run(run::Run),
    Serve(serve::Serve),
    Storage(storage::Storage),
    Verify(verify::Verify),
    Watch(watch::Watch),
}

pub(crate) use plan::Loaded;

/// Runs a command.
pub(crate) fn run(command: &Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Advise(arguments) => advise::run(arguments, context),
        Command::Watch(arguments) => watch::run(arguments, context),
        Command::Run(arguments) => run::run(arguments, context),
        Command::Verify(arguments) => verify::run(arguments, context),
        Command::Baseline(arguments) => baseline::run(arguments, context),
        Command::Agent(arguments) => agent::run(arguments, context),
        Command::Capacity(arguments) => capacity::run(arguments, context),
        Command::Completions(arguments) => completions::run(arguments, context),
        Command::Man(arguments) => man::run(arguments, context),
        Command::Mcp(arguments) => mcp::run(arguments, context),
        Command::Bill(arguments) => bill::run(arguments, context),
        Command::Doctor(arguments) => doctor::run(arguments, context),
        Command::Plan(arguments) => plan::run(arguments, context),
        Command::Fit(arguments) => fit::run(arguments, context),
        Command::Budget(arguments) => budget::run(arguments, context),
        Command::Review(arguments) => review::run(arguments, context),
        Command::Export(arguments) => export::run(arguments, context),
        Command::Focus(arguments) => focus::run(arguments, context),
        Command::Storage(arguments) => storage::run(arguments, context),
        Command::Alerts(arguments) => alerts::run(arguments, context),
        Command::Import(arguments) => import::run(arguments, context),
        Command::Init(arguments) => init::run(arguments, context),
        Command::Market(arguments) => market::run(arguments, context),
        Command::Offers(arguments) => offers::run(arguments, context),
        Command::Serve(arguments) => serve::run(arguments, context),
    }
}
