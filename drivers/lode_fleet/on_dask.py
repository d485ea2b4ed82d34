"""Make one digest of many recordings on a Dask cluster: a future per part, merged in a tree on the workers.

Workers have lode and this package, as they are here: names and texts go over the network, no code. But Dask itself runs
whatever reaches its scheduler, so that only TLS or loopback keeps a cluster to oneself.
"""
import time
import urllib.parse

from . import command, stores, work

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def on_worker(step, options):
    """Runs on a worker, with a task's share of its memory, in the folder that Dask cleans up."""
    from distributed import get_worker
    worker = get_worker()
    limit = worker.memory_manager.memory_limit
    share = int(limit * 0.7 / worker.state.nthreads) if limit else 0
    work.do(step, options, memory_bytes=share, scratch=worker.local_directory,
            worker=worker.address)


class Run:
    """Steps that are out, that failed and where, and that wait for others."""

    def __init__(self, client, levels, options, retries, say):
        self.client, self.levels, self.options = client, levels, options
        self.retries, self.say = retries, say
        self.missing = {}  # of each merge: children that are not done
        for level in range(1, len(levels)):
            for index, step in enumerate(levels[level]):
                self.missing[level, index] = len(step.children)
        self.tried = {}    # how often, and on which workers it failed
        self.out = {}      # future -> (level, index)
        self.done_bytes = self.n_done = self.n_failed = 0
        self.start = time.monotonic()

    def submit(self, futures, level, index):
        tries, bad = self.tried.setdefault((level, index), (0, set()))
        step = self.levels[level][index]
        others = [w for w in self.client.scheduler_info()["workers"] if w not in bad] if bad else None
        future = self.client.submit(on_worker, step, self.options, pure=False, workers=others or None,
                                    key=f"lode-{step.output.rsplit('/', 1)[-1]}-{tries}")
        self.out[future] = level, index
        futures.add(future)

    def failed(self, futures, level, index, error):
        """Once more, elsewhere: a full disk is one worker's."""
        tries, bad = self.tried[level, index]
        worker = getattr(error, "worker", "")
        if tries >= self.retries:
            name = self.levels[level][index].name
            text = str(error)
            raise work.Failure(text if text.startswith(name) else f"{name}: {text}")
        self.n_failed += 1
        self.tried[level, index] = tries + 1, bad | ({worker} if worker else set())
        self.submit(futures, level, index)

    def finished(self, futures, level, index):
        step = self.levels[level][index]
        if level == 0:
            self.n_done += 1
            self.done_bytes += step.bytes
            self.progress()
        above = work.group_of(level, index)
        if above in self.missing:
            self.missing[above] -= 1
            if not self.missing[above]:
                self.submit(futures, *above)

    def progress(self):
        total, seconds = len(self.levels[0]), time.monotonic() - self.start
        left = seconds / self.n_done * (total - self.n_done)
        self.say(f"{self.n_done} of {total} parts, {self.done_bytes / 1e6 / seconds:.1f} MB/s, "
                 f"{self.n_failed} retried, {left:.0f} s left", self.n_done == total)

    def run(self):
        from distributed import as_completed
        futures = as_completed(raise_errors=False)
        for index in range(len(self.levels[0])):
            self.submit(futures, 0, index)
        for future in futures:
            level, index = self.out.pop(future)
            if future.status == "finished":
                self.finished(futures, level, index)
            elif future.status == "error":
                self.failed(futures, level, index, future.exception())
            else:
                raise work.Failure("connection to the scheduler lost; finished parts are kept, run again to continue")


def check_address(address, insecure):
    host = urllib.parse.urlsplit(address).hostname
    if not address.startswith("tls://") and host not in LOOPBACK and not insecure:
        raise work.Failure(f"{address} is not encrypted, and any client that reaches it can run code there: use tls:// "
                           "(certificates: see Dask's configuration), or --insecure")


def connect(address):
    from distributed import Client, Security
    try:
        return Client(address, timeout=10, security=Security() if address.startswith("tls://") else None)
    except (OSError, TypeError) as error:  # TypeError: no certificates
        raise work.Failure(f"{address}: {error}") from None


def main():
    parser = command.parser("lode-dask", __doc__)
    parser.add_argument("--scheduler", required=True, metavar="ADDRESS", help="tls://HOST:PORT, or tcp://HOST:PORT on this machine")
    parser.add_argument("--insecure", action="store_true", help="allow tcp:// to other machines, for closed networks")
    parser.add_argument("--retries", type=int, default=4, metavar="N", help="retries of a failed part (default: 4)")

    def run(args, options):
        check_address(args.scheduler, args.insecure)
        levels = command.plan(args, options)
        with connect(args.scheduler) as client:
            Run(client, levels, options, args.retries, command.say).run()
            return work.finish(levels[-1][0], args.output)

    return command.main(parser, run)
