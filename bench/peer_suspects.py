#!/usr/bin/env python3
"""The peer of `lode suspects`: the paper's method (PASD, section III), written down plainly.

usage: perf script -F tid,time,event,trace,ip,sym -i FILE | peer_suspects.py

Reads perf script's text once: pairs entries and exits of system calls by thread, labels executions
by mean and σ of their call, counts each function's labels, and prints the ten with the highest
Increase. What anyone would write in an afternoon, with nothing slow on purpose: one pass over the
lines, dictionaries, no regular expression in the inner loop, equal stacks kept once.
"""
import math
import sys


def read_executions(lines):
    """{call: [(duration in seconds, stack)]}; a stack is a tuple of functions, innermost first."""
    executions, open_calls, stacks = {}, {}, {}
    head, frames = None, []

    def take():
        tid, time, event, rest = head
        system, _, name = event.partition(":")
        if system == "raw_syscalls":
            call, is_entry = rest[1], name == "sys_enter"
        elif name.startswith("sys_enter_"):
            call, is_entry = name[10:], True
        elif name.startswith("sys_exit_"):
            call, is_entry = name[9:], False
        else:
            return
        if is_entry:
            stack = tuple(frames)
            open_calls[tid] = (call, time, stacks.setdefault(stack, stack))
        else:
            begun = open_calls.pop(tid, None)
            if begun and begun[0] == call:
                executions.setdefault(call, []).append((time - begun[1], begun[2]))

    for line in lines:
        if line[0] == "\t":
            address, name = line.split(None, 1)
            if not address.startswith("ffffffff"):
                frames.append(name.rstrip("\n"))
        elif line != "\n":
            if head:
                take()
            tid, time, event, *rest = line.split()
            head, frames = (tid, float(time[:-1]), event[:-1], rest), []
    if head:
        take()
    return executions


def rank(executions):
    """[(increase, function, D-Success, D-Failed, O-Success, O-Failed)], best first."""
    counts = {}
    for durations in executions.values():
        n = len(durations)
        mean = sum(d for d, _ in durations) / n
        sigma = math.sqrt(sum((d - mean) ** 2 for d, _ in durations) / n)
        for duration, stack in durations:
            if duration > mean + 2 * sigma:
                failed = 1
            elif mean - 2 * sigma <= duration <= mean + sigma:
                failed = 0
            else:
                continue
            for function in set(stack):
                counts.setdefault(function, [0, 0, 0, 0])[2 + failed] += 1
            if stack:
                counts[stack[0]][failed] += 1
    rows = []
    for function, (ds, df, os, of) in counts.items():
        failure = df / (df + ds) if df + ds else 0
        context = of / (of + os) if of + os else 0
        rows.append((failure - context, function, ds, df, os, of))
    return sorted(rows, key=lambda row: (-row[0], -row[5], row[1]))


def main():
    for row in rank(read_executions(sys.stdin))[:10]:
        print("%6.3f %-30s %7d %7d %7d %7d" % row)


main()
