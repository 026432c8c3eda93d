# Time: what limits a rate, and why there is none.
time-limit-compute = arithmetic of the card
time-limit-bandwidth = memory bandwidth of the card
time-limit-interconnect = links between the cards
time-limit-host = the host that starts the work
time-limit-capacity = room for keys and values

time-declined-tensor-rate = the tensor rate of { $card } is not known, so no time can be estimated
time-declined-bandwidth = the memory bandwidth of { $card } is not known, so no time can be estimated
time-declined-room = weights and one request need { $needed }, and { $room } are there for them
time-work-training = training
time-work-inference = inference
time-size-requests-per-second = the requests per second
time-size-load = the size of the load
time-size-tokens = the amount of tokens
time-size-rate = the rate
time-size-request = the tokens of a request
time-size-training = the size of the training run
time-size-engine = the engine's coefficient
time-size-other = this figure
time-declined-work = a time for { $asked } was asked for, but the setup describes { $found }
time-declined-degenerate = { $what } must be a positive, finite number
