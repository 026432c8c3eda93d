# 命令行：帮助、错误、通用词。
cmd-kasuan = 卡算：这个月租什么卡、租多久、怎么计费、一共多少钱
cmd-kasuan--version = 显示版本
cmd-global--format = 输出格式：table 给人看，json、csv、markdown 给程序或文档用
cmd-global--lang = 语言；不写时跟随系统语言（LC_ALL、LC_MESSAGES、LANG）
cmd-global--explain = 列出每个数字的公式、输入、来源和日期
cmd-global--today = 把这一天当作今天（2026-12-01 这样写）；决定价格的新旧
cmd-global--help = 显示帮助
cmd-init = 写一份带注释的任务文件，从它改起；文件名以 .xlsx 结尾时写一份表格
cmd-init--file = 写到哪个文件
cmd-init--force = 文件已存在时覆盖它

help-usage = 用法：
cmd-plan = 按任务文件算出这个月租什么、怎么计费、什么时候跑、一共多少钱
cmd-plan--file = 任务文件（YAML、JSON 或 TOML）；- 表示从标准输入读
cmd-plan--output = 另存一份：按扩展名写 .xlsx、.md、.json、.csv 或 .txt；日历可写 .ics、.cron、.sh（Slurm）或 .svg
cmd-plan--prices = 自己的价格表（CSV），优先于内置价格和任务文件里的 prices；可以写多次
cmd-plan--all_prices = 没有日期、太旧、来源不可靠、低得离谱的报价也参加
cmd-plan--rate = 补一条汇率，例如 USD=7.1 或 USD=7.1@2026-12-01；可以写多次
cmd-plan--seed = 模拟月份用的随机种子
cmd-plan--show_defaults = 只列出补全所有默认值之后的任务文件

help-values = （{ $values }）
help-default = ，默认 { $value }
help-usage-options = [选项]
help-command-name = 命令
help-commands = 命令
help-options = 选项
help-arguments = 参数
help-global = 通用选项
help-more = 看某个命令的说明：kasuan <命令> --help

error-line = 错误：{ $message }
hint-line = 提示：{ $message }
warning-line = 注意：{ $message }

error-file-missing = 找不到文件 `{ $path }`
hint-file-missing = 检查路径；想从示例开始，运行 `kasuan init`
error-file-read = 读不了文件 `{ $path }`：{ $reason }
error-file-is-folder = `{ $path }` 是文件夹，这里要的是文件
error-file-not-utf8 = 文件 `{ $path }` 不是 UTF-8 文本（第 { $offset } 个字节起无法识别）
hint-file-not-utf8 = 用编辑器另存为 UTF-8，或运行：iconv -f GB18030 -t UTF-8 { $path }
error-file-large = 文件 `{ $path }` 有 { $size }，超过上限 { $limit }
error-file-write = 写不了文件 `{ $path }`：{ $reason }
error-file-exists = 文件 `{ $path }` 已经存在，没有改动它
hint-file-exists = 换个文件名，或加 --force 覆盖
error-output = 输出中断：{ $reason }

error-argument-unknown = 没有 `{ $argument }` 这个选项
error-command-unknown = 没有 `{ $command }` 这个命令
error-argument-value = `{ $value }` 不能用作 { $argument } 的值
error-argument-missing = 缺少 { $argument }
error-argument-conflict = { $argument } 和 { $other } 不能同时用
error-argument-empty = { $argument } 后面要有一个值
error-command-missing = 要做什么？请给出一个命令
error-arguments = 参数不对：{ $reason }
hint-did-you-mean = 是不是想写 `{ $suggestion }`？
hint-possible-values = 可以写：{ $values }
hint-value-range = 从 { $least } 到 { $most }
hint-whole-number = 这里要一个整数，例如 8
hint-number = 这里要一个数，例如 8 或 0.5
hint-see-help = 用法：{ $usage }

error-today = `{ $text }` 不是日期
hint-today = 写成 2026-12-01 这样

init-written = 已写好 { $path }
init-next = 改成你自己的任务，然后运行：kasuan plan { $path }

mode-on_demand = 按需
mode-spot = 竞价
mode-daily = 包日
mode-weekly = 包周
mode-monthly = 包月
mode-yearly = 包年
mode-reserved = { $months } 个月预留

plan-infeasible = 任务 `{ $job }` 没有可行方案，合计里没有它
plan-output-written = 已写好 { $path }
plan-output-unknown = 不知道怎么写 `{ $path }`
plan-hint-output = 扩展名可以是 .xlsx、.md、.json、.csv 或 .txt；日历可写 .ics、.cron、.sh（Slurm）或 .svg
plan-rate-wrong = `{ $text }` 不是汇率
plan-hint-rate = 写成 USD=7.1 或 USD=7.1@2026-12-01
card-guessed = `{ $text }` 有几种型号，按 { $card } 算；想指定就写全名

# 为什么读不了、写不了。
io-not-found = 文件或文件夹不存在
io-denied = 没有权限
io-exists = 已经存在
io-folder = 这是一个文件夹
io-no-folder = 路径里有一段不是文件夹
io-full = 磁盘满了
io-read-only = 磁盘是只读的
io-name = 文件名不合法
io-links = 符号链接绕成了圈
io-in-use = 地址已被占用
io-no-address = 本机没有这个地址
io-refused = 对方拒绝连接
io-broken-off = 连接断了
io-timed-out = 超时
io-short = 内容不完整
io-data = 内容的格式不对

cmd-completions = 写出补全脚本：在命令行按 Tab 补全命令和参数
cmd-completions--shell = 用哪种命令行
cmd-man = 写出手册页（man）
cmd-man--output = 写进这个文件夹，每个命令一页；不写就只把总页打印出来
man-written = { $path } 里写了 { $count } 页；查看：man { $path }/kasuan.1
cmd-mcp = 给 AI 助手用：通过标准输入输出回答 MCP 请求
mcp-failed = MCP 服务中断：{ $reason }
mcp-workload = 任务文件的全文（YAML、JSON）；和 file 二选一
mcp-instructions = 卡算：租什么 GPU、租多久、怎么付、一共多少钱。plan 算一个月的任务；fit 看模型能不能放进卡；offers 查报价；bill 按计费规则算账单；doctor 查环境能不能跑；review 复盘一个月的账。金额都由规则和带来源的报价算出；未知会写明未知，不要自己补数字。
hint-value-span = 要写时长，如 90s、30m、2h、1h30m
