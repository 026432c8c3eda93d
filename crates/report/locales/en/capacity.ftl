cmd-capacity = Say how many cards a service needs at a latency, and what its tokens cost
cmd-capacity--model = A built-in name, a size such as 7B, or a path to a model's files
cmd-capacity--rate = Requests a second in the busiest hour
cmd-capacity--concurrency = Requests in flight at the peak, instead of --rate
cmd-capacity--trace = A log of requests (CSV: TIMESTAMP, ContextTokens, GeneratedTokens), instead of --rate; it is also replayed
cmd-capacity--input = Tokens of a prompt: mean, or mean/90th percentile
cmd-capacity--output = Tokens of an answer, mean
cmd-capacity--ttft = Time to the first token that 95% of the requests keep, or none
cmd-capacity--tpot = Time for each further token that 95% of the requests keep, or none
cmd-capacity--burst = How many times the hour's mean come in its busiest 10 seconds
cmd-capacity--day = Hours with traffic (08:00-18:00), or 24 relative loads, one an hour
cmd-capacity--spare = Pay for one more replica that stands by
cmd-capacity--weights = Format of the weights; without it, the cheapest one that fits
cmd-capacity--engine = The program that serves
cmd-capacity--card = Only this card; may be given several times
cmd-capacity--currency = Currency of the prices
cmd-capacity--api_input = What a paid interface charges for a million tokens read
cmd-capacity--api_output = What a paid interface charges for a million tokens written
cmd-capacity--prices = Your own price card (CSV) over the catalogue; may be given several times
capacity-load-rate = Load: { $busiest } requests/s in the busiest hour, { $peak } at the peak of 10 seconds
capacity-load-flight = Load: { $count } requests in flight at the peak
capacity-lengths = Lengths: prompts of { $prompt } tokens (nine of ten under { $long }), answers of { $generated }
capacity-target = Kept by 95%: first token within { $ttft }, each further one within { $tpot }; mean load of a day { $load } of the busiest hour
capacity-no-limit = no limit
capacity-head-cards = Cards, cheapest first (on demand, every hour of the month paid)
capacity-head-notes = To know
capacity-head-explain = How it is counted
capacity-column-card = Card
capacity-column-weights = Weights
capacity-column-replicas = Replicas (range)
capacity-column-cards = Cards
capacity-column-batch = Batch
capacity-column-tpot = ms/token
capacity-column-utilisation = Used
capacity-column-month = A month
capacity-column-million = A million tokens written
capacity-column-thousand = A thousand requests
capacity-impossible = cannot keep it
capacity-left-out = { $count ->
    [one] One more card with a price cannot hold the model or keep the latency.
   *[other] { $count } more cards with a price cannot hold the model or keep the latency.
}
capacity-following = { $card }: { $following } instead of { $month } a month if replicas are started and stopped with the hours of the day.
capacity-looser = { $card }: twice the latency would need { $replicas } { $replicas ->
    [one] replica
   *[other] replicas
} and save { $saved } a month.
capacity-break-even = { $card }: the paid interface takes { $interface } for a thousand requests; renting is cheaper from { $break } requests a month, idle hours included; there are { $have }: { $verdict }.
capacity-break-even-rent = rent
capacity-break-even-buy = use the interface
capacity-break-even-never = use the interface, even full cards would cost more
capacity-few = { $card }: fewer than 5 requests at a time keep the latency; the card is too slow for it, and bursts will break it.
capacity-replay = { $card }, your log on { $replicas } { $replicas ->
    [one] replica
   *[other] replicas
}: { $requests } requests answered, { $refused } too large; 95% saw the first token within { $ttft } s and took { $tpot } ms a token.
capacity-fewest = { $card }: in this simulation { $replicas } { $replicas ->
    [one] replica keeps
   *[other] replicas keep
} the latency; the plan leaves room for days that are worse than the log.
capacity-fewest-none = { $card }: not even twice the planned replicas keep the latency for this log.
capacity-explain-batch = Batch: the most requests that one replica decodes together within the time per token. Its rate is batch / (time per token x tokens written).
capacity-explain-usable = Replicas: peak / (rate x usable share). Waiting for the first token grows like 1.4 + 2 r/(1-r) times the reading time of a long prompt at load r (fitted to 863 simulated loads); the share is never above 70%. The range follows from the range of the speed.
capacity-explain-cost = A million tokens written (reading the prompts is in the price, their tokens are not counted): price of an hour / (tokens written per second in the mean x 3600) x 1,000,000, so that idle hours are in it. A month is 730 hours. `kasuan plan` compares monthly and spot terms.
capacity-error-csv = line { $line } of the log is not CSV
capacity-error-column = the log has no column { $name }
capacity-error-field = line { $line } of the log: `{ $text }` is no { $name }
capacity-error-short = the log has fewer than two requests at different times
capacity-error-no-load = nobody said how many requests come
capacity-error-no-price = no price of { $card } in { $currency } is known
capacity-error-money = the sums are too large to be money
capacity-hint-trace = columns: TIMESTAMP (a date with a clock, or seconds), ContextTokens, GeneratedTokens
capacity-hint-load = give --rate 3, --concurrency 50 or --trace FILE
capacity-hint-price = give your own with --prices, or another --currency
capacity-hint-time = write 2s, 60ms or none
capacity-hint-day = write 08:00-18:00 in full hours, or 24 numbers with commas
