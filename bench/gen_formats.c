/*
 * What tracefs says of the ring buffer and of the two tracepoints (Linux 6.x, x86_64): their field
 * tables are the format of the samples' raw data.
 */
#include "gen_perf.h"

const char gen_tracing_header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				       "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				       "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				       "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

const char gen_tracing_header_event[] = "# compressed entry header\n"
					"\ttype_len    :    5 bits\n"
					"\ttime_delta  :   27 bits\n"
					"\tarray       :   32 bits\n"
					"\n"
					"\tpadding     : type == 29\n"
					"\ttime_extend : type == 30\n"
					"\ttime_stamp : type == 31\n"
					"\tdata max type_len  == 28\n";

#define COMMON_FIELDS                                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

#define STATE_MASK                                                              \
	"((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | " \
	"0x00000010 | 0x00000020 | 0x00000040) + 1) << 1)"

const char gen_format_switch[] =
	"name: sched_switch\n"
	"ID: 372\n"
	"format:\n" COMMON_FIELDS "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
	"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	"(REC->prev_state & " STATE_MASK " - 1)) ? __print_flags(REC->prev_state & " STATE_MASK
	" - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "
	"{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" "
	"}, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & " STATE_MASK
	") ? \"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio\n";

const char gen_format_waking[] =
	"name: sched_waking\n"
	"ID: 375\n"
	"format:\n" COMMON_FIELDS "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, "
	"REC->target_cpu\n";
