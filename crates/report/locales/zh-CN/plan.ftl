# 规划：选择的理由、预算各行、降级、基准、提醒。
plan-error-no-jobs = 任务文件里没有任何任务
plan-hint-no-jobs = 在 `jobs:` 下至少写一个任务；`kasuan init` 会写一份可以照着改的示例
plan-error-same-name = 有两个任务都叫 `{ $name }`
plan-hint-same-name = 每个任务起一个不同的名字
plan-error-days = 从 { $month } 起规划 { $days } 天：只能规划 1 到 366 天
plan-error-hours = 任务 `{ $job }` 的时长写成了 { $hours } 小时
plan-hint-hours = 时长要大于 0，单位是小时，一次运行不超过 87600 小时
plan-error-runs = 任务 `{ $job }` 要跑 { $runs } 次，一个任务最多 { $most } 次
plan-hint-runs = 把很短的运行合成一批，再写一批要多少小时
plan-error-after = 任务 `{ $job }` 要等 `{ $after }` 跑完，但任务文件里没有它
plan-hint-after = 检查 `after:` 里的名字，要和另一个任务的 `name:` 完全一样
plan-error-circle = 任务 `{ $job }` 经过别的任务绕一圈，等的是它自己
plan-error-card = 任务 `{ $job }` 指定的卡 `{ $card }` 不在卡表里
plan-hint-card = 用 `kasuan offers` 看有哪些卡
plan-error-share = `{ $field }` 写成了 { $value }，它必须在 0 到 1 之间
plan-error-mixed = { $left } 和 { $right } 的钱没有汇率，加不到一起
plan-error-overflow = 金额大得放不下
plan-error-no-rate = 缺少 { $from } 换 { $to } 的汇率
plan-hint-no-rate = 在任务文件里写上汇率和日期，例如 `rates: {"{"}{ $from }: 7.1 @ 2026-12-01{"}"}`（1 { $from } 合多少 { $to }）

plan-how-hourly = { $mode }：启动 { $starts } 次，共计费 { $hours } 实例小时 × { $price }/小时 = { $amount }
plan-how-term = { $mode }：用去 { $hours } 实例小时，分摊套餐费 { $amount }

plan-why-cheapest = 跑完整个任务 { $cost }；换成 { $provider } 的 { $card }（{ $mode }）要 { $other }
plan-why-term = 用 { $mode }（{ $price }）：要付 { $hours } 小时，超过打平点 { $even } 小时
plan-why-below-break-even = 不用{ $mode }（{ $price }）：只用 { $hours } 小时，不到打平点 { $even } 小时
plan-why-idle-cards = 租的机器共 { $rented } 张卡，只用 { $used } 张；其余的钱照付
plan-why-several-machines = 要 { $machines } 台机器一起跑，机器之间的网络要够快；时间估计没有算进这段网络
plan-why-spot = 竞价：每 { $minutes } 分钟存一次检查点，有效时间占 { $efficiency }；算上重跑，实际相当于按需价的 { $ratio }
plan-why-no-spot-not-interruptible = 没有用竞价：任务没有声明能从检查点继续，被回收一次就要从头再来
plan-why-no-spot-price = 没有用竞价：算上重跑，实际相当于按需价的 { $ratio }，不比现在的选择便宜

plan-nothing-currency = 没有能用的报价：{ $count } 条报价是别的币种，而任务文件没有给出换成 { $currency } 的汇率；写上 `rates:` 再试
plan-nothing-policy = 没有能用的报价：`policy:` 排除了 { $count } 条；放宽厂商、国家、地区、计费方式或价格新旧的限制
plan-nothing-machine = 至少要 { $cards } 张卡装在一台机器里，而能租到的机器最多 { $most } 张
plan-nothing-modes = 能装下它的卡都不按指定的方式计费（{ $modes }）；放宽 `modes:`
plan-nothing-window = 它的时间窗放不下一次运行；把 `daily:` 或 `deadline:` 放宽，或声明可中断，让它分几段跑
plan-nothing-work-unknown = 不知道它有多少活；写上 `hours:`，或写 `data:`（多少 token、几轮）让卡算估计
plan-nothing-too-long = 最快的卡一次也要 { $hours } 小时，超过规划的 { $days } 天；减少数据量，或允许用更多、更快的卡
plan-nothing-memory = 显存不够：每张卡要 { $needed }，最接近的卡只有 { $have } 可用；可以量化、用更多卡，或放宽卡型和厂商
plan-nothing-cards = 另有 { $count } 种卡没有考虑，因为任务指定了卡型
plan-nothing-offers = 没有报价能装下它

plan-need-like = 只给了参数量 { $parameters }：按相近的 { $model } 估计，误差较大
plan-need-hours-any-card = 时长没说是在哪种卡上：各种卡都按同样的小时数算，选到的卡越慢越不准；写上 `measured_on:`
plan-need-hours-elsewhere = 时长是在 { $card } 上量的；这种卡不更慢，但快多少没有依据，按同样的小时数算
plan-need-hours-bounded = 时长是在 { $card } 上量的；这种卡更慢，按算力和带宽里差得更多的一项放大到 { $factor } 倍（上限）
plan-need-hours-moved = 时长是在 { $card } 上量的，按两种卡的速度折算成 { $factor } 倍
plan-need-latency = 达不到要求的延迟
plan-need-overloaded = 指定了 { $replicas } 个副本，但按负载至少要 { $least } 个
plan-need-quantised = 16 位权重在哪种卡上都放不下，所以用量化权重；质量要自己验证

plan-line-rent = 按小时付 { $hourly }，套餐 { $terms }；其中闲置 { $idle }
plan-line-storage-stated = { $name }：{ $gb } GB × 每 GB 每月 { $price } = { $amount }
plan-line-storage-provider = 在 { $provider } 存一份 { $gb } GB：{ $amount }
plan-line-storage-unknown = { $provider } 没有公布存储价，没有计入
plan-line-egress-none = 没有声明流出的流量
plan-line-egress = 从 { $provider } 流出 { $gb } GB：{ $amount }
plan-line-egress-unknown = { $provider } 没有公布流量价，没有计入
plan-line-trial-stated = 任务文件写明留 { $amount }
plan-line-trial-share = 租金 { $rent } 的 { $share }
plan-line-moving-time = 要传 { $gb } GB，按办公室的带宽约 { $hours } 小时；有人守着才算人工
plan-line-labour = { $hours } 小时人工：{ $amount }
plan-line-tax = { $provider } 的价格不含税，按 { $rate } 加 { $amount }
plan-line-tax-unknown = 不知道 { $provider } 的价格是否含税，没有计入
plan-line-margin-nothing = 没有留安全边际
plan-line-margin-flat = 以上合计的 { $share }
plan-line-margin-simulated = 留到模拟的 { $share } 的月份都够用
plan-line-margin-guide = 指南的 20%–30% 做法：合计 { $low } 到 { $high }
plan-line-margin-prices = 价格波动：这类价格 30 天后有 { $chance }% 会变，依据 { $all } 个价格序列，其中 { $own } 个属于所选平台的这些卡
plan-line-margin-prices-usual = 价格波动：按 30 天后有 { $chance }% 会变来假设，没有历史价格可依据

plan-fallback-wait = 让不是服务的任务都可以多等 { $hours } 小时，挪进已经付了钱的空闲时段
plan-fallback-wait-price = 结果最多晚 { $hours } 小时
plan-fallback-spot = 给 `{ $job }` 加上检查点，改用竞价
plan-fallback-spot-price = 要写检查点代码；会被回收，完成时间不确定
plan-fallback-quantise = 把 `{ $job }` 的权重量化成 { $format }
plan-fallback-quantise-price = 质量可能略降，上线前要评测
plan-fallback-smaller-card = 让 `{ $job }` 用任何装得下的卡，不再留显存余量
plan-fallback-smaller-card-price = 显存顶到估计上限，偶尔可能溢出；换卡要重新验证环境
plan-fallback-postpone = 把 `{ $job }` 推到下个月
plan-fallback-postpone-price = 这个月没有它的结果
plan-fallback-fewer-runs = `{ $job }` 少跑一半次数
plan-fallback-fewer-runs-price = 更新慢一半，试验机会少一半
plan-kind-wait = 多等
plan-kind-spot = 改竞价
plan-kind-quantise = 量化
plan-kind-smaller-card = 换小卡
plan-kind-postpone = 推迟
plan-kind-fewer-runs = 少跑

plan-baseline-impossible = `{ $job }` 没法这样租
plan-baseline-no-monthly = 没有人包月出租 { $card }，只能按需
plan-baseline-contradiction = 两条经验规则在 `{ $job }` 上打架：{ $hours } 小时超过或不到 200 小时是一个结论，利用率 { $share } 是另一个结论；真正的打平点是 { $even } 小时
plan-baseline-contradiction-open = 两条经验规则在 `{ $job }` 上打架：{ $hours } 小时超过或不到 200 小时是一个结论，利用率 { $share } 是另一个结论；这里没有包月价，谈不上打平点

plan-rule-providers = 厂商
plan-rule-countries = 国家
plan-rule-regions = 地区
plan-rule-modes = 计费方式
plan-rule-age = 价格太旧
plan-note-left-out-policy = 按你的限制（{ $rule }）排除了 { $count } 条报价
plan-note-left-out-currency = { $count } 条 { $currency } 报价没有参加：没有给汇率
plan-note-left-out-serverless = { $count } 条按请求计费的报价没有参加：租的不是机器
plan-note-left-out-terms = { $count } 条比规划期更长的套餐没有参加：一个月的任务撑不起更长的承诺；确实要就写进 `modes:`
plan-note-left-out-unusable = { $count } 条报价没有参加：卡不在卡表里，或价格读不出来
plan-note-stale = 报价 { $offer } 是 { $days } 天前的，下单前核对
plan-note-undated = 报价 { $offer } 没有日期，下单前核对
plan-note-marketplace = 报价 { $offer } 是众多主机里最便宜的一个，不一定抢得到
plan-note-host-not-included = 报价 { $offer } 的价格不含 CPU 和内存
plan-note-low-confidence = `{ $job }` 的时间估计可信度低，先跑一小段量一量
plan-note-rent-share = 租金占边际前合计的 { $share }（常说的“约一半”不一定适用于你）
plan-note-fallback-none = 降级办法“{ $kind }”试过了，省不了钱

plan-unknown-storage = 存储费：厂商没有公布价格
plan-unknown-egress = 流量费：厂商没有公布价格
plan-unknown-data-moving = 数据搬运的人工：没有写 `team.data_hours` 或工程师时薪
plan-unknown-operations = 运维人工：没有写 `team.ops_hours` 或工程师时薪
plan-unknown-tax = 税：不知道价格是否含税
plan-unknown-line = 有一行金额不明
plan-unknown-job = 任务 `{ $job }` 没有可行的选择，它的费用不在合计里
plan-unknown-memory = 任务 `{ $job }` 要多少显存没有人说过，选的卡可能太小
plan-unknown-no-storage = 没有声明要存多少数据，存储费按 0 算
