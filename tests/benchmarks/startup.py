"""How long `manage.py up` takes to start, and the memory of each of its processes.

The first start makes the databases, the second finds them. Memory is taken when the server has been ready for some
seconds and has answered a few calls: RSS counts pages that processes share in each of them, PSS shares them out.
"""

from __future__ import annotations

import contextlib
import resource
import time

import psutil

from .pipeline import Player, Stack, part_of

MIB = 2**20
CALLS = 50


def main() -> None:
    """Run the benchmark and print the figures."""
    stack = Stack()
    _start(stack, "first start")
    stack.stop()
    _start(stack, "second start")
    with contextlib.ExitStack() as leaving:
        leaving.push(stack)
        stack.publish()
        player = Player(stack.port)
        player.sign_up()
        for _ in range(CALLS):
            player.call("GET", "challenges/today/")
        time.sleep(5)
        _show_memory(stack)


def _start(stack: Stack, title: str) -> None:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    stack.start()
    print(f"{title}: ready in {time.perf_counter() - began:.1f} s, {_cpu(stack, before):.1f} s of CPU")


def _cpu(stack: Stack, before: resource.struct_rusage) -> float:
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    up = psutil.Process(stack.up.pid).cpu_times()
    return ended + up.user + up.system + up.children_user + up.children_system + sum(stack.cpu_seconds().values())


def _show_memory(stack: Stack) -> None:
    total = 0.0
    print(f"{'process':<12} {'RSS':>8} {'PSS':>8}  MiB")
    for process in [psutil.Process(stack.up.pid), *stack.processes()]:
        memory, words = process.memory_full_info(), process.cmdline()
        part = "up" if process.pid == stack.up.pid else part_of(" ".join(words))
        total += memory.pss
        print(f"{part:<12} {memory.rss / MIB:>8.0f} {memory.pss / MIB:>8.0f}")
    print(f"{'all':<12} {'':>8} {total / MIB:>8.0f}")


if __name__ == "__main__":
    main()
