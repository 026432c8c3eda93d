# On the box: captures, sampling, verification, runs.
capture-error-empty = the capture is empty
capture-error-truncated = the { $what } ends in the middle; capture it again
capture-error-unrecognised = this is no kind of telemetry that is known; it begins with `{ $start }`
capture-error-reported = the source reports an error itself: { $reason }
capture-hint-kinds = known are nvidia-smi (CSV with header, dmon, pmon, -q -x, its table), gpustat, nvtop -s, Prometheus text and API answers of DCGM, nvidia_gpu_exporter and nvitop-exporter, sacct, squeue, sinfo, jobstats, PodResources

sample-no-driver = no NVIDIA driver on this machine
sample-call-failed = the driver's library failed: { $call } returned { $code }
sample-silent = `{ $command }` gave no answer
sample-end = the capture has no more samples
