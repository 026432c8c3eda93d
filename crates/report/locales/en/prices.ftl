# Price lists: a user's own price card, and imports of others' lists.
price-card-empty = the price card is empty
price-card-unknown-column = line 1: no column is called "{ $column }"
price-card-nearest-column = did you mean "{ $column }"?
price-card-twice-column = line 1: column "{ $column }" stands twice
price-card-missing-column = line 1: column "{ $column }" is missing
price-card-template = `kasuan market template` writes a price card to fill in
price-card-line = line { $line }: { $what }
price-card-missing-cell = line { $line }: column "{ $column }" is empty
price-card-cell = line { $line }, column "{ $column }": "{ $text }" is not { $wanted ->
    [price] a price above zero, such as 1.66
    [price-or-nothing] a price, such as 0.5 or 0
    [currency] a currency code, such as CNY or USD
    [count] a whole number above zero
    [date] a date, such as 2026-12-01
    [mode] a billing mode: on_demand, spot, daily, weekly, monthly, yearly or reserved_12m
    [per] a unit: hour, card_hour, day, week, month or year; gb_hour, gb_day or gb_month for storage
    [per-of-mode] a unit that fits the billing mode of this row
    [span] a span of time with its unit, such as 1s, 60s or 1h
    [amount] an amount with its unit, such as 50GB or 64GiB
    [yes-no] yes or no
    [kind] a kind of row: offer, storage or egress
    [interconnect] nvlink or pcie
    [grade] a grade from A to D
    [rounding] a rule of rounding: exact, half_up, up or down
   *[other] what belongs there
}
price-card-memory = line { $line }, column "card": "{ $text }": { $family } has { $known } GB, not { $given } GB
price-card-card = line { $line }, column "card": no card is called "{ $text }"
price-card-guessed = "{ $text }" was taken for { $card }

import-empty = the file is empty
import-html = the file is a web page, not a price list
import-html-hint = the download was blocked or has expired: open the address in a browser and save the data itself
import-unreadable = the file is neither UTF-8 nor GBK text
import-json = the file is no valid JSON: wrong at line { $line }, character { $column }; perhaps the download was cut
import-unknown = the format of the file is not known; it starts with: { $seen }
import-formats = known are: SkyPilot and gpuhunt CSV; gpurentalprices, tardellirs, Azure Retail, Karpenter, compshare, AutoDL, Vast and RunPod JSON; a price card as CSV or XLSX
import-not-stated = the file does not say the { $what ->
    [provider] provider
    [card] card
    [currency] currency
   *[other] { $what }
}
import-not-stated-hint = state it with --{ $what }
import-workbook = the workbook cannot be read: { $what }
import-large = the workbook unpacks to more than { $limit } MiB: no price list or table of jobs is that large, nothing was read
import-encoding = the file is { $encoding }; it was read as such
import-header-again = the header, repeated
import-line = { $what }
import-row-short = the row has { $cells } cells for { $columns } columns: it was cut
import-price-missing = no price is stated
import-no-price = the price is { $price }, which means that it is missing
import-not-a-price = "{ $text }" is no price
import-no-currency = the currency is not stated; --currency states it
import-card = no card is called "{ $name }"
import-card-nearest = no card is called "{ $name }"; the nearest is { $nearest }
import-count = { $count } cards: neither whole cards nor an even slice of one
import-memory = "{ $name }" is stated with { $stated } GB; the card table says { $known }, and counts
import-carried-forward = the source could not fetch this price and carried an older one forward
import-azure-windows = Windows is in the price
import-azure-low-priority = low priority is no longer sold for single machines
import-term = a term of "{ $term }" is not known
import-unit = the price is for "{ $unit }", not for an hour
import-charge-type = charge type "{ $text }" is not known
import-no-card-name = the row names no card
import-not-sold = no tier has a price: it is not sold

price-column-kind = kind
price-column-provider = provider
price-column-card = card
price-column-count = count
price-column-mode = mode
price-column-price = price
price-column-currency = currency
price-column-per = per
price-column-granularity = granularity
price-column-minimum = minimum
price-column-rounding = rounding
price-column-free = free
price-column-up_to = up_to
price-column-charged_when_stopped = charged_when_stopped
price-column-vcpus = vcpus
price-column-memory = memory
price-column-disk = disk
price-column-region = region
price-column-country = country
price-column-product = product
price-column-tier = tier
price-column-slices = slices
price-column-stock = stock
price-column-interconnect = interconnect
price-column-host_included = host_included
price-column-observed = observed
price-column-source = source
price-column-licence = licence
price-column-grade = grade
price-column-notes = notes
price-column-card_raw = card_raw
price-column-id = id

import-format-skypilot = SkyPilot catalogue
import-format-gpuhunt = gpuhunt catalogue
import-format-gpurentalprices = gpurentalprices snapshot
import-format-tardellirs = tardellirs list
import-format-azure_retail = Azure retail prices
import-format-vast = Vast.ai offers
import-format-runpod = RunPod card types
import-format-karpenter = Karpenter price map
import-format-compshare = compshare API
import-format-autodl = AutoDL API
import-format-price_card = price card
