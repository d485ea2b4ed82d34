// What recordings are called where one stands alone: the ends of their paths.

/** The path of a recording; of one in a bundle, the bundle's. */
function bundleOf(path: string): string {
	return path.replace(/(^|[^/.])\/+perf\.data(\.zst|\.gz|\.xz)?$/, "$1");
}

/** The last part of a path. */
export function baseName(path: string): string {
	const named = bundleOf(path);
	const cut = named.lastIndexOf("/");
	return cut >= 0 && cut + 1 < named.length ? named.slice(cut + 1) : named;
}

/** Of several recordings, the shortest end of each path that no other path has. */
export function namer(paths: readonly string[]): (path: string) => string {
	const steps = new Map(paths.map((path) => [path, bundleOf(path).split("/")]));
	const names = new Map<string, string>();
	let left = [...steps];
	for (let n = 1; left.length; n++) {
		const times = new Map<string, number>();
		for (const all of steps.values()) {
			const end = all.slice(-n).join("/");
			times.set(end, (times.get(end) ?? 0) + 1);
		}
		left = left.filter(([path, all]) => {
			const end = all.slice(-n).join("/");
			if (times.get(end) !== 1 && n < all.length) return true;
			names.set(path, times.get(end) === 1 ? end : path);
			return false;
		});
	}
	return (path) => names.get(path) || path;
}
