#!/usr/bin/env python3
"""The peer of `lode timeline`: the engine of NonSequitur, as its authors published it.

usage: peer_nonsequitur.py CHECKOUT FOLDER

CHECKOUT is a checkout of github.com/auggywonger/nonsequitur_vis; FOLDER has one text of entries and
exits per thread. Does with each file what the authors' process_trace_files does (reads it, compresses
it where it has more than 325 events) and stops before tables and drawing, for which they need
pandas and Bokeh: neither is needed here. Prints the events before and after.
"""
import os
import sys
import types


def quiet_modules():
    """The engine imports pandas without using it, and tqdm to draw progress."""
    sys.modules["pandas"] = types.ModuleType("pandas")
    tqdm = types.ModuleType("tqdm")
    tqdm.tqdm = lambda items: items
    sys.modules["tqdm"] = tqdm


def main():
    checkout, folder = sys.argv[1:]
    quiet_modules()
    sys.path.insert(0, checkout)
    from regtime_alg import regtime
    from traceFilter import filter_trace_file

    n_before = n_after = 0
    for name in sorted(os.listdir(folder)):
        trace = filter_trace_file(os.path.join(folder, name))
        n_before += len(trace)
        n_after += len(regtime(trace) if len(trace) > 325 else trace)
    print(n_before, n_after)


main()
