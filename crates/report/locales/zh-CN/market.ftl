# 行情：卡、报价、账单、计费条款、对价格的疑点。
market-catalogue-broken = 价格目录读不出来：{ $what }

market-card-unknown = 没有叫“{ $text }”的卡
market-card-nearest = 是不是 { $names }？
market-card-list = 不带 --card 运行 `kasuan offers`，可以按卡列出所有在租的型号
market-card-memory = “{ $text }”：{ $family } 只有 { $known } GB 的，没有 { $given } GB 的

market-bill-backwards = 有一段时间在 { $to } 结束，却在 { $from } 才开始
market-bill-overlap = 有一次运行从 { $next } 开始，而上一次到 { $previous } 才停；一台实例同一时间只能跑一次
market-bill-too-long = 用量跨度超过 { $years } 年
market-bill-no-storage = { $provider } 没有叫“{ $kind }”的存储；有的是：{ $known }
market-bill-money = 账单加不起来：{ $what }

market-bill-time = 用了 { $used } 小时，按 { $billed } 小时计费
market-bill-step = 不足 { $seconds } 秒的按 { $seconds } 秒算
market-bill-minimum = 每次开机至少计 { $seconds } 秒
market-bill-rounds-up = 每次结算向上进到分
market-bill-rounds-down = 每次结算抹去不足一分的零头
market-bill-rounds-half-up = 每次结算四舍五入到分
market-bill-night = 夜间时段便宜 { $off }%
market-bill-reclaimed-free = 开机不久就被回收，这家平台不收这段的钱
market-bill-no-card = 无卡开机
market-bill-packages = 预付 { $count } 个 { $hours } 小时的套餐，用不用都要付
market-bill-refund = 提前退订：已付 { $paid }，扣除已用的 { $share }% × { $factor }
market-bill-refund-unknown = 提前退订；平台没有写退款规则
market-bill-stopped-price = 已关机，按平台的关机价收费
market-bill-stopped-full = 已关机，但这家平台照样收卡的钱
market-bill-stopped-unknown = 已关机；平台没写关机是否免费
market-bill-storage = 存了 { $size }，其中 { $free } 免费，{ $charged } GB 收费
market-bill-storage-always = 关机期间也收费
market-bill-storage-running = 只在开机期间收费
market-bill-tier = 当月流量落在这一档的部分
market-bill-other-currency = { $amount } 是另一种货币，没有计入 { $currency } 合计

market-warn-deleted = 连续关机超过 { $days } 天：平台会在 { $on } 删除实例和磁盘
market-warn-no-early-exit = 这家平台的套餐不能提前退
market-warn-recycled = 套餐到期 { $days } 天后，实例会被销毁
market-warn-spot-not-stoppable = 这家平台的竞价实例不能关机，只能删除

market-unknown-step = 平台没写按多细的时间计费：按 { $low } 秒到 { $high } 秒之间估
market-unknown-rounding = 平台没写怎么取整；上下限按每次结算差一分算
market-unknown-no-card = 平台没写无卡开机的价格
market-unknown-refund = 平台没写套餐提前退能退多少：在一分不退和退还全部未用部分之间
market-unknown-stopped = 平台没写关机后是否免费
market-unknown-storage = 存放 { $size } 的价格没有写明，没有计入合计
market-unknown-storage-stopped = 平台没写关机期间是否收存储费
market-unknown-egress = 流出 { $size } 的价格没有写明，没有计入合计

market-doubt-no-price = 价格是 { $price }，等于没有价格
market-doubt-card = 没有叫“{ $name }”的卡
market-doubt-duplicate = 和另一行是同一产品、同一计费方式
market-doubt-outlier = 每卡时 { $price }，而这张卡的中位价是 { $median }
market-doubt-per-card = 每卡时 { $price }，与中位价 { $median } 正好差了卡数（{ $count }）：单卡价当成了整机价，或者反过来
market-doubt-spot = 竞价 { $spot }，按需 { $on_demand }
market-doubt-term = 每小时 { $price }，比更短的 { $mode }（{ $other }）还贵
market-doubt-stale = { $days } 天前的价格
market-doubt-undated = 来源没有日期
