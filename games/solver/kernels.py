"""How the kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_njit: Any = numba.njit
#: None of the kernels allocates. Told so, numba leaves out the counting of references to the arrays in named tuples,
#: which took five sixths of the time. What C code or Python would need for a call takes half of the time to compile.
_OPTIONS: dict[str, Any] = {"cache": True, "_nrt": False, "no_cfunc_wrapper": True}

#: What Python calls.
compiled = cast(Callable[[Function], Function], _njit(**_OPTIONS))
#: What kernels alone call.
inner = cast(Callable[[Function], Function], _njit(no_cpython_wrapper=True, **_OPTIONS))
#: What they call millions of times: a call hands over some fifty array fields.
inlined = cast(Callable[[Function], Function], _njit(forceinline=True, no_cpython_wrapper=True, **_OPTIONS))
