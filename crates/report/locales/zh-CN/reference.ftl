# 任务文件的说明。
reference-title = 任务文件
reference-intro = YAML、JSON、TOML 都可以。没写的都有默认值，`kasuan plan FILE --show-defaults` 会全部列出来；写错的字段会报出行号和最接近的字段名。
reference-field = 字段
reference-value = 写法
reference-meaning = 含义
reference-required = （必填）
reference-text = 文字
reference-number = 数字
reference-whole = 不小于 { $least } 的整数
reference-several = { $value }；可以写一个，也可以写成列表
reference-inside = 见“{ $section }”
reference-each = 列表，见“{ $section }”
reference-named = 名称: { $value }
reference-or = ，或 
section-file = 整份文件
section-job = 任务
section-model = 只知道参数量的模型
section-data = 训练数据
section-latency = 延迟
section-interruptible = 断点
section-storage = 存储
section-transfer = 流量
section-team = 团队
section-policy = 规则
section-held = 已有的承诺

field-file-currency = 计划用的币种，默认 CNY
field-file-month = 规划哪个月；不写就是今天所在的月
field-file-days = 从月初起规划多少天；不写就是整个月
field-file-jobs = 这个月的任务
field-file-storage = 要一直存着的数据
field-file-transfer = 进出平台的流量
field-file-team = 干活的人
field-file-policy = 选择的规则
field-file-rates = 汇率：1 单位外币等于多少本币，后面可以写日期；不写汇率的外币报价不参与
field-file-held = 已经付过钱的包月或预留
field-file-prices = 自己的价格表（CSV），相对这份文件的路径

field-job-name = 任务名，不能重复
field-job-task = 类型：推理服务、LoRA、QLoRA、全参微调、预训练、批处理
field-job-model = 内置型号、config.json 的路径，或只写参数量
field-job-runs = 跑几次，默认每月一次
field-job-hours = 每次几小时；可以写范围“低-高”或“低-最可能-高”
field-job-hours_measured_on = 上面的小时是在什么卡上量的，换卡时据此折算
field-job-data = 训练数据，由卡算估计时间
field-job-requests = 一次批处理要生成多少条
field-job-daily = 每天可以跑（服务则是在线）的时段；结束早于开始表示跨过零点
field-job-weekdays = 一周里的哪几天，不写就是每天
field-job-days = 一个月里的哪几天
field-job-concurrency = 同时处理的请求数
field-job-rate = 高峰时每秒多少请求
field-job-context = 提示加回答的 token 数；不单独写 prompt 和 generated 时按 3:1 分
field-job-prompt = 提示的 token 数
field-job-generated = 回答的 token 数
field-job-latency = 服务要守住的延迟
field-job-engine = 推理引擎
field-job-kv = KV 缓存的格式
field-job-weights = 权重格式；不写由计划选
field-job-memory = 每张卡要多少显存，写了就不再估计
field-job-card = 只在这些卡里选
field-job-cards = 每份用几张卡
field-job-replicas = 服务开几份
field-job-batch = 单卡一次前向的序列数
field-job-seq = 训练序列长度
field-job-accumulation = 几次前向更新一次
field-job-rank = LoRA 的秩
field-job-targets = 给哪些线性层加 LoRA
field-job-optimizer = 优化器
field-job-recipe = 权重、梯度和优化器状态用什么精度
field-job-checkpointing = 激活重算
field-job-attention = 注意力的实现
field-job-loss = 损失怎么算
field-job-framework = 训练框架；写明后显存按它的做法计算
field-job-packed = 是否把多条样本拼成一条
field-job-sharding = 多卡怎么分摊状态
field-job-interruptible = 能不能中断后接着跑；能，才允许用竞价
field-job-modes = 只用这些计费方式
field-job-start = 最早什么时候开始
field-job-deadline = 最晚什么时候做完
field-job-may_wait = 可以等多久再开始
field-job-after = 在哪个任务之后
field-job-share_card = 能不能和别的任务共用一张卡
field-job-priority = 钱不够时的次序，数字小的先放弃

field-model-params = 参数量

field-data-tokens = 数据集的 token 数
field-data-samples = 样本数
field-data-mean_tokens = 每条样本平均多少 token
field-data-epochs = 过几遍，默认 1

field-latency-ttft = 首字延迟
field-latency-tpot = 之后每个字的延迟

field-interruptible-checkpoint = 存一次断点要多久，默认 60 秒
field-interruptible-restart = 从断点重新开始要多久，默认 180 秒
field-interruptible-every = 多久存一次；不写由计划选

field-storage-name = 名字
field-storage-size = 大小
field-storage-price = 每 GB 每月多少钱；不写用平台的价

field-transfer-egress = 下载到公网的量
field-transfer-ingress = 上传的量
field-transfer-line = 办公室的带宽，用来算搬运时间

field-team-engineer = 工程师一小时多少钱
field-team-ops_hours = 一个月花在运维上的小时
field-team-data_hours = 一个月花在搬数据上的小时
field-team-people = 团队人数

field-policy-margin = 安全边际：比例，或按模拟取 p80、p90，或 none
field-policy-cap = 一个月最多花多少；超过时退出码为 1
field-policy-providers = 只用这些平台
field-policy-exclude_providers = 不用这些平台
field-policy-regions = 只在这些国家（两位代码）或平台的地域里租
field-policy-modes = 只用这些计费方式
field-policy-price_age = 价格最多多旧；没有日期的也不用
field-policy-trial = 试错预留：金额，或租金的比例
field-policy-headroom = 显存上限之外再留多少
field-policy-tax = 价格之外的税率；含税写 included
field-policy-spot_mtbf = 不知道回收频率时，假定竞价实例多久被收一次

field-held-card = 什么卡
field-held-count = 几张
field-held-until = 到什么时候
