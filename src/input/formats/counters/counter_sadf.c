/*
 * What `sadf -d` prints (docs/formats/counters.md): several tables one behind the other, each with
 * a header "# hostname;interval;timestamp;..." and rows, of which some speak of one device each.
 * Times are the ends of intervals. And sar's binary files, of which sadf makes that text.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unnamed_file.h"
#include "base/written_number.h"
#include "input/formats/counters/counter_reader.h"

enum { MAX_COLUMNS = 256, FIXED_COLUMNS = 3 };

extern char **environ;

struct table {
	char *names[MAX_COLUMNS];
	size_t n;
	bool has_device; /* the first column behind the time says which CPU, disk, interface */
	bool has_list;	 /* the last one stands for any number: all CPUs together, then each CPU */
};

static void clear(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->names[i]);
	t->n = 0;
}

/* Counters have a unit in their names, or small letters; devices' columns are in capitals. */
static bool is_device(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return n >= 2 && name[n] == '\0';
}

static void read_header_counter_sadf(struct table *t, char *line)
{
	char *save = NULL;

	clear(t);
	for (char *name = strtok_r(line + strspn(line, "# "), ";", &save);
	     name && t->n < MAX_COLUMNS; name = strtok_r(NULL, ";", &save))
		t->names[t->n++] = lode_strdup(name);
	t->has_device = t->n > FIXED_COLUMNS && is_device(t->names[FIXED_COLUMNS]);
	t->has_list =
		t->n > (size_t)FIXED_COLUMNS + t->has_device && !strcmp(t->names[t->n - 1], "CPU*");
	if (!t->has_list)
		return;
	/* As the column was called before sysstat 12.6. */
	free(t->names[t->n - 1]);
	t->names[t->n - 1] = lode_strdup("intr/s");
}

/* "-1" is all CPUs together. */
static const char *device_text(const char *column, const char *device, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s %s", column, strcmp(device, "-1") == 0 ? "all" : device);
	return buffer;
}

/* A row; false: it is none. Restarts of the machine are told and hold nothing. */
static bool read_row_counter_sadf(struct lode_counter_reader *reader, const struct table *t,
				  char *line)
{
	char *cells[MAX_COLUMNS], *save = line, device[300] = "", name[600];
	size_t n = 0, first = FIXED_COLUMNS + t->has_device;
	int64_t t_ns;

	while (save && n < MAX_COLUMNS)
		cells[n++] = strsep(&save, ";");
	if (n > 3 && strstr(cells[3], "LINUX-RESTART"))
		return true;
	if (t->has_list && n > t->n)
		n = t->n; /* of each CPU: as many counters as interrupts times CPUs */
	if (n != t->n || n <= first ||
	    !lode_counter_time(reader, &t_ns, cells[2], strlen(cells[2])))
		return false;
	if (t->has_device)
		device_text(t->names[FIXED_COLUMNS], cells[FIXED_COLUMNS], device, sizeof(device));
	for (size_t i = first; i < n; i++) {
		bool is_bad = false;
		double value = lode_counter_number(cells[i], strlen(cells[i]), &is_bad);

		/* sadf writes decimals as its locale does, and parts no thousands. */
		if (is_bad &&
		    lode_written_number(&value, cells[i], strlen(cells[i]), LODE_COMMA_DECIMAL))
			continue; /* names of file systems and the like */
		snprintf(name, sizeof(name), "%s%s%s", device, *device ? " " : "", t->names[i]);
		lode_counter_add(reader, reader->is_server_given ? reader->server : cells[0], name,
				 strchr(t->names[i], '/') || t->names[i][0] == '%'
					 ? LODE_COUNTER_RATE
					 : LODE_COUNTER_STATE,
				 t_ns, value);
	}
	return true;
}

static int read_sadf(struct lode_counter_reader *reader, struct lode_error *err)
{
	struct lode_lines lines;
	struct table table = {0};
	char *line;
	size_t len;
	int rc;

	reader->facts->format = "sadf text";
	lode_lines_init(&lines, reader->input);
	while ((rc = lode_lines_next(&lines, &line, &len, err)) > 0) {
		lode_counter_place(reader, lines.offset, lines.number);
		if (memchr(line, '\0', len))
			lode_counter_bad(reader, lines.offset, lines.number, "is not text");
		else if (*line == '#')
			read_header_counter_sadf(&table, line);
		else if (len && !read_row_counter_sadf(reader, &table, line))
			lode_counter_bad(reader, lines.offset, lines.number,
					 "is not a row of the table above it");
	}
	if (rc < 0 && reader->facts->n_rows) {
		lode_loss_add(lode_counter_log_losses(reader->log), LODE_LOSS_TRUNCATED, 1,
			      lines.next_offset, reader->last_ns, "%s: %s", reader->path,
			      err->message);
		rc = LODE_OK;
	}
	clear(&table);
	lode_lines_release(&lines);
	return rc;
}

/* ---- Binary files ---- */

/* Starts sadf on the file at `content_fd`; its output comes from *out_fd. */
static int start_sadf(pid_t *pid, int *out_fd, int content_fd)
{
	/* A name for its standard input: sadf takes files only, and any that it opens. */
	static const char *const argv[] = {"sadf", "-d", "-U", "/proc/self/fd/0", "--", "-A", NULL};
	posix_spawn_file_actions_t actions;
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, content_fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (rc != 0) {
		close(fds[0]);
		return -1;
	}
	*out_fd = fds[0];
	return 0;
}

/* The input's content as a file, whatever it is wrapped in; the caller's to close. */
static int unwrap(int *fd, struct lode_input *input, struct lode_error *err)
{
	static const size_t chunk = (size_t)256 << 10;
	char *buffer = lode_alloc(chunk);
	int64_t offset = 0;
	ssize_t n;
	int rc = lode_unnamed_file_open(fd, err);

	while (rc == LODE_OK && (n = lode_input_read(input, buffer, chunk, err)) != 0) {
		rc = n < 0 ? (int)n : lode_unnamed_file_write(*fd, buffer, (size_t)n, offset, err);
		offset += n;
	}
	free(buffer);
	if (rc < 0 && *fd >= 0)
		close(*fd);
	return rc;
}

/* What sadf's end says of a file that it was to read. */
static int judge_end(struct lode_counter_reader *reader, int status, struct lode_error *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return LODE_OK;
	if (!reader->facts->n_rows)
		return lode_fail(err, LODE_ERR_FORMAT, reader->path, 0,
				 "sadf cannot read this sar file: if it is from another version of "
				 "sysstat, convert it with 'sadf -c FILE > NEW'; or use the output "
				 "of 'sadf -d FILE -- -A' from the machine that wrote it");
	lode_loss_add(lode_counter_log_losses(reader->log), LODE_LOSS_TRUNCATED, 1, -1,
		      reader->last_ns,
		      "%s: sadf stopped before its end: the file is cut or damaged", reader->path);
	return LODE_OK;
}

/* What sadf makes of `content_fd`. */
static int read_through_sadf(struct lode_counter_reader *reader, int content_fd,
			     struct lode_error *err)
{
	struct lode_input *binary = reader->input, *text;
	char pipe_path[64];
	pid_t pid;
	int fd, rc, status = 0;

	if (start_sadf(&pid, &fd, content_fd) < 0)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, reader->path, 0,
				 "sadf is needed to read a binary sar file: install sysstat, or "
				 "use the output of 'sadf -d FILE -- -A'");
	snprintf(pipe_path, sizeof(pipe_path), "/proc/self/fd/%d", fd);
	rc = lode_input_open(&text, pipe_path, err);
	if (rc == LODE_OK) {
		reader->input = text;
		rc = read_sadf(reader, err);
		lode_input_close(text);
		reader->input = binary;
	}
	close(fd);
	waitpid(pid, &status, 0);
	reader->facts->format = "sar binary, through sadf";
	return rc == LODE_OK ? judge_end(reader, status, err) : rc;
}

static int read_sar(struct lode_counter_reader *reader, struct lode_error *err)
{
	int fd, rc = unwrap(&fd, reader->input, err);

	if (rc < 0)
		return rc;
	rc = read_through_sadf(reader, fd, err);
	close(fd);
	return rc;
}

static bool recognise_sadf(const uint8_t *head, size_t size)
{
	static const char header[] = "# hostname;interval;timestamp;";

	return size >= sizeof(header) - 1 && memcmp(head, header, sizeof(header) - 1) == 0;
}

/* Binary files of sar's begin with this number, in the byte order of their machine. */
static const uint16_t sar_magic = 0xd596;

static bool recognise_sar(const uint8_t *head, size_t size)
{
	uint16_t magic = 0;

	if (size >= sizeof(magic))
		memcpy(&magic, head, sizeof(magic));
	return magic == sar_magic || magic == __builtin_bswap16(sar_magic);
}

const struct lode_format lode_format_sadf = {
	.name = "sadf -d",
	.recognise = recognise_sadf,
	.read_counters = read_sadf,
};

const struct lode_format lode_format_sar = {
	.name = "binary sar file",
	.recognise = recognise_sar,
	.read_counters = read_sar,
};
