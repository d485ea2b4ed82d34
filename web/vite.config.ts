import { defineConfig } from "vite";
import { singleFile } from "./tools/single-file.mjs";

export default defineConfig({
	plugins: [singleFile()],
	build: {
		target: "es2022",
		outDir: process.env.LODE_PAGES_OUT ?? "dist",
		emptyOutDir: true,
		modulePreload: false,
		cssCodeSplit: false,
		assetsInlineLimit: 1 << 30,
		reportCompressedSize: false,
		// The largest file of the report is its data; names of functions help who debugs a page.
		minify: "esbuild",
	},
	define: { "process.env.NODE_ENV": '"production"' },
});
