# The ledger and the bills that go into it.
ledger-error-open = cannot open the ledger at `{ $place }`: { $cause }
ledger-hint-open = check the path and its rights, or the server's address, user and password
ledger-error-store = the ledger did not accept it: { $cause }
ledger-hint-store = nothing was half-written; free some disk space or wait for the other writer, then do it again
ledger-error-too-new = the ledger was written by a later kasuan (schema { $found }, this one knows up to { $known })
ledger-hint-too-new = install the newest kasuan; this one has not touched the file
ledger-error-damaged = the ledger holds `{ $text }` where something else belongs
ledger-hint-damaged = the row was changed by another program; restore a copy of the file

bill-error-empty = `{ $file }` has no rows
bill-hint-empty = some providers write empty files for months without charges; there is nothing to import
bill-error-web-page = `{ $file }` is a web page, not a bill
bill-hint-web-page = the download was probably answered with a sign-in page; sign in and download it again
bill-error-encoding = `{ $file }` is neither UTF-8 nor GBK text
bill-hint-encoding = unpack it first if it is a zip or Excel file, or save it as CSV (UTF-8)
bill-error-unknown-layout = the headers of `{ $file }` belong to no bill known here; nearest is { $nearest }, which would need: { $missing }
bill-hint-unknown-layout = export the detailed bill (费用明细, one row for each charge), or map the columns yourself with --map
bill-error-no-such-layout = there is no bill layout `{ $layout }`
bill-hint-no-such-layout = known layouts: { $known }
bill-error-double-column = `{ $file }` has the column `{ $column }` twice, and both would count
bill-error-cell = `{ $file }` line { $line }, column `{ $column }`: `{ $text }` is not { $expected ->
    [amount] an amount
    [time] a time
    [currency] a currency code
    [count] a whole number
   *[word] one of the words of this column
  }
bill-error-ragged = `{ $file }` line { $line } has { $found } cells where the header has { $expected }
bill-error-double-row = `{ $file }` line { $line }: the row `{ $key }` stands twice with different content
bill-hint-double-row = two exports may have been joined; import each file by itself
bill-error-mixed-currencies = `{ $file }` line { $line }: { $found } among rows in { $first }
bill-hint-mixed-currencies = split the file by currency; kasuan never adds two currencies
bill-error-wrong-total = `{ $file }` states a total of { $stated }, but its rows add up to { $summed }
bill-hint-download-again = the file is probably cut off or edited; download it again
bill-error-no-currency = nothing says which currency `{ $file }` is in
bill-hint-no-currency = say it with --currency CNY
bill-warning-unknown-columns = columns that are not read: { $columns }
bill-warning-repeated = rows that stand twice were counted once: { $rows }
bill-warning-unpaid = orders that were never paid are kept and left out of totals: { $rows }
bill-warning-zone = times without a zone were read as UTC{ $zone }
bill-error-double-invoice = `{ $file }` has the invoice `{ $invoice }` in two accounts, currencies or billing periods
bill-hint-double-invoice = an invoice belongs to one account, currency and period; two exports may have been joined, import each by itself
bill-error-map = `{ $file }` is no map of columns: { $reason }
bill-hint-map = write it like a layout of data/bills/layouts.toml: one [[layout]] with id, title, provider, zone, required and columns
bill-warning-cut = the use that { $provider } billed runs from { $first } to { $last }, the bill's month to { $end }; if it was exported before the month was over, export and import it again

store-skew = this machine's clock differs from the ledger server's by { $seconds } s; set the clock (NTP), or use is written into wrong hours
store-missing = there is no ledger at `{ $place }`
store-hint-missing = import a bill first (kasuan import bill FILE), or say where the ledger is with --ledger or KASUAN_LEDGER
store-nowhere = nothing says where the ledger is
store-hint-nowhere = say it with --ledger FILE, --ledger postgres://... or KASUAN_LEDGER
bill-error-backwards = `{ $file }` line { $line }: the end { $end } is before the start { $start }
bill-hint-backwards = the two columns may be swapped, or their zones differ; correct them and import again
store-plain = the connection to the ledger on { $host } is not encrypted: password and data can be read on the way; keep it in a private network or use an SSH tunnel
bill-error-columnar = `{ $file }` cannot be read as Parquet: { $reason }
bill-hint-columnar = read are files without compression, with Snappy and with gzip; turn others (zstd) into CSV with DuckDB first, or download the file again
