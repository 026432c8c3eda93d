# 告警。
cmd-alerts = 把该知道的事告诉团队
cmd-alerts-check = 从账本里找出要提醒的事，只发新的；可每几分钟运行一次
cmd-alerts-check--channels = 渠道文件（feishu、dingtalk、wecom、webhook、email）；不给就只打印
cmd-alerts-check--dry_run = 只打印要发的内容
cmd-alerts-check--idle_over = 每小时不低于这个价的主机一闲置就立即提醒
cmd-alerts-check--quiet = 免打扰时段，例如 22-8；过后再发
cmd-alerts-check--zone = 月份、免打扰时段和每日汇总（09:00）所用的时区
cmd-alerts-check--rate = 其他货币费用的汇率，例如 USD=7.1
cmd-alerts-check--ledger = 账本文件或 postgres://...
alert-budget = { $month } 预算已用 { $share }（{ $planned } 中的 { $spent }）
alert-budget-remedy = 看看花在哪里：kasuan review --month { $month }
alert-idle = { $host } 已闲置 { $minutes } 分钟；每小时 { $hourly }，已花 { $spent }
alert-idle-remedy = 没人用就停机或释放 { $host }
alert-stale = { $host } 的监控已 { $minutes } 分钟没有消息；之后的情况未知
alert-stale-remedy = 看看 { $host } 是否还在运行、是否还在计费
alert-expiry = { $host } 的包期还剩 { $hours } 小时
alert-expiry-remedy = 先保存上面的数据；确实用足了再续（kasuan advise next）
alert-killed = { $host } 上的 { $job } 被外部终止：可能是竞价回收或被杀
alert-killed-remedy = 从检查点接着跑：kasuan run --task { $job } --checkpoints ... --keep-at ...
alerts-title = 卡算：GPU 提醒
alerts-none = 没有要提醒的事
alerts-quiet = 免打扰时段，暂不发送
alerts-nothing-new = { $channel }：没有新内容
alerts-sent = { $channel }：已发送 { $count } 条
alerts-failed = { $channel }：{ $reason }
alerts-error-unsent = 有内容没有发出去
alerts-hint-unsent = 下次检查会重发
alerts-error-channels = `{ $path }` 不是渠道文件：{ $reason }
alerts-hint-channels = 写 [[channel]]，包括 name、kind、url（或 url_file、url_env），以及 secret_file 或 secret_env = "KASUAN_SECRET_..."；见 docs/review.md
alerts-error-secret = `{ $path }` 用到的环境变量 `{ $name }` 没有设置
