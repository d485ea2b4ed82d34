"""lode-slurm, on a cluster of one node."""
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import threading
import time

import harness

WORK = "s.digest.work"
SAVES_WITHIN_S = 6


def lacks():
    if all(shutil.which(name) for name in ("slurmctld", "slurmd", "munged", "sbatch")):
        return ""
    return "Slurm is not installed (slurmctld, slurmd, slurm-client, munge)"


def start_cluster(test):
    here, ports = os.getcwd(), (harness.free_port(), harness.free_port())
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    for folder in ("munge", "state", "spool"):
        os.makedirs(folder, mode=0o755)
    with open("munge/key", "wb") as file:
        os.fchmod(file.fileno(), 0o400)
        file.write(os.urandom(128))
    with open("slurm.conf", "w", encoding="utf-8") as file:
        file.write(f"""ClusterName=lode
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={here}/munge/socket
CredType=cred/munge
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
ReturnToService=2
MpiDefault=none
NodeName=localhost NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory=500 State=UNKNOWN
PartitionName=lode Nodes=localhost Default=YES MaxTime=60 State=UP
""")
    test.env["SLURM_CONF"] = f"{here}/slurm.conf"
    test.start("munged", "munged", "-F", *(f"--{key}={here}/munge/{value}" for key, value in (
        ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
    harness.until("munge", lambda: os.path.exists("munge/socket"))
    control = test.start("slurmctld", "slurmctld", "-D")
    test.start("slurmd", "slurmd", "-D", "-N", "localhost")
    harness.until("the node", lambda: is_idle(test))
    return control


def node_state(test):
    return subprocess.run(["sinfo", "--noheader", "--format=%t"], env=test.env, capture_output=True,
                          check=False).stdout.strip()


def is_idle(test):
    """The node: "idle*" does not answer yet, and gets no jobs."""
    return node_state(test) == b"idle"


def resume_node(test, is_over):
    """A controller that comes back may launch what still runs; slurmd refuses, and the node is drained until an operator
    resumes it. Seen on busy machines."""
    while not is_over.wait(1):
        if node_state(test).startswith(b"dr"):
            subprocess.run(["scontrol", "update", "NodeName=localhost", "State=RESUME"], env=test.env,
                           capture_output=True, check=False)


def has_job(test):
    return bool(subprocess.run(["squeue", "--noheader"], env=test.env, capture_output=True, check=False).stdout)


def part_that_fails(test, run):
    """For good, and others are killed: clear, and named."""
    with open("broken", "w", encoding="utf-8") as file:
        file.write("r007.folded")
    first = harness.Thread(target=test.driver, args=(*run, "--retries", "1"),
                           kwargs={"expect": (4,), "says": "broken on purpose"})
    first.start()
    harness.until("parts", lambda: harness.n_done(WORK) >= 2)
    for pid in harness.ours():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            if b"output.digest" in file.read():
                os.kill(pid, signal.SIGKILL)
    first.join()
    test.driver(*run, expect=(4,), says="--resume")
    os.unlink("broken")


def controller_that_goes(test, run, control):
    """The driver says so, whether it was submitting or waiting. Jobs go on, and with those that --resume submits run twice,
    and harmlessly."""
    # It saves its state some seconds after a change. One that comes back to jobs that ended meanwhile waits for them, and gives
    # numbers of jobs that it has forgotten to others.
    harness.until("an empty queue", lambda: not has_job(test))
    time.sleep(SAVES_WITHIN_S)
    part = sorted(glob.glob(f"{WORK}/part-*.digest"))[0]
    with open(part, "r+b") as file:
        file.truncate(100)
    first = harness.Thread(target=test.driver, args=(*run, "--resume"), kwargs={"expect": (4,), "says": "lode-slurm: s"})
    first.start()
    harness.until("a job", lambda: has_job(test) or not first.is_alive())
    control.kill()
    control.wait()
    first.join()
    with open("slurm.conf", "a", encoding="utf-8") as file:
        file.write("FirstJobId=1000\n")
    test.start("slurmctld", "slurmctld", "-D")
    harness.until("the node", lambda: is_idle(test))


def run(test):
    harness.write_recordings()
    test.one_process()
    control = start_cluster(test)
    words = ["lode-slurm", "all.manifest", "--partition", "lode", "--parts", str(harness.N_PARTS), "-o", "s.digest"]
    part_that_fails(test, words)
    is_over = threading.Event()
    operator = threading.Thread(target=resume_node, args=(test, is_over))
    operator.start()
    try:
        controller_that_goes(test, words, control)
        test.driver(*words, "--resume", "--retries", "3")
    finally:
        is_over.set()
        operator.join()
    test.same("s.digest")
