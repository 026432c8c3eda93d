# 环境检查：这套环境在这张卡上跑得起来吗？
doctor-driver-older-than-card = 驱动 { $driver } 比 { $card }（计算能力 { $capability }）出得早：最早能驱动它的分支是 R{ $branch }
doctor-driver-dropped-card = 驱动 { $driver } 已不再支持 { $card }（计算能力 { $capability }）：最后一个支持它的分支是 R{ $branch }
doctor-image-driver-unstated = 镜像是 CUDA { $image }，但没有写驱动版本，也没有写驱动支持的 CUDA
doctor-image-fits-driver = 镜像是 CUDA { $image }，驱动支持到 CUDA { $driver_cuda }
doctor-image-driver-partial = 镜像是 CUDA { $image }；只写“{ $driver_cuda }”，判断不了驱动支持到哪个 CUDA
doctor-image-forward-compatible = 镜像是 CUDA { $image }，驱动只支持到 { $driver_cuda }；数据中心卡可以靠 NVIDIA 的前向兼容包补上，前提是镜像里有这个包、驱动分支也在它支持之列
doctor-image-error-804 = 镜像自带的 CUDA { $image } 驱动库盖过了只支持到 { $driver_cuda } 的驱动；除数据中心卡外，结果都是 “Error 804: forward compatibility was attempted on non supported HW”
doctor-image-newer-than-driver = 镜像要求 CUDA { $image }，驱动只支持到 { $driver_cuda }：容器启动不了（“unsatisfied condition: cuda>={ $image }”）
doctor-image-compat-unseen = 镜像是 CUDA { $image }，驱动支持到 { $driver_cuda }，但镜像自带驱动库（或在 WSL 里运行），实际用的是哪一份，从这里看不到
doctor-cuda-newer-than-tables = CUDA { $cuda } 比兼容表还新
doctor-cuda-not-in-tables = 兼容表里没有 CUDA { $cuda }
doctor-driver-runs-cuda = CUDA { $cuda } 要求驱动不低于 { $floor }；现在是 { $driver }
doctor-driver-too-old = CUDA { $cuda } 要求驱动不低于 { $floor }；现在是 { $driver }，太旧
doctor-driver-partial = CUDA { $cuda } 要求驱动不低于 { $floor }；只写“{ $driver }”判断不了
doctor-driver-unstated = CUDA { $cuda } 要求驱动不低于 { $floor }；没有写驱动版本，而市面上还在出租驱动更旧的机器
doctor-driver-assumed = 没有写驱动版本；先当作不低于 { $floor }（R{ $branch } 及以后的分支都满足），租之前请向服务商确认
doctor-card-unstated = 不知道是什么卡，无法判断 { $archs } 里有没有它的代码
doctor-arch-covers = { $build } 带有 { $card }（计算能力 { $capability }）的代码
doctor-arch-missing = { $build } 没有 { $card }（计算能力 { $capability }）的代码，只有 { $archs }：torch.cuda.is_available() 会显示 True，但第一个算子就报错
doctor-arch-covers-all = 这个驱动能驱动的卡，{ $build } 都带有代码
doctor-arch-missing-all = 这个驱动能驱动的卡，{ $build } 一个都没有代码，只有 { $archs }
doctor-arch-open = 判断不了 { $build } 能不能在这张卡上跑；它是为 { $archs } 编译的
doctor-arch-toolkit-range = CUDA { $cuda } 能编译的计算能力是 { $least } 到 { $most }；{ $card } 是 { $capability }
doctor-torch-unstated = 没有写 torch 版本，也没有写它的 CUDA 版本
doctor-build-not-in-tables = 兼容表里没有 { $build } 的编译架构
doctor-torch-nightly = { $torch } 是每日构建版；兼容表只收正式版
doctor-torch-not-in-tables = 兼容表里没有 torch { $torch }
doctor-python-supported = torch { $torch } 有 Python { $range } 的安装包；现在是 { $python }
doctor-python-unsupported = torch { $torch } 只有 Python { $range } 的安装包；现在是 { $python }（会报 “No matching distribution found”）
doctor-index-has-build = torch { $torch } 有 CUDA { $builds } 的版本，包括 { $cuda }
doctor-index-lacks-build = torch { $torch } 只有 CUDA { $builds } 的版本，没有 { $cuda }
doctor-build-unofficial = torch { $torch } 的 CUDA { $cuda } 版不是官方编译的（官方有 { $builds }）；不知道它是为哪些架构编译的
doctor-pip-default = 直接 `pip install torch=={ $torch }` 装上的是 CUDA { $cuda } 版
doctor-component-not-in-tables = 兼容表里没有 { $component }
doctor-component-card-unstated = 不知道是什么卡，判断不了能不能用 { $component }
doctor-component-card-too-old = { $component } 要求计算能力不低于 { $least }；{ $card } 是 { $capability }
doctor-component-card-too-new = { $component } 只支持到计算能力 { $most }；{ $card } 是 { $capability }
doctor-component-linux-only = { $component } 只有 Linux 的安装包
doctor-component-datacentre-only = { $component } 只能用在数据中心卡和工作站卡上，{ $card } 不行
doctor-component-part-too-old = { $component } 要求 { $part } 不低于 { $least }；现在是 { $have }
doctor-component-open = 没有发现 { $component } 不能用的理由，但没有见到这个版本里编译了哪些核函数
doctor-component-supported = 卡和版本都满足 { $component } 的要求
doctor-component-version-unstated = 没有发现 { $component } 不能用的理由，但没有写是哪个版本
doctor-component-release-not-in-tables = 兼容表里没有 { $component } { $version }
doctor-component-python = { $component } 只有 Python { $range } 的安装包
doctor-dynamo-python = 在 Python { $python } 上用 torch.compile，torch 要不低于 { $least }；现在是 { $torch }
doctor-vllm-torch = vLLM { $version } 锁定 torch { $pin }；现在是 { $torch }
doctor-vllm-python = vLLM { $version } 要求 Python { $range }；现在是 { $python }

doctor-fix-driver = 换一台驱动不低于 { $driver } 的机器（容器里用的是宿主机的驱动，自己改不了）
doctor-fix-driver-branch = 换一台驱动分支不高于 R{ $branch } 的机器
doctor-fix-image = 换 CUDA 不高于 { $cuda } 的镜像，或换一台驱动更新的机器
doctor-fix-python = 新建一个 Python { $range } 的环境
doctor-fix-format = 在这张卡上改用 fp16，或换新一代的卡
doctor-remedy-wheel = pip install torch=={ $torch } --index-url https://download.pytorch.org/whl/{ $index }
doctor-remedy-none = 兼容表里没有哪个官方 torch 版本能同时满足这张卡、这个驱动和这个 Python：换卡、换驱动或换 Python
