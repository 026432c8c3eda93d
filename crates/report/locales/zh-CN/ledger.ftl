# 账本，以及导入账本的账单。
ledger-error-open = 打不开账本 `{ $place }`：{ $cause }
ledger-hint-open = 检查路径和权限，或服务器地址、用户名和密码
ledger-error-store = 账本没有接受这次写入：{ $cause }
ledger-hint-store = 没有写入一半的数据；腾出磁盘空间或等另一个写入者结束后再试
ledger-error-too-new = 这个账本是更新版本的卡算写的（结构版本 { $found }，本程序只认到 { $known }）
ledger-hint-too-new = 请升级卡算；本程序没有改动这个文件
ledger-error-damaged = 账本里的 `{ $text }` 不是该有的内容
ledger-hint-damaged = 这一行可能被别的程序改过；请用备份恢复

bill-error-empty = `{ $file }` 里没有账单行
bill-hint-empty = 有的平台会为没有费用的月份导出空文件，这种情况不用导入
bill-error-web-page = `{ $file }` 是网页，不是账单
bill-hint-web-page = 多半是下载时登录已失效，存下来的是登录页；请登录后重新下载
bill-error-encoding = `{ $file }` 既不是 UTF-8，也不是 GBK 文本
bill-hint-encoding = 如果是 zip 或 Excel 文件，请先解压或另存为 CSV（UTF-8）
bill-error-unknown-layout = `{ $file }` 的表头不属于任何已知账单；最接近的是“{ $nearest }”，还缺：{ $missing }
bill-hint-unknown-layout = 请导出费用明细（一行一笔），或用 --map 自己指定各列
bill-error-no-such-layout = 没有名为 `{ $layout }` 的账单格式
bill-hint-no-such-layout = 已知格式：{ $known }
bill-error-double-column = `{ $file }` 里有两列都叫 `{ $column }`，无法判断以哪一列为准
bill-error-cell = `{ $file }` 第 { $line } 行“{ $column }”列：`{ $text }` 不是{ $expected ->
    [amount] 金额
    [time] 时间
    [currency] 货币代码
    [count] 整数
   *[word] 这一列会出现的词
  }
bill-error-ragged = `{ $file }` 第 { $line } 行有 { $found } 格，而表头有 { $expected } 格
bill-error-double-row = `{ $file }` 第 { $line } 行：`{ $key }` 出现两次，内容却不一样
bill-hint-double-row = 可能是两份导出拼在了一起；请逐个文件导入
bill-error-mixed-currencies = `{ $file }` 第 { $line } 行是 { $found }，前面的行是 { $first }
bill-hint-mixed-currencies = 请按货币拆成几个文件；卡算从不把两种货币直接相加
bill-error-wrong-total = `{ $file }` 写明合计 { $stated }，各行加起来却是 { $summed }
bill-hint-download-again = 文件可能被截断或改过；请重新下载
bill-error-no-currency = 不知道 `{ $file }` 用的是哪种货币
bill-hint-no-currency = 用 --currency CNY 说明
bill-warning-unknown-columns = 没有读取的列：{ $columns }
bill-warning-repeated = 重复的行只算一次：{ $rows } 行
bill-warning-unpaid = 未支付的订单已保留，但不计入合计：{ $rows } 行
bill-warning-zone = 没写时区的时间按 UTC{ $zone } 读取
bill-error-double-invoice = `{ $file }` 里的发票号 `{ $invoice }` 出现在两个账号、货币或账期
bill-hint-double-invoice = 一张发票只属于一个账号、一种货币、一个账期；可能是两份导出拼在了一起，请分开导入
bill-error-map = `{ $file }` 不是列映射：{ $reason }
bill-hint-map = 照 data/bills/layouts.toml 的写法：一个 [[layout]]，写明 id、title、provider、zone、required 和 columns
bill-warning-cut = { $provider } 的用量只覆盖 { $first } 到 { $last }，而账期到 { $end }；如果是月中导出的，月底后请重新导出、重新导入

store-skew = 本机时钟与账本服务器相差 { $seconds } 秒；请校时（NTP），否则用量会记到错误的小时
store-missing = `{ $place }` 没有账本
store-hint-missing = 先导入账单（kasuan import bill 文件），或用 --ledger、KASUAN_LEDGER 指明账本位置
store-nowhere = 不知道账本在哪里
store-hint-nowhere = 用 --ledger 文件、--ledger postgres://... 或 KASUAN_LEDGER 指明
bill-error-backwards = `{ $file }` 第 { $line } 行：结束时间 { $end } 早于开始时间 { $start }
bill-hint-backwards = 两列可能写反了，或时区不一致；请改正后再导入
store-plain = 与 { $host } 上账本的连接没有加密：密码和数据在途中可能被读到；请放在内网里，或走 SSH 隧道
bill-error-columnar = `{ $file }` 不能按 Parquet 读取：{ $reason }
bill-hint-columnar = 支持不压缩、Snappy 和 gzip；其他压缩（如 zstd）请先用 DuckDB 转成 CSV，或重新下载
