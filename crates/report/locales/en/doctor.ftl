# Doctor: will this environment run on this card?
doctor-driver-older-than-card = driver { $driver } is older than the { $card } (compute capability { $capability }): the first branch that drives it is R{ $branch }
doctor-driver-dropped-card = driver { $driver } has dropped the { $card } (compute capability { $capability }): R{ $branch } is the last branch that drives it
doctor-image-driver-unstated = the image is CUDA { $image }, but neither the driver nor its CUDA is stated
doctor-image-fits-driver = the image is CUDA { $image }, the driver speaks CUDA { $driver_cuda }
doctor-image-driver-partial = the image is CUDA { $image }; "{ $driver_cuda }" says too little about the driver's CUDA
doctor-image-forward-compatible = the image is CUDA { $image } and the driver speaks only { $driver_cuda }; on data-centre cards NVIDIA's forward-compatibility package may bridge that, if the image has it and the driver's branch is one that it serves
doctor-image-error-804 = the image's CUDA { $image } libraries take over from a driver that speaks only { $driver_cuda }; outside data-centre cards that ends in "Error 804: forward compatibility was attempted on non supported HW"
doctor-image-newer-than-driver = the image asks for CUDA { $image }, the driver speaks only { $driver_cuda }: the container does not start ("unsatisfied condition: cuda>={ $image }")
doctor-image-compat-unseen = the image is CUDA { $image } and the driver speaks { $driver_cuda }, but the image brings driver libraries of its own (or runs under WSL), and which of them is used cannot be seen from here
doctor-cuda-newer-than-tables = CUDA { $cuda } is newer than the tables
doctor-cuda-not-in-tables = CUDA { $cuda } is not in the tables
doctor-driver-runs-cuda = CUDA { $cuda } needs driver { $floor } or newer; the driver is { $driver }
doctor-driver-too-old = CUDA { $cuda } needs driver { $floor } or newer; the driver is { $driver }
doctor-driver-partial = CUDA { $cuda } needs driver { $floor } or newer; "{ $driver }" says too little to tell
doctor-driver-unstated = CUDA { $cuda } needs driver { $floor } or newer; the driver is not stated, and boxes with older ones are still rented out
doctor-driver-assumed = the driver is not stated; taken to be at least { $floor }, as every driver from branch R{ $branch } on is: ask the provider
doctor-card-unstated = the card is not known, so whether code for it is among { $archs } cannot be told
doctor-arch-covers = { $build } holds code for the { $card } (compute capability { $capability })
doctor-arch-missing = { $build } holds no code for the { $card } (compute capability { $capability }), only { $archs }: torch.cuda.is_available() says True and the first kernel fails
doctor-arch-covers-all = { $build } holds code for every card that this driver drives
doctor-arch-missing-all = { $build } holds code for none of the cards that this driver drives, only { $archs }
doctor-arch-open = whether { $build } runs on the card cannot be told; it was built for { $archs }
doctor-arch-toolkit-range = CUDA { $cuda } compiles for compute capability { $least } to { $most }; the { $card } is { $capability }
doctor-torch-unstated = neither torch nor its CUDA is stated
doctor-build-not-in-tables = what { $build } was compiled for is not in the tables
doctor-torch-nightly = { $torch } is a nightly build; the tables hold releases
doctor-torch-not-in-tables = torch { $torch } is not in the tables
doctor-python-supported = torch { $torch } has wheels for Python { $range }; this is { $python }
doctor-python-unsupported = torch { $torch } has wheels for Python { $range } only; this is { $python } ("No matching distribution found")
doctor-index-has-build = torch { $torch } is built for CUDA { $builds }, and { $cuda } is one of them
doctor-index-lacks-build = torch { $torch } is built for CUDA { $builds } only, not for { $cuda }
doctor-build-unofficial = torch { $torch } for CUDA { $cuda } is not an official build (those are { $builds }); what it was compiled for is not known
doctor-pip-default = plain `pip install torch=={ $torch }` brings CUDA { $cuda }
doctor-component-not-in-tables = { $component } is not in the tables
doctor-component-card-unstated = whether the card serves { $component } cannot be told without knowing the card
doctor-component-card-too-old = { $component } needs compute capability { $least } or newer; the { $card } is { $capability }
doctor-component-card-too-new = { $component } serves cards up to compute capability { $most }; the { $card } is { $capability }
doctor-component-linux-only = { $component } has wheels for Linux only
doctor-component-datacentre-only = { $component } works on data-centre and workstation cards, not on the { $card }
doctor-component-part-too-old = { $component } needs { $part } { $least } or newer; this is { $have }
doctor-component-open = nothing known rules { $component } out, but the kernels of this build were not seen
doctor-component-supported = the card and the versions meet what { $component } asks for
doctor-component-version-unstated = nothing known rules { $component } out, but which version is meant is not stated
doctor-component-release-not-in-tables = { $component } { $version } is not in the tables
doctor-component-python = { $component } has wheels for Python { $range } only
doctor-dynamo-python = torch.compile on Python { $python } needs torch { $least } or newer; this is { $torch }
doctor-vllm-torch = vLLM { $version } pins torch { $pin }; this is { $torch }
doctor-vllm-python = vLLM { $version } is for Python { $range }; this is { $python }

doctor-fix-driver = take a box with driver { $driver } or newer (in a container the host's driver counts; you cannot change it from inside)
doctor-fix-driver-branch = take a box whose driver is of branch R{ $branch } or older
doctor-fix-image = take an image with CUDA { $cuda } or older, or a box with a newer driver
doctor-fix-python = make an environment with Python { $range }
doctor-fix-format = use fp16 on this card, or take a newer card
doctor-remedy-wheel = pip install torch=={ $torch } --index-url https://download.pytorch.org/whl/{ $index }
doctor-remedy-none = no official torch build in the tables runs on this card, driver and Python together: change the card, the driver or the Python
