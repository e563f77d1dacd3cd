/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parking (ranvier/park.h) for spin: the server's and the client's steps on the two words in shared
 * memory in every order, the death of either at any moment, restarts, and time in ticks.
 * model-check.sh runs it, also with each of the macros that break it, which must be found.
 *
 * Promised: the client never executes from flash during an operation (asserted), is not parked twice
 * for one token (asserted), and neither side waits for ever (the claims at the end).
 *
 * The client looks for a token whenever it likes: a doorbell may be lost. A wait takes at least
 * LIMIT of the client's time, an operation at most OPERATION, whether the server that began it lives
 * or not. In a tick the client's loop has a turn, and while the server holds there is no tick.
 *
 * What is left out: that a token's 16 bits wrap. A client must not be held up for 65,535 parks
 * between reading a token and answering.
 */

#define LIVES 3 /* of the server */
#define ASKS  2 /* in each of them */

#define BEGIN     2
#define OPERATION 2
#ifdef LIMIT_TOO_SHORT
#define LIMIT (BEGIN + OPERATION)
#else
#define LIMIT (BEGIN + OPERATION + 1)
#endif

/* The client's word for a token that it gave up. */
#define GAVE_UP(token) ((token) + 16)

mtype = { dead, idle, chosen, storing, asking, holding, beginning, working, releasing };
mtype = { held, gone, flash, ram, waiting, leaving };

/* Shared memory; each word has one writer. */
byte park;
byte answer;

mtype server = idle;
byte life;
byte asks;  /* in this life */
byte token; /* its last one */
byte seen;  /* the client's word, before it was asked */

mtype client = held; /* in reset by the server; gone: crashed */
byte waits_for;
bool parked[LIVES * ASKS + 1]; /* the checker's: once for this token */

bool operation; /* the flash is busy */
bool strikes;
byte asked_for; /* ticks since then */
byte busy_for;
byte waited_for;

#define IN_FLASH (client == flash)

inline to_flash()
{
	client = flash;
	assert(!operation);
}

inline begin_operation()
{
	operation = true;
	busy_for = 0;
	assert(!IN_FLASH);
	server = working;
}

#ifdef NO_EPOCH
#define NEXT (asks)
#else
#define NEXT (life * ASKS + asks)
#endif

active proctype Server()
{
end:	do
	/* rnv_park_begin() */
	:: atomic { server == idle && asks < ASKS && client != held ->
		seen = answer;
		server = chosen }
	:: atomic { server == chosen ->
		asks++;
		token = NEXT;
		if
		:: seen == token || seen == GAVE_UP(token) -> server = idle /* takes the next one */
		:: else -> asked_for = 0; server = storing
		fi }
	:: atomic { server == storing -> park = token; server = asking }
	:: atomic { server == asking && answer == token -> server = holding }
#ifndef WAITS_FOR_EVER
	:: atomic { server == asking && asked_for > BEGIN -> server = releasing }
#endif
	:: atomic { server == holding ->
		if
#ifndef BEGINS_LATE
		:: asked_for > BEGIN -> server = releasing
#endif
		:: answer != token -> server = releasing
		:: else -> server = beginning
		fi }
	:: atomic { server == beginning ->
		begin_operation();
#ifdef ENDS_EARLY
		park = 0
#endif
		}
	/* Its core does not run. */
	:: atomic { server == idle && client == held && !operation -> token = 0; begin_operation() }
	/* rnv_park_end() */
	:: atomic { server == working && !operation -> server = releasing }
	:: atomic { server == releasing -> park = 0; server = idle }
	/* It starts and stops the client's core. */
	:: atomic { server == idle && (client == gone || client == flash) -> client = held }
#ifdef STARTS_IN_OPERATION
	:: atomic { server != dead && client == held -> to_flash() }
#else
	:: atomic { server == idle && client == held -> to_flash() }
#endif
	od
}

active proctype Client()
{
end:	do
	:: atomic { client == flash && park != 0 -> waits_for = park;
#ifdef ANSWERS_FIRST
		if
		:: answer != GAVE_UP(waits_for) -> answer = waits_for
		:: else
		fi
	   }
	   atomic { client == flash ->
#endif
		client = ram }
	/* rnv_park_wait() */
	:: atomic { client == ram ->
		if
#ifndef PARKS_AGAIN
		:: answer == GAVE_UP(waits_for) -> to_flash()
#endif
		:: else ->
			assert(!parked[waits_for]);
			answer = waits_for;
			waited_for = 0;
			client = waiting
		fi }
	:: atomic { client == waiting && park != waits_for -> client = leaving }
#ifndef NO_LIMIT
	:: atomic { client == waiting && park == waits_for && waited_for >= LIMIT ->
		parked[waits_for] = true;
		answer = GAVE_UP(waits_for);
		to_flash() }
#endif
	:: atomic { client == leaving -> answer = 0; to_flash() }
	od
}

/* Deaths, and the server's next life. */
active proctype Fate()
{
end:	do
	:: atomic { server != dead -> server = dead; token = 0; seen = 0 }
	:: atomic { client != held && client != gone -> client = gone }
#ifdef RESTARTS_TOO_SOON
	:: atomic { server == dead && life + 1 < LIVES ->
#else
	:: atomic { server == dead && life + 1 < LIVES && !operation ->
#endif
		life++;
		asks = 0;
		park = 0;
		server = idle }
	:: strikes = !strikes /* it need not */
	od
}

active proctype Flash()
{
end:	do
	:: atomic { operation -> operation = false; busy_for = 0 }
	od
}

#ifdef NO_HOLD
#define HOLDS false
#else
#define HOLDS (server == holding || server == beginning)
#endif

active proctype Time()
{
end:	do
	:: atomic { !(operation && busy_for == OPERATION) && !HOLDS &&
		    !(client == waiting && park != waits_for) ->
		if
		:: asked_for <= BEGIN -> asked_for++
		:: else
		fi;
		if
		:: operation -> busy_for++
		:: else
		fi;
		if
		:: waited_for < LIMIT -> waited_for++
		:: else
		fi }
	od
}

ltl client_goes_on { [] <> (client != waiting) }
ltl server_goes_on { [] <> (server == idle || server == dead) }
