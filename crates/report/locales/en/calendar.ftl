# The calendar of a plan: picture, iCalendar, crontab, Slurm.
calendar-title = GPU jobs { $year }-{ $month }
calendar-entry = run { $run }: { $cards } × { $card }, { $mode }
calendar-bar = { $job }: { $from } to { $until }, { $cards } × { $card }, { $mode }
calendar-described = { $job }: { $runs ->
    [one] one run
   *[other] { $runs } runs
}, { $from } to { $until }
calendar-more = and { $count } more
calendar-cron-head =
    Starts and stops the jobs of a kasuan plan.
    Set KASUAN_HOOK to your own script; it is called with start or stop, the job, the card and the number of cards.
    Times are this machine's clock unless CRON_TZ is set below (your cron has to support it, as cronie does).
    Each line asks for its year, because cron repeats every year.
calendar-slurm-head =
    Hands the runs of a kasuan plan to Slurm; a start that has passed begins at once.
    Each job is a batch script of its own, JOBS/<name>.sh, which you write.
    The names behind GPU_ are those of your gres.conf; change them there if it says otherwise.

cmd-plan--calendar = Print the calendar instead of the report, as iCalendar, crontab, Slurm script or picture; with --output it goes to the file
cmd-plan--time_zone = Time zone of the plan's times for the calendar, such as Asia/Shanghai or +08:00; without it they are wall clock
error-time-zone = `{ $text }` is no time zone that is known here
hint-time-zone = write a name such as Asia/Shanghai, or an offset such as +08:00

cmd-plan--cap = The most the month may cost, such as 8000CNY; says what to do to get under it

# What rests on a guess, what moves the total, and what a cap costs.
report-measure-first = Not bought yet: { $count } × { $card } { $mode } would rest on guessed hours; run on demand first and measure, decide again on { $day }
report-measure-on-demand = Not bought: { $count } × { $card } { $mode } would rest on guessed hours that hardly reach break-even; stay on demand
report-measure-commit = Bought: { $count } × { $card } { $mode } rests on guessed hours, and still pays to buy now
report-measure-guess = guess { $low } / { $likely } / { $high } h per card; the term pays from { $even } h, chance { $chance }
report-measure-regret = expected regret: commit now { $commit }, stay on demand { $on_demand }, measure first { $measure }
report-measure-assumed = no range was stated, so half to double the hours is assumed; write `hours` as a range, or `hours_measured_on`, to replace it
report-movers = What moves the total most (one month in ten lies below, one above): { $list }
report-mover = { $driver } { $low } to { $high }
driver-hours = hours
driver-failures = failed runs
driver-prices = prices
driver-growth = growth
driver-reclaims = reclaims
driver-others = storage, traffic and trials
report-curve-step = Given up, step by step
report-curve-plan = nothing
report-curve-late = Later by
report-curve-postponed = Runs dropped
plan-why-beside = runs beside { $service } on the card that is paid for anyway; while both run, each is planned { $slowdown } times as slow, and { $service } still keeps its latency
plan-why-beside-conditions = only where the host is what holds each back, with NVIDIA MPS on and CPU cores of its own for each; measure a run before you rely on it, idle GPU time is not free capacity
report-packing = Machines of { $cards } × { $card }: { $apart } at the busiest moment with each job on its own; jobs that need part of one could share { $together } (never fewer than { $bound })
report-measure-insisted = Bought because the file admits no other way of paying: { $count } × { $card } { $mode } rests on guessed hours, and on demand first would be the better bet
report-if-bought = Bought now and the guess right, the rent would be { $cost } instead of { $now }. A guess to rely on: state hours as measured (hours_measured_on), or policy trust_hours.
report-given-back = Give back { $count } × { $card } { $mode } on { $day }: after the provider's refund { $price } stays paid, less than these hours cost on demand
report-packed = Machines of { $cards } × { $card }: { $together } at the busiest moment, because jobs that need part of one share it ({ $apart } with each job on its own, never fewer than { $bound })
report-packed-jobs = they share: { $jobs }; give each its own cards (CUDA_VISIBLE_DEVICES), host memory and cores are common; policy share_machines: false keeps them apart
plan-why-waits = Its hours are a guess: it runs on demand until they are measured, and on packages that others pay for
plan-why-given-back = { $mode }, given back early: { $day } stays paid for each day it is kept, less than a day on demand
plan-nothing-stock = Cards there are, but not enough machines at once: the stock that the price card states is used up
plan-baseline-cheaper-guess = cheaper only if the guessed hours hold; the plan measures first
plan-why-shares = It uses { $used } of the machine's { $rented } cards; other jobs share the machine and its cost
