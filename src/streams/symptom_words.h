/*
 * What counted as a symptom, in words for a report: as the options say, as tables beside recordings
 * say, or as the recordings themselves do (model/subject.h).
 */
#pragma once

#include "streams/digest_job.h"

/* Sets job->symptom_text of its origin and of its digest, if it has one. */
void lode_job_say_symptoms(struct lode_digest_job *job);
