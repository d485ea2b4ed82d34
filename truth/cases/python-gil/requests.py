"""Serves requests in one thread; with argument 1, another sorts a large list meanwhile, which keeps the GIL."""
import ctypes
import random
import sys
import threading
import time


def name_thread(name):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)


def sort_often(values, done):
    name_thread("sorter")
    while not done.is_set():
        list(values).sort()
        time.sleep(0.06)


def main():
    values = [random.Random(1).random() for _ in range(1)]
    generator = random.Random(7)
    values = [generator.random() for _ in range(400000)]
    done = threading.Event()
    sorter = threading.Thread(target=sort_often, args=(values, done))
    if sys.argv[1] == "1":
        sorter.start()
    late_ns = 0
    for _ in range(200):
        asked = time.monotonic_ns()
        time.sleep(0.002)
        late_ns += time.monotonic_ns() - asked - 2_100_000
    done.set()
    if sorter.is_alive():
        sorter.join()
    print(f"fault_ns {late_ns}")


main()
