# Planning: why each choice, the budget's lines, downgrades, baselines, notes.
plan-error-no-jobs = the workload has no jobs
plan-hint-no-jobs = write at least one job under `jobs:`; `kasuan init` writes an example to start from
plan-error-same-name = two jobs are called `{ $name }`
plan-hint-same-name = give each job its own name
plan-error-days = { $days } days from { $month } cannot be planned: a plan is for 1 to 366 days
plan-error-hours = job `{ $job }` is given { $hours } hours
plan-hint-hours = hours are above 0 and at most 87600 for one run
plan-error-runs = job `{ $job }` asks for { $runs } runs; one job can have at most { $most }
plan-hint-runs = join short runs into a batch and give the hours of the batch
plan-error-after = job `{ $job }` waits for `{ $after }`, which is not in the workload
plan-hint-after = check the name under `after:`; it must be another job's `name:` letter for letter
plan-error-circle = job `{ $job }` waits, through other jobs, for itself
plan-error-card = job `{ $job }` wants the card `{ $card }`, which is not in the card table
plan-hint-card = `kasuan offers` lists the cards
plan-error-share = `{ $field }` is { $value }; it must be from 0 to 1
plan-error-mixed = { $left } and { $right } cannot be added without an exchange rate
plan-error-overflow = an amount is too large to be money
plan-error-no-rate = there is no exchange rate from { $from } to { $to }
plan-hint-no-rate = state the rate and its day in the workload, for example `rates: {"{"}{ $from }: 7.1 @ 2026-12-01{"}"}` ({ $to } for one { $from })

plan-how-hourly = { $mode }: { $starts } starts, { $hours } instance-hours billed x { $price } an hour = { $amount }
plan-how-term = { $mode }: { $hours } instance-hours used, its part of the term { $amount }

plan-why-cheapest = the finished job costs { $cost }; on { $card } from { $provider } ({ $mode }) it would be { $other }
plan-why-term = { $mode } ({ $price }): { $hours } hours are to be paid, above the break-even of { $even } hours
plan-why-below-break-even = not { $mode } ({ $price }): { $hours } hours are below the break-even of { $even } hours
plan-why-idle-cards = the machines have { $rented } cards and the job uses { $used }; the others are paid all the same
plan-why-several-machines = { $machines } machines work together over a network that must be fast; the time does not include that network
plan-why-more-cards = { $cards } of these cards would finish a run in { $hours } hours, with { $efficiency } % scaling efficiency: each run then costs { $factor } times as much in card-hours
plan-why-several-cards = { $cards } of these cards finish a run in { $hours } hours; against { $fewer } the scaling efficiency is { $efficiency } %, { $factor } times the card-hours
plan-why-spot-free = spot: checkpoints cost no time and are taken all along; { $efficiency } of the paid time is useful
plan-why-spot = spot: a checkpoint every { $minutes ->
    [one] minute
   *[other] { $minutes } minutes
 }, { $efficiency } of the paid time is useful
plan-why-spot-ratio = with reclaims and rework it comes to { $ratio } of the on-demand price
plan-why-spot-no-ratio = this provider has no on-demand price for the same machine to compare with
plan-why-no-spot-not-interruptible = not spot: the job does not say that it can go on from a checkpoint, so one reclaim would lose all of it; if it can, write `interruptible: true`
plan-why-no-spot-service = not spot: a reclaimed machine would interrupt the service
plan-why-no-spot-price = not spot: with reclaims and rework it comes to { $ratio } of the on-demand price, no cheaper than this choice
plan-why-no-spot-dearer = not spot: with reclaims and rework it is no cheaper than this choice

plan-nothing-currency = no offer is left: { $count } offers are in other currencies and the workload states no rate to { $currency }; add `rates:`
plan-nothing-policy = no offer is left: your `policy:` on { $rule } excludes { $count }; relax it
plan-nothing-machine = it takes at least { $cards } cards in one machine, and the largest on offer has { $most }
plan-nothing-modes = no card that holds it is sold the way you insist on ({ $modes }); relax `modes:`
plan-nothing-window = its window is too short for a run; widen `daily:` or `deadline:`, or say that it may be interrupted and run in parts
plan-nothing-work-unknown = nobody said how much work it is; give `hours:`, or `data:` (tokens, epochs) for an estimate
plan-nothing-too-long = one run takes { $hours } hours on the fastest card, longer than the { $days } days of the plan; use less data, or allow more or faster cards
plan-nothing-memory = not enough memory: each card has to hold { $needed } and the nearest one has { $have } for it; quantise, use more cards, or allow other cards and providers
plan-nothing-cards = { $count } other kinds of card were not looked at, because the job names its cards
plan-nothing-doubtful = no offer can be used: { $count } are undated, old, weakly sourced or far too cheap to believe; `--all-prices` lets them in
plan-nothing-offers = no offer holds it

plan-need-like = only a count of { $parameters } parameters is given: sized like { $model }, which is near, with wide error
plan-need-hours-any-card = the hours do not say on which card: every card is given the same hours, the worse the slower it is; add `hours_measured_on:`
plan-need-hours-elsewhere = the hours were measured on { $card }; this card is no slower, but how much faster is not known: the same hours are used
plan-need-hours-bounded = the hours were measured on { $card }; this card is slower and is given x { $factor }, the worse of arithmetic and bandwidth (an upper bound)
plan-need-hours-moved = the hours were measured on { $card } and are converted by the speed of the two cards, x { $factor }
plan-need-latency = it does not keep the latency
plan-need-overloaded = { $replicas } replicas are asked for; the load takes at least { $least }
plan-need-capacity = { $replicas } { $replicas ->
    [one] replica
   *[other] replicas
} of { $cards } { $cards ->
    [one] card
   *[other] cards
}: one finishes { $rate } requests/s with { $batch } in flight at { $tpot } ms a token, of which { $usable } % may be planned with; { $peak } requests/s at the peak use { $used } %
plan-need-quantised = 16-bit weights fit no card, so quantised weights are used; check the quality yourself

plan-line-rent = by the hour { $hourly }, terms { $terms }; idle within them { $idle }
plan-line-storage-stated = { $name }: { $gb } GB x { $price } a GB and month = { $amount }
plan-line-storage-provider = a copy of { $gb } GB at { $provider }: { $amount }
plan-line-storage-unknown = { $provider } states no storage price; not counted
plan-line-egress-none = no traffic out is stated
plan-line-egress = { $gb } GB out of { $provider }: { $amount }
plan-line-egress-unknown = { $provider } states no price of traffic; not counted
plan-line-trial-stated = { $amount } set aside in the workload
plan-line-trial-share = { $share } of the rent of { $rent }
plan-line-moving-time = { $gb } GB to move, about { $hours } hours on the office line; labour only if someone stands by
plan-line-labour = { $hours } hours of labour: { $amount }
plan-line-tax = prices of { $provider } come without tax: { $rate } adds { $amount }
plan-line-tax-abroad = { $provider } is abroad and gives no VAT invoice: its price is the whole cost
plan-line-tax-deducted = prices of { $provider } hold { $rate } VAT, which a general taxpayer deducts: { $amount } ({ $high } without a special invoice)
plan-line-tax-borne = a small taxpayer deducts nothing and bears the { $rate } VAT of { $provider }: { $amount } more
plan-line-tax-borne-open = whether prices of { $provider } include VAT is not known: { $amount } more if they do, { $high } if not ({ $rate }; a small taxpayer deducts nothing)
plan-line-tax-unknown = whether prices of { $provider } include tax is not known; not counted
plan-line-margin-nothing = no margin is kept
plan-line-margin-flat = { $share } of the sum above
plan-line-margin-simulated = enough in { $share } of the simulated months
plan-line-margin-guide = the guide's 20-30 % would make { $low } to { $high }
plan-line-margin-prices = price moves: { $chance }% of such prices are another one after 30 days, by { $all } price series, { $own } of them of these cards at these providers
plan-line-margin-prices-usual = price moves: { $chance }% of such prices are another one after 30 days; an assumption, no past prices are known

plan-fallback-wait = let every job that is no service wait { $hours } hours longer, for hours that are cheaper or paid already
plan-fallback-wait-price = results come up to { $hours } hours later
plan-fallback-spot = give `{ $job }` checkpoints and run it on spot
plan-fallback-spot-price = checkpoints must be coded; it may be reclaimed, so the end is uncertain
plan-fallback-quantise = quantise the weights of `{ $job }` to { $format }
plan-fallback-quantise-price = quality may drop a little; evaluate before it goes live
plan-fallback-smaller-card = let `{ $job }` take any card that holds it, without spare memory
plan-fallback-smaller-card-price = memory is filled to the estimate's upper bound and may run out; a new card has to be verified again
plan-fallback-postpone = put `{ $job }` off to next month
plan-fallback-postpone-price = its results are missing this month
plan-fallback-fewer-runs = run `{ $job }` half as often
plan-fallback-fewer-runs-price = half as many updates and experiments
plan-kind-wait = waiting longer
plan-kind-spot = spot for more jobs
plan-kind-quantise = quantising
plan-kind-smaller-card = a smaller card
plan-kind-postpone = postponing
plan-kind-fewer-runs = running less often

plan-baseline-impossible = `{ $job }` cannot be rented that way
plan-baseline-not-counted = looks cheap because nobody states a price for its { $line } and it is not counted; the plan counts { $amount }
plan-baseline-cheaper = this is cheaper indeed: the plan did not find this combination
plan-baseline-no-monthly = nobody rents { $card } by the month, so it stays on demand
plan-baseline-contradiction = the two rules of thumb contradict each other on `{ $job }`: one goes by { $hours } hours against 200, the other by a utilisation of { $share }; the real break-even is { $even } hours
plan-baseline-contradiction-open = the two rules of thumb contradict each other on `{ $job }`: one goes by { $hours } hours against 200, the other by a utilisation of { $share }; nobody offers a month here, so there is no break-even at all

plan-rule-providers = providers
plan-rule-countries = countries
plan-rule-regions = regions
plan-rule-modes = billing modes
plan-rule-age = age of the price
plan-note-left-out-policy = { $count } offers are left out by your rule on { $rule }
plan-note-left-out-currency = { $count } offers in { $currency } took no part: no rate was given
plan-note-left-out-undated = { $count } offers without a date took no part; `policy: {"{"}undated: true{"}"}` lets them in
plan-note-left-out-old = { $count } offers lie more than { $days } days behind the newest price and took no part; `policy: {"{"}price_age: any{"}"}` lets them in
plan-note-left-out-grade = { $count } offers rest on too weak a source and took no part; `policy: {"{"}grade: D{"}"}` lets them in
plan-note-left-out-far-below = { $count } offers ask less than a third of what providers usually ask, like a slip or a bait, and took no part; `policy: {"{"}outliers: true{"}"}` lets them in
plan-note-left-out-serverless = { $count } offers billed by the request took no part: they rent no machine
plan-note-left-out-terms = { $count } terms longer than the plan took no part: a month of jobs cannot carry a longer promise; name them under `modes:` if you mean it
plan-note-left-out-unusable = { $count } offers took no part: their card is not in the card table, or their price cannot be used
plan-note-stale = offer { $offer } was seen { $days } days ago; check before you order
plan-note-undated = offer { $offer } has no date; check before you order
plan-note-third-party = offer { $offer } is from a third party's table, not the provider's own list; check before you order
plan-note-marketplace = offer { $offer } is the cheapest of many hosts and may be gone
plan-note-host-not-included = CPU and memory are not in the price of offer { $offer }
plan-note-low-confidence = the time of `{ $job }` is a weak estimate; measure a short piece first
plan-note-rent-share = rent is { $share } of the sum before margin; the usual "about half" is this share on your figures
plan-note-provider-unknown = provider `{ $provider }` of your `policy:` has no offer at all; check its name (as `kasuan offers` writes it)
plan-note-fallback-none = { $kind } was planned too, for the whole month, and saves nothing

plan-unknown-storage = storage: the provider states no price; if you know it, write it as `price` in `storage:`
plan-unknown-egress = traffic: the provider that most is rented from states no price
plan-unknown-data-moving = labour of moving data: `team.data_hours` or the engineer's hour is missing
plan-unknown-operations = labour of operations: `team.ops_hours` or the engineer's hour is missing
plan-unknown-storage-part = storage: at least one provider in use states no price; that part is not counted
plan-unknown-tax-part = tax: for at least one provider in use it is not known whether prices include it; that part is not counted
plan-unknown-tax = tax: whether prices include it is not known; say how you are taxed with `policy: {"{"}tax: small{"}"}` or `general`, or that prices include it with `included`
plan-unknown-job = job `{ $job }` has no feasible choice; it is not in the total
plan-unknown-memory = nobody said how much memory job `{ $job }` needs; the card may be too small
plan-unknown-no-storage = no data to be kept is stated; storage counts as nothing
