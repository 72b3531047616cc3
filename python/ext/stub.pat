# What nanobind's stubgen does not see: these classes are made by __new__, as PyTorch's are.

gevt._gevt.TorchEvent.__init__:
    \from typing import Any
    \from typing_extensions import Self
    def __new__(
        cls,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
    ) -> Self: ...
    def __init__(self, *arguments: object, **named: object) -> None: ...

gevt._gevt.CudaEvent.__init__:
    \from typing_extensions import Self
    def __new__(
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> Self: ...
    def __init__(self, *arguments: object, **named: object) -> None: ...
