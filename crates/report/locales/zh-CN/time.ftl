# 时间：速度卡在哪里，以及为什么给不出估计。
time-limit-compute = 卡的算力
time-limit-bandwidth = 卡的显存带宽
time-limit-interconnect = 卡间互联
time-limit-host = 主机下发任务的速度
time-limit-capacity = 放 KV 缓存的空间

time-declined-tensor-rate = 不知道 { $card } 的张量算力，无法估计时间
time-declined-bandwidth = 不知道 { $card } 的显存带宽，无法估计时间
time-declined-room = 权重加一个请求需要 { $needed }，而可用的只有 { $room }
time-work-training = 训练
time-work-inference = 推理
time-size-requests-per-second = 每秒请求数
time-size-load = 负载大小
time-size-tokens = token 数
time-size-rate = 速度
time-size-request = 一次请求的 token 数
time-size-training = 训练的规模
time-size-engine = 引擎的系数
time-size-other = 这里的数
time-declined-work = 要估的是 { $asked } 的时间，配置写的却是 { $found }
time-declined-degenerate = { $what } 必须是有限的正数
