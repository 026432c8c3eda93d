# 计划的日历：图、iCalendar、crontab、Slurm。
calendar-title = { $year } 年 { $month } 月 GPU 任务日历
calendar-entry = 第 { $run } 次运行：{ $cards } × { $card }，{ $mode }
calendar-bar = { $job }：{ $from } 至 { $until }，{ $cards } × { $card }，{ $mode }
calendar-described = { $job }：共 { $runs } 次运行，{ $from } 至 { $until }
calendar-more = 另有 { $count } 项未画出
calendar-cron-head =
    按卡算的计划启动和停止任务。
    请把 KASUAN_HOOK 换成自己的脚本；调用时的参数依次是 start 或 stop、任务名、卡型、卡数。
    除非下面写了 CRON_TZ（需要 cron 支持，例如 cronie），时间一律按本机时钟。
    cron 每年都会重复，所以每一行都先核对年份。
calendar-slurm-head =
    把卡算计划里的每次运行提交给 Slurm；起始时间已过的会立即开始。
    每个任务对应一个批处理脚本 JOBS/<任务名>.sh，由你自己编写。
    GPU_ 开头的变量是 gres.conf 里的卡型名称；如果你的集群叫法不同，请改这里。

cmd-plan--calendar = 不打印报告，改为打印日历：iCalendar、crontab、Slurm 脚本或图片；同时给出 --output 时写入该文件
cmd-plan--time_zone = 日历所用的时区，例如 Asia/Shanghai 或 +08:00；不写就按当地钟点
error-time-zone = 不认识时区 `{ $text }`
hint-time-zone = 写时区名（如 Asia/Shanghai）或偏移（如 +08:00）

cmd-plan--cap = 这个月最多花多少，例如 8000CNY；超出时给出降到以内要做的事

# 靠猜的时长、影响合计的因素、压到上限的代价。
report-measure-first = 暂不购买 { $count } × { $card }（{ $mode }）：依据的时长是估的，先按需跑并测量，{ $day } 再决定
report-measure-on-demand = 不购买 { $count } × { $card }（{ $mode }）：依据的时长是估的，而且很难达到回本时长，先一直按需
report-measure-commit = 已计入购买 { $count } × { $card }（{ $mode }）：依据的时长是估的，但现在买仍然划算
report-measure-guess = 每卡估计 { $low } / { $likely } / { $high } 小时；满 { $even } 小时才回本，可能性 { $chance }
report-measure-regret = 期望后悔值：现在就买 { $commit }，一直按需 { $on_demand }，先测量 { $measure }
report-measure-assumed = 没有给出范围，按一半到两倍估；把 `hours` 写成范围，或写明 `hours_measured_on`，就不用这个假设
report-movers = 单独看，对合计影响最大的因素（十个月里有一个月低于前一个数，一个月高于后一个数）：{ $list }
report-mover = { $driver } { $low } 至 { $high }
driver-hours = 时长
driver-failures = 失败重跑
driver-prices = 价格
driver-growth = 需求增长
driver-reclaims = 竞价回收
driver-others = 存储、流量和试错
report-curve-step = 逐步放弃
report-curve-plan = 什么都不放弃
report-curve-late = 合计晚
report-curve-postponed = 少跑次数
plan-why-beside = 与 { $service } 共用一张本来就付费的卡；同时运行时两边都按慢 { $slowdown } 倍排期，{ $service } 仍满足延迟要求
plan-why-beside-conditions = 前提是两者都卡在主机而不是 GPU 上、开启 NVIDIA MPS，并且各自独占 CPU 核；正式依赖之前先实测一次：GPU 空闲时间不等于可用算力
report-packing = { $cards } × { $card } 的整机：每个任务独占时最忙需要 { $apart } 台；只用部分卡的任务合用可减到 { $together } 台（不可能少于 { $bound } 台）
report-measure-insisted = 已计入购买 { $count } × { $card }（{ $mode }）：任务文件不允许别的付费方式；依据的时长是估的，本来先按需更稳妥
report-if-bought = 如果现在就买、估计又准，租金是 { $cost }，而不是 { $now }。估计有把握时，写明时长是实测的（hours_measured_on），或在 policy 里写 trust_hours。
report-given-back = { $count } × { $card }（{ $mode }）在 { $day } 退订：按平台的退款规则实付 { $price }，比这些时长按需付更便宜
report-packed = { $cards } × { $card } 的整机：最忙时 { $together } 台，因为只用部分卡的任务合用整机（各用各的要 { $apart } 台，不可能少于 { $bound } 台）
report-packed-jobs = 合用的任务：{ $jobs }；给每个任务分好卡（CUDA_VISIBLE_DEVICES），主机内存和 CPU 核是共用的；不想合用就在 policy 里写 share_machines: false
plan-why-waits = 时长是估的：实测之前先按需跑，别人已付费的空闲时间也可以用
plan-why-given-back = { $mode }，提前退订：每留一天实付 { $day }，比按需一天便宜
plan-nothing-stock = 有合适的卡，但同时可租的台数不够：价格表里写的库存已经用完
plan-baseline-cheaper-guess = 只有估计的时长准确时才更便宜；计划选择先测量
plan-why-shares = 整机 { $rented } 张卡里用 { $used } 张；其余的卡给别的任务用，费用按卡时分摊
