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
market-money-mixed = { $left } 和 { $right } 没有汇率，加不到一起
market-money-no-rate = 没有写明 { $from } 换成 { $to } 的汇率
market-money-overflow = 金额大得不像钱，算不下去

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
market-doubt-outlier = 每卡时 { $price }，而各平台的中位价是 { $median }
market-doubt-per-card = 每卡时 { $price }，各平台的中位价是 { $median }；差的大约就是卡数（{ $count }）：可能把单卡价当成了整机价，或者反过来
market-doubt-spot = 竞价 { $spot }，按需 { $on_demand }
market-doubt-term = 每小时 { $price }，比更短的 { $mode }（{ $other }）还贵
market-doubt-stale = { $days } 天前的价格
market-doubt-undated = 来源没有日期

cmd-offers = 列出谁在租哪张卡、什么条款、多少钱
cmd-offers--card = 卡，平时怎么叫就怎么写（4090、"A100 80G"）；可以写多次
cmd-offers--memory = 单卡标称显存至少多大（24GiB）
cmd-offers--count = 一台正好几张卡
cmd-offers--min_count = 一台至少几张卡
cmd-offers--capability = CUDA 计算能力至少多少（8.0 起支持 bf16）
cmd-offers--interconnect = 机内多卡怎么互联
cmd-offers--form = 卡的形态
cmd-offers--provider = 平台；可以写多次
cmd-offers--region = 地区名的开头；可以写多次
cmd-offers--country = 国家代码，例如 CN；可以写多次
cmd-offers--mode = 计费方式（on_demand 按需、spot 竞价、daily 包日、weekly 包周、monthly 包月、yearly 包年、reserved_12m 预留）
cmd-offers--max_price = 每卡时最多多少钱，按 --currency 的货币
cmd-offers--ecc = 显存是否必须带纠错（true、false）
cmd-offers--vcpus = 至少多少核
cmd-offers--ram = 内存至少多大（64GiB）
cmd-offers--disk = 本地盘至少多大（500GB）
cmd-offers--slices = 也列出切分卡（vGPU）
cmd-offers--serverless = 也列出按请求计价的
cmd-offers--oldest = 最旧到哪一档
cmd-offers--fresh_days = 多少天以内算新
cmd-offers--ageing_days = 多少天以内算偏旧，再久算过期
cmd-offers--currency = 用哪种货币回答；别的货币要写明 --rate 才参加
cmd-offers--rate = 换成 --currency 的汇率，例如 USD=7.1@2026-12-01
cmd-offers--sort = 按什么排序；bill 用 --run、--runs、--storage 算整月账单
cmd-offers--run = 每次运行多久（默认 8h），配合 --sort bill 或 --compare
cmd-offers--runs = 一个月运行几次（默认 20），配合 --sort bill 或 --compare
cmd-offers--storage = 整月存放多少数据（默认没有），配合 --sort bill 或 --compare
cmd-offers--by_card = 每种卡一行：最低、中位、最高
cmd-offers--limit = 显示多少行；0 表示全部
cmd-offers--prices = 盖在价格目录上的自有价目表（CSV）；可以写多次

cmd-bill = 逐行列出某个报价的一段用量要付多少钱
cmd-bill--offer = 报价编号，`kasuan offers` 里有
cmd-bill--from = 什么时候开机（2026-12-01T09:00）
cmd-bill--to = 什么时候删除实例，或套餐用到什么时候
cmd-bill--stop = 中间关机的时段，写成 起..止；可以写多次
cmd-bill--no_card = 关机时段里无卡开机的时段，写成 起..止；可以写多次
cmd-bill--given_back = 什么时候提前退掉套餐
cmd-bill--reclaimed = 竞价实例最后是被平台回收的
cmd-bill--storage = 全程存放的数据：大小，或 类型=大小，例如 object=200GB；可以写多次
cmd-bill--egress = 当月流出公网的流量
cmd-bill--prices = 盖在价格目录上的自有价目表（CSV）；可以写多次

cmd-market = 管理价格表
cmd-market-doctor = 指出价格里的疑点
cmd-market-doctor--prices = 和价格目录一起检查的自有价目表（CSV）；可以写多次
cmd-market-doctor--limit = 每种疑点显示几行；0 表示全部
cmd-market-doctor--fresh_days = 多少天以内算新
cmd-market-doctor--ageing_days = 多少天以内算偏旧，再久算过期
cmd-market-template = 写一份可以直接填的价目表
cmd-market-template--file = 写到哪个文件
cmd-market-template--force = 文件已存在时覆盖它
cmd-market-import = 把别处的价格表读进自己的价目表
cmd-market-import--file = 价格表文件（CSV、JSON、XLSX、Go map）；不会联网下载
cmd-market-import--to = 写到哪个价目表；同一报价的旧行会被替换
cmd-market-import--provider = 平台，文件里没写时用
cmd-market-import--card = 卡，文件里没写时用
cmd-market-import--currency = 币种，文件里没写时用
cmd-market-import--observed = 价格是哪天的，文件里没写时用
cmd-market-import--dry_run = 只出报告，不写文件
cmd-market-import--limit = 报告显示几行；0 表示全部

offers-offer = 报价
offers-card = 卡
offers-memory = 显存
offers-offers = 报价数
offers-count = 卡数
offers-mode = 计费
offers-card-hour = 每卡时
offers-instance-hour = 整机每小时
offers-low = 最低
offers-median = 中位
offers-high = 最高
offers-currency = 货币
offers-age = 新旧
offers-grade = 可信度
offers-source = 来源
offers-key-gib = 每 GiB
offers-key-tflop = 每 TFLOP/s
offers-key-bandwidth = 每 TB/s
offers-key-bill = 整月账单
offers-none = 没有报价满足全部要求
offers-more = 还有 { $count } 条；--limit 0 显示全部
offers-family = “{ $text }”可能是几种卡：{ $cards }
offers-other-currency = 有 { $count } 条别的货币的报价没有列出；写明汇率才参加：--currency CNY --rate USD=汇率@日期
offers-unstated = 有 { $count } 条报价的来源没写明你要求的项目，没有列出

fresh-fresh = 新
fresh-ageing = 偏旧
fresh-stale = 过期
fresh-undated = 无日期
fresh-days = { $days } 天，{ $band }

error-rate = “{ $text }”不是汇率
hint-rate = 写成 --rate USD=7.1 或 --rate USD=7.1@2026-12-01
error-rate-currency = 汇率要知道换成哪种货币；写明 --currency
error-capability = “{ $text }”不是计算能力；写成 8.0 这样
error-offer-unknown = 没有编号为“{ $id }”的报价
hint-offer-nearest = 是不是 { $ids }？
hint-offer-list = `kasuan offers --card 卡` 会列出编号
error-moment = “{ $text }”不是时间
hint-moment = 写成 2026-12-01T09:00
error-interval = “{ $text }”不是一段时间
hint-interval = 写成 2026-12-01T18:00..2026-12-02T09:00
error-size = “{ $text }”不是数量；写成 200GB 这样

bill-kind = 项目
bill-from = 起
bill-to = 止
bill-quantity = 数量
bill-unit = 单位
bill-unit-price = 单价
bill-amount = 金额
bill-how = 怎么算的
bill-kind-compute = 算力
bill-kind-package = 套餐
bill-kind-refund = 退款
bill-kind-without_card = 无卡
bill-kind-stopped = 关机
bill-kind-storage = 存储
bill-kind-egress = 流出流量
bill-unit-instance_hour = 整机小时
bill-unit-package = 个
bill-unit-gb_hour = GB·小时
bill-unit-gb_day = GB·天
bill-unit-gb_month = GB·月
bill-unit-gb = GB
bill-total = 合计：{ $total }
bill-effective = 实际每用一小时 { $effective }；标价 { $listed }
bill-unknown = 未知：{ $what }
bill-source-price = 价格来源：{ $source }，{ $date }，可信度 { $grade }
bill-source-terms = 条款来源：{ $source }，{ $date }，可信度 { $grade }

market-doubt = 疑点
market-what = 说明
market-more = 还有 { $count } 行；--limit 0 显示全部
market-template-written = 已写入 { $path }；填上你的价格，再用 --prices 带上它
doubt-no_price = 没有价格
doubt-unknown_card = 不认识的卡
doubt-per_card_mix_up = 单卡价？
doubt-spot_not_cheaper = 竞价不便宜
doubt-longer_term_dearer = 长租更贵
doubt-outlier = 远离中位价
doubt-duplicate = 重复
doubt-stale = 过期
doubt-undated = 无日期
doctor-market-summary = { $offers } 条报价，{ $doubts } 处疑点

import-summary = 按{ $format }读取：共 { $rows } 行，收下 { $taken } 条报价，合并 { $merged } 行，没有显卡 { $no_card } 行，{ $terms ->
    [0] 拒收
   *[other] 存储和流量 { $terms } 行，拒收
} { $refused } 行
import-line-heading = 行
import-result = 结果
import-row = 名称
import-refused = 拒收
import-noted = 注意
import-nothing = 没有一行能收下；什么都没写
import-written = { $path } 现有 { $count } 条报价；用 --prices 带上它

cmd-market-history = 看一张卡在各家的价格怎么变
cmd-market-history--card = 卡，平时怎么叫就怎么写
cmd-market-history--provider = 平台
cmd-market-history--limit = 显示多少行；0 表示全部
cmd-market-export = 把选定的报价写成别的工具能用的样子
cmd-market-export--offer = 报价编号，`kasuan offers` 里有
cmd-market-export--tool = 写给哪个工具
cmd-market-export--name = 任务名
cmd-market-export--prices = 盖在价格目录上的自有价目表（CSV）；可以写多次

history-provider = 平台
history-tier = 档次
history-last = 最近
history-chart = 走势
history-volatility = { $class ->
    [both] 这张卡在这家平台
    [card] 这张卡在各家平台
    [provider] 这家平台的各种卡
   *[all] 整个市场
}：{ $series } 个价格序列，平均观察 { $days } 天，其中 { $moved } 变过，变过的中位幅度 { $range }；从头到尾，九成高于 { $low }，九成低于 { $high }

export-provider = { $tool } 租不到 { $provider } 的机器
export-mode = { $tool } 没有{ $mode }
export-card = { $tool } 不认识 { $card } 这张卡
export-slice = { $tool } 没法要切分卡
export-currency = { $tool } 按美元计价，而这个报价是 { $currency }

cmd-offers--compare = 把这个报价和别的并排比，整机对整机；可以写多次
cmd-offers--history = 不看现价看历史价：每个序列一条走势，加一张图
cmd-offers--store = 导入过的价格记在哪里（SQLite 文件或 postgres://）；不写就在价目表旁边找
cmd-bill--tax = 税对合计的影响：general（一般纳税人，可抵扣）或 small（小规模，自己承担）
cmd-market-import--store = 按日期记住价格的地方（SQLite 文件或 postgres://）；不写就是价目表旁边的同名 .db
cmd-market-history--prices = 导入记录也算进来的价目表；可以写多次
cmd-market-history--store = 导入过的价格记在哪里（SQLite 文件或 postgres://）
offers-vcpus = 核数
offers-ram = 内存 GiB
offers-disk = 本地盘 GB
offers-used-card-hour = 实用每卡时
offers-metering = 怎么计时
offers-pattern = 月账单按开机 { $runs } 次、每次 { $hours } 小时、整月存放 { $storage } 计算；可用 --run、--runs、--storage 改
offers-storage-unknown = 带 +? 的不含存储费：平台没写价格
offers-tied = 单卡最便宜的 { $offer } 要整机一起租，{ $count } 张卡每小时 { $instance }；这张卡整机最便宜的是 { $other }，每小时 { $price }；用 --sort instance 按整机排
metering-step = { $seconds ->
    [1] 按秒
    [60] 按分钟
    [3600] 按小时
   *[other] 按 { $seconds } 秒
}
metering-minimum = ，最少 { $seconds } 秒
metering-unknown = 没写
metering-package = { $hours } 小时套餐
history-product = 产品
history-change = 涨跌
history-none = 没有这样的历史价格
history-from = 计入 { $place } 里以往导入的 { $count } 个价格
history-monthly = { $mode }：这类价格 30 天内有 { $chance } 会变，变的时候上下大约 { $deviation }；计划的预算区间就按它算
history-chart-title = { $mode }，{ $series } 个序列：● 最低，· 中位
import-undated = 有 { $count } 个价格自己没写日期，记在 { $day } 名下（可用 --observed 写明哪天）
import-remembered = { $place } 已记下这次的 { $count } 个价格；用 `kasuan offers --history` 查看
bill-tax-open = 税：平台没写价格含不含税；用 --tax general（一般纳税人）或 --tax small（小规模）看影响
bill-tax-abroad = 税：境外平台开不出增值税专用发票，价格就是全部成本
bill-tax = 税（{ $buyer ->
    [general] 一般纳税人，可抵扣
   *[small] 小规模纳税人，不可抵扣
}）：共付 { $paid }，其中税 { $tax }（税率 { $rate }%），实际成本 { $cost }
bill-tax-basis = 依据：价格{ $included ->
    [yes] 含税
    [no] 不含税
   *[unknown] 含不含税没写
}；{ $invoice ->
    [yes] 可开专用发票
    [no] 不开专用发票
   *[unknown] 能不能开专用发票没写
}；{ $stated ->
    [yes] 税率 { $rate }% 由平台写明
   *[no] 平台没写税率，按信息技术服务 { $rate }% 算
}；来源：{ $source }。这不是税务意见，请自行确认
market-bill-no-package = { $offer } 是{ $mode }，不是套餐，没有提前退订这回事；去掉提前退订的时间，或者换成套餐的报价
market-bill-given-back-late = 退订时间 { $given_back } 在用量结束（{ $to }）之后
market-bill-no-spot = { $offer } 是{ $mode }，不会被平台中途回收；会被回收的只有竞价
bill-no-time = 结束时间不晚于开机时间 { $from }，这段用量没有时长
bill-no-time-hint = --to 要晚于 --from
bill-package-stops = { $offer } 是套餐，买了就付，开不开机一个价；--stop 和 --no-card 对它不起作用
bill-package-stops-hint = 去掉这两个参数；要看提前退订，用 --given-back
bill-stop-outside = 关机时段 { $stop }..{ $start } 不在 { $from } 到 { $to } 之内
bill-no-card-outside = 无卡开机时段 { $from }..{ $to } 不在任何一段关机时间里
bill-no-card-outside-hint = 无卡开机是在关机期间不带卡开机；先用 --stop 写明这段关机
bill-reclaimed-stopped = 实例在 { $to } 已经关机，谈不上被回收；--to 写成被回收的时间
bill-seen = 新旧：价格 { $price }；条款 { $terms }
bill-seen-old = 这个价格太旧或没有日期，只能当线索；下单前先到平台核对
cmd-bill--fresh_days = 多少天以内算新
cmd-bill--ageing_days = 多少天以内算偏旧，再久算过期
cmd-market-history--fresh_days = 多少天以内算新
cmd-market-history--ageing_days = 多少天以内算偏旧，再久算过期
error-age-bands = “新”的界限 { $fresh } 天比“偏旧”的界限 { $ageing } 天还长
offers-low-age = 最低价新旧
error-pattern = 一个月用不出这么多：{ $runs } 次、每次 { $hours } 小时，共 { $all } 小时；要大于 0，且不超过 { $month } 小时
hint-pattern = 改 --run（每次多久，例如 8h）或 --runs（一个月几次）
offers-two-ways = { $first } 和 { $second } 是两种不同的看法，一次只能选一种
offers-needs = { $unused } 要和 { $needed } 一起用，单独写不起作用
offers-unused = { $unused } 对 { $way } 不起作用
offers-unused-hint = 可以一起用的有：{ $taken }
error-provider-unknown = 没有叫“{ $name }”的平台在售
hint-provider-list = `kasuan offers --card 卡` 的报价编号以平台名开头；自己的平台用 --prices 带上价目表
