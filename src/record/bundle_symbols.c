/* Copies symbols of what a recording's stacks pass through to its bundle. */
#include "record/bundle_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/folder.h"
#include "record/compress.h"
#include "record/elf_reduce.h"
#include "record/parent_watch.h"
#include "record/relevant.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/files.h"
#include "input/symbols/process_map.h"

enum {
	path_bytes = 2048,
	max_list_bytes = 16 << 20, /* of perf's list of build-ids */
};

/* Starts argv in a child that writes to `output`; gives its pid. */
static pid_t start_child(const char *const *argv, int output)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	lode_end_with_parent(parent, SIGKILL);
	dup2(output, STDOUT_FILENO);
	execv(argv[0], (char *const *)argv); /* which does not write to them */
	fprintf(stderr, "lode: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Runs argv[0] (a path; argv[1], its subcommand, is named in errors) and waits for it; what it says
   on stderr is seen, what it prints goes to `output`, up to `size` bytes. */
static int read_child(char *output, size_t size, size_t *len, const char *const *argv,
		      struct lode_error *err)
{
	int ends[2], status;
	ssize_t n = 1;
	pid_t pid;

	*len = 0;
	if (pipe2(ends, O_CLOEXEC))
		return lode_fail_errno(err, errno, NULL, "cannot create a pipe");
	pid = start_child(argv, ends[1]);
	close(ends[1]);
	while (pid > 0 && *len < size && n > 0) {
		n = read(ends[0], output + *len, size - *len);
		if (n > 0)
			*len += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	close(ends[0]);
	if (pid < 0)
		return lode_fail_errno(err, errno, argv[0], "cannot start it");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return lode_fail(err, LODE_ERR_IO, argv[0], -1, "%s %s ended with %s %d",
			 lode_path_base(argv[0]), argv[1],
			 WIFEXITED(status) ? "exit code" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

struct copying {
	const char *dir; /* of the bundle */
	const struct lode_stream *stream;
	const bool *is_relevant; /* per module name */
	struct lode_record_result *result;
	struct lode_error *err;
};

/* "DIR/symbols/BELOW", with its directories. */
static int __attribute__((format(printf, 3, 4)))
make_place(char *path, struct copying *c, const char *below, ...)
{
	size_t n = (size_t)snprintf(path, path_bytes, "%s/symbols/", c->dir);
	va_list args;

	va_start(args, below);
	if (n < path_bytes)
		n += (size_t)vsnprintf(path + n, path_bytes - n, below, args);
	va_end(args);
	if (n >= path_bytes)
		return lode_fail(c->err, LODE_ERR_LIMIT, path, -1, "its path is too long");
	for (char *at = path + strlen(c->dir) + 1, *slash; (slash = strchr(at, '/'));
	     at = slash + 1) {
		int rc;

		*slash = '\0';
		rc = mkdir(path, 0777) < 0 && errno != EEXIST
			     ? lode_fail_errno(c->err, errno, path, "cannot create it")
			     : 0;
		*slash = '/';
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int entry_path(char *path, struct copying *c, const char *hex, const char *name)
{
	return make_place(path, c, ".build-id/%.2s/%s/%s", hex, hex + 2, name);
}

/* Is the file at `path` still the one with that build-id? */
static bool has_build_id(const char *path, const char *hex)
{
	struct lode_elf_file *file = lode_elf_open(path);
	char found[2 * LODE_BUILD_ID_MAX + 1] = "";

	if (file)
		lode_hex(found, file->build_id, file->build_id_size);
	lode_elf_close(file);
	return found[0] && strcmp(found, hex) == 0;
}

/* Its tables, or all of it where they cannot be had alone. */
static int copy_tables(struct copying *c, const char *to, const char *from)
{
	return lode_elf_reduce(to, from, NULL) == 0 ? 0 : lode_copy_file(to, from, c->err);
}

static bool copy_debug_file(void *context, const char *path)
{
	struct copying *c = context;
	char hex[2 * LODE_BUILD_ID_MAX + 1], to[path_bytes];
	struct lode_elf_file *file = lode_elf_open(path);

	if (!file)
		return false;
	lode_hex(hex, file->build_id, file->build_id_size);
	lode_elf_close(file);
	/* Its symbol table has the names; the rest is for debuggers. */
	return hex[0] && entry_path(to, c, hex, "debug") == 0 && copy_tables(c, to, path) == 0;
}

static int copy_elf(struct copying *c, const char *hex, const char *path)
{
	struct lode_roots roots = {0};
	struct lode_elf_file *file;
	char to[path_bytes];
	int rc;

	if (!has_build_id(path, hex)) {
		c->result->n_missing++;
		return 0;
	}
	rc = entry_path(to, c, hex, "elf");
	if (rc == 0)
		rc = copy_tables(c, to, path);
	if (rc < 0)
		return rc;
	c->result->n_modules++;
	file = lode_elf_open(path);
	if (file && !file->has_symtab)
		lode_files_debug_by_id(&roots, hex, copy_debug_file, c);
	lode_elf_close(file);
	return 0;
}

static int copy_kallsyms(struct copying *c, const char *hex)
{
	char to[path_bytes];
	int rc = entry_path(to, c, hex, "kallsyms");

	if (rc == 0)
		rc = lode_copy_file(to, "/proc/kallsyms", c->err);
	c->result->n_modules += rc == 0;
	return rc;
}

static int write_vdso(struct copying *c, const char *hex)
{
	struct lode_elf_file *own = lode_own_vdso();
	size_t size = 0;
	const char *image = own ? elf_rawfile(own->elf, &size) : NULL;
	char to[path_bytes];
	int rc = image ? entry_path(to, c, hex, "vdso") : 0;

	if (image && rc == 0)
		rc = lode_atomic_write(to, image, size, c->err);
	c->result->n_modules += image && rc == 0;
	lode_elf_close(own);
	return rc;
}

/* Which stacks hold code that was made at run time? Flags per node of the tree, to be freed. */
static bool *find_jit_stacks(const struct lode_calltree *tree)
{
	bool *is_jit = lode_alloc0(tree->nodes.n, sizeof(*is_jit));

	/* A parent's id is smaller. */
	for (size_t i = 1; i < tree->nodes.n; i++)
		is_jit[i] = is_jit[tree->nodes.at[i].parent] ||
			    !strcmp(lode_frame_module(tree, tree->nodes.at[i].frame), "[jit]");
	return is_jit;
}

static bool runs_jit(const struct lode_thread *thread, const bool *is_jit)
{
	for (size_t i = 0; i < thread->events.n; i++)
		if (is_jit[thread->events.stack[i]])
			return true;
	return false;
}

/* From its own /tmp, else from ours, where former processes leave theirs. */
static void copy_jit_map(const char *to, int32_t pid)
{
	int fd = lode_process_map_open(pid);
	char from[64];

	snprintf(from, sizeof(from), fd < 0 ? "/tmp/perf-%d.map" : "/proc/self/fd/%d",
		 fd < 0 ? pid : fd);
	if (access(from, R_OK) == 0)
		lode_copy_file(to, from, NULL);
	if (fd >= 0)
		close(fd);
}

/*
 * Maps that JIT compilers write are found beside the recording by their name. One of a process
 * without such code is a former process's, which had the same number.
 */
static void copy_jit_maps(struct copying *c)
{
	const struct lode_stream *stream = c->stream;
	bool *is_jit = find_jit_stacks(&stream->tree);

	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		char to[path_bytes];

		snprintf(to, sizeof(to), "%s/perf-%d.map", c->dir, thread->pid);
		if (runs_jit(thread, is_jit) && access(to, F_OK) < 0)
			copy_jit_map(to, thread->pid);
	}
	free(is_jit);
}

/* Was a frame of the file in a stack that matters? */
static bool is_hit(const struct copying *c, const struct lode_code_file *file)
{
	uint32_t name =
		lode_strings_find(&c->stream->tree.strings, file->module, strlen(file->module));

	return name != LODE_NONE && c->is_relevant[name];
}

static bool is_hit_by_id(const struct copying *c, const char *hex, size_t len)
{
	for (size_t i = 0; i < c->stream->code_files.n; i++) {
		const struct lode_code_file *file = &c->stream->code_files.at[i];

		if (strlen(file->build_id) == len && !memcmp(file->build_id, hex, len) &&
		    is_hit(c, file))
			return true;
	}
	return false;
}

/* Go's linker, and others if told so, write no build-id: the path is what such a file has. */
static int copy_unidentified(struct copying *c, const struct lode_code_file *file)
{
	struct lode_elf_file *elf;
	char to[path_bytes];
	struct stat st;
	bool has_code;
	int rc;

	if (file->build_id[0] || file->path[0] != '/' || strstr(file->path, "/../") ||
	    !is_hit(c, file))
		return 0;
	if (stat(file->path, &st) < 0 || (file->inode && file->inode != st.st_ino)) {
		c->result->n_missing++;
		return 0;
	}
	elf = lode_elf_open(file->path);
	has_code = elf && elf->has_code;
	lode_elf_close(elf);
	if (!has_code)
		return 0;
	rc = make_place(to, c, "%s", file->path + 1);
	if (rc == 0)
		rc = copy_tables(c, to, file->path);
	c->result->n_modules += rc == 0;
	return rc;
}

/* One line of perf's list: "BUILD-ID PATH". */
static int copy_listed(struct copying *c, char *line)
{
	size_t len = strspn(line, "0123456789abcdef");
	const char *path = line + len + 1;

	if (len < 8 || line[len] != ' ')
		return 0;
	/* No recording is read without the kernel's. */
	if (strcmp(path, "[kernel.kallsyms]") == 0) {
		line[len] = '\0';
		return copy_kallsyms(c, line);
	}
	if (!is_hit_by_id(c, line, len))
		return 0;
	line[len] = '\0';
	if (strcmp(path, "[vdso]") == 0)
		return write_vdso(c, line);
	/* "[module]" and its file: kallsyms has the kernel's modules. */
	if (path[0] == '[' || strstr(path, ".ko"))
		return 0;
	return copy_elf(c, line, path);
}

int lode_bundle_symbols(struct lode_record_result *result, const char *dir, const char *recording,
			const char *perf, const struct lode_stream *stream, struct lode_error *err)
{
	const char *const argv[] = {perf, "buildid-list", "-i", recording, NULL};
	struct copying c = {.dir = dir, .stream = stream, .result = result, .err = err};
	bool *is_relevant;
	char *list = lode_alloc(max_list_bytes + 1);
	size_t len;
	int rc;

	rc = lode_relevant_modules(&is_relevant, stream, err);
	if (rc < 0) {
		free(list);
		return rc;
	}
	c.is_relevant = is_relevant;
	rc = read_child(list, max_list_bytes, &len, argv, err);
	list[rc < 0 ? 0 : len] = '\0';
	for (char *line = list, *next; rc == 0 && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		/* One that has no room leaves room for a smaller one. */
		c.err = result->n_unwritten ? NULL : err;
		result->n_unwritten += copy_listed(&c, line) < 0;
	}
	for (size_t i = 0; rc == 0 && i < stream->code_files.n; i++) {
		c.err = result->n_unwritten ? NULL : err;
		result->n_unwritten += copy_unidentified(&c, &stream->code_files.at[i]) < 0;
	}
	if (rc == 0)
		copy_jit_maps(&c);
	if (result->n_unwritten)
		rc = LODE_ERR_IO;
	free(list);
	free(is_relevant);
	return rc;
}
