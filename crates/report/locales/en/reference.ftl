# Reference of the workload file.
reference-title = The workload file
reference-intro = YAML, JSON or TOML. What is left out has a default, which `kasuan plan FILE --show-defaults` shows; a wrong field is told with its line and the nearest known name.
reference-field = Field
reference-value = Value
reference-meaning = Meaning
reference-required = {" (required)"}
reference-text = text
reference-number = a number
reference-whole = a whole number from { $least }
reference-several = { $value }; one or a list
reference-inside = see “{ $section }”
reference-each = a list, see “{ $section }”
reference-named = name: { $value }
reference-or = {", or "}
section-file = The file
section-job = A job
section-model = A model by its parameter count
section-data = Training data
section-latency = Latency
section-interruptible = Checkpoints
section-storage = Storage
section-transfer = Transfer
section-team = The team
section-policy = The rules
section-held = Held commitments

field-file-currency = Currency of the plan; CNY by default
field-file-month = The month to plan; this month by default
field-file-days = Days to plan from the first; the whole month by default
field-file-jobs = The jobs of the month
field-file-storage = Data that has to be kept
field-file-transfer = What crosses the provider's border
field-file-team = The people who do the work
field-file-policy = The rules to choose by
field-file-rates = Exchange rates: how many of the plan's currency one unit is, with its day; offers in a currency without a rate stay out
field-file-held = Commitments that are paid already
field-file-prices = Your own prices (CSV), as a path beside this file

field-job-name = Its name; no two are the same
field-job-task = What kind of work it is
field-job-model = A built-in id, the path of a config.json, or only a parameter count
field-job-runs = How often it runs; once a month by default
field-job-hours = Hours of each run; a range is low-high or low-likely-high
field-job-hours_measured_on = The card the hours were measured on, to convert them to others
field-job-data = Training data, from which the time is estimated
field-job-requests = Requests that one batch run generates for
field-job-daily = Hours of the day it may run, or a service is up; an end before the start runs over midnight
field-job-weekdays = Days of the week; every day by default
field-job-days = Days of the month
field-job-concurrency = Requests in flight at once
field-job-rate = Requests per second at the peak
field-job-context = Prompt and answer together, in tokens; split 3 to 1 unless prompt and generated are given
field-job-prompt = Tokens of a prompt
field-job-generated = Tokens of an answer
field-job-latency = Latency that a service must keep
field-job-engine = The program that serves
field-job-kv = How keys and values are cached
field-job-weights = How weights are stored; the plan chooses by default
field-job-memory = Card memory it takes; replaces the estimate
field-job-card = Choose among these cards only
field-job-cards = Cards for each replica or run
field-job-replicas = Replicas of a service
field-job-batch = Sequences in one forward pass on one card
field-job-seq = Tokens of a training sequence
field-job-accumulation = Forward passes before a step
field-job-rank = Rank of the adapters
field-job-targets = Linear layers that get an adapter
field-job-optimizer = The optimiser
field-job-recipe = In which numbers weights, gradients and states are kept
field-job-checkpointing = What is recomputed in the backward pass
field-job-attention = The attention kernel
field-job-loss = How the loss is computed
field-job-framework = The training program, so that what it does in memory is known
field-job-packed = Whether samples are packed without padding
field-job-sharding = How states are spread over cards
field-job-interruptible = Whether it may be interrupted and resumed, which is what allows spot
field-job-modes = Billing modes to choose among
field-job-start = The earliest start
field-job-deadline = When it must be done
field-job-may_wait = How long a run may wait
field-job-after = The job that has to be done before
field-job-share_card = Whether it may share a card with another job
field-job-priority = Order of sacrifice when the money is not there; small goes first

field-model-params = Parameters in total

field-data-tokens = Tokens of the data set
field-data-samples = Samples of the data set
field-data-mean_tokens = Mean tokens of a sample
field-data-epochs = Passes over it; 1 by default

field-latency-ttft = To the first token
field-latency-tpot = For each further token

field-interruptible-checkpoint = Time to write a checkpoint; 60 s by default
field-interruptible-restart = Time to start again from one; 180 s by default
field-interruptible-every = Time between two; the plan chooses by default

field-storage-name = Its name
field-storage-size = Its size
field-storage-price = Price of a GB and month; the provider's by default

field-transfer-egress = Out to the internet
field-transfer-ingress = In
field-transfer-line = The office line, for the time of moving data

field-team-engineer = What an engineer's hour costs
field-team-ops_hours = Hours of operations in the month
field-team-data_hours = Hours of moving data in the month
field-team-people = People in the team

field-policy-margin = Safety margin: a share, or simulated p80 or p90, or none
field-policy-cap = The most the month may cost; above it the exit code is 1
field-policy-providers = Providers to choose among
field-policy-exclude_providers = Providers to leave out
field-policy-regions = Countries (two letters) or providers' regions to rent in
field-policy-modes = Billing modes to choose among
field-policy-price_age = Oldest price that may be used; undated ones stay out too
field-policy-trial = Set aside for trial and error: a sum, or a share of the rent
field-policy-headroom = Share of a card kept free beside the upper bound
field-policy-tax = Tax on top of prices; included when they contain it
field-policy-spot_mtbf = Mean time between reclaims of a spot instance where it is not known

field-held-card = The card
field-held-count = How many
field-held-until = Until when
