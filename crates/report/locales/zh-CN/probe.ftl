# 在机器上：采集文件、采样、验证、运行。
capture-error-empty = 采集文件是空的
capture-error-truncated = { $what } 只有一半，请重新采集
capture-error-unrecognised = 认不出这是哪种监控数据；开头是 `{ $start }`
capture-error-reported = 数据源自己报了错：{ $reason }
capture-hint-kinds = 认得的有：nvidia-smi（带表头的 CSV、dmon、pmon、-q -x、直接输出的表格）、gpustat、nvtop -s，DCGM、nvidia_gpu_exporter、nvitop-exporter 的 Prometheus 文本与接口返回，sacct、squeue、sinfo、jobstats、PodResources

sample-no-driver = 这台机器上没有 NVIDIA 驱动
sample-call-failed = 驱动库出错：{ $call } 返回 { $code }
sample-silent = `{ $command }` 没有回应
sample-end = 采集文件里没有更多样本了
