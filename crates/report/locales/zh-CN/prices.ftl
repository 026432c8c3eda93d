# 价格表：用户自己的价目表，以及别处价格表的导入。
price-card-empty = 价目表是空的
price-card-unknown-column = 第 1 行：没有叫“{ $column }”的列
price-card-nearest-column = 是不是“{ $column }”？
price-card-twice-column = 第 1 行：“{ $column }”列出现了两次
price-card-missing-column = 第 1 行：缺少“{ $column }”列
price-card-template = 运行 `kasuan market template` 得到一份可以直接填的价目表
price-card-line = 第 { $line } 行：{ $what }
price-card-missing-cell = 第 { $line } 行：“{ $column }”列是空的
price-card-cell = 第 { $line } 行“{ $column }”列：“{ $text }”不是{ $wanted ->
    [price] 大于零的价格，例如 1.66
    [price-or-nothing] 价格，例如 0.5 或 0
    [currency] 币种代码，例如 CNY 或 USD
    [count] 大于零的整数
    [date] 日期，例如 2026-12-01
    [mode] 计费方式：on_demand（按需）、spot（竞价）、daily（包日）、weekly（包周）、monthly（包月）、yearly（包年）或 reserved_12m（预留）
    [per] 计价单位：hour（小时）、card_hour（卡时）、day（天）、week（周）、month（月）、year（年）；存储用 gb_hour、gb_day、gb_month
    [per-of-mode] 和本行计费方式相配的单位
    [span] 带单位的时长，例如 1s、60s、1h
    [amount] 带单位的数量，例如 50GB、64GiB
    [yes-no] yes（是）或 no（否）
    [kind] 行的类型：offer（报价）、storage（存储）或 egress（流量）
    [interconnect] nvlink 或 pcie
    [grade] A 到 D 的可信度
    [rounding] 取整规则：exact（不取整）、half_up（四舍五入）、up（进位）、down（抹零）
   *[other] 这里该填的内容
}
price-card-card = 第 { $line } 行“卡”列：没有叫“{ $text }”的卡
price-card-memory = 第 { $line } 行“卡”列：“{ $text }”：{ $family } 只有 { $known } GB 的，没有 { $given } GB 的
price-card-guessed = “{ $text }”按 { $card } 处理

import-empty = 文件是空的
import-html = 这个文件是网页，不是价格表
import-html-hint = 下载被拦截或链接已失效：用浏览器打开地址，把数据本身存下来
import-unreadable = 文件既不是 UTF-8 也不是 GBK 文本
import-json = 文件不是合法的 JSON：第 { $line } 行第 { $column } 个字符处出错，可能没下载完
import-unknown = 认不出文件格式；开头是：{ $seen }
import-formats = 认得的有：SkyPilot、gpuhunt 的 CSV；gpurentalprices、tardellirs、Azure Retail、Karpenter、优云智算、AutoDL、Vast、RunPod 的 JSON；CSV 或 XLSX 价目表
import-not-stated = 文件里没有写{ $what ->
    [provider] 平台
    [card] 卡型
    [currency] 币种
   *[other] { $what }
}
import-not-stated-hint = 用 --{ $what } 写明
import-workbook = 工作簿读不出来，可能没下载完或不是 XLSX（{ $what }）
import-large = 工作簿解压后超过 { $limit } MiB：价目表或任务表不会这么大，没有读取
import-encoding = 文件编码是 { $encoding }，已按它读取
import-header-again = 重复的表头
import-line = { $what }
import-row-short = 这一行只有 { $cells } 格，表头有 { $columns } 列：被截断了
import-price-missing = 没写价格
import-no-price = 价格是 { $price }，等于没有价格
import-not-a-price = “{ $text }”不是价格
import-no-currency = 没写币种；可用 --currency 写明
import-card = 没有叫“{ $name }”的卡
import-card-nearest = 没有叫“{ $name }”的卡；最像的是 { $nearest }
import-count = 卡数是 { $count }：既不是整卡，也不是整卡的等分
import-memory = “{ $name }”写的是 { $stated } GB；卡表里是 { $known }，以卡表为准
import-carried-forward = 来源没抓到这个价格，沿用了旧价
import-azure-windows = 价格里含 Windows
import-azure-low-priority = 低优先级机型已不单台出售
import-term = 不认识的期限“{ $term }”
import-unit = 价格单位是“{ $unit }”，不是小时
import-charge-type = 不认识的计费类型“{ $text }”
import-no-card-name = 这一行没写卡名
import-not-sold = 各档都没有价格：不在售

price-column-kind = 类型
price-column-provider = 平台
price-column-card = 卡
price-column-count = 卡数
price-column-mode = 计费方式
price-column-price = 价格
price-column-currency = 币种
price-column-per = 单位
price-column-granularity = 计费粒度
price-column-minimum = 最低计费
price-column-rounding = 取整
price-column-free = 免费额度
price-column-up_to = 至
price-column-charged_when_stopped = 关机收费
price-column-vcpus = 核数
price-column-memory = 内存
price-column-disk = 硬盘
price-column-region = 地区
price-column-country = 国家
price-column-product = 产品
price-column-tier = 档次
price-column-slices = 切分
price-column-stock = 库存（台）
price-column-interconnect = 互联
price-column-host_included = 含主机
price-column-observed = 日期
price-column-source = 来源
price-column-licence = 许可
price-column-grade = 可信度
price-column-notes = 备注
price-column-card_raw = 原始卡名
price-column-id = 编号

import-format-skypilot = {" "}SkyPilot 目录
import-format-gpuhunt = {" "}gpuhunt 目录
import-format-gpurentalprices = {" "}gpurentalprices 快照
import-format-tardellirs = {" "}tardellirs 价格表
import-format-azure_retail = {" "}Azure 零售价
import-format-vast = {" "}Vast.ai 报价
import-format-runpod = {" "}RunPod 报价
import-format-karpenter = {" "}Karpenter 价格表
import-format-compshare = 优云智算接口
import-format-autodl = {" "}AutoDL 接口
import-format-price_card = 价目表
