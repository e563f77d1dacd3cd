/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The protocol of the model store's registry and slots, for spin: one model, two slots, two
 * registry sectors with PLACES log places each, the power cut within any operation any number of
 * times, and every way of tearing: old, new, unreadable, otherwise each time, reads as erased but
 * is not; an erase does so to each part for itself. model-check.sh runs it, also with each of the
 * macros that break the protocol, which must be found.
 *
 * What is left out: bytes, CRCs and sizes (a part is valid or not), wear, security versions, keys.
 * A part that reads otherwise each time is found by reading the log's end repeatedly; a header that
 * does is read twice only, and may seem valid.
 */

#define PLACES 2
#define BOOTS  2 /* of a trial */

#define NONE 3 /* neither slot */

/* Slots. */
#define EMPTY    0
#define FILLING  1
#define GOOD     2
#define REJECTED 3

/* Trials. */
#define PENDING 1
#define TRYING  2

/* Parts of the flash: a header, a log place. */
#define BLANK    0 /* reads as erased */
#define VALID    1
#define BAD      2 /* cannot be read, or makes no sense */
#define UNSTABLE 3 /* as valid or as bad, each time anew */

/* The model's state in one number. */
#define MAKE(s0, s1, confirmed, trial, on, tries)                                                  \
	((s0) | (s1) << 2 | (confirmed) << 4 | (trial) << 6 | (on) << 8 | (tries) << 10)
#define SLOT(st, s)   ((st) >> (2 * (s)) & 3)
#define CONFIRMED(st) ((st) >> 4 & 3)
#define TRIAL(st)     ((st) >> 6 & 3)
#define ON(st)        ((st) >> 8 & 3)
#define TRIES(st)     ((st) >> 10 & 3)
#define WITH_SLOT(st, s, to)                                                                       \
	MAKE(((s) == 0 -> (to) : SLOT(st, 0)), ((s) == 1 -> (to) : SLOT(st, 1)), CONFIRMED(st),    \
	     TRIAL(st), ON(st), TRIES(st))
#define WITH_TRIAL(st, trial, on, tries)                                                           \
	MAKE(SLOT(st, 0), SLOT(st, 1), CONFIRMED(st), trial, on, tries)
#define WITH_CONFIRMED(st, s) MAKE(SLOT(st, 0), SLOT(st, 1), s, 0, NONE, 0)
#define START                 MAKE(EMPTY, EMPTY, NONE, 0, NONE, 0)

/* The slot that is loaded without a trial. */
#define CURRENT(st)                                                                                \
	(CONFIRMED(st) == NONE -> NONE                                                             \
	 : (SLOT(st, CONFIRMED(st)) == GOOD                                                        \
	     -> CONFIRMED(st)                                                                      \
	     : (SLOT(st, 1 - CONFIRMED(st)) == GOOD -> 1 - CONFIRMED(st) : NONE)))

/*
 * Flash. What cannot be read any more is forgotten. Of generations it only matters which header was
 * begun last: it is one above the other, as it was made while that one was in use.
 */
byte header[2];
short snapshot[2];
byte latest;
byte entry[2 * PLACES];
short says[2 * PLACES];
bool whole[2]; /* slot: all of a package, and no more */

/* What only the checker knows. */
bool clean[2 * (PLACES + 1)]; /* part: erased to the end, and not programmed since */
short acknowledged = START;   /* the state that somebody was told of */
short in_flight = START;      /* the one that an operation under way leads to */
byte loads;                   /* of the trial under way */

/* The device's memory. */
short st;
byte used;      /* registry sector */
byte number;    /* next log place in it */
bool writable;  /* the sector was begun in this session */
bool booted;
byte other, at, slot, newer, count0, count1;
short next, state0, state1;
bool problem, valid0, valid1;

#define PART_HEADER(sector)   ((sector) * (PLACES + 1))
#define PART_ENTRY(sector, n) ((sector) * (PLACES + 1) + 1 + (n))

/* An unfinished program: it had been blank. */
inline tear_program(part) {
	if
	:: part = BLANK
	:: part = VALID
	:: part = BAD
	:: part = UNSTABLE
	fi
}

inline tear_erase(part) {
	if
	:: skip
	:: part = BLANK
	:: part = BAD
	:: part == VALID || part == UNSTABLE -> part = UNSTABLE
	fi
}

/* Before each operation of the flash: the power stays, or goes within it. */
#define OPERATION(whole_effect, torn_effect)                                                       \
	if                                                                                         \
	:: whole_effect                                                                            \
	:: torn_effect; goto mount                                                                 \
	fi

inline erase_all(sector) {
	header[sector] = BLANK;
	snapshot[sector] = 0;
	clean[PART_HEADER(sector)] = true;
	for (at : 0 .. PLACES - 1) {
		entry[(sector) * PLACES + at] = BLANK;
		says[(sector) * PLACES + at] = 0;
		clean[PART_ENTRY(sector, at)] = true;
	}
	at = 0
}

/* Without a header nobody looks at the entries: they count as blank, though nothing is clean. */
inline erase_torn(sector) {
	tear_erase(header[sector]);
	clean[PART_HEADER(sector)] = false;
	if
	:: header[sector] == BLANK || header[sector] == BAD -> snapshot[sector] = 0
	:: else
	fi;
	for (at : 0 .. PLACES - 1) {
		clean[PART_ENTRY(sector, at)] = false;
		if
		:: header[sector] == BLANK || header[sector] == BAD ->
			entry[(sector) * PLACES + at] = BLANK
		:: else -> tear_erase(entry[(sector) * PLACES + at])
		fi;
		if
		:: entry[(sector) * PLACES + at] == BLANK ||
		   entry[(sector) * PLACES + at] == BAD -> says[(sector) * PLACES + at] = 0
		:: else
		fi
	}
	at = 0
}

inline begin_header(sector) {
	assert(clean[PART_HEADER(sector)]);
	clean[PART_HEADER(sector)] = false;
	snapshot[sector] = st;
	latest = sector
}

inline begin_entry(sector, n, to) {
	assert(clean[PART_ENTRY(sector, n)]);
	clean[PART_ENTRY(sector, n)] = false;
	says[(sector) * PLACES + (n)] = to
}

/* Make `next` the state: one entry, in the sector in use or after a header in the other one. */
inline write() {
	in_flight = next;
	if
	:: writable && number < PLACES ->
		OPERATION(begin_entry(used, number, next);
			  entry[used * PLACES + number] = VALID,
			  begin_entry(used, number, next);
			  tear_program(entry[used * PLACES + number]));
		number++
	:: else ->
		other = 1 - used;
#ifdef INFERS_ERASED
		if
		:: header[other] == BLANK && entry[other * PLACES] == BLANK -> skip
		:: else -> OPERATION(erase_all(other), erase_torn(other))
		fi;
#else
		OPERATION(erase_all(other), erase_torn(other));
#endif
		OPERATION(begin_header(other); header[other] = VALID,
			  begin_header(other); tear_program(header[other]));
		OPERATION(begin_entry(other, 0, next);
			  entry[other * PLACES] = VALID,
			  begin_entry(other, 0, next);
			  tear_program(entry[other * PLACES]));
		used = other;
		number = 1;
		writable = true
	fi;
	st = next;
	acknowledged = next;
	other = 0;
	next = 0
}

/* Whether a header is valid this time. */
inline read_header(sector, valid) {
	if
	:: header[sector] == VALID -> valid = true
	:: header[sector] == UNSTABLE -> valid = true; problem = true
	:: header[sector] == UNSTABLE -> valid = true
	:: header[sector] == UNSTABLE || header[sector] == BAD -> valid = false; problem = true
	:: header[sector] == BLANK -> valid = false
	fi
}

/* What a sector says, from how many entries. */
inline read_log(sector, state, count) {
	state = snapshot[sector];
	count = 0;
	for (at : 0 .. PLACES - 1) {
		if
		:: entry[(sector) * PLACES + at] == VALID ->
			state = says[(sector) * PLACES + at];
			count = at + 1
#ifdef READS_ONCE
		:: entry[(sector) * PLACES + at] == UNSTABLE ->
			state = says[(sector) * PLACES + at];
			count = at + 1
#endif
		:: entry[(sector) * PLACES + at] == BAD ||
		   entry[(sector) * PLACES + at] == UNSTABLE -> problem = true
		:: entry[(sector) * PLACES + at] == BLANK
		fi
	}
	at = 0
}

inline choose() {
	problem = false;
	read_header(0, valid0);
	read_header(1, valid1);
	state0 = START;
	state1 = START;
	count0 = 0;
	count1 = 0;
	if :: valid0 -> read_log(0, state0, count0) :: else fi;
	if :: valid1 -> read_log(1, state1, count1) :: else fi;
	newer = (valid1 && (!valid0 || latest == 1) -> 1 : 0);
#ifndef COUNTS_BARE_HEADERS
	if
	:: valid0 && valid1 && (newer == 0 -> count0 : count1) == 0 ->
		newer = 1 - newer;
		problem = true
	:: else
	fi;
#endif
	if
	:: valid0 || valid1 ->
		used = newer;
		st = (newer == 0 -> state0 : state1);
		number = (newer == 0 -> count0 : count1)
	:: else ->
		used = 1;
		st = START;
		number = 0;
		problem = false
	fi
}

active proctype device() {
mount:
	skip; /* not atomic: a state that is remembered, so that cuts without end have one */
	atomic {
		writable = false;
		booted = false;
		choose();
		/* Just what was acknowledged, or what was under way. */
		assert(st == acknowledged || st == in_flight);
#ifdef APPENDS_TO_OLD_LOG
		writable = true;
#endif
		/* From here on somebody has been told. */
		acknowledged = st;
		in_flight = st;
		/* What is good is whole: also what stands in for another one. */
		assert(SLOT(st, 0) != GOOD || whole[0]);
		assert(SLOT(st, 1) != GOOD || whole[1]);
		assert(TRIAL(st) != TRYING || loads <= TRIES(st));
		state0 = 0;
		state1 = 0;
		count0 = 0;
		count1 = 0;
		valid0 = false;
		valid1 = false;
		newer = 0;
#ifndef APPENDS_TO_OLD_LOG
		number = 0; /* of no use before the sector is begun */
#endif
		other = 0;
		slot = 0;
		next = st;
		if
		:: problem -> problem = false; write()
		:: else -> next = 0
		fi
	}
	do
	/* The power goes between operations. */
	:: goto mount

	/* Fill: the good mark goes first, then the slot. */
	:: atomic { TRIAL(st) == 0 ->
		slot = (CURRENT(st) == NONE -> 0 : 1 - CURRENT(st));
#ifdef CLEARS_MARK_LATER
		OPERATION(whole[slot] = false, whole[slot] = false);
#endif
		next = WITH_SLOT(st, slot, FILLING);
		if
		:: CONFIRMED(st) == slot ->
			next = MAKE(SLOT(next, 0), SLOT(next, 1), CURRENT(st), 0, NONE, 0)
		:: else
		fi;
		if
		:: SLOT(next, 1 - slot) == FILLING -> next = WITH_SLOT(next, 1 - slot, EMPTY)
		:: else
		fi;
		write();
		assert(slot != CURRENT(st));
		OPERATION(whole[slot] = false, whole[slot] = false);
		OPERATION(whole[slot] = true,
			  if :: whole[slot] = true :: whole[slot] = false fi);
		slot = 0
	}

	/* Verified. */
	:: atomic { SLOT(st, 0) == FILLING && whole[0] ->
		next = WITH_SLOT(st, 0, GOOD);
		write()
	}
	:: atomic { SLOT(st, 1) == FILLING && whole[1] ->
		next = WITH_SLOT(st, 1, GOOD);
		write()
	}

	:: atomic { TRIAL(st) == 0 && CONFIRMED(st) != 0 && SLOT(st, 0) >= GOOD && whole[0] ->
		loads = 0;
		next = WITH_TRIAL(WITH_SLOT(st, 0, GOOD), PENDING, 0, 0);
		write()
	}
	:: atomic { TRIAL(st) == 0 && CONFIRMED(st) != 1 && SLOT(st, 1) >= GOOD && whole[1] ->
		loads = 0;
		next = WITH_TRIAL(WITH_SLOT(st, 1, GOOD), PENDING, 1, 0);
		write()
	}

	/* Boot: counted before it is tried. */
	:: atomic { !booted ->
		booted = true;
		if
		:: TRIAL(st) != 0 && TRIES(st) < BOOTS ->
			next = WITH_TRIAL(st, TRYING, ON(st), TRIES(st) + 1);
#ifdef COUNTS_AFTER_LOAD
			loads++;
			write()
#else
			write();
			loads++
#endif
		:: TRIAL(st) != 0 && TRIES(st) >= BOOTS ->
			next = WITH_TRIAL(WITH_SLOT(st, ON(st), REJECTED), 0, NONE, 0);
			write();
			loads = 0
		:: TRIAL(st) == 0 -> skip
		fi;
		assert(CONFIRMED(st) == NONE || CURRENT(st) != NONE);
		assert(TRIAL(st) != TRYING || (loads >= 1 && loads <= BOOTS))
	}

	:: atomic { TRIAL(st) == TRYING && booted ->
		next = WITH_CONFIRMED(st, ON(st));
		write();
		loads = 0
	}
	:: atomic { TRIAL(st) != 0 ->
		next = WITH_TRIAL(WITH_SLOT(st, ON(st), REJECTED), 0, NONE, 0);
		write();
		loads = 0
	}
	od
}
