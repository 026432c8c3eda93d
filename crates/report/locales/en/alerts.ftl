# Alerts.
cmd-alerts = Tell the team what it should hear of
cmd-alerts-check = Look for alerts in the ledger and send what is new; to be run every few minutes
cmd-alerts-check--channels = File of channels (feishu, dingtalk, wecom, webhook, email); without one, alerts are only printed
cmd-alerts-check--dry_run = Print what would be sent
cmd-alerts-check--idle_over = Idle hosts that cost at least this an hour are told at once
cmd-alerts-check--quiet = Hours in which nothing is sent, such as 22-8; it is sent afterwards
cmd-alerts-check--zone = Zone of the month, of the quiet hours and of the digest (09:00)
cmd-alerts-check--rate = Rate for charges in another currency, such as USD=7.1
cmd-alerts-check--ledger = Ledger file or postgres://...
alert-budget = { $month }: { $share } of the budget is spent ({ $spent } of { $planned })
alert-budget-remedy = see where: kasuan review --month { $month }
alert-idle = { $host } has been idle for { $minutes } min; { $hourly } an hour, { $spent } so far
alert-idle-remedy = stop or release { $host } unless somebody needs it
alert-stale = the agent of { $host } has been silent for { $minutes } min; nothing is known of it since
alert-stale-remedy = look whether { $host } still runs and is still paid for
alert-expiry = { $host } is paid until { $hours } h from now
alert-expiry-remedy = save what is on it; renew only if it was used (kasuan advise next)
alert-killed = { $job } on { $host } was ended from outside: reclaimed, or killed
alert-killed-remedy = start it again from its checkpoint: kasuan run --task { $job } --checkpoints ... --keep-at ...
alerts-title = kasuan: GPU alerts
alerts-none = nothing to tell
alerts-quiet = quiet hours: nothing is sent now
alerts-nothing-new = { $channel }: nothing new
alerts-sent = { $channel }: sent { $count }
alerts-failed = { $channel }: { $reason }
alerts-error-unsent = not everything could be sent
alerts-hint-unsent = the next check sends it again
alerts-error-channels = `{ $path }` is no file of channels: { $reason }
alerts-hint-channels = write [[channel]] with name, kind and url (or url_file, url_env), and secret_file or secret_env = "KASUAN_SECRET_..."; see docs/review.md
alerts-error-secret = `{ $path }` names the variable `{ $name }`, which is not set
