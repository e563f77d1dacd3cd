/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A server and a client that are killed, start anew, and have their memory spoilt, at random:
 * service_soak REGION PACKAGE MAP RESULTS SEED processes|threads. Results that are right are
 * counted until there are so many; one that is not ends it. One doorbell in eight is lost.
 */

#define _GNU_SOURCE

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "posix/ipc.h"
#include "posix/map.h"
#include "soak.h"

#define PATIENCE_MS 120000u /* without a right result; only a failure takes so long */
#define BURST       300u    /* results between two strikes, at most */
#define RECOVERY    1000u   /* results after the memory was spoilt */

static struct soak soak;
static struct soak_board *board;
static uint64_t randoms;
static pid_t server;
static pid_t client;
static uint64_t strikes[4]; /* client, server, words spoilt, clients that were stuck */

static void fail(const char *what)
{
	printf("soak: %s, with seed %" PRIu64 "; %" PRIu64 " right, %" PRIu64 " wrong\n", what,
	       soak.seed, board->right, board->wrong);
	if (server > 0) {
		(void)kill(server, SIGKILL);
	}
	if (client > 0) {
		(void)kill(client, SIGKILL);
	}
	exit(1);
}

static uint32_t draw(uint32_t below)
{
	return (uint32_t)(soak_random(&randoms) % below);
}

static void sleep_us(uint32_t us)
{
	const struct timespec time = {.tv_sec = us / 1000000u,
				      .tv_nsec = (long)(us % 1000000u) * 1000};

	(void)nanosleep(&time, NULL);
}

static void must_live(pid_t process, const char *what)
{
	if (process > 0 && waitpid(process, NULL, WNOHANG) != 0) {
		fail(what);
	}
}

/* Until so many are right. */
static void wait_for(uint64_t right)
{
	uint64_t before = board->right;

	for (uint32_t ms = 0; board->right < right; ms++) {
		sleep_us(1000);
		if (board->right != before) {
			before = board->right;
			ms = 0;
		}
		if (board->wrong != 0u) {
			fail("a result is wrong");
		}
		must_live(server, "the server died");
		must_live(client, "the client died");
		if (ms > PATIENCE_MS) {
			fail("nothing moves");
		}
	}
}

/* --- processes --- */

static pid_t start(int (*side)(const struct soak *soak))
{
	pid_t child = fork();

	soak.seed++;
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(side(&soak) == 0 ? 0 : 1);
	}
	if (child < 0) {
		fail("no process");
	}
	return child;
}

static void strike(pid_t *victim, int (*side)(const struct soak *soak))
{
	(void)kill(*victim, SIGKILL);
	(void)waitpid(*victim, NULL, 0);
	*victim = start(side);
}

/* Kill the one, the other or both at random, until so many more are right. */
static void killing(uint64_t results, bool clients, bool servers)
{
	const uint64_t target = board->right + results;

	while (board->right < target) {
		wait_for(board->right + draw(BURST));
		sleep_us(draw(3000));
		if (clients && (!servers || draw(2) == 0u)) {
			strike(&client, soak_client);
			strikes[0]++;
		} else if (servers) {
			strike(&server, soak_server);
			strikes[1]++;
		}
	}
}

/* Write random words into the region; what comes of it is not judged, but both live on. */
static void spoiling(uint32_t words)
{
	struct rnv_ipc_layout layout = {ENTRIES, SLOTS, SLOT_BYTES};
	const uint32_t bytes = rnv_ipc_bytes(&layout);
	FILE *file = fopen(soak.region, "r+b");
	uint32_t *region = file != NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
					       fileno(file), 0)
					: MAP_FAILED;
	uint64_t before = 0;

	if (region == MAP_FAILED) {
		fail("no region");
	}
	(void)fclose(file);
	board->spoilt = 1;
	for (uint32_t i = 0; i < words; i++) {
		const uint32_t control = (448u + 2u * ENTRIES * 32u) / 4u;
		const uint32_t at = draw(4) != 0u ? draw(control) : draw(bytes / 4u);
		const uint32_t bit = draw(32);

		region[at] = draw(2) != 0u ? draw(UINT32_MAX) : region[at] ^ 1u << bit;
		sleep_us(draw(4) == 0u ? draw(400) : 0u);
		must_live(server, "the server died of what was in the region");
		must_live(client, "the client died of what was in the region");
		if (i % 1024u == 1023u) { /* a request whose answer was spoilt has none */
			if (board->right == before) {
				strike(&client, soak_client);
				strikes[3]++;
			}
			before = board->right;
		}
	}
	(void)munmap(region, bytes);
	strikes[2] += words;
	(void)kill(client, SIGKILL);
	(void)waitpid(client, NULL, 0);
	board->spoilt = 0;
	client = start(soak_client);
	wait_for(board->right + RECOVERY);
}

static void end(pid_t *process, _Atomic uint32_t *stop, const char *what)
{
	int status = 1;

	*stop = 1;
	(void)waitpid(*process, &status, 0);
	*process = 0;
	if (status != 0) {
		fail(what);
	}
}

static void processes(uint64_t results)
{
	server = start(soak_server);
	client = start(soak_client);
	wait_for(results * 4u / 10u);
	killing(results * 2u / 10u, true, false);
	killing(results * 2u / 10u, false, true);
	killing(results / 10u, true, true);
	spoiling((uint32_t)(results / 2u));
	wait_for(results);
	end(&client, &board->stop_client, "the client ended badly");
	end(&server, &board->stop_server, "the server ended badly");
}

/* --- threads --- */

static void *client_thread(void *unused)
{
	return soak_client(&soak) == 0 ? unused : NULL;
}

static void *server_thread(void *unused)
{
	return soak_server(&soak) == 0 ? unused : NULL;
}

static void threads(uint64_t results)
{
	pthread_t both[2];
	void *good = &soak;

	if (pthread_create(&both[0], NULL, server_thread, good) != 0 ||
	    pthread_create(&both[1], NULL, client_thread, good) != 0) {
		fail("no thread");
	}
	while (board->right < results) {
		wait_for(board->right + draw(BURST));
		if (draw(2) == 0u) {
			board->client_again = 1;
			strikes[0]++;
		} else {
			board->server_again = 1;
			strikes[1]++;
		}
	}
	board->stop_client = 1;
	(void)pthread_join(both[1], &good);
	board->stop_server = 1;
	if (good != NULL) {
		(void)pthread_join(both[0], &good);
	}
	if (good == NULL) {
		fail("a side ended badly");
	}
}

/* --- */

static int load(char **argv)
{
	struct rnv_posix_map package;
	struct rnv_posix_map map;

	if (rnv_posix_map(&package, argv[2]) != 0 || rnv_posix_map(&map, argv[3]) != 0 ||
	    map.bytes != 256u) {
		return -1;
	}
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	soak = (struct soak){.region = argv[1],
			     .package = package.data,
			     .package_bytes = package.bytes,
			     .map = map.data,
			     .board = board,
			     .seed = strtoull(argv[5], NULL, 0)};
	randoms = soak.seed * 0x9E3779B97F4A7C15ULL + 1u;
	return board == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	(void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (argc != 7 || load(argv) != 0) {
		(void)fprintf(stderr, "usage: service_soak REGION PACKAGE MAP RESULTS SEED "
				      "processes|threads\n");
		return 2;
	}
	(strcmp(argv[6], "threads") == 0 ? threads : processes)(strtoull(argv[4], NULL, 0));
	if (board->wrong != 0u || board->jobs_left != 0u) {
		fail("a result is wrong, or a job was left");
	}
	printf("%" PRIu64 " right, %" PRIu64 " wrong, %" PRIu64 " cancelled, %" PRIu64
	       " late, %" PRIu64 " full, %" PRIu64 " stale, %" PRIu64 " answers\n",
	       board->right, board->wrong, board->cancelled, board->late, board->full, board->stale,
	       board->answers);
	printf("%" PRIu64 " restarts of clients and %" PRIu64 " of servers; %" PRIu64
	       " words spoilt, and then %" PRIu64 " clients stuck\n",
	       strikes[0], strikes[1], strikes[2], strikes[3]);
	printf("clients that ended by themselves: %" PRIu64 " bonds, %" PRIu64
	       " foreign messages\n",
	       board->bonds, board->foreign);
	return 0;
}
