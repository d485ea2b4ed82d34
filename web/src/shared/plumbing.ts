// Frames that all stacks share and nobody looks for: how a thread was started, and the way into the
// kernel and through its scheduler. Chains of them are folded.
import { frameParts } from "./format";

/** Kinds of frames of which chains are folded; 0: never. */
export const KERNEL = 1;
export const RUNTIME = 2;

const STARTS =
	/^(_start|(__)?libc_start\w*|__libc_start_main\w*|(__GI_)?_*clone3?|start_thread|thread_start|_dl_start_user|execute_native_thread_routine|runtime\.(goexit|main|rt0_go)(\.abi0)?|std::rt::lang_start.*|std::sys::.*thread_start)(@.*)?$/;
const ENTRIES =
	/^(entry_\w+|do_syscall_\w+|do_el0_svc|el0\w*|invoke_syscall|(__)?(x64|se|arm64|ia32)_sys_\w+|x64_sys_call|ret_from_fork\w*|kthread|(__)?schedule\w*|io_schedule\w*|preempt_schedule\w*|finish_task_switch\w*|futex_wait\w*|__futex_wait|do_futex|asm_sysvec_\w+|exc_page_fault|asm_exc_page_fault)$/;

export function kindOfFrame(frame: string): number {
	const { module, name } = frameParts(frame);
	if (module === "[kernel]") return KERNEL;
	return STARTS.test(name) ? RUNTIME : 0;
}

/** "▸ 9 kernel frames · jbd2_log_wait_commit": the last that is more than a way to or from others. */
export function foldLabel(chain: readonly string[]): string {
	const isKernel = kindOfFrame(chain[0] ?? "") === KERNEL;
	const names = isKernel ? chain.map((frame) => frameParts(frame).name) : [];
	const told = names.findLast((name) => !ENTRIES.test(name));
	return `▸ ${chain.length} ${isKernel ? "kernel" : "runtime"} frames${told ? ` · ${told}` : ""}`;
}
