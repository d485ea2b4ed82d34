/*
 * Metrics of threads off their CPUs, from the finished stream (model/stream.h):
 *
 *   |run|~~~~~ waiting ~~~~~|ready|run|run|  ready  |run|
 *        `----- offcpu:disk -----'         `offcpu:preempted'
 *                            `ready:woken
 *                            `cpu:wait         `cpu:wait
 *
 * The stack is the one with which the thread left its CPU, without the scheduler's own functions.
 * Ends that were worked out, not recorded,
 * make their executions doubtful: they are left out and counted.
 */
#pragma once

#include "engine/suspects/collect.h"
#include "model/stream.h"

/* Appends them to the collector's stream, which `stream` is. Without switches there are none. */
void lode_offcpu_measure(struct lode_collect *collect, const struct lode_stream *stream);
