#!/usr/bin/env python3
"""Names of functions in recordings made here and now, sample by sample beside those of `perf script`.

    live_names_compare.py DUMP_STREAM

Programs of each kind: position-independent or not, stripped, C++, code that V8 compiled (with the names
that it notes in /tmp/perf-PID.map), the same of a Java machine, a Debian program without symbols. What may differ,
and why, is in perf_script_compare.py; all else fails. Exit 77 (skipped) when perf may not record, or no program is here.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from perf_script_compare import SKIPPED, Names, compare, run

CPP = r"""
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>
namespace shop {
template <class T> struct Cart {
	std::vector<T> v;
	__attribute__((noinline)) T sum(std::function<T(T)> f) const { T s{}; for (const T &x : v) s += f(x); return s; }
	__attribute__((noinline)) bool operator<(const Cart &o) const { return std::lexicographical_compare(v.begin(), v.end(), o.v.begin(), o.v.end()); }
};
namespace {
__attribute__((noinline)) std::string hidden(std::map<std::string, std::vector<int>> &m, int i)
{
	auto &x = m["k" + std::to_string(i % 100)];
	x.push_back(i);
	return x.size() > 5 ? std::string(30, 'x') : "y";
}
} // namespace
} // namespace shop
int main()
{
	auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
	std::map<std::string, std::vector<int>> m;
	std::vector<shop::Cart<double>> carts(50);
	double s = 0;
	for (int i = 0; std::chrono::steady_clock::now() < end; i++) {
		s += shop::hidden(m, i).size();
		for (auto &x : carts) {
			if (x.v.size() > 50) x.v.clear();
			x.v.push_back(i % 7);
			s += x.sum([](double d) { return d * 2; });
		}
		std::sort(carts.begin(), carts.end());
	}
	return s < 0;
}
"""

JAVASCRIPT = r"""
class Ledger {
	constructor() { this.rows = []; }
	static of(n) { const l = new Ledger(); for (let i = 0; i < n; i++) l.add(i); return l; }
	add(i) { this.rows.push({ i, s: 'row' + i }); }
	get total() { return this.rows.reduce((a, r) => a + r.s.length, 0); }
	*each() { for (const r of this.rows) yield r; }
}
async function renderReport(n) { let x = 0; for (const r of Ledger.of(n).each()) x += r.s.charCodeAt(0); await null; return x + Ledger.of(n).total; }
const sorted = (a) => a.sort((p, q) => p - q);
function $dollar_1(a) { return a.map((x) => x * 2); }
// Compiled and dropped, so that addresses are used again.
function churn(n) { const f = eval(`(function churn_${n}(a) { let x = 0; for (let i = 0; i < a; i++) x = (x * 31 + i * ${n}) | 0; return x; })`); for (let i = 0; i < 40; i++) f(300); }
(async () => {
	const end = Date.now() + 900;
	let n = 0;
	let s = 0;
	while (Date.now() < end) {
		s += await renderReport(2000);
		s += sorted($dollar_1([...Array(500).keys()].reverse()))[3];
		for (let i = 0; i < 60; i++) churn(n++);
		JSON.stringify(Ledger.of(300));
		'a,b,c'.repeat(200).replace(/([a-c]),?/g, (m, g) => g + m);
	}
})();
"""


def programs(folder):
    """(name, command) of those that are here."""
    (folder / "work.js").write_text(JAVASCRIPT)
    (folder / "shop.cc").write_text(CPP)
    (folder / "lines").write_text("\n".join(str(i * 7919 % 1000003) for i in range(300000)))
    if shutil.which("g++"):
        for name, flags in (("pie", ["-pie", "-fPIE"]), ("no-pie", ["-no-pie"]), ("stripped", ["-s"])):
            if subprocess.run(["g++", "-O1", "-fno-omit-frame-pointer", *flags, "-o", folder / name, folder / "shop.cc"],
                              check=False, stderr=subprocess.DEVNULL).returncode == 0:
                yield name, [folder / name]
    yield "sort", ["sort", folder / "lines"]
    if shutil.which("node"):
        yield "node", ["node", "--perf-basic-prof", "--interpreted-frames-native-stack", folder / "work.js"]
    if shutil.which("java") and shutil.which("javac"):
        yield "java", ["java", "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-version"]


def main():
    dump_stream = os.path.abspath(sys.argv[1])
    if not all(map(shutil.which, ("perf", "c++filt"))):
        return SKIPPED
    names, n = Names(), 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        symbols = folder / "symbols"
        (symbols / ".build-id").mkdir(parents=True)
        shutil.copyfile("/proc/kallsyms", symbols / "kallsyms")
        for name, command in programs(folder):
            data = folder / f"{name}.perf.data"
            pid = folder / f"{name}.pid"
            done = subprocess.run(["perf", "--buildid-dir", symbols, "record", "-q", "-k", "CLOCK_MONOTONIC", "--sample-cpu", "-F", "999",
                                   "-g", "-o", data, "--", "sh", "-c", 'echo $$ >"$0"; exec "$@"', pid, *command],
                                  cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            try:
                if done.returncode:
                    continue
                os.chmod(data, 0o600)
                n += compare(dump_stream, str(data), str(symbols), str(symbols / "kallsyms"), names)
            finally:
                pathlib.Path(f"/tmp/perf-{pid.read_text().strip()}.map").unlink(missing_ok=True)
    return 0 if n else SKIPPED


if __name__ == "__main__":
    sys.exit(run(main))
