#!/usr/bin/env python3
"""Records the documented cases of lode suspects again, and holds the first line of each answer against what is known.

usage: truth/suspects.py LODE

- ls with and without colours, on a tree of its own: colours need the status of every entry
- two callers of one mutex: one waits behind a janitor that sleeps with it, the other never does
- git status with its files dropped from the page cache, and again: reading them
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # as tests say it
PROGRAM = r"""
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t held_long = PTHREAD_MUTEX_INITIALIZER, held_shortly = PTHREAD_MUTEX_INITIALIZER;
#define PART __attribute__((noinline, noipa))
PART static int take(pthread_mutex_t *lock)
{
	int rc = pthread_mutex_lock(lock);
	__asm__ volatile("" ::: "memory"); /* no tail call */
	return rc;
}
PART static int give(pthread_mutex_t *lock, useconds_t us)
{
	usleep(us);
	return pthread_mutex_unlock(lock);
}
PART static int export_all(void) { int rc = take(&held_long); return rc + give(&held_long, 1); }
PART static int look_up(void) { int rc = take(&held_shortly); return rc + give(&held_shortly, 100); }
static void *janitor(void *unused)
{
	for (int i = 0; i < 60; i++) {
		usleep(5000);
		take(&held_long);
		give(&held_long, 20000);
	}
	return unused;
}
static void *exporter(void *unused)
{
	for (int i = 0; i < 3000; i++) {
		export_all();
		usleep(300);
	}
	return unused;
}
static void *reader(void *unused)
{
	for (int i = 0; i < 3000; i++) {
		look_up();
		usleep(20);
	}
	return unused;
}
int main(void)
{
	void *(*const parts[])(void *) = {janitor, exporter, reader, reader};
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}
"""
failures = []


def run(*command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)


def record(lode, folder, name, *command, cwd=None):
    bundle = folder / f"{name}.lode"
    done = run(lode, "record", "--syscalls", "-o", bundle, "--", *command, cwd=cwd)
    if not bundle.exists():
        print(f"nothing can be recorded here: {done.stderr.strip()}")
        sys.exit(SKIPPED)
    return bundle


def check(lode, name, pattern, *arguments):
    text = run(lode, "suspects", *arguments).stdout
    line = " ".join(text.partition("\nNext:")[0].split())
    is_right = re.search(pattern, line) is not None
    print(f"{name}: {'right' if is_right else 'WRONG'}: {line}")
    if not is_right:
        failures.append(name)


def check_ls(lode, folder):
    tree = folder / "tree"
    for i in range(40):
        (tree / f"d{i}").mkdir(parents=True)
        for k in range(100):
            (tree / f"d{i}" / f"f{k}").touch()
    run("ls", "-R", "--color=always", tree)  # warms the cache for both
    sets = [record(lode, folder, f"ls-{c}", "ls", "-R", f"--color={c}", tree) for c in ("always", "never")]
    check(lode, "ls",
          r"^\w*stat\w* takes longer", "--metric", "syscall", sets[0], "--versus", sets[1])


def check_futex(lode, folder):
    source = folder / "futex.c"
    source.write_text(PROGRAM)
    flags = "-O1 -g -D_GNU_SOURCE -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread".split()
    if not shutil.which("gcc") or run("gcc", *flags, "-o", folder / "futex", source).returncode:
        print("futex: no gcc here: skipped")
        return
    bundle = record(lode, folder, "futex", folder / "futex")
    check(lode, "futex", r"calls from (export_all|exporter)\b", "--metric", "futex:wait", bundle)


def drop_from_cache(folder):
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def check_git(lode, folder):
    repo = folder / "repo"
    if not shutil.which("git"):
        print("git: not here: skipped")
        return
    (repo / "src").mkdir(parents=True)
    for i in range(400):
        (repo / "src" / f"f{i}").write_text(f"{i}\n" * 5000)
    git = ["git", "-C", repo, "-c", "user.name=a", "-c", "user.email=a@b"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        run(*git, *step)
    for path in (repo / "src").iterdir():
        path.touch()  # git has to read what may have changed
    saved = (repo / ".git" / "index").read_bytes()
    sets = []
    for name in ("cold", "warm"):
        (repo / ".git" / "index").write_bytes(saved)
        if name == "cold":
            drop_from_cache(repo)
        sets.append(record(lode, folder, f"git-{name}", *git, "status"))
    check(lode, "git", r"^\w*read\w* takes longer", sets[0], "--versus", sets[1])


def main():
    lode = pathlib.Path(sys.argv[1]).resolve()
    if os.geteuid() != 0 or not shutil.which("perf"):
        print("not root, or no perf: skipped")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="lode-truth-", dir="/var/tmp") as folder:
        for part in (check_ls, check_futex, check_git):
            part(lode, pathlib.Path(folder))
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
