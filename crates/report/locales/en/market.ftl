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
market-bill-money = the bill cannot be summed: { $what }

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
market-doubt-outlier = { $price } for a card-hour, while the median of this card is { $median }
market-doubt-per-card = { $price } for a card-hour, off the median { $median } by its number of cards ({ $count }): a price per card taken for one per instance, or the other way round
market-doubt-spot = spot costs { $spot }, on demand { $on_demand }
market-doubt-term = { $price } an hour, dearer than the shorter { $mode } at { $other }
market-doubt-stale = seen { $days } days ago
market-doubt-undated = the source has no date
