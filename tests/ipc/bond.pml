/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The bond between a client core and a server core, for spin: SPEC.md section 7.5, as
 * core/src/ipc/client.c and core/src/service have it. Each load and each store of shared memory is a
 * step. Memory may hold the remains of bonds before; either side is reset at any step; the server
 * takes a client for dead that is not; the client says hello again too early. There is one slot.
 *
 * What must hold: when the client is bonded both rings are empty and no job has the slot; no
 * request and no response of a bond is taken for one of another, nor a job given a slot that the
 * client has; and unless somebody is reset again all ends with a bond in which all that was asked
 * is answered (else spin finds an invalid end state). model-check.sh runs it, also with each of the
 * macros that break the protocol, which must be found.
 *
 * A number is not compared with those of the bond before: a client that was reset draws the same
 * ones again, so any response fits what is under way if its epoch does. Left out: how the header is
 * written (it is one step here: magic, epoch and CRC), and spoilt memory after the start.
 */

#ifdef TWO_RESETS
#define RESETS 2 /* of both sides together */
#define DEATHS 0 /* the server takes the client for dead */
#define EARLY  0 /* the client says hello again too early */
#else
#define RESETS 1
#define DEATHS 1
#define EARLY  1
#endif
#define REQUESTS 2

#ifdef ANY_ACCEPT
#define ACCEPTED (accept != 0)
#else
#define ACCEPTED (accept == own)
#endif

#define ENTRIES        2
#define INDICES        4
#define NEXT(index)    (((index) + 1) % INDICES)
#define LESS(a, b)     (((a) + INDICES - (b)) % INDICES)
#define UNLESS_ZERO(n) ((n) == 0 -> 1 : (n))

/* Shared memory. */
byte formatted; /* the server's epoch in a valid header, or 0 */
byte accept;
byte epoch;     /* of the client */
byte hello;
byte request_client, request_server, response_server, response_client;
byte request_epoch[ENTRIES];
byte response_epoch[ENTRIES];

/* What only the checker knows: bonds are counted by the client's hellos. */
byte bond;                   /* that the client has or asks for */
byte holds;                  /* the one that it has, or 0 */
byte bond_of_epoch;          /* the one that `epoch` was stored for */
byte request_bond[ENTRIES];  /* of what is in the rings */
byte response_bond[ENTRIES];
byte job_bond;               /* of the job that has the slot, or 0 */

byte last_server;            /* the epoch of the last server: survives in its header */
byte requests;               /* sent */
bool reset_client, reset_server;

proctype client() {
	byte own, server, at, answers, old, early;
	bool asked;

boot:
	atomic {
		reset_client = false;
		holds = 0;
		own = 0; server = 0; at = 0; answers = 0; old = 0;
		asked = false
	}
	{
	skip;
alone:
	atomic { holds = 0; server = 0; at = 0; answers = 0; asked = false }
	atomic { formatted != 0 -> server = formatted }
#ifndef INDICES_LAST
	at = request_server;
	request_client = at;
	answers = response_server;
	response_client = answers;
#endif
	atomic {
#ifdef SAME_EPOCH
		own = 1;
#else
		own = UNLESS_ZERO((own != 0 -> own : epoch) + 1);
		own = (own == accept -> own + 1 : own);
#endif
		bond++
	}
	atomic { epoch = own; bond_of_epoch = bond }
	hello = server;
#ifdef INDICES_LAST
	at = request_server;
	request_client = at;
	answers = response_server;
	response_client = answers;
#endif

bonding:
	do
	:: formatted != server -> goto alone
	:: formatted == server && ACCEPTED -> break
#ifndef NEVER_AGAIN
	:: early < EARLY -> early++; goto alone
	:: timeout -> goto alone
#endif
	od;
	/* A step after the load of `accept`: the server may have gone on meanwhile. */
	atomic {
		if
		:: formatted == server && ACCEPTED ->
			assert(request_client == request_server);
			assert(response_client == response_server);
			assert(job_bond == 0);
			holds = bond
		:: else
		fi
	}

use:
	do
	:: formatted != server || !ACCEPTED -> goto alone
	:: atomic { !asked && requests < REQUESTS ->
		/* The client writes to the slot; that the bond is over it may not have seen. */
		assert(job_bond == 0) }
		request_epoch[at % ENTRIES] = own;
		atomic {
			request_bond[at % ENTRIES] = bond;
			requests++;
			asked = true;
			at = NEXT(at)
		}
		request_client = at
	:: response_server != answers ->
		atomic {
			/* The server has begun anew, or this is sound. */
			assert(LESS(response_server, answers) <= ENTRIES || formatted != server ||
			       !ACCEPTED);
			old = response_epoch[answers % ENTRIES];
			if
			:: old == own && asked ->
				assert(response_bond[answers % ENTRIES] == bond);
				asked = false
			:: else
			fi;
			response_bond[answers % ENTRIES] = 0;
			answers = NEXT(answers);
			old = 0
		}
		response_client = answers
	:: atomic { !asked && requests == REQUESTS && formatted == server && ACCEPTED &&
		    response_server == answers ->
		/* All is answered: it waits for the end of the bond. */
end_bonded:
		formatted != server || !ACCEPTED }
		goto alone
	od
	} unless { reset_client };
	goto boot
}

proctype server() {
	byte own, client_epoch, ignored, said, found, taken, given, seen, job_epoch, deaths;
	byte its_bond; /* the checker's */

boot:
	atomic {
		reset_server = false;
		client_epoch = 0; said = 0; found = 0; taken = 0; given = 0; seen = 0; job_epoch = 0;
		job_bond = 0; its_bond = 0;
		own = UNLESS_ZERO(last_server + 1)
	}
	{
	formatted = 0;
	accept = 0;
	ignored = epoch;
	atomic { last_server = own; formatted = own };

serve:
	do
	/* Whoever says hello, when no job is left. */
#ifdef EARLY_ACCEPT
	:: client_epoch == 0 && hello == own && epoch != ignored ->
#else
	:: client_epoch == 0 && job_bond == 0 && hello == own && epoch != ignored ->
#endif
		atomic { found = epoch; its_bond = bond_of_epoch }
#ifdef KEEPS_INDICES
		taken = request_server;
		given = response_server;
#else
		taken = request_client;
		request_server = taken;
		given = response_client;
		response_server = given;
#endif
		accept = found;
		atomic { client_epoch = found; found = 0 }

	/* Another client, or one that seems to be dead. */
	:: client_epoch != 0 && epoch != client_epoch && hello == own ->
over:
		accept = 0;
		atomic {
			ignored = client_epoch;
			client_epoch = 0;
			its_bond = 0;
			taken = 0;
			given = 0;
			seen = 0
		}
	:: client_epoch != 0 && deaths < DEATHS ->
		atomic { deaths++; goto over }

	/* A request. */
	:: client_epoch != 0 && job_bond == 0 && request_client != taken ->
		seen = request_client;
#ifdef LOADS_TWICE
		if
		:: LESS(request_client, taken) > ENTRIES ->
#else
		if
		:: seen == taken -> skip
		:: LESS(seen, taken) > ENTRIES ->
#endif
			/* Never by a client that is bonded. */
			assert(holds != its_bond);
			goto over
		:: else ->
			atomic {
				said = request_epoch[taken % ENTRIES];
				if
				:: said == client_epoch ->
					assert(request_bond[taken % ENTRIES] == its_bond);
					job_bond = its_bond;
					job_epoch = said
				:: else
				fi;
				request_bond[taken % ENTRIES] = 0;
				taken = NEXT(taken);
				said = 0
			}
			request_server = taken
		fi;
		seen = 0

	/* A job ends: as it should, or since it was cancelled. */
	:: job_bond != 0 ->
		if
		:: client_epoch == job_epoch && client_epoch != 0 ->
			response_epoch[given % ENTRIES] = job_epoch;
			atomic {
				response_bond[given % ENTRIES] = job_bond;
				given = NEXT(given);
				job_bond = 0;
				job_epoch = 0
			}
			response_server = given
		:: else -> atomic { job_bond = 0; job_epoch = 0 }
		fi

	/* Nothing to do. */
	:: client_epoch != 0 && job_bond == 0 && request_client == taken &&
	   !(epoch != client_epoch && hello == own) ->
end_idle:
		request_client != taken || (epoch != client_epoch && hello == own)
	:: client_epoch == 0 && job_bond == 0 && (hello != own || epoch == ignored) ->
end_alone:
		hello == own && epoch != ignored
	od
	} unless { reset_server };
	goto boot
}

proctype fate() {
	byte resets;

	do
	:: atomic { resets < RESETS && !reset_client -> resets++; reset_client = true }
	:: atomic { resets < RESETS && !reset_server -> resets++; reset_server = true }
	:: break
	od
}

init {
	atomic {
		/* Whatever was in memory; a header of a server that was there, or none. */
		if /* after power-on, or after a bond with the epochs 1 and 1 */
		:: formatted = 0; accept = 0; epoch = 0; hello = 0
		:: formatted = 0; accept = 2; epoch = 1; hello = 1
		:: formatted = 1; accept = 1; epoch = 1; hello = 1
		:: formatted = 1; accept = 2; epoch = 1; hello = 2
		fi;
		last_server = formatted;
		if
		:: skip
		:: request_client = 1; request_server = 2; response_server = 1; response_client = 3
		fi;
		run client();
		run server();
		run fate()
	}
}
