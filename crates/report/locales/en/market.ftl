# Market: cards, offers, bills, terms, doubts about prices.
market-catalogue-broken = the catalogue cannot be read: { $what }

market-card-unknown = no card is called "{ $text }"
market-card-nearest = did you mean { $names }?
market-card-list = `kasuan offers` without --card lists what is for rent, card by card
market-card-memory = "{ $text }": the { $family } is sold with { $known } GB, not { $given } GB

market-bill-backwards = an interval ends at { $to }, before it starts at { $from }
market-bill-overlap = a run starts at { $next }, while the one before it ends at { $previous }; one instance has one run at a time
market-bill-too-long = the usage spans more than { $years } years
market-bill-no-storage = { $provider } has no storage called "{ $kind }"; it has: { $known }
market-money-mixed = { $left } and { $right } cannot be summed without an exchange rate
market-money-no-rate = no exchange rate from { $from } to { $to } was stated
market-money-overflow = the sum is too large to be money

market-bill-time = { $used } h used, billed as { $billed } h
market-bill-step = rounded up to steps of { $seconds } s
market-bill-minimum = at least { $seconds } s are billed for a start
market-bill-rounds-up = each settlement is rounded up to the smallest coin
market-bill-rounds-down = parts of the smallest coin are dropped at each settlement
market-bill-rounds-half-up = each settlement is rounded half up to the smallest coin
market-bill-night = the night hours cost { $off } % less
market-bill-reclaimed-free = reclaimed within the first stretch, which this provider does not charge
market-bill-no-card = started without the card
market-bill-packages = { $count } x { $hours } h paid ahead, used or not
market-bill-refund = given back early: { $paid } paid less { $share } % used times { $factor }
market-bill-refund-unknown = given back early; the provider states no refund rule
market-bill-stopped-price = stopped, at the provider's price for stopped instances
market-bill-stopped-full = stopped, and this provider charges the card all the same
market-bill-stopped-unknown = stopped; the provider does not say whether that is free
market-bill-storage = { $size } kept, { $free } of it free, { $charged } GB charged
market-bill-storage-always = charged while stopped, too
market-bill-storage-running = charged only while the instance runs
market-bill-tier = this tier's part of the month's traffic
market-bill-other-currency = { $amount } is billed in another currency and is not in the total in { $currency }

market-warn-deleted = stopped for more than { $days } days in a row: the provider deletes the instance and its disk on { $on }
market-warn-no-early-exit = this provider takes no package back before its end
market-warn-recycled = { $days } days after a package expired, the instance is destroyed
market-warn-spot-not-stoppable = spot instances of this provider cannot be stopped, only deleted

market-unknown-step = the provider does not say in which steps it bills: reckoned between { $low } s and { $high } s
market-unknown-rounding = the provider does not say how it rounds; bounds are a coin at each settlement
market-unknown-no-card = the provider states no price for starting without the card
market-unknown-refund = the provider does not say what comes back when a package is given back early: between nothing and the unused part
market-unknown-stopped = the provider does not say whether a stopped instance is free
market-unknown-storage = the price of keeping { $size } is not stated; it is not in the total
market-unknown-storage-stopped = the provider does not say whether storage is charged while stopped
market-unknown-egress = the price of { $size } of traffic out is not stated; it is not in the total

market-doubt-no-price = the price is { $price }, which means that it is missing
market-doubt-card = no card is called "{ $name }"
market-doubt-duplicate = says the same product and billing mode as another row
market-doubt-outlier = { $price } for a card-hour, while the median of its providers is { $median }
market-doubt-per-card = { $price } for a card-hour, while the median of its providers is { $median }: off by about its number of cards ({ $count }); perhaps a price per card taken for one per instance, or the other way round
market-doubt-spot = spot costs { $spot }, on demand { $on_demand }
market-doubt-term = { $price } an hour, dearer than the shorter { $mode } at { $other }
market-doubt-stale = seen { $days } days ago
market-doubt-undated = the source has no date

cmd-offers = List who rents which card, on what terms, for how much
cmd-offers--card = Card, as you would say it (4090, "A100 80G"); may stand several times
cmd-offers--memory = Least memory of a card, as sold (24GiB)
cmd-offers--count = Cards in the instance, exactly
cmd-offers--min_count = Fewest cards in the instance
cmd-offers--capability = Least CUDA compute capability (8.0 has bf16)
cmd-offers--interconnect = How the cards of an instance are joined
cmd-offers--form = Form factor of the card
cmd-offers--provider = Provider; may stand several times
cmd-offers--region = Start of the region's name; may stand several times
cmd-offers--country = Country code such as CN; may stand several times
cmd-offers--mode = Billing mode (on_demand, spot, daily, weekly, monthly, yearly, reserved_12m)
cmd-offers--max_price = Most that a card may cost for an hour, in --currency
cmd-offers--ecc = Whether the memory must have error correction (true, false)
cmd-offers--vcpus = Fewest virtual CPUs
cmd-offers--ram = Least host memory (64GiB)
cmd-offers--disk = Least local disk (500GB)
cmd-offers--slices = Show slices of cards (vGPU), too
cmd-offers--serverless = Show prices for requests, too
cmd-offers--oldest = Oldest band of age to show
cmd-offers--fresh_days = Oldest age of a fresh price, in days
cmd-offers--ageing_days = Oldest age of an ageing price, in days; beyond, it is stale
cmd-offers--currency = Currency of the answer; others take part only with --rate
cmd-offers--rate = Exchange rate into --currency, such as USD=7.1@2026-12-01
cmd-offers--sort = What to sort by; bill takes --run, --runs and --storage
cmd-offers--run = Length of a run (8h unless stated), for --sort bill or --compare
cmd-offers--runs = Runs in a month (20 unless stated), for --sort bill or --compare
cmd-offers--storage = Data kept all month (none unless stated), for --sort bill or --compare
cmd-offers--by_card = Show one line for each card: lowest, median and highest
cmd-offers--limit = Lines to show; 0 shows all
cmd-offers--prices = Price card of your own (CSV) to lay over the catalogue; may stand several times

cmd-bill = Show what a usage of an offer is charged, line by line
cmd-bill--offer = Id of the offer, as `kasuan offers` shows it
cmd-bill--from = When the instance starts (2026-12-01T09:00)
cmd-bill--to = When the instance is deleted, or the package's use ends
cmd-bill--stop = Time stopped in between, FROM..TO; may stand several times
cmd-bill--no_card = Time running without the card, FROM..TO, inside a stop; may stand several times
cmd-bill--given_back = When a package is given back early
cmd-bill--reclaimed = The provider took the spot instance back at the end
cmd-bill--storage = Data kept throughout: SIZE, or KIND=SIZE such as object=200GB; may stand several times
cmd-bill--egress = Traffic out to the internet in the month
cmd-bill--prices = Price card of your own (CSV) to lay over the catalogue; may stand several times

cmd-market = Look after price lists
cmd-market-doctor = Name what is doubtful in the prices
cmd-market-doctor--prices = Price card of your own (CSV) to check with the catalogue; may stand several times
cmd-market-doctor--limit = Rows to show of each doubt; 0 shows all
cmd-market-doctor--fresh_days = Oldest age of a fresh price, in days
cmd-market-doctor--ageing_days = Oldest age of an ageing price, in days; beyond, it is stale
cmd-market-template = Write a price card to fill in
cmd-market-template--file = Where to write it
cmd-market-template--force = Overwrite an existing file
cmd-market-import = Read a price list of others into your own price card
cmd-market-import--file = The price list (CSV, JSON, XLSX, Go map); nothing is downloaded
cmd-market-import--to = The price card to write; rows of the same offers are replaced
cmd-market-import--provider = The provider, where the file does not say
cmd-market-import--card = The card, where the file does not say
cmd-market-import--currency = The currency, where the file does not say
cmd-market-import--observed = The day of the prices, where the file does not say
cmd-market-import--dry_run = Only report, write nothing
cmd-market-import--limit = Rows of the report to show; 0 shows all

offers-offer = offer
offers-card = card
offers-memory = memory
offers-offers = offers
offers-count = cards
offers-mode = mode
offers-card-hour = card-hour
offers-instance-hour = instance-hour
offers-low = lowest
offers-median = median
offers-high = highest
offers-currency = currency
offers-age = age
offers-grade = grade
offers-source = source
offers-key-gib = per GiB
offers-key-tflop = per TFLOP/s
offers-key-bandwidth = per TB/s
offers-key-bill = month's bill
offers-none = no offer meets all wishes
offers-more = { $count } more; --limit 0 shows all
offers-family = "{ $text }" may be several cards: { $cards }
offers-other-currency = { $count } offers in another currency are left out; state a rate to include them: --currency CNY --rate USD=RATE@DATE
offers-unstated = { $count } offers are left out because their source does not state what you ask for

fresh-fresh = fresh
fresh-ageing = ageing
fresh-stale = stale
fresh-undated = undated
fresh-days = { $days } d, { $band }

error-rate = "{ $text }" is no exchange rate
hint-rate = write it like --rate USD=7.1 or --rate USD=7.1@2026-12-01
error-rate-currency = a rate needs the currency it leads to; state --currency
error-capability = "{ $text }" is no compute capability; write it like 8.0
error-offer-unknown = no offer has the id "{ $id }"
hint-offer-nearest = did you mean { $ids }?
hint-offer-list = `kasuan offers --card CARD` lists the ids
error-moment = "{ $text }" is no time
hint-moment = write it like 2026-12-01T09:00
error-interval = "{ $text }" is no stretch of time
hint-interval = write it like 2026-12-01T18:00..2026-12-02T09:00
error-size = "{ $text }" is no amount; write it like 200GB

bill-kind = for
bill-from = from
bill-to = to
bill-quantity = quantity
bill-unit = unit
bill-unit-price = unit price
bill-amount = amount
bill-how = how
bill-kind-compute = card
bill-kind-package = package
bill-kind-refund = refund
bill-kind-without_card = no card
bill-kind-stopped = stopped
bill-kind-storage = storage
bill-kind-egress = traffic out
bill-unit-instance_hour = instance-hour
bill-unit-package = package
bill-unit-gb_hour = GB-hour
bill-unit-gb_day = GB-day
bill-unit-gb_month = GB-month
bill-unit-gb = GB
bill-total = total: { $total }
bill-effective = an hour of use came to { $effective }; listed at { $listed }
bill-unknown = not known: { $what }
bill-source-price = price: { $source }, { $date }, grade { $grade }
bill-source-terms = terms: { $source }, { $date }, grade { $grade }

market-doubt = doubt
market-what = what
market-more = { $count } more; --limit 0 shows all
market-template-written = wrote { $path }; put your own prices in, then use it with --prices
doubt-no_price = no price
doubt-unknown_card = unknown card
doubt-per_card_mix_up = per card?
doubt-spot_not_cheaper = spot not cheaper
doubt-longer_term_dearer = longer term dearer
doubt-outlier = far from median
doubt-duplicate = duplicate
doubt-stale = stale
doubt-undated = undated
doctor-market-summary = { $offers } offers, { $doubts } doubts

import-summary = { $format }: { $rows } rows, { $taken } offers taken, { $merged } merged, { $no_card } without a card, { $terms ->
    [0] {""}
   *[other] { $terms } of storage and traffic,{" "}
}{ $refused } refused
import-line-heading = line
import-result = result
import-row = row
import-refused = refused
import-noted = note
import-nothing = no row could be taken; nothing was written
import-written = { $path } holds { $count } offers now; use it with --prices

cmd-market-history = Show how the price of a card moved, provider by provider
cmd-market-history--card = Card, as you would say it
cmd-market-history--provider = Provider
cmd-market-history--limit = Lines to show; 0 shows all
cmd-market-export = Write a chosen offer for another tool
cmd-market-export--offer = Id of the offer, as `kasuan offers` shows it
cmd-market-export--tool = The tool to write for
cmd-market-export--name = Name of the job
cmd-market-export--prices = Price card of your own (CSV) to lay over the catalogue; may stand several times

history-provider = provider
history-tier = tier
history-last = last
history-chart = course
history-volatility = { $class ->
    [both] this card at this provider
    [card] this card at every provider
    [provider] every card of this provider
   *[all] the whole market
}: of { $series } series watched for { $days } days on average, { $moved } moved, by { $range } in the middle; first to last, nine of ten lay above { $low } and nine of ten below { $high }

export-provider = { $tool } does not rent from { $provider }
export-mode = { $tool } has no { $mode }
export-card = { $tool } does not know the card { $card }
export-slice = { $tool } cannot ask for a slice of a card
export-currency = { $tool } reckons in US dollars; the price is in { $currency }

cmd-offers--compare = Show this offer beside others, whole instance against whole instance; may stand several times
cmd-offers--history = Show past prices instead of present ones: a sparkline for each series, and a chart
cmd-offers--store = Where imported prices are remembered (SQLite file or postgres://); without it, beside the price cards
cmd-bill--tax = What tax does to the total for a Chinese buyer: general (deducts it) or small (bears it)
cmd-market-import--store = Where prices are remembered by day (SQLite file or postgres://); without it, FILE.db beside the price card
cmd-market-history--prices = Price card whose imports take part; may stand several times
cmd-market-history--store = Where imported prices are remembered (SQLite file or postgres://)
offers-vcpus = vCPU
offers-ram = RAM GiB
offers-disk = disk GB
offers-used-card-hour = per card-hour used
offers-metering = metering
offers-pattern = month's bill for { $runs } starts of { $hours } h each, with { $storage } kept throughout; --run, --runs and --storage change it
offers-storage-unknown = +? lacks the storage: its price is not stated
offers-tied = the cheapest card ({ $offer }) comes with a whole instance of { $count } at { $instance } an hour; the cheapest whole instance with this card is { $other } at { $price }: --sort instance orders by it
metering-step = { $seconds ->
    [1] by the second
    [60] by the minute
    [3600] by the hour
   *[other] by { $seconds } s
}
metering-minimum = , at least { $seconds } s
metering-unknown = not stated
metering-package = package of { $hours } h
history-product = product
history-change = change
history-none = no past prices of this
history-from = with { $count } prices of past imports from { $place }
history-monthly = { $mode }: { $chance } of such prices change within 30 days, then typically by { $deviation }, up or down; the range of a plan's budget rests on this
history-chart-title = { $mode }, { $series } series: ● lowest, · median
import-undated = { $count } prices have no date of their own; they are remembered under { $day } (--observed states another day)
import-remembered = { $place } remembers { $count } prices of this import; `kasuan offers --history` shows them
bill-tax-open = tax: the provider does not say whether its prices include it; --tax general or --tax small shows what it does
bill-tax-abroad = tax: a provider abroad gives no Chinese VAT invoice; the price is the full cost
bill-tax = tax for { $buyer ->
    [general] a general taxpayer (deducts it)
   *[small] a small-scale taxpayer (bears it)
}: { $paid } to pay, { $tax } of it tax at { $rate }%, a cost of { $cost }
bill-tax-basis = this rests on: { $included ->
    [yes] prices include tax
    [no] prices come without tax
   *[unknown] whether prices include tax is not stated
}; { $invoice ->
    [yes] special VAT invoices are given
    [no] no special VAT invoices
   *[unknown] whether special VAT invoices are given is not stated
}; { $stated ->
    [yes] the provider states a rate of { $rate }%
   *[no] no rate is stated: { $rate }% as for information technology services
}; source: { $source }. No tax advice: confirm it
market-bill-no-package = { $offer } is { $mode }, no package: there is nothing to give back early; leave that time out, or take the offer of a package
market-bill-given-back-late = given back at { $given_back }, after the use that ends at { $to }
market-bill-no-spot = { $offer } is { $mode } and is not reclaimed; only spot is
bill-no-time = the usage ends no later than it starts, at { $from }
bill-no-time-hint = --to must be later than --from
bill-package-stops = { $offer } is a package, paid for whether it runs or not: --stop and --no-card change nothing
bill-package-stops-hint = leave them out; --given-back shows what an early return refunds
bill-stop-outside = the stop { $stop }..{ $start } is not within { $from } to { $to }
bill-no-card-outside = the run without the card { $from }..{ $to } is within no stop
bill-no-card-outside-hint = without the card means started, without it, while stopped; state that time with --stop first
bill-reclaimed-stopped = at { $to } the instance is stopped and cannot be reclaimed; let --to be the moment of the reclaim
bill-seen = Age: price { $price }; terms { $terms }
bill-seen-old = this price is old or undated, a hint at most; check it with the provider before ordering
cmd-bill--fresh_days = Oldest age of a fresh price, in days
cmd-bill--ageing_days = Oldest age of an ageing price, in days; older is stale
cmd-market-history--fresh_days = Oldest age of a fresh price, in days
cmd-market-history--ageing_days = Oldest age of an ageing price, in days; older is stale
error-age-bands = fresh up to { $fresh } days is longer than ageing up to { $ageing } days
offers-low-age = lowest seen
error-pattern = a month does not hold { $runs } runs of { $hours } h, { $all } h together; it must be more than 0 and at most { $month } h
hint-pattern = change --run (how long, such as 8h) or --runs (how often in a month)
offers-two-ways = { $first } and { $second } are two ways to look; choose one
offers-needs = { $unused } needs { $needed } and would change nothing without
offers-unused = { $unused } would change nothing with { $way }
offers-unused-hint = what goes with it: { $taken }
error-provider-unknown = no offer is from a provider called "{ $name }"
hint-provider-list = the ids that `kasuan offers --card CARD` lists begin with the provider; --prices brings prices of your own
