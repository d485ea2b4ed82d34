"""Make one digest of many recordings on a Slurm cluster: an array job for the parts, then one for each level of merges.

Nodes have lode, this package, and the folder of --work at the same paths. Slurm is closed by munge: who has its key runs
jobs.
"""
import json
import os
import shlex
import subprocess
import sys
import time

from . import command, stores, work

PLAN = "plan.json"


def save_plan(folder, levels, options):
    text = json.dumps({"options": options, "levels": levels})
    beside = os.path.join(folder, f".{PLAN}.{os.getpid()}")
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(beside, os.path.join(folder, PLAN))


def read_plan(folder):
    with open(os.path.join(folder, PLAN), encoding="utf-8") as file:
        saved = json.load(file)
    levels = [[work.Step(*step[:5], tuple(step[5])) for step in level] for level in saved["levels"]]
    return levels, saved["options"]


def task(folder, level):
    """One element of an array job."""
    levels, options = read_plan(folder)
    step = levels[int(level)][int(os.environ["SLURM_ARRAY_TASK_ID"])]
    memory = int(os.environ.get("SLURM_MEM_PER_NODE", 0)) << 20
    try:
        work.do(step, options, threads=int(os.environ.get("SLURM_CPUS_PER_TASK", 1)),
                memory_bytes=int(memory * 0.8), worker=os.environ.get("SLURMD_NODENAME", ""))
    except work.Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


def ranges(numbers):
    """[0, 1, 2, 5] is "0-2,5"."""
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def slurm(*words):
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise work.Failure(f"{words[0]}: {error.strerror}") from None
    if done.returncode:
        raise work.Failure(f"{words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def submit(args, levels):
    """Array jobs for what is not done; gives their ids."""
    jobs = []
    here = os.path.realpath(sys.argv[0])
    for number, level in enumerate(levels):
        todo = [index for index, step in enumerate(level) if not work.is_done(step)]
        if not todo:
            continue
        words = ["sbatch", "--parsable", "--requeue", f"--job-name=lode-{number}", f"--array={ranges(todo)}",
                 f"--partition={args.partition}", "--kill-on-invalid-dep=yes",
                 f"--output={args.work}/log-{number}-%a", *shlex.split(args.sbatch)]
        if jobs:
            words.append(f"--dependency=afterok:{jobs[-1]}")
        words.append("--wrap=exec " + shlex.join([here, "--task", args.work, str(number)]))
        jobs.append(slurm(*words).split(";")[0])
    return jobs


def wait(jobs, levels):
    start = time.monotonic()
    total = sum(len(level) for level in levels)
    while True:
        queued = [job for job in slurm("squeue", "--noheader", "--me", "--format=%F").split() if job in jobs]
        if not queued:
            return
        done = [step for level in levels for step in level if work.is_done(step)]
        read = sum(step.bytes for step in done if step.manifest)
        command.say(f"{len(done)} of {total} steps, {read / 1e6 / (time.monotonic() - start):.1f} MB/s, "
                    f"{len(queued)} jobs queued or running")
        time.sleep(1)


def why(args, levels):
    """Which steps are not done, and what the first of them said."""
    for number, level in enumerate(levels):
        missing = [index for index, step in enumerate(level) if not work.is_done(step)]
        if not missing:
            continue
        try:
            with open(f"{args.work}/log-{number}-{missing[0]}", encoding="utf-8", errors="replace") as log:
                said = log.read().strip().splitlines()[-1:]
        except OSError:
            said = []
        names = ", ".join(level[index].name for index in missing[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        return f"{names}{more} failed: {said[0] if said else 'no message in its log'}"
    return ""


def main():
    if sys.argv[1:2] == ["--task"]:
        return task(*sys.argv[2:4])
    parser = command.parser("lode-slurm", __doc__)
    parser.add_argument("--partition", required=True, metavar="P", help="Slurm partition")
    parser.add_argument("--resume", action="store_true", help="continue an earlier run from its --work folder")
    parser.add_argument("--retries", type=int, default=2, metavar="N", help="resubmissions of failed steps (default: 2)")
    parser.add_argument("--sbatch", default="", metavar="OPTIONS", help="further options of sbatch: '--mem=4G --cpus-per-task=2'")

    def run(args, options):
        if stores.is_url(args.work):
            raise work.Failure("--work must be a folder that all nodes share, not a URL")
        if os.path.exists(os.path.join(args.work, PLAN)) and not args.resume:
            raise work.Failure(f"{args.work} belongs to an earlier run: continue it with --resume, or choose another folder")
        levels = command.plan(args, options)
        save_plan(args.work, levels, options)
        for _ in range(args.retries + 1):
            wait(submit(args, levels), levels)
            if work.is_done(levels[-1][0]):
                return work.finish(levels[-1][0], args.output)
        raise work.Failure(why(args, levels))

    return command.main(parser, run)
