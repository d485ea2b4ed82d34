/* Chooses the symptoms of each recording. */
#include "streams/job_symptoms.h"

#include <stdio.h>
#include <unistd.h>

#include "base/folder.h"

struct folder_spec {
	char *table;
	struct lode_symptom_spec *spec;
};

struct lode_job_symptoms {
	struct lode_symptom_options options;
	struct lode_symptom_spec *common;
	LODE_VEC(struct folder_spec) folders;
};

bool lode_job_symptoms_are_given(const struct lode_symptom_options *options)
{
	return options->select || options->tsv_path || options->comm || options->pid >= 0;
}

/* "DIR/symptoms.tsv" for a recording in DIR; NULL when there is none. */
static char *table_beside(const char *path)
{
	size_t folder = lode_path_folder_bytes(path);
	size_t size = folder + sizeof("symptoms.tsv");
	char *table = lode_alloc(size);

	snprintf(table, size, "%.*ssymptoms.tsv", (int)folder, path);
	if (strcmp(path, "-") != 0 && access(table, R_OK) == 0)
		return table;
	free(table);
	return NULL;
}

static int spec_beside(struct lode_job_spec *out, struct lode_job_symptoms *symptoms,
		       const char *path, struct lode_error *err)
{
	struct lode_symptom_options of_folder = symptoms->options;
	char *table = table_beside(path);
	struct folder_spec folder = {.table = table};
	int rc;

	if (!table)
		return 0;
	for (size_t i = 0; i < symptoms->folders.n; i++) {
		if (strcmp(symptoms->folders.at[i].table, table) != 0)
			continue;
		out->spec = symptoms->folders.at[i].spec;
		out->table = symptoms->folders.at[i].table;
		free(table);
		return 0;
	}
	of_folder.tsv_path = table;
	rc = lode_symptom_spec_new(&folder.spec, &of_folder, err);
	if (rc < 0) {
		free(table);
		return rc;
	}
	lode_vec_append(&symptoms->folders, folder);
	out->spec = folder.spec;
	out->table = table;
	return 0;
}

int lode_job_symptoms_new(struct lode_job_symptoms **out,
			  const struct lode_symptom_options *options, struct lode_error *err)
{
	struct lode_job_symptoms *symptoms = lode_alloc0(1, sizeof(*symptoms));
	int rc;

	*out = NULL;
	symptoms->options = *options;
	rc = lode_symptom_spec_new(&symptoms->common, options, err);
	if (rc < 0)
		lode_job_symptoms_free(symptoms);
	else
		*out = symptoms;
	return rc;
}

void lode_job_symptoms_free(struct lode_job_symptoms *symptoms)
{
	if (!symptoms)
		return;
	lode_symptom_spec_free(symptoms->common);
	for (size_t i = 0; i < symptoms->folders.n; i++) {
		lode_symptom_spec_free(symptoms->folders.at[i].spec);
		free(symptoms->folders.at[i].table);
	}
	lode_vec_release(&symptoms->folders);
	free(symptoms);
}

int lode_job_symptoms_choose(struct lode_job_spec *out, struct lode_job_symptoms *symptoms,
			     const char *path, struct lode_error *err)
{
	*out = (struct lode_job_spec){.spec = symptoms->common};
	if (lode_job_symptoms_are_given(&symptoms->options))
		return 0;
	return spec_beside(out, symptoms, path, err);
}

const char *lode_job_symptoms_text(const struct lode_job_symptoms *symptoms)
{
	return lode_symptom_spec_text(symptoms->common);
}
