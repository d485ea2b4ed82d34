# Two threads want the interpreter while a third sorts: a C function that keeps the GIL for each sort.
import ctypes
import random
import threading
import time

prctl = ctypes.CDLL(None).prctl
go = threading.Event()


def named(name, work):
    def run():
        prctl(15, name.encode(), 0, 0, 0)
        go.wait()
        work()

    return threading.Thread(target=run)


def hold():
    for _ in range(4):
        data[:] = shuffled
        data.sort()


def want():
    while holder.is_alive():
        time.sleep(0.002)


shuffled = random.Random(1).sample(range(1 << 40), 250000)
data = list(shuffled)
holder = named("gil-holder", hold)
threads = [holder, named("gil-waiter", want), named("gil-waiter", want)]
for thread in threads:
    thread.start()
time.sleep(0.02)
go.set()
for thread in threads:
    thread.join()
