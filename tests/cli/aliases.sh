# Two releases: one function has another name, and a library is called through a layer.
python3 - <<'P'
import os, random
random.seed(5)
os.makedirs("in")
kernel = ["entry_[k]", "do_syscall_[k]", "vfs_stat_[k]", "schedule_[k]"]
for i in range(12):
    with open(f"in/r{i:02}.folded", "w") as f:
        name = "app!find_path_cached" if i % 3 == 0 else "app!find_path"
        layer = ["shim.so!shim_in", "shim.so!shim_call"] if i % 3 == 0 else []
        for caller in "load_config", "load_theme":
            f.write(";".join(["app!main", "app!" + caller, name, *layer, "libfs.so!stat_path", *kernel]) + f" {random.randint(200, 400)}\n")
        f.write(";".join(["app!main", "app!save", "app!write_all", *kernel[:2], "vfs_write_[k]", kernel[3]]) + f" {random.randint(1, 900)}\n")
P
export LODE
"$LODE" mine --kind wait --unit ms in | grep -A 3 -e '^find' -e '^ *[0-9]  ' -e '^Functions'
"$LODE" mine --kind wait --unit ms --json in | python3 -c 'import json, sys
for a in json.load(sys.stdin)["aliases"]: print(a)'
echo "== of digests, and on one thread"
"$LODE" mine --kind wait --unit ms in > one
"$LODE" digest --kind wait --unit ms -o d in > digested
"$LODE" mine d | sed 's/ d$/ in/; s/lode mine/lode mine --kind wait --unit ms/' | cmp - one && echo same
"$LODE" mine -j 1 --kind wait --unit ms in | sed 's/ -j 1//' | cmp - one && echo same
echo "== as in the paper: every name by itself"
"$LODE" mine --classic --kind wait --unit ms --json in | python3 -c 'import json, sys
print(json.load(sys.stdin)["aliases"])'
echo "== renamed is neither new nor gone"
mkdir old new
for i in 00 03 06 09; do mv in/r$i.folded new; done
mv in/*.folded old
"$LODE" diff --kind wait --unit ms old new | grep -e ' the same$' -e '^Functions' -e ' new' -e ' gone'
