# The command line: help, errors, common words.
cmd-kasuan = kasuan: which GPUs to rent this month, for how long, how billed, and what it costs in all
cmd-kasuan--version = Print the version
cmd-global--format = How to print: table for people; json, csv and markdown for programs and documents
cmd-global--lang = Language; follows the locale when absent (LC_ALL, LC_MESSAGES, LANG)
cmd-global--explain = Show each figure's formula, inputs, source and date
cmd-global--today = Take this day as today (written like 2026-12-01); decides how old a price is
cmd-global--help = Print help
cmd-init = Write a commented workload file to start from, or a workbook where the name ends in .xlsx
cmd-init--file = The file to write
cmd-init--force = Overwrite the file when it exists

help-usage = Usage:
cmd-plan = Plan a month: what to rent, how billed, when it runs, what it costs in all
cmd-plan--file = The workload file (YAML, JSON or TOML); - reads standard input
cmd-plan--output = Also write a file; the extension decides: .xlsx, .md, .json, .csv or .txt; for the calendar .ics, .cron, .sh (Slurm) or .svg
cmd-plan--prices = Your own prices (CSV), before the built-in ones and those the workload file names; may be repeated
cmd-plan--all_prices = Let undated, old, weakly sourced and implausibly cheap offers take part too
cmd-plan--rate = Add an exchange rate, such as USD=7.1 or USD=7.1@2026-12-01; may be repeated
cmd-plan--seed = Seed of the simulated months
cmd-plan--show_defaults = Only print the workload with every default filled in

help-values = {" "}({ $values })
help-default = ; default { $value }
help-usage-options = [OPTIONS]
help-command-name = COMMAND
help-commands = Commands
help-options = Options
help-arguments = Arguments
help-global = Options of every command
help-more = Read about a command: kasuan <command> --help

error-line = error: { $message }
hint-line = hint: { $message }
warning-line = note: { $message }

error-file-missing = file `{ $path }` not found
hint-file-missing = check the path; to start from an example, run `kasuan init`
error-file-read = cannot read `{ $path }`: { $reason }
error-file-is-folder = `{ $path }` is a folder; a file is needed here
error-file-not-utf8 = file `{ $path }` is not UTF-8 text (from byte { $offset })
hint-file-not-utf8 = save it as UTF-8 in your editor, or run: iconv -f GB18030 -t UTF-8 { $path }
error-file-large = file `{ $path }` has { $size }, above the limit of { $limit }
error-file-write = cannot write `{ $path }`: { $reason }
error-file-exists = file `{ $path }` exists already and was left alone
hint-file-exists = give another name, or add --force to overwrite it
error-output = output broke off: { $reason }

error-argument-unknown = there is no option `{ $argument }`
error-command-unknown = there is no command `{ $command }`
error-argument-value = `{ $value }` is not a value for { $argument }
error-argument-missing = { $argument } is missing
error-argument-conflict = { $argument } and { $other } cannot be used together
error-argument-empty = { $argument } needs a value
error-command-missing = a command is needed
error-arguments = wrong arguments: { $reason }
hint-did-you-mean = did you mean `{ $suggestion }`?
hint-possible-values = possible values: { $values }
hint-value-range = from { $least } to { $most }
hint-whole-number = a whole number is wanted, such as 8
hint-number = a number is wanted, such as 8 or 0.5
hint-see-help = usage: { $usage }

error-today = `{ $text }` is not a date
hint-today = write it like 2026-12-01

init-written = wrote { $path }
init-next = put your own jobs in, then run: kasuan plan { $path }

mode-on_demand = on demand
mode-spot = spot
mode-daily = by the day
mode-weekly = by the week
mode-monthly = monthly
mode-yearly = yearly
mode-reserved = reserved { $months } months

plan-infeasible = nothing feasible for job `{ $job }`; it is not in the total
plan-output-written = wrote { $path }
plan-output-unknown = no way to write `{ $path }` is known
plan-hint-output = the extension may be .xlsx, .md, .json, .csv or .txt; for the calendar .ics, .cron, .sh (Slurm) or .svg
plan-rate-wrong = `{ $text }` is not an exchange rate
plan-hint-rate = write it like USD=7.1 or USD=7.1@2026-12-01
card-guessed = `{ $text }` comes in several forms; { $card } is taken; write its full name to choose

# Why something cannot be read or written.
io-not-found = no such file or folder
io-denied = permission denied
io-exists = it exists already
io-folder = it is a folder
io-no-folder = a part of the path is no folder
io-full = the disk is full
io-read-only = the disk is read-only
io-name = the name is not valid
io-links = the links run in a circle
io-in-use = the address is in use
io-no-address = this machine has no such address
io-refused = the connection was refused
io-broken-off = the connection was broken off
io-timed-out = it took too long
io-short = it ends too early
io-data = its content has the wrong form

cmd-completions = Write the script that lets a shell complete commands and options
cmd-completions--shell = The shell
cmd-man = Write the manual page
cmd-man--output = Write into this folder, one page a command; left out, the main page is printed
man-written = { $path } holds { $count } pages now; read them with: man { $path }/kasuan.1
cmd-mcp = For assistants: answer MCP requests on standard input and output
mcp-failed = the MCP server broke off: { $reason }
mcp-workload = The text of a workload file (YAML, JSON); give this or file
mcp-instructions = kasuan: which GPUs to rent, for how long, how billed, what it costs in all. plan takes a month of jobs; fit says whether a model fits a card; offers lists prices; bill applies a provider's billing rules; doctor says whether an environment runs on a card; review looks back at a month. Every amount comes from rules and sourced prices; what is unknown is called unknown and must not be made up.
hint-value-span = a span of time such as 90s, 30m, 2h or 1h30m
