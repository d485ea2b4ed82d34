# From what perf script prints to the threads of some names: keep.py PATTERN < whole > part
#
# Kept are the header, births, names and ends of all threads, and the samples whose first line has the pattern:
# theirs, and switches and wake-ups of theirs. Folders of files that are not the system's are left out.
import re
import sys

pattern = re.compile(sys.argv[1])
folder = re.compile(r"(?<=[ (])/(?!usr/|lib|proc/|dev/)[^ )]*/")
is_kept = False
for line in sys.stdin:
    if line.startswith("#") or "PERF_RECORD_" in line:
        sys.stdout.write(folder.sub("", line))
        continue
    if re.match(r" *\S.* \[\d+\] ", line):
        is_kept = pattern.search(line) is not None
    if is_kept:
        sys.stdout.write(folder.sub("", line))
